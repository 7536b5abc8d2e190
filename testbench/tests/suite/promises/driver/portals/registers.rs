//! What registers show.

use super::{event, kinds, Ranks, BYTES, TILES};
use portico::{
    portals::*,
    registers::{ControlRegister, CounterRegister, EventRegister, PortalsRegister},
    Fabric, Transport,
};

/// The rank whose registers are read.
const RANK: usize = 1;

/// What a register of the engine has shown shows in no other one.
pub fn a_register_shows_nothing_else<T: Transport>(open: impl Fn() -> Fabric<T>) -> Result<(), Error> {
    let mut ranks = Ranks::new(open(), BYTES)?;
    let tile = TILES[RANK];
    let (eq, ct) = (ranks.eq(RANK, 2)?, ranks.ct(RANK)?);
    let pt_index = ranks.index(RANK, Some(eq))?;
    let counts = CtEvent {
        success: u32::MAX.into(),
        failure: u32::MAX.into(),
    };
    ranks.matching[RANK].ct_set(&mut ranks.fabric, ct, counts)?;
    // Events of messages that nothing takes: all but two are lost, and all are dropped.
    let md = ranks.md(RANK, MdOptions::NONE, Some(eq), None)?;
    for _ in 0..5 {
        let put = Put {
            pt_index,
            ..Put::new(md, 0, RANK as u32)
        };
        ranks.put(RANK, &put)?;
    }
    ranks.rest();
    let free = ranks.fabric.event(tile)?;
    let memory = ranks.fabric.memory_bytes(tile)?;
    for (register, item, value) in [
        (PortalsRegister::CtSuccess, ct.number(), u32::MAX),
        (PortalsRegister::CtFailure, ct.number(), u32::MAX),
        (PortalsRegister::EqDropped, eq.number(), 3),
        (PortalsRegister::Status, 0, 5),
    ] {
        let others = [
            ranks.fabric.peek(tile, register, item)?,
            ranks.fabric.peek(tile, EventRegister::Count, free.number().into())?,
            ranks.fabric.peek(tile, register, item)?,
            ranks.fabric.peek(tile, ControlRegister::Memory, 0)?,
            ranks.fabric.peek(tile, register, item)?,
            ranks.fabric.peek(tile, PortalsRegister::Portal, 100)?,
            ranks.fabric.peek(tile, register, item)?,
            ranks.fabric.peek(tile, CounterRegister::Dropped, 0)?,
        ];
        assert_eq!(others, [value, 0, value, memory, value, 0, value, 0], "{register:?}");
    }
    let portal = ranks.fabric.peek(tile, PortalsRegister::Portal, pt_index as usize)?;
    assert_ne!(portal, 0);
    assert_eq!(ranks.fabric.peek(tile, EventRegister::Count, free.number().into())?, 0);
    free.release(&mut ranks.fabric)?;
    let send = event(EventKind::Send);
    assert_eq!(kinds(&ranks.events(RANK, eq)?), [send.kind; 2]);
    ranks.finish()
}

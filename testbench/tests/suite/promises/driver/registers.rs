//! Registers by their names, and what the driver makes of them: shapers, the monitor's counters.

use super::{says, SOON};
use portico::{
    onesided::{Geometry, Shaper, Window},
    registers::{ControlRegister, CounterRegister, EventRegister},
    Error, Fabric, Transport,
};
use portico_spec::ni::registers::IDENTITY;

pub fn registers_of_every_node_by_name<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    for width in [32, 64] {
        let mut fabric = open(width);
        for node in 0..fabric.config().terminals() {
            assert_eq!(fabric.peek(node, ControlRegister::Id, 0)?, IDENTITY, "node {node}");
            let bytes = fabric.memory_bytes(node)?;
            assert_eq!(fabric.peek(node, ControlRegister::Memory, 0)?, bytes, "node {node}");
            let (event, threshold) = (20, 3);
            fabric.poke(node, EventRegister::Count, event, &[7, threshold])?;
            let found = [EventRegister::Count, EventRegister::Control, EventRegister::Status]
                .map(|register| fabric.peek(node, register, event));
            assert_eq!(found, [Ok(7), Ok(threshold), Ok(0)], "node {node}");
            assert_eq!(fabric.peek(node, EventRegister::Count, event + 1)?, 0, "node {node}");
        }
        says(
            fabric.peek(8, ControlRegister::Id, 0),
            "node = 8 does not exist: allowed is 0..=7",
        );
        let events = fabric.config().events;
        says(
            fabric.peek(0, EventRegister::Count, events),
            &format!("event = {events} is not allowed: allowed is 0..={}", events - 1),
        );
        says(
            fabric.poke(0, EventRegister::ValueHigh, events - 1, &[0; 5]),
            "registers = 5 is not allowed: allowed is 0..=4",
        );
    }
    Ok(())
}

/// Words that a closed window refuses are counted at the target, and nowhere else.
pub fn refused_words_are_counted<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    for width in [32, 64] {
        let mut fabric = open(width);
        let segment = fabric.publish(4, Window::new(0, 64))?;
        let remote = fabric.tile(1)?.clone_segment(segment.id())?;
        segment.withdraw(&mut fabric)?;
        let line = Geometry::linear(3 * fabric.word_bytes());
        assert!(fabric.tile(1)?.put(&remote, 0, 0, line)?.wait(SOON).is_err());
        for (node, refused) in [(1, 0), (4, 3)] {
            let counters = fabric.counters(node)?;
            let found = (counters[CounterRegister::Refused], counters[CounterRegister::Dropped]);
            assert_eq!(found, (refused, 0), "node {node}");
        }
    }
    Ok(())
}

/// Whatever a shaper lets through arrives whole.
pub fn shapers_of_all_sizes<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    let mut fabric = open(32);
    let segment = fabric.publish(5, Window::new(0, 0x200))?;
    for node in [0, 6] {
        let remote = super::initiator(&mut fabric, node)?.clone_segment(segment.id())?;
        let shapers = [(0, 1, 0, 0), (3, 7, 511, 511), (7, 64, 200, 1)];
        let built = fabric.config().build_of(node).shapers;
        for (number, maximum, rate, burst) in shapers.into_iter().filter(|shaper| usize::from(shaper.0) < built) {
            let data: Vec<u32> = (0..0x80).map(|at| (node as u32) << 16 | maximum << 8 | at).collect();
            fabric.write(node, 0x400, &data)?;
            let mut from = super::initiator(&mut fabric, node)?;
            from.set_shaper(number, Shaper { maximum, rate, burst })?;
            let put = from.put(&remote, 0, 0x400, Geometry::linear(0x200))?;
            put.shaper(number)?.wait(SOON)?;
            assert_eq!(fabric.read(5, 0, 0x80)?, data, "node {node}, shaper {number}");
        }
    }
    let first = Shaper::default();
    says(
        fabric.host().set_shaper(1, first),
        "shaper = 1 is not allowed: allowed is 0..=0",
    );
    let mut tile = fabric.tile(0)?;
    says(tile.set_shaper(8, first), "shaper = 8 is not allowed: allowed is 0..=7");
    for maximum in [0, 65] {
        let text = format!("maximum of a shaper = {maximum} is not allowed: allowed is 1..=64");
        says(tile.set_shaper(0, Shaper { maximum, ..first }), &text);
    }
    says(
        tile.set_shaper(0, Shaper { rate: 512, ..first }),
        "rate of a shaper = 512 is not allowed: allowed is 0..=511",
    );
    says(
        tile.set_shaper(0, Shaper { burst: 512, ..first }),
        "burst of a shaper = 512 is not allowed: allowed is 0..=511",
    );
    Ok(())
}

//! What the driver and the hardware make of numbers beyond the tables that a node is built with: nothing.

use super::{rest, says, SOON};
use portico::{
    event::Compare,
    mailbox::Delivery,
    onesided::{Geometry, Window},
    program::assemble,
    registers::{
        ControlRegister, CounterRegister, EventRegister, MailboxRegister, Place, ProgramRegister, ReleaseRegister,
        SegmentRegister, TagRegister,
    },
    Error, Fabric, Transport,
};
use portico_spec::ni::{
    build::Build,
    command::{Opcode, EVENT_OFFSET, SEGMENT_OFFSET, SHAPER_OFFSET, WIDE_OFFSET},
    descriptor::{Command, Descriptor},
    registers::address_at,
    segment::{SegmentKind, KIND_OFFSET, NODE_OFFSET, TAG_OFFSET},
    window::{Mode, MODE_OFFSET},
    ErrorCode,
};

/// One row of two words.
const ROW: u32 = 1 << 16 | 2;

/// Writes a register of the host past the driver, which refuses what is not built.
fn force<T: Transport>(fabric: &mut Fabric<T>, register: impl Place, item: usize, value: u32) -> Result<(), Error> {
    let host = fabric.host_node();
    let address = address_at(fabric.config(), host, register, item);
    Ok(fabric.transport().write(address, value)?)
}

fn look<T: Transport>(fabric: &mut Fabric<T>, register: impl Place, item: usize) -> Result<u32, Error> {
    let host = fabric.host_node();
    let address = address_at(fabric.config(), host, register, item);
    Ok(fabric.transport().read(address)?)
}

pub fn every_node_tells_what_it_is_built_with<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    for width in [32, 64] {
        let mut fabric = open(width);
        for node in 0..fabric.config().terminals() {
            let [build, engines] =
                [ControlRegister::Build, ControlRegister::BuildEngines].map(|register| fabric.peek(node, register, 0));
            let told = Build::from_registers(build?, engines?);
            assert_eq!(told, fabric.config().build_of(node), "node {node}");
        }
    }
    Ok(())
}

/// The host's tables: what is written behind their ends is nowhere, and what is there stays.
pub fn registers_behind_a_table_are_nothing<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    let mut fabric = open(64);
    let build = fabric.config().build();
    for event in 0..build.events {
        force(&mut fabric, EventRegister::Count, event, event as u32)?;
    }
    for event in build.events..2 * build.events {
        force(&mut fabric, EventRegister::Count, event, 0x55)?;
        assert_eq!(look(&mut fabric, EventRegister::Count, event)?, 0, "event {event}");
    }
    for event in 0..build.events {
        assert_eq!(look(&mut fabric, EventRegister::Count, event)?, event as u32);
    }
    // Those of the window table that can be told by looking.
    for tag in build.free_windows()..255 {
        force(&mut fabric, TagRegister::Pointer, tag, 0x77)?;
        assert_eq!(look(&mut fabric, TagRegister::Pointer, tag)?, 0, "tag {tag}");
    }
    for tag in 0..build.free_windows() {
        assert_eq!(look(&mut fabric, TagRegister::Pointer, tag)?, 0, "tag {tag}");
    }
    for mailbox in build.mailboxes..2 * build.mailboxes {
        force(&mut fabric, MailboxRegister::Control, mailbox, u32::MAX)?;
        assert_eq!(look(&mut fabric, MailboxRegister::Count, mailbox)?, 0);
    }
    Ok(())
}

/// Every tag beyond the table is that of no window, whatever is written to its registers; and the system window is there.
pub fn windows_behind_the_table_are_closed<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    let mut fabric = open(64);
    let (host, build) = (fabric.host_node(), fabric.config().build());
    let word = fabric.word_bytes();
    for tag in build.free_windows()..255 {
        force(&mut fabric, TagRegister::Size, tag, 16)?;
        force(
            &mut fabric,
            TagRegister::Control,
            tag,
            (Mode::Window as u32) << MODE_OFFSET,
        )?;
    }
    // A handle of tile 0 on each of them, one after the other.
    let open_window = fabric.publish(host, Window::new(0, 64))?;
    let remote = fabric.tile(0)?.clone_segment(open_window.id())?;
    let node = u32::from(fabric.config().host_node().number());
    fabric.write(0, 0, &[0x1234, 0])?;
    for tag in [
        0,
        build.free_windows(),
        build.windows - 1,
        build.windows,
        2 * build.windows,
        254,
        255,
    ] {
        let tag = tag.min(255) as u32;
        let target = node << NODE_OFFSET | tag << TAG_OFFSET | (SegmentKind::Window as u32) << KIND_OFFSET;
        let handle = usize::from(remote.handle());
        fabric.poke(0, SegmentRegister::Target, handle, &[target, 16])?;
        for opcode in [Opcode::Put, Opcode::Get] {
            let words = [
                opcode as u32 | u32::from(remote.handle()) << SEGMENT_OFFSET,
                2 * word,
                0,
                ROW,
            ];
            let outcome = fabric.tile(0)?.descriptor::<()>(&words)?.wait(SOON);
            let exists = (tag as usize) < build.free_windows() || tag == 255;
            if exists {
                assert_eq!(outcome, Ok(()), "tag {tag}");
            } else {
                let (node, what, code) = (0, "descriptor", ErrorCode::UnknownWindow);
                assert_eq!(outcome, Err(Error::Refused { node, what, code }), "tag {tag}");
            }
        }
    }
    Ok(())
}

/// Neither the driver nor a node does what the node is built without.
pub fn what_is_off_is_refused<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    let mut fabric = open(32);
    let build = fabric.config().build();
    assert!(!build.queues && !build.programs && !build.wide_atomics && !build.monitors);
    says(
        fabric.queue(1, 4, 8, None),
        "node 1 is built without queues: set the key queues",
    );
    says(
        fabric.load(0, &assemble("stop")?),
        "node 0 is built without programs of the user's: set the key programs",
    );
    says(
        fabric.poke(0, ReleaseRegister::Messages, 0, &[1]),
        "node 0 is built without release",
    );
    let segment = fabric.publish(1, Window::new(0x100, 0x100))?;
    let remote = fabric.tile(0)?.clone_segment(segment.id())?;
    says(
        fabric.tile(0)?.fetchadd(&remote, 0, 1u64),
        "node 0 is built without atomics of 64 bits: set the key wide_atomics",
    );
    assert_eq!(fabric.tile(0)?.fetchadd(&remote, 0, 5u32)?.wait(SOON)?, 0);
    assert_eq!(fabric.tile(0)?.fetchadd(&remote, 0, 1u32)?.wait(SOON)?, 5);

    let word0 = |opcode: Opcode| opcode as u32 | u32::from(remote.handle()) << SEGMENT_OFFSET;
    for words in [
        vec![word0(Opcode::Enqueue), 0, 0, ROW],
        vec![word0(Opcode::Program), 64],
        vec![word0(Opcode::Program), 0],
        vec![word0(Opcode::Atomic) | 1 << WIDE_OFFSET, 0, 1, 0],
    ] {
        let outcome = fabric.tile(0)?.descriptor::<()>(&words)?.wait(SOON);
        let (node, what, code) = (0, "descriptor", ErrorCode::NotBuilt);
        assert_eq!(outcome, Err(Error::Refused { node, what, code }), "{words:x?}");
    }
    // Registers of what is not there; and everything goes on.
    for place in 0..256 {
        force(&mut fabric, ProgramRegister::Instruction, place, 0xf)?;
        force(&mut fabric, ReleaseRegister::Messages, place, 3)?;
    }
    for counter in [
        CounterRegister::Cycles,
        CounterRegister::DataIn,
        CounterRegister::Refused,
    ] {
        assert_eq!(look(&mut fabric, counter, 0)?, 0);
    }
    assert_eq!(fabric.tile(0)?.fetchadd(&remote, 0, 1u32)?.wait(SOON)?, 6);
    Ok(())
}

/// Commands that name what is not there.
pub fn commands_name_what_is_built<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    let mut fabric = open(64);
    let build = fabric.config().build();
    let segment = fabric.publish(1, Window::new(0x100, 0x100))?;
    let remote = fabric.tile(0)?.clone_segment(segment.id())?;
    let word0 = |opcode: Opcode, handle: u32| opcode as u32 | handle << SEGMENT_OFFSET;
    let put = |word: u32| [word, 0, 0, ROW];
    let what = "descriptor";

    // A segment: the one of the same low bits is `remote`.
    let beyond = u32::from(remote.handle()) + build.segments as u32;
    let outcome = fabric
        .tile(0)?
        .descriptor::<()>(&put(word0(Opcode::Put, beyond)))?
        .wait(SOON);
    let (node, code) = (0, ErrorCode::UnknownSegment);
    assert_eq!(outcome, Err(Error::Refused { node, what, code }));

    // A shaper.
    let own = word0(Opcode::Put, remote.handle().into());
    for shaper in 0..8 {
        let words = put(own | shaper << SHAPER_OFFSET);
        let outcome = fabric.tile(0)?.descriptor::<()>(&words)?.wait(SOON);
        let code = ErrorCode::NotBuilt;
        let expected = match (shaper as usize) < build.shapers {
            true => Ok(()),
            false => Err(Error::Refused { node, what, code }),
        };
        assert_eq!(outcome, expected, "shaper {shaper}");
    }
    let refused = fabric
        .tile(0)?
        .put(&remote, 0, 0, Geometry::linear(8))?
        .shaper(build.shapers as u8);
    says(
        refused.map(|_| ()),
        &format!(
            "shaper = {0} is not allowed: allowed is 0..={1}",
            build.shapers,
            build.shapers - 1
        ),
    );

    // An event: the command runs, and counts nowhere.
    fabric.write(0, 0, &[0xabcd, 0, 0, 0])?;
    let events: Vec<u32> = (0..build.events)
        .map(|event| fabric.peek(0, EventRegister::Count, event))
        .collect::<Result<_, _>>()?;
    let mut words = put(own);
    words[0] |= (build.events as u32 + 3) << EVENT_OFFSET;
    let first = 16 - words.len();
    for (at, word) in words.into_iter().enumerate() {
        fabric.poke(0, portico::registers::CommandRegister::Word, first + at, &[word])?;
    }
    rest(&mut fabric);
    assert_eq!(fabric.read(1, 0x100, 2)?, [0xabcd, 0]);
    for (event, count) in events.into_iter().enumerate() {
        assert_eq!(fabric.peek(0, EventRegister::Count, event)?, count, "event {event}");
    }

    // A mailbox: the mail is lost.
    let arrived = fabric.event(1)?;
    arrived.configure(&mut fabric, 1, Compare::AtLeast, false)?;
    let mailboxes: Vec<_> = (0..build.mailboxes)
        .map(|_| fabric.mailbox(1, Delivery::Message, Some(&arrived)))
        .collect::<Result<_, _>>()?;
    let mail = Command::Mail {
        node: fabric.config().tile_node(1),
        mailbox: build.mailboxes as u8,
        value: 7,
    };
    let words = Descriptor::new(mail).encode(fabric.config()).expect("a mail");
    fabric.tile(0)?.descriptor::<()>(&words)?.wait(SOON)?;
    rest(&mut fabric);
    assert_eq!(arrived.state(&mut fabric)?.count, 0);
    fabric.tile(0)?.mail(&mailboxes[0], 9)?.wait(SOON)?;
    rest(&mut fabric);
    assert_eq!(arrived.state(&mut fabric)?.count, 1);
    assert_eq!(mailboxes[0].read(&mut fabric)?, (1, 9));
    Ok(())
}

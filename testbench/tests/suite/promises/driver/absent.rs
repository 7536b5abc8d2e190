//! Commands that name a node to which no packet comes: each is refused with its code, and costs nothing.

use super::{initiator, rest, SOON};
use portico::{
    onesided::{Geometry, Window},
    program::assemble,
    registers::SegmentRegister,
    Error, Fabric, Transport,
};
use portico_spec::{
    ni::{
        command::{Opcode, OPERATION_OFFSET, SEGMENT_OFFSET, WIDE_OFFSET},
        packet::Operation,
        segment::{self, SegmentKind, Target},
        window::SYSTEM_WINDOW,
        ErrorCode,
    },
    Node,
};

/// Commands of each kind: more than a node has slots, and than it may have gets under way.
const EACH: usize = 100;
/// One row of two words.
const ROW: u32 = 1 << 16 | 2;

fn word(opcode: Opcode, handle: u8) -> u32 {
    opcode as u32 | u32::from(handle) << SEGMENT_OFFSET
}

/// Right commands to another node, more at once than there are slots; and a fence on the handle that named nobody: nothing is
/// open there.
fn all_is_free<T: Transport>(fabric: &mut Fabric<T>, from: usize, handle: u8) -> Result<(), Error> {
    let (to, bytes) = (1, 2 * fabric.word_bytes());
    let [right, _] = segment::space(fabric.config(), to);
    fabric.poke(from, SegmentRegister::Target, handle.into(), &[right])?;
    let fence = [word(Opcode::Fence, handle), 0];
    initiator(fabric, from)?.descriptor::<()>(&fence)?.wait(SOON)?;

    let segment = fabric.publish(to, Window::new(0x400, 4 * bytes))?;
    let remote = initiator(fabric, from)?.clone_segment(segment.id())?;
    let event = fabric.event(from)?;
    fabric.write(from, 0x100, &[11, 22, 33, 44])?;
    fabric.write(to, 0x400, &[0; 16])?;
    for _ in 0..fabric.config().build().slots + 2 {
        let line = Geometry::linear(bytes);
        initiator(fabric, from)?
            .put(&remote, 0, 0x100, line)?
            .count_in(&event)?;
        initiator(fabric, from)?
            .get(&remote, 0, 0x200, line)?
            .count_in(&event)?;
        initiator(fabric, from)?
            .postadd(&remote, 2 * bytes, 1u32)?
            .count_in(&event)?;
    }
    event.drain(fabric, SOON)?;
    assert_eq!(event.state(fabric)?.error, None);
    assert_eq!(fabric.read(from, 0x200, 2)?, [11, 22]);
    assert_eq!(
        fabric.read(to, 0x400 + 2 * bytes, 2)?,
        [fabric.config().build().slots as u32 + 2, 0]
    );
    event.release(fabric)?;
    remote.release(fabric)?;
    segment.withdraw(fabric)
}

/// Nodes beyond the tiles and the edge nodes, and an edge node itself.
pub fn commands_to_absent_nodes_are_refused_and_cost_nothing<T: Transport>(
    open: impl Fn(usize) -> Fabric<T>,
) -> Result<(), Error> {
    for width in [32, 64] {
        let mut fabric = open(width);
        let config = fabric.config().clone();
        let host = fabric.host_node();
        let (cols, rows, edges) = (config.cols as u8, config.rows as u8, config.edge_nodes as u8);
        let beyond = [(cols, 0), (edges, rows), (0, rows + 1)].map(|(x, y)| Node { x, y });
        let cases = [
            (0, beyond[0]),
            (0, beyond[1]),
            (host, beyond[1]),
            (host, beyond[2]),
            (host, config.host_node()),
        ];
        for (from, node) in cases {
            let handle = (config.build().segments - 1) as u8;
            let program = (from != host)
                .then(|| fabric.load(from, &assemble("run r2, close, last, stop")?))
                .transpose()?;
            let set = |fabric: &mut Fabric<T>, kind| {
                let tag = SYSTEM_WINDOW as u8;
                let target = Target { node, tag, kind }.encode().expect("coordinates that fit");
                fabric.poke(from, SegmentRegister::Target, handle.into(), &[target, 0x100, 8])
            };
            let fetch = word(Opcode::Atomic, handle) | (Operation::FetchAdd as u32) << OPERATION_OFFSET;
            let mail = u32::from(node.number());
            let runs = program.as_ref().map(|program| {
                let words = vec![word(Opcode::Program, handle), program.start(), 0, 2];
                (SegmentKind::Window, words)
            });
            let commands = [
                (SegmentKind::Window, vec![word(Opcode::Put, handle), 0, 0, ROW]),
                (
                    SegmentKind::Window,
                    vec![word(Opcode::Put, handle), 0, 0, 2 << 16 | 2, 4 << 16 | 4],
                ),
                (SegmentKind::Window, vec![word(Opcode::Get, handle), 0, 0, ROW]),
                (SegmentKind::Window, vec![word(Opcode::Stream, handle), 0, 0, ROW]),
                (SegmentKind::Window, vec![word(Opcode::Atomic, handle), 0, 1]),
                (SegmentKind::Window, vec![fetch, 0, 1]),
                (SegmentKind::Window, vec![word(Opcode::Fence, handle), 0]),
                (SegmentKind::Queue, vec![word(Opcode::Enqueue, handle), 0, 0, ROW]),
                (SegmentKind::None, vec![word(Opcode::Mail, 0), mail, 1, 2]),
            ];
            for (kind, words) in commands.into_iter().chain(runs) {
                set(&mut fabric, kind)?;
                let outcome = initiator(&mut fabric, from)?.descriptor::<()>(&words)?.wait(SOON);
                let (what, code) = ("descriptor", ErrorCode::AbsentNode);
                let expected = Err(Error::Refused { node: from, what, code });
                let what = format!("width {width}, {from} to {node}: {words:x?}");
                assert_eq!(outcome, expected, "{what}");
                let event = fabric.event(from)?;
                for _ in 1..EACH {
                    initiator(&mut fabric, from)?
                        .descriptor::<()>(&words)?
                        .count_in(&event)?;
                }
                rest(&mut fabric);
                let state = event.state(&mut fabric)?;
                assert_eq!(
                    (usize::from(state.count), state.error),
                    (EACH - 1, Some(code)),
                    "{what}"
                );
                event.release(&mut fabric)?;
            }
            all_is_free(&mut fabric, from, handle)?;
            if let Some(program) = program {
                program.unload(&mut fabric)?;
            }
        }
    }
    Ok(())
}

/// A host of profile `leaf` without queues, beside tiles with all: each refusal names the key that gives the host more. An atomic of
/// 64 bits that a tile sends to it all the same is refused there, and changes nothing.
pub fn a_small_host_refuses_what_it_lacks<T: Transport>(mut fabric: Fabric<T>) -> Result<(), Error> {
    let host = fabric.host_node();
    let says = |refused: Error, key: &str| {
        let text = refused.to_string();
        assert!(text.contains(key) && text.contains(&format!("node {host} ")), "{text}");
    };
    says(fabric.queue(host, 4, 16, None).unwrap_err(), "host_queues");
    let region = fabric.allocate(host, 64)?;
    fabric.write(host, region.base, &[7; 16])?;
    let window = Window::new(region.base, 64);
    let of_host = fabric.publish(host, window)?;
    let free = fabric.config().build_of(host).free_windows();
    for _ in 1..free {
        let _segment = fabric.publish(host, window)?;
    }
    says(fabric.publish(host, window).unwrap_err(), "host_profile");

    let there = fabric.tile(0)?.clone_segment(of_host.id())?;
    says(
        fabric.tile(0)?.fetchadd(&there, 0, 1u64).map(drop).unwrap_err(),
        "host_profile",
    );
    let add = word(Opcode::Atomic, there.handle()) | (Operation::FetchAdd as u32) << OPERATION_OFFSET;
    let wide = [add | 1 << WIDE_OFFSET, 0, 1, 1];
    let (node, what, code) = (0, "descriptor", ErrorCode::Malformed);
    let refused = fabric.tile(0)?.descriptor::<u64>(&wide)?.wait(SOON);
    assert_eq!(refused, Err(Error::Refused { node, what, code }));
    assert_eq!(fabric.read(host, region.base, 2)?, [7, 7]);
    // Those of 32 bits are done.
    assert_eq!(fabric.tile(0)?.fetchadd(&there, 0, 1u32)?.wait(SOON)?, 7);
    assert_eq!(fabric.read(host, region.base, 2)?, [8, 7]);
    Ok(())
}

//! Slots, moves that wait, and engines that are not enabled or not built.

use portico_spec::{
    ni::{
        registers::{CounterRegister, PortalsRegister},
        ErrorCode,
    },
    portals::{
        engine::{Ack, Command, Control, Move, RANK_PRESENT_OFFSET},
        list::{List, ANY_SOURCE},
    },
    Config,
};

use super::bench::{entry, get, put, Bench, COMMANDS, COUNTER, DESCRIPTOR, LOCAL, PORTAL};

/// How many commands of tile 0 have ended since the last call.
fn ended(bench: &mut Bench) -> u32 {
    let (count, error) = bench.ended(0);
    assert_eq!(error, None);
    count
}

fn set(success: u32) -> Control {
    Control::Set {
        counter: COUNTER,
        success,
        failure: 0,
    }
}

#[test]
fn four_gets_wait_for_their_answers_and_the_fifth_to_be_sent() {
    let mut bench = Bench::new(2);
    bench.append(1, entry(List::Priority, 1, &[]));
    bench.enable(1, false);
    for sent in [1, 1, 1, 1, 0] {
        bench.request(0, get(1));
        assert_eq!(ended(&mut bench), sent);
    }
    // What needs no slot does not pass it.
    bench.request(0, put(1, Ack::None));
    assert_eq!(ended(&mut bench), 0);
    assert!(!bench.fabric.is_idle());
    bench.enable(1, true);
    assert_eq!(ended(&mut bench), 2);
    assert!(bench.fabric.is_idle());
}

#[test]
fn twenty_eight_acknowledgements_are_to_come_at_most() {
    let mut bench = Bench::new(2);
    bench.enable(1, false);
    for _ in 0..28 {
        bench.request(0, put(1, Ack::Operation));
        bench.request(0, put(1, Ack::None));
    }
    for _ in 0..4 {
        bench.request(0, get(1));
    }
    assert_eq!(ended(&mut bench), 28 + 28 + 4);
    bench.request(0, put(1, Ack::Count));
    assert_eq!(ended(&mut bench), 0);
    bench.enable(1, true);
    assert_eq!(ended(&mut bench), 1);
    assert!(bench.fabric.is_idle());
}

#[test]
fn eight_moves_wait_and_a_ninth_stalls_the_stream() {
    let mut bench = Bench::new(2);
    bench.enable(0, false);
    for _ in 0..8 {
        bench.request(0, put(1, Ack::None));
    }
    assert_eq!(ended(&mut bench), 0);
    // Entries and controls pass moves that wait.
    bench.control(0, set(3));
    bench.append(0, entry(List::Priority, 1, &[]));
    assert_eq!((ended(&mut bench), bench.counter(0)), (2, (3, 0)));
    bench.request(0, put(1, Ack::None));
    bench.control(0, set(4));
    assert_eq!((ended(&mut bench), bench.counter(0)), (0, (3, 0)));
    // The queue has 64 words, and 14 are taken: four puts, two controls and one more.
    for _ in 0..4 {
        bench.request(0, put(1, Ack::None));
    }
    bench.control(0, set(5));
    bench.control(0, set(6));
    assert_eq!(bench.get(0, CounterRegister::Dropped, 0), 0);
    bench.control(0, set(7));
    assert_eq!(bench.get(0, CounterRegister::Dropped, 0), 1);
    bench.enable(0, true);
    assert_eq!((ended(&mut bench), bench.counter(0)), (8 + 1 + 1 + 4 + 2, (6, 0)));
    assert!(bench.fabric.is_idle());
}

#[test]
fn a_move_keeps_the_memory_descriptor_of_its_acceptance_and_the_data_of_its_sending() {
    let mut bench = Bench::new(2);
    let append = entry(List::Priority, 1, &[]);
    bench.append(1, append);
    bench.enable(0, false);
    bench.request(0, put(1, Ack::None));
    bench.set(0, PortalsRegister::MdStart, DESCRIPTOR.into(), LOCAL + 0x100);
    bench.set(0, PortalsRegister::MdOptions, DESCRIPTOR.into(), 0);
    bench.write_bytes(0, LOCAL + 5, &[9; 8]);
    bench.enable(0, true);
    assert_eq!(bench.read_bytes(1, append.start + 2, 8), [9; 8]);
    assert_eq!(bench.posted(0).len(), 1);
}

#[test]
fn requests_wait_in_order_until_their_target_is_enabled() {
    let mut bench = Bench::new(3);
    bench.enable(1, false);
    for source in [2, 0, 0] {
        bench.request(source, put(1, Ack::Count));
    }
    assert_eq!(bench.get(1, PortalsRegister::Status, 0), 0);
    bench.append(1, entry(List::Priority, 1, &[ANY_SOURCE]));
    bench.enable(1, true);
    let ranks: Vec<u32> = bench.posted(1)[1..].iter().map(|words| words[1] & 0x1ff).collect();
    assert_eq!(ranks, [2, 0, 0]);
    assert!(bench.fabric.is_idle());
}

#[test]
fn a_node_without_engine_refuses_commands_and_messages() {
    let mut bench = Bench::new(2);
    let host = bench.fabric.config().tiles();
    let node = bench.fabric.config().terminal_node(host);
    for command in [
        Command::Move(put(1, Ack::None)),
        Command::Unlink(0),
        Command::Control(Control::Enable(PORTAL)),
    ] {
        bench.command(host, command);
        assert_eq!(bench.ended(host), (1, Some(ErrorCode::NotBuilt)));
    }
    assert_eq!(bench.get(host, PortalsRegister::Portal, PORTAL.into()), 0);
    bench.set(
        0,
        PortalsRegister::Rank,
        3,
        u32::from(node.number()) | 1 << RANK_PRESENT_OFFSET,
    );
    let to_host = Move {
        rank: 3,
        ..put(1, Ack::None)
    };
    bench.request(0, to_host);
    assert_eq!(ended(&mut bench), 1);
    assert_eq!(bench.get(host, CounterRegister::Refused, 0), 1);
    let from_host = Move { rank: 3, ..get(1) };
    bench.request(0, from_host);
    assert_eq!(ended(&mut bench), 1);
    assert_eq!(bench.get(host, CounterRegister::Refused, 0), 2);
    // It waits for ever.
    assert!(!bench.fabric.is_idle());

    let mut without = Bench::of(Config {
        portals: 0,
        ..bench.fabric.config().clone()
    });
    without.control(0, Control::Enable(PORTAL));
    assert_eq!(without.event(0, COMMANDS), (1, Some(ErrorCode::NotBuilt)));
}

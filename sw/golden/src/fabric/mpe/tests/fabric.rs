//! The engine as software sees it, behind the registers of its node.

use portico_spec::{
    mpe::{
        call::{Begin, Call, Kind, Row, Transfer},
        reduce::Operation,
    },
    ni::{
        descriptor::{Command, Descriptor},
        event::Status,
        registers::{address, CounterRegister, EventRegister, MpeRegister, Place},
        ErrorCode,
    },
    Config,
};

use crate::GoldenFabric;

const EVENT: usize = 9;

fn fabric(mpe: usize) -> GoldenFabric {
    let config = Config {
        cols: 3,
        rows: 1,
        edge_nodes: 1,
        mpe,
        mpe_neighbours: 2,
        ..Config::default()
    };
    GoldenFabric::new(&config)
}

fn register<P: Place>(fabric: &mut GoldenFabric, node: usize, register: P, item: usize) -> u32 {
    let address = address(fabric.config(), register, item) as u32;
    fabric.read(node, address)
}

/// Count and error of the event.
fn event(fabric: &mut GoldenFabric, node: usize) -> (u32, Option<ErrorCode>) {
    let count = register(fabric, node, EventRegister::Count, EVENT);
    let status = register(fabric, node, EventRegister::Status, EVENT);
    (count, Status::decode(status).unwrap().error)
}

fn write_row(fabric: &mut GoldenFabric, node: usize, place: usize, neighbour: usize, place_there: u8) {
    let node_there = fabric.config().terminal_node(neighbour);
    let row = Row {
        node: node_there,
        place: place_there,
    };
    let address = address(fabric.config(), MpeRegister::from_number(place).unwrap(), 0) as u32;
    fabric.write(node, address, Row::encode(Some(row)).unwrap());
}

fn post(fabric: &mut GoldenFabric, node: usize, towards: Option<u8>, number: u8) {
    let call = Call {
        kind: Kind::Allreduce,
        begin: Begin::InTurn,
        number,
        context: 0,
        towards,
        transfer: Transfer {
            length: 40,
            source: 0x100,
            result: 0x200,
            operation: Operation::IntegerSum,
        },
    };
    let descriptor = Descriptor {
        event: EVENT as u8,
        ..Descriptor::new(Command::Call(call))
    };
    let words = descriptor.encode(fabric.config()).unwrap();
    fabric.command(node, &words);
}

/// A line of three tiles, whose middle is joined in place 0 with the first and in place 1 with the last.
fn line() -> GoldenFabric {
    let mut fabric = fabric(1);
    write_row(&mut fabric, 0, 0, 1, 0);
    write_row(&mut fabric, 1, 0, 0, 0);
    write_row(&mut fabric, 1, 1, 2, 0);
    write_row(&mut fabric, 2, 0, 1, 1);
    fabric
}

#[test]
fn a_fabric_with_a_late_member_waits_and_goes_on() {
    let mut fabric = line();
    for node in 0..3 {
        for word in 0..40 {
            fabric.write(node, 0x100 + 4 * word, 100 * node as u32 + word);
        }
    }
    post(&mut fabric, 0, Some(0), 0);
    post(&mut fabric, 2, None, 0);
    assert!(!fabric.is_idle());
    let status = |fabric: &mut GoldenFabric, node| register(fabric, node, MpeRegister::Status, 0);
    assert_eq!(
        [0, 1, 2].map(|node| status(&mut fabric, node)),
        [1 << 6 | 2, 0, 1 << 6 | 2]
    );
    assert_eq!(event(&mut fabric, 0), (0, None));
    post(&mut fabric, 1, Some(1), 0);
    assert!(fabric.is_idle());
    for node in 0..3 {
        assert_eq!(event(&mut fabric, node), (1, None));
        assert_eq!(status(&mut fabric, node), 1 << 6 | 1);
        for word in 0..40 {
            assert_eq!(fabric.read(node, 0x200 + 4 * word), 300 + 3 * word);
        }
        assert_eq!(register(&mut fabric, node, CounterRegister::Refused, 0), 0);
    }
}

#[test]
fn rows_and_packets_that_are_refused_count() {
    let mut fabric = line();
    let refused = |fabric: &mut GoldenFabric, node| register(fabric, node, CounterRegister::Refused, 0);
    // There are two places.
    write_row(&mut fabric, 2, 2, 0, 0);
    assert_eq!(refused(&mut fabric, 2), 1);
    // The last tile sends both packets of a call to the first, which has the middle in that place.
    write_row(&mut fabric, 2, 0, 0, 0);
    post(&mut fabric, 2, Some(0), 0);
    assert_eq!([0, 1, 2].map(|node| refused(&mut fabric, node)), [2, 0, 1]);
    assert_eq!(register(&mut fabric, 0, MpeRegister::Status, 0), 1);
    // Its call still runs.
    write_row(&mut fabric, 2, 0, 1, 1);
    assert_eq!(refused(&mut fabric, 2), 2);
    assert_eq!(event(&mut fabric, 2), (0, None));
}

#[test]
fn an_engine_that_is_not_built_refuses_its_descriptors() {
    let mut without = fabric(0);
    post(&mut without, 0, None, 0);
    assert_eq!(event(&mut without, 0), (1, Some(ErrorCode::NotBuilt)));
    assert_eq!(register(&mut without, 0, MpeRegister::Status, 0), 0);
    // The host has none, whatever the tiles have.
    let mut with = fabric(1);
    let host = with.config().tiles();
    post(&mut with, host, None, 0);
    post(&mut with, 0, None, 0);
    assert_eq!(event(&mut with, host), (1, Some(ErrorCode::NotBuilt)));
    assert_eq!(event(&mut with, 0), (1, None));
}

//! Hand-written expectations of each function, on the golden fabric.

use super::*;
use crate::{command::reached, Config, Error as DriverError, Fabric, GoldenTransport};

mod accesses;
mod counts;
mod entries;
mod errors;
mod events;
mod lifetimes;
mod searches;
mod unexpected;

/// Cycles of a wait; on the golden fabric, accesses.
const TIMEOUT: u64 = 5000;

fn config(cols: usize) -> Config {
    Config {
        cols,
        rows: 1,
        edge_nodes: 1,
        portals: 4,
        entries: 64,
        ..Config::default()
    }
}

/// A fabric of two tiles with ranks 0 and 1, and both interfaces of one kind.
fn two(interface: Interface) -> (Fabric<GoldenTransport>, Ni, Ni) {
    let mut fabric = Fabric::open(GoldenTransport::new(&config(2)).unwrap()).unwrap();
    set_map(&mut fabric, &[0.into(), 1.into()]).unwrap();
    let [one, other] = [0, 1].map(|tile| Ni::open(&mut fabric, tile, interface).unwrap());
    (fabric, one, other)
}

/// Bytes of a tile's memory.
fn bytes(fabric: &mut Fabric<GoldenTransport>, tile: usize, address: u32, count: usize) -> Vec<u8> {
    let first = address / 4 * 4;
    let words = (address as usize % 4 + count).div_ceil(4);
    let words = fabric.read(tile, first, words).unwrap();
    let bytes = words.iter().flat_map(|word| word.to_le_bytes());
    bytes.skip((address - first) as usize).take(count).collect()
}

/// Writes bytes 1, 2, 3 and so on from an aligned address of a tile.
fn fill(fabric: &mut Fabric<GoldenTransport>, tile: usize, address: u32, count: usize) {
    let bytes: Vec<u8> = (1..=count.next_multiple_of(4)).map(|at| at as u8).collect();
    let words = bytes
        .chunks(4)
        .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
    fabric.write(tile, address, &words.collect::<Vec<_>>()).unwrap();
}

/// All events of a queue that are there.
fn drain(fabric: &mut Fabric<GoldenTransport>, ni: Ni, eq: EqHandle) -> Vec<Event> {
    let mut events = vec![];
    loop {
        match ni.eq_get(fabric, eq) {
            Ok(event) => events.push(event),
            Err(Error::EqEmpty) => return events,
            Err(error) => panic!("{error}"),
        }
    }
}

fn kinds(events: &[Event]) -> Vec<EventKind> {
    events.iter().map(|event| event.kind).collect()
}

/// An event with all else 0.
fn event(kind: EventKind) -> Event {
    Event {
        kind,
        ni_fail_type: NiFail::Ok,
        ptl_list: PtlList::Priority,
        pt_index: 0,
        initiator: 0,
        uid: 0,
        match_bits: 0,
        hdr_data: 0,
        rlength: 0,
        mlength: 0,
        remote_offset: 0,
        start: 0,
        user_ptr: 0,
    }
}

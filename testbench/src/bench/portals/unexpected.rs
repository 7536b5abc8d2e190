//! Messages that come before their receives: puts that a MANAGE_LOCAL entry of Overflow takes, and appends that find their headers.
//!
//! The worst case of the paper (`pac-portals-2016`, Figures 11 and 12): n messages wait, and the receive matches the last of them.

use super::{
    super::{
        blocks::{Line, Plot},
        onesided::device::FabricDevice,
        report::{Better, Row},
    },
    bench::{Bench, Station, INITIATOR_RANK, TARGET_RANK},
    events, row, Receiver, SMALL,
};
use anyhow::{ensure, Context};
use portico::{
    portals::{EntryOptions, Error, Event, EventKind, Me, SearchOp},
    Transport,
};
use portico_spec::portals::{
    engine::{Append, ANY_USER, OP_PUT, UNLINK_DISABLE},
    list::{List, ANY_SOURCE, USE_ONCE},
};
use std::iter;

/// Most messages that wait in the paper's Figure 11, and those of its Figure 12.
pub const MOST: usize = 512;
const SHORT: usize = 16;
/// Most cycles of an unexpected put, and of an append beside the headers that it compares.
const PUT_BOUND: f64 = 24.0;
const APPEND_BOUND: f64 = 40.0;
/// Sources of the receives, as the rows name them.
const ANY: &str = "any";
const ONE_RANK: &str = "one rank";
/// The user pointer of the receives.
const RECEIVE: u32 = 0x5ec;

/// Numbers of messages that wait: each up to the most of Figure 12, then powers of two, up to `most`.
pub fn lengths(most: usize) -> Vec<usize> {
    let long = iter::successors(Some(2 * SHORT), |length| Some(length * 2));
    let all = (1..=SHORT).chain(long);
    all.take_while(|&length| length <= most).collect()
}

/// Cycles of appends against the headers that wait.
pub fn plot(rows: &[Row]) -> Plot {
    let line = |source: &str, name: &str| {
        let of_source = rows
            .iter()
            .filter(|row| row.keys.get("source").is_some_and(|of| of == source));
        let points = of_source.filter_map(|row| Some((row.keys.get("headers")?.as_f64()?, row.value)));
        Line {
            name: name.into(),
            points: points.collect(),
            ..Line::default()
        }
    };
    Plot {
        title: "Append that matches the last header, to its event (paper, Figures 11 and 12)".into(),
        x: "headers that wait".into(),
        y: "cycles".into(),
        lines: vec![
            line(ANY, "any source"),
            line(ONE_RANK, "one rank, which sent half of them"),
        ],
    }
}

/// An entry of Overflow that takes all that comes, one message behind the other; each raises the events of `receiver`, or counts.
fn overflow<D: FabricDevice + Transport>(bench: &Bench<D>, receiver: Receiver) -> Me {
    let options = receiver.options() | EntryOptions::MANAGE_LOCAL;
    let (ct, options) = match receiver.events() {
        [] => (Some(bench.target.ct), options | EntryOptions::EVENT_COMM_DISABLE),
        _ => (None, options),
    };
    Me {
        start: bench.target.room.base,
        length: bench.target.room.bytes.into(),
        ct,
        options,
        ignore_bits: u64::MAX,
        ..Me::default()
    }
}

/// Takes all headers of an index away.
fn clear<D: FabricDevice + Transport>(bench: &mut Bench<D>, pt_index: u32) -> anyhow::Result<()> {
    let all = Me {
        options: EntryOptions::EVENT_OVER_DISABLE | EntryOptions::EVENT_COMM_DISABLE,
        ignore_bits: u64::MAX,
        ..Me::default()
    };
    let ni = bench.target.ni;
    Ok(ni.me_search(&mut bench.fabric, pt_index, &all, SearchOp::Delete, 0)?)
}

/// Cycles of each of many unexpected puts in a row, once as many are under way. `receiver` is persistent.
///
/// # Errors
/// The driver's, or data or events are not those of what was sent.
pub(super) fn stream<D: FabricDevice + Transport>(
    bench: &mut Bench<D>,
    receiver: Receiver,
    count: usize,
) -> anyhow::Result<Row> {
    let once = puts(bench, receiver, count)?;
    let twice = puts(bench, receiver, 2 * count)?;
    ensure!(twice > once, "twice as many take {twice} cycles, and once takes {once}");
    let raised = if receiver.events().is_empty() { "" } else { ", event" };
    Ok(Row {
        limit: Some(receiver.limit() as f64),
        bound: Some(PUT_BOUND),
        ..row(
            format!("unexpected puts of {SMALL} bytes, each, MANAGE_LOCAL entry of Overflow{raised}"),
            "cycles",
            Better::Less,
            (twice - once) as f64 / count as f64,
        )
    })
}

/// Cycles from the first descriptor word of so many unexpected puts to what the last of them raises, or to its count.
fn puts<D: FabricDevice + Transport>(bench: &mut Bench<D>, receiver: Receiver, count: usize) -> anyhow::Result<u64> {
    let eq = (!receiver.events().is_empty()).then_some(bench.target.eq);
    let index = bench.open_overflow(eq, &overflow(bench, receiver))?;
    let from = bench.shift();
    let descriptors: Vec<Vec<u32>> = (0..count)
        .map(|place| {
            let put = bench.put(index.pt_index, SMALL, from + place * SMALL, 0);
            bench.put_descriptor(&put, place as u64)
        })
        .collect();
    let timing = bench.timed(Station::Target, count, &descriptors, count * SMALL)?;
    bench.verify(Station::Target, from, 0, count * SMALL)?;
    events(bench, receiver, count)?;
    clear(bench, index.pt_index)?;
    bench.close(index)?;
    Ok(timing.whole())
}

/// The appends of Figures 11 and 12: `length` headers wait, every second one from another rank; the receive matches the last, from
/// any source or from its rank alone.
///
/// # Errors
/// The driver's, or the event is not that of the last message.
pub fn append<D: FabricDevice + Transport>(bench: &mut Bench<D>, length: usize) -> anyhow::Result<[Row; 2]> {
    let own = length.div_ceil(2);
    let any = appended(bench, length, None)?;
    let exact = appended(bench, length, Some(INITIATOR_RANK))?;
    let named = |what: String, compared: usize, cycles: u64, source: &str| {
        Row {
            limit: Some(compared as f64),
            bound: Some(compared as f64 + APPEND_BOUND),
            ..row(what, "cycles", Better::Less, cycles as f64)
        }
        .with("measure", "unexpected")
        .with("source", source)
        .with("headers", length)
    };
    Ok([
        named(
            format!("append to PUT_OVERFLOW of the last of {length} headers, any source"),
            length,
            any,
            ANY,
        ),
        named(
            format!("append to PUT_OVERFLOW of the last of {length} headers, one rank (of {own})"),
            own,
            exact,
            ONE_RANK,
        ),
    ])
}

/// Cycles from the last descriptor word of the append to its event.
fn appended<D: FabricDevice + Transport>(
    bench: &mut Bench<D>,
    length: usize,
    source: Option<u32>,
) -> anyhow::Result<u64> {
    let eq = bench.target.eq;
    let index = bench.open_overflow(Some(eq), &overflow(bench, Receiver::Counter))?;
    let (pt_index, from) = (index.pt_index, bench.shift());
    for tag in 0..length {
        // The last message is from the initiator, every second one before it from the target itself.
        let rank = if (length - 1 - tag).is_multiple_of(2) {
            INITIATOR_RANK
        } else {
            TARGET_RANK
        };
        bench.send(rank, pt_index, tag as u64, SMALL, from)?;
    }
    let any = u16::from(source.is_none()) << ANY_SOURCE;
    let receive = Append {
        list: List::Priority,
        portal: pt_index as u8,
        counter: None,
        source: source.unwrap_or_default() as u16,
        options: 1 << OP_PUT | 1 << USE_ONCE | 1 << UNLINK_DISABLE | any,
        start: bench.target.room.base,
        user: ANY_USER,
        length: SMALL as u32,
        min_free: 0,
        match_bits: length as u64 - 1,
        ignore_bits: 0,
        user_pointer: RECEIVE,
        handle_address: 0,
    };
    let timing = bench.timed_append(&receive)?;
    let (ni, fabric) = (bench.target.ni, &mut bench.fabric);
    let event = ni.eq_get(fabric, eq)?;
    let start = bench.target.room.base + ((length - 1) * SMALL) as u32;
    ensure!(
        is_last(&event, length, start),
        "the append raised {event}, where PUT_OVERFLOW of message {} is due",
        length - 1
    );
    match ni.eq_get(fabric, eq) {
        Err(Error::EqEmpty) => {}
        other => anyhow::bail!("an event too many, or none: {other:?}"),
    }
    clear(bench, pt_index)?;
    bench.close(index).context("headers are left")?;
    Ok(timing.latency())
}

fn is_last(event: &Event, length: usize, start: u32) -> bool {
    (event.kind, event.user_ptr, event.match_bits) == (EventKind::PutOverflow, RECEIVE, length as u64 - 1)
        && (event.initiator, event.mlength, event.start) == (INITIATOR_RANK, SMALL as u64, start)
}

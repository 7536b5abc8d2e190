//! What the fabric has done against what the model has.

use super::{
    access::{self, Rows},
    device::SoakDevice,
    epoch::Epoch,
    operation::{Addition, Operation, COUNTER_OFFSETS},
    site::{self, FENCES},
    workload::Kind,
};
use crate::device::hardware::timed_out;
use anyhow::{bail, ensure};
use portico::{probe::Measured, Fabric, Region, Transport};
use portico_spec::ni::{
    event::Status,
    registers::{EventRegister, MpeRegister, MPE_CLOSED_OFFSET, MPE_IDLE_OFFSET},
    ErrorCode,
};
use std::collections::{BTreeMap, VecDeque};

/// What was asked for in a round.
pub struct Round {
    /// Of each tile.
    pub operations: Vec<Vec<Operation>>,
    /// Lists that brought some of it.
    pub lists: usize,
    /// The counters of each node before it, of 64 and 32 bits.
    counters: BTreeMap<usize, [u64; 2]>,
}

/// What an event says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventState {
    pub count: u16,
    pub error: Option<ErrorCode>,
    pub value: u64,
}

/// Something has not come in its time.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Late(pub String);

/// Whether the error is that something has not come in its time.
pub fn late(error: &anyhow::Error) -> bool {
    timed_out(error) || error.chain().any(|cause| cause.is::<Late>())
}

impl Round {
    pub fn new<D: SoakDevice>(epoch: &mut Epoch<D>) -> Self {
        let nodes = epoch.site.targets().into_iter();
        Round {
            operations: vec![],
            lists: 0,
            counters: nodes.map(|node| (node, counters(epoch, node))).collect(),
        }
    }

    pub fn kinds(&self) -> Vec<Kind> {
        self.operations
            .iter()
            .flatten()
            .map(|operation| operation.kind)
            .collect()
    }
}

/// The counters of a node, as the model has them.
fn counters<D: SoakDevice>(epoch: &mut Epoch<D>, node: usize) -> [u64; 2] {
    let base = epoch.golden_site.nodes[&node].counters.base;
    let mut peek = |offset| u64::from(epoch.golden.transport().peek(node, base + offset));
    [
        peek(COUNTER_OFFSETS[0]) | peek(COUNTER_OFFSETS[0] + 4) << 32,
        peek(COUNTER_OFFSETS[1]),
    ]
}

/// All events of a node that are used.
pub fn events<T: Transport>(fabric: &mut Fabric<T>, staging: Region, node: usize) -> anyhow::Result<Vec<EventState>> {
    let used = site::events(fabric.config());
    let rows = Rows::new(fabric, node, EventRegister::Count, 0, used, 5);
    let values = access::peek(fabric, staging, rows)?;
    let state = |registers: &[u32]| -> anyhow::Result<EventState> {
        Ok(EventState {
            count: registers[0] as u16,
            error: Status::decode(registers[2])?.error,
            value: u64::from(registers[4]) << 32 | u64::from(registers[3]),
        })
    };
    values.chunks(5).map(state).collect()
}

/// Receives what messages there are at all nodes.
pub fn receive<D: SoakDevice>(epoch: &mut Epoch<D>) -> anyhow::Result<()> {
    let mut nodes = epoch.site.targets().into_iter();
    nodes.try_for_each(|node| receive_at(epoch, node))
}

/// Receives what messages there are at a node, each the next one of its sender.
pub fn receive_at<D: SoakDevice>(epoch: &mut Epoch<D>, node: usize) -> anyhow::Result<()> {
    let expected = &mut epoch.messages[node];
    if expected.iter().all(VecDeque::is_empty) {
        return Ok(());
    }
    let site = epoch.site.nodes.get_mut(&node).expect("a target");
    let queue = site.queue.as_mut().expect("messages go to queues");
    while let Some(message) = queue.receive(&mut epoch.device)? {
        let of_source = expected.get_mut(message.source);
        let expected = of_source.and_then(VecDeque::pop_front);
        ensure!(
            expected.as_ref() == Some(&message.words),
            "queue of node {node}: node {} sent {:x?}, expected {expected:x?}",
            message.source,
            message.words
        );
        queue.release(&mut epoch.device, 1)?;
        let mut pairs = epoch.site.pairs.iter();
        let of_message = pairs.position(|pair| (pair.initiator, pair.target) == (message.source, node));
        epoch.pairs[of_message.expect("a pair has sent it")].received += 1;
    }
    Ok(())
}

/// Waits for transfers that their target does not acknowledge: messages, mails, streams.
pub fn arrivals<D: SoakDevice>(epoch: &mut Epoch<D>, end: u64) -> anyhow::Result<()> {
    loop {
        receive(epoch)?;
        epoch.finish_beside()?;
        let missing = missing(epoch)?;
        let Some(what) = missing else {
            return Ok(());
        };
        ensure!(epoch.device.transport().cycles() < end, Late(what));
    }
}

/// The first thing that is late: a call, a message, or an event that is behind the model's.
fn missing<D: SoakDevice>(epoch: &mut Epoch<D>) -> anyhow::Result<Option<String>> {
    for tile in 0..epoch.config.tiles() {
        if let Some(what) = contexts(epoch, tile)? {
            return Ok(Some(what));
        }
    }
    for &node in epoch.site.nodes.keys() {
        if let Some(source) = epoch.messages[node].iter().position(|messages| !messages.is_empty()) {
            return Ok(Some(format!(
                "queue of node {node}: messages of tile {source} do not come"
            )));
        }
        let found = events(&mut epoch.device, epoch.site.staging, node)?;
        let expected = events(&mut epoch.golden, epoch.golden_site.staging, node)?;
        for (event, (found, expected)) in found.iter().zip(expected).enumerate() {
            if found.count != expected.count {
                let (found, expected) = (found.count, expected.count);
                return Ok(Some(format!(
                    "node {node}, event {event}: counted {found}, expected {expected}"
                )));
            }
        }
    }
    if let Some(what) = epoch.missing_of_portals()? {
        return Ok(Some(what));
    }
    for tile in 0..epoch.config.tiles() {
        if let Some(what) = probe(epoch, tile)? {
            return Ok(Some(what));
        }
        if let Some(what) = epoch.beside[tile].missing() {
            return Ok(Some(format!("tile {tile}: {what}")));
        }
    }
    // A barrier's event counts full rounds alone.
    for (at, pair) in epoch.site.pairs.iter().enumerate() {
        let (Some(own), Some(of_golden)) = (&pair.mailbox, &epoch.golden_site.pairs[at].mailbox) else {
            continue;
        };
        let found = own.read(&mut epoch.device)?;
        let expected = of_golden.read(&mut epoch.golden)?;
        if found != expected {
            let (target, initiator) = (pair.target, pair.initiator);
            return Ok(Some(format!(
                "mailbox of node {target} for tile {initiator}: count and value are {found:x?}, expected {expected:x?}"
            )));
        }
    }
    Ok(None)
}

/// What a tile's source/sink core has not counted yet, if the tile has one.
///
/// # Errors
/// A packet came wrong, or more have come than were sent.
fn probe<D: SoakDevice>(epoch: &mut Epoch<D>, tile: usize) -> anyhow::Result<Option<String>> {
    if !epoch.config.probe {
        return Ok(None);
    }
    let counts = |measured: Measured| [measured.sent, measured.received, measured.words, measured.errors];
    let found = counts(epoch.device.measured(tile)?);
    let expected = counts(epoch.golden.measured(tile)?);
    let what =
        format!("source/sink core of tile {tile}: sent, received, words, errors {found:?}, expected {expected:?}");
    let is_right = found.iter().zip(expected).all(|(&found, expected)| found <= expected);
    ensure!(is_right && found[3] == expected[3], what);
    Ok((found != expected).then_some(what))
}

/// The first context of a tile's message-passing engine that is not idle with all calls ended, if the tile has one.
///
/// # Errors
/// A call has failed, or the model has not ended one.
pub fn contexts<D: SoakDevice>(epoch: &mut Epoch<D>, tile: usize) -> anyhow::Result<Option<String>> {
    if epoch.config.mpe == 0 {
        return Ok(None);
    }
    let rows = Rows::new(&epoch.device, tile, MpeRegister::Status, 0, epoch.config.mpe, 1);
    let found = access::peek(&mut epoch.device, epoch.site.staging, rows)?;
    let expected = access::peek(&mut epoch.golden, epoch.golden_site.staging, rows)?;
    for (context, (found, expected)) in found.into_iter().zip(expected).enumerate() {
        let what = format!("context {context} of tile {tile}: status {found:#x}, expected {expected:#x}");
        let is_closed = found >> MPE_CLOSED_OFFSET & 1 == 1;
        ensure!(expected >> MPE_IDLE_OFFSET & 1 == 1 && !is_closed, what);
        if found != expected {
            return Ok(Some(what));
        }
    }
    Ok(None)
}

/// Compares events with what descriptors wanted of them and with the model, and fetched values with each other.
pub fn round<D: SoakDevice>(epoch: &mut Epoch<D>, round: &Round) -> anyhow::Result<()> {
    let mut additions: Vec<(Addition, Option<u64>)> = vec![];
    for (tile, operations) in round.operations.iter().enumerate() {
        let found = events(&mut epoch.device, epoch.site.staging, tile)?;
        let expected = events(&mut epoch.golden, epoch.golden_site.staging, tile)?;
        for event in 0..found.len() {
            let count = epoch.tiles[tile].counts[event];
            let own = operations.iter().find(|operation| operation.event == event);
            let what = || match own.filter(|operation| operation.event > FENCES) {
                Some(operation) => format!(
                    "tile {tile}, event {event}, {:?} {:x?}",
                    operation.kind, operation.words
                ),
                None => format!("tile {tile}, event {event}"),
            };
            let [found, expected] = [&found, &expected].map(|states| states[event]);
            let is_own = event < site::singles(&epoch.config).end;
            ensure!(
                found.count == expected.count && (!is_own || found.count == count),
                "{}: counted {}, expected {count}",
                what(),
                found.count
            );
            let error = own.and_then(|operation| operation.error);
            ensure!(
                found.error == error && expected.error == error,
                "{}: error {:?}, expected {error:?}; that of the model is {:?}",
                what(),
                found.error,
                expected.error
            );
            match own.and_then(|operation| operation.addition) {
                Some(addition) => additions.push((addition, addition.fetched.then_some(found.value))),
                None if own.is_some_and(|operation| operation.fetches) => ensure!(
                    found.value == expected.value,
                    "{}: value {:#x}, expected {:#x}",
                    what(),
                    found.value,
                    expected.value
                ),
                None => {}
            }
        }
    }
    for (&node, before) in &round.counters {
        let after = counters(epoch, node);
        for (at, wide) in [(0, true), (1, false)] {
            let of_counter = additions.iter().filter(|(of, _)| (of.target, of.wide) == (node, wide));
            let fetched = of_counter.filter_map(|&(addition, value)| Some((value?, addition.addend)));
            follow(fetched.collect(), before[at], after[at], wide)
                .map_err(|error| error.context(format!("counter of node {node}, wide = {wide}")))?;
        }
    }
    Ok(())
}

/// Checks values fetched from a counter, each with what was added to it: none overlaps another, all are between the
/// values before and after.
fn follow(fetched: Vec<(u64, u64)>, before: u64, after: u64, wide: bool) -> anyhow::Result<()> {
    let mask = if wide { u64::MAX } else { u32::MAX.into() };
    let since = |value: u64| value.wrapping_sub(before) & mask;
    let mut steps: Vec<(u64, u64)> = fetched
        .into_iter()
        .map(|(value, addend)| (since(value), addend))
        .collect();
    steps.sort_unstable();
    let mut least = 0;
    for (step, addend) in steps {
        if step < least || step.saturating_add(addend) > since(after) {
            bail!(
                "{:#x} was fetched, allowed is {:#x}..={:#x}",
                before.wrapping_add(step) & mask,
                before.wrapping_add(least) & mask,
                after.wrapping_sub(addend) & mask
            );
        }
        least = step + addend;
    }
    Ok(())
}

/// Compares all memory that is used, but for queues and lists; gives how many words.
pub fn memories<D: SoakDevice>(epoch: &mut Epoch<D>) -> anyhow::Result<u64> {
    let nodes = epoch.site.targets().into_iter();
    nodes.map(|node| memory(epoch, node)).sum()
}

/// Compares that of a node.
pub fn memory<D: SoakDevice>(epoch: &mut Epoch<D>, node: usize) -> anyhow::Result<u64> {
    let site = &epoch.site.nodes[&node];
    let (base, words) = (site.shared_end, (site.end - site.shared_end) as usize / 4);
    let found = epoch.device.read(node, base, words)?;
    let expected = epoch.golden.read(node, base, words)?;
    if let Some(at) = (0..words).find(|&at| found[at] != expected[at]) {
        bail!(
            "node {node}, byte {:#x}: found {:#x}, expected {:#x}",
            base + 4 * at as u32,
            found[at],
            expected[at]
        );
    }
    Ok(words as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fetched_values_follow_each_other() {
        let before = u64::from(u32::MAX) - 1;
        let good = vec![(before, 3), (3, 2), (1, 2)];
        assert!(follow(good.clone(), before, 5, false).is_ok());
        assert!(follow(good, before, 4, false).is_err(), "the last goes beyond the sum");
        assert!(follow(vec![(0, 1), (0, 1)], 0, 2, true).is_err(), "one value twice");
        assert!(follow(vec![(7, 1)], 8, 20, true).is_err(), "from before");
    }
}

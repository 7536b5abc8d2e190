//! Holds a list manager to the golden model, command by command, on any device.
//!
//! Every beat of every result is compared. Handles are the device's own: the suite learns each one when it is given out, holds
//! it to be new, and exchanges it for the golden model's. Commands run ahead of results; both streams idle and stall at random;
//! resets come in mid-flight. Where nothing else is under way the cycles from the last beat of the command to the first of the result
//! are held to their bound. In the end every entry is deleted, and the table filled to the last place and emptied once more.

use anyhow::{ensure, Context, Result};
use corners::Corners;
use portico_golden::portals::list::GoldenLists;
use portico_hdl::portals::ListParameters;
use portico_spec::portals::list::{
    Answer, Counters, Entry, List, Opcode, Resolution, Status, CODE_WIDTH, ENTRY_BEATS, HANDLE_OFFSET, LIST_OFFSET,
};
use portico_testbench::device::Device;
use ports::Ports;
use rand::{rngs::SmallRng, seq::SliceRandom, Rng, SeedableRng};
use std::collections::{HashMap, HashSet, VecDeque};
use stimulus::Named;

mod corners;
mod counts;
mod ports;
mod runs;
mod stimulus;

/// Commands that may be without a result.
const AHEAD: usize = 3;
/// Cycles of the bounds: a search, beside 2 an entry; anything else.
const SEARCH_CYCLES: usize = 6;
const OTHER_CYCLES: usize = 8;
/// Chance of a reset, a command.
const RESETS: f64 = 1.0 / 700.0;

/// A result that is due, in beats with golden handles.
struct Due {
    beats: Vec<u64>,
    /// It gives out the handle.
    learns: bool,
    /// Its entry is gone.
    forgets: bool,
    /// The last of its command, and how many that has.
    ends: Option<usize>,
    /// Most cycles from the last beat of the command, if it is the first of its results and all were sent before.
    within: Option<usize>,
}

struct Bench {
    device: Box<dyn Device>,
    ports: Ports,
    shape: ListParameters,
    golden: GoldenLists,
    /// Beats of the command that is being sent.
    sending: VecDeque<u64>,
    due: VecDeque<Due>,
    open: usize,
    received: Vec<u64>,
    held: Option<(u64, bool)>,
    to_device: HashMap<u32, u32>,
    given: HashSet<u32>,
    stale: Vec<u32>,
    /// Entries that a hashed search may compare, in all and at most.
    may_compare: u64,
    may_longest: u64,
    /// Sequence numbers that a hashed list manager has given.
    numbers: u64,
    last_beat_at: usize,
    cycle: usize,
    quiet_cycles: usize,
    was_initialising: bool,
    after_start: bool,
    corners: Corners,
}

impl Bench {
    fn new(device: Box<dyn Device>, shape: ListParameters) -> Result<Self> {
        let ports = Ports::of(&*device)?;
        let mut bench = Self {
            device,
            ports,
            shape,
            golden: GoldenLists::new(shape.entries),
            sending: VecDeque::new(),
            due: VecDeque::new(),
            open: 0,
            received: vec![],
            held: None,
            to_device: HashMap::new(),
            given: HashSet::new(),
            stale: vec![],
            may_compare: 0,
            may_longest: 0,
            numbers: 0,
            last_beat_at: 0,
            cycle: 0,
            quiet_cycles: 0,
            was_initialising: false,
            after_start: true,
            corners: Corners::default(),
        };
        bench.reset();
        Ok(bench)
    }

    fn reset(&mut self) {
        self.device.set(self.ports.s_tvalid, 0);
        self.device.reset(2);
        self.corners.lost += usize::from(self.open > 0 || !self.sending.is_empty());
        self.golden = GoldenLists::new(self.shape.entries);
        self.sending.clear();
        self.due.clear();
        self.open = 0;
        self.received.clear();
        self.held = None;
        self.to_device.clear();
        self.given.clear();
        self.stale.clear();
        (self.may_compare, self.may_longest, self.numbers) = (0, 0, 0);
        self.after_start = true;
    }

    /// Sends a command: its results become due.
    fn send(&mut self, beats: Vec<u64>, named: Named, rng: &mut SmallRng) {
        debug_assert!(self.sending.is_empty());
        let opcode = Opcode::from_code(beats[0] as u32 & ((1 << CODE_WIDTH) - 1));
        let list = List::from_code((beats[0] >> LIST_OFFSET) as u32 & 0xff);
        let before = self.golden.counters();
        let mut within = OTHER_CYCLES;
        let right = opcode.filter(|opcode| opcode.beats() == beats.len());
        if let (Some(opcode), Some(list)) = (right.filter(|opcode| !opcode.takes_handle()), list) {
            let searches = !matches!(opcode, Opcode::Append | Opcode::Status | Opcode::Resolve);
            if opcode.works_on(list) && searches && !self.golden.holds() {
                let most = self.searched(opcode, list, &Entry::from_command(&beats));
                self.may_compare += most;
                self.may_longest = self.may_longest.max(most);
                within = SEARCH_CYCLES + 2 * most as usize;
            }
        }
        let resolution = right
            .filter(|&opcode| opcode == Opcode::Resolve && self.golden.holds())
            .map(|_| Resolution::decode(&beats));
        let results = self.golden.serve(&beats);
        if self.shape.buckets == 0 && within != OTHER_CYCLES {
            within = SEARCH_CYCLES + 2 * (self.golden.counters().compared - before.compared) as usize;
        }
        let count = results.len();
        for (place, result) in results.into_iter().enumerate() {
            let answer = Answer::decode(result[0]).expect("golden answers are well-formed");
            let removes = matches!(
                opcode,
                Some(Opcode::AppendSearch | Opcode::SearchDelete | Opcode::Consume)
            );
            let done = answer.status == Status::Done;
            let appends = match opcode {
                Some(Opcode::Append | Opcode::AppendSearch | Opcode::AppendHold | Opcode::Deliver) => true,
                Some(Opcode::Resolve) => place == 1,
                _ => false,
            };
            let resolution = resolution.filter(|_| done && place == 0).unwrap_or_default();
            let parts = [
                resolution.offset.is_some(),
                resolution.detaches && !resolution.removes,
                resolution.removes,
                resolution.header.is_some(),
            ];
            for (count, part) in self.corners.resolved.iter_mut().zip(parts) {
                *count += usize::from(part);
            }
            self.corners.left_headers += usize::from(opcode == Some(Opcode::Deliver) && done);
            if done && appends {
                self.count_number();
            }
            self.due.push_back(Due {
                beats: result,
                learns: done && appends,
                forgets: answer.status == Status::Found && removes
                    || done && matches!(opcode, Some(Opcode::Delete | Opcode::Release))
                    || resolution.removes,
                ends: (place + 1 == count).then_some(count),
                within: (place == 0 && self.open == 0).then_some(within),
            });
        }
        self.corners.filled += usize::from(self.golden.counters().free == 0);
        self.open += 1;
        self.sending = beats.into();
        let in_device = match named {
            Named::Nothing => return,
            Named::Known(handle) => self.to_device[&handle],
            Named::Stale => *self.stale.choose(rng).unwrap_or(&u32::MAX),
            Named::Near(handle) => self.to_device[&handle] ^ 1 << rng.gen_range(0..32),
            Named::Foreign => rng.gen(),
        };
        // What is wrong by intention must not be right by chance.
        let is_live = self.to_device.values().any(|&live| live == in_device);
        let handle = match named {
            Named::Known(_) => in_device,
            _ if is_live => u32::MAX,
            _ => in_device,
        };
        self.corners.stale += usize::from(matches!(named, Named::Stale) && handle != u32::MAX);
        self.sending[0] =
            self.sending[0] & !(u64::from(u32::MAX) << HANDLE_OFFSET) | u64::from(handle) << HANDLE_OFFSET;
    }

    /// One cycle: a beat is offered if there is one and `offers`, one is taken if `takes`.
    fn step(&mut self, offers: bool, takes: bool) -> Result<()> {
        let beat = self.sending.front().copied().filter(|_| offers);
        let Ports {
            m_tready,
            s_tdata,
            s_tlast,
            s_tvalid,
            ..
        } = self.ports;
        self.device.set(s_tvalid, beat.is_some().into());
        self.device.set(s_tdata, beat.unwrap_or(0x5555_5555_5555_5555));
        self.device.set(s_tlast, u64::from(self.sending.len() == 1));
        self.device.set(m_tready, takes.into());
        self.device.settle();
        let get = |port| self.device.get(port);
        let ready = get(self.ports.s_tready) == 1;
        let shown = (get(self.ports.m_tvalid) == 1).then(|| (get(self.ports.m_tdata), get(self.ports.m_tlast) == 1));
        let initialising = get(self.ports.initialising) == 1;
        ensure!(!(ready && initialising), "it takes a command while it initialises");
        ensure!(
            self.held.is_none() || shown == self.held,
            "it showed {:x?} and then {shown:x?}",
            self.held
        );
        self.after_start &= initialising;
        self.corners.numbered += usize::from(initialising && !self.was_initialising && !self.after_start);
        self.was_initialising = initialising;
        self.corners.stalled += usize::from(shown.is_some() && !takes);
        self.corners.idle += usize::from(!offers && ready);
        self.held = shown.filter(|_| !takes);
        if self.open == 0 && self.sending.is_empty() && !initialising {
            self.check_counters(&Counters {
                occupancy: self.ports.occupancy.map(|port| get(port) as u16),
                // There is no such port.
                free: self.golden.counters().free,
                searches: get(self.ports.searches),
                compared: get(self.ports.compared),
                longest: get(self.ports.longest),
            })?;
        }
        if let Some((beat, last)) = shown {
            self.check_time()?;
            if takes {
                self.receive(beat, last)?;
            }
        }
        self.quiet_cycles = if shown.is_some() || beat.is_some() && ready {
            0
        } else {
            self.quiet_cycles + 1
        };
        let most = 8 * self.shape.entries + 8 * self.shape.buckets + 200;
        ensure!(
            self.quiet_cycles < most,
            "it is silent for {most} cycles, {} commands open",
            self.open
        );
        self.device.tick();
        if beat.is_some() && ready {
            self.sending.pop_front();
            self.last_beat_at = self.cycle;
        }
        self.cycle += 1;
        Ok(())
    }

    /// The first beat of a result is there for the first time.
    fn check_time(&mut self) -> Result<()> {
        let Some(due) = self.due.front_mut() else {
            return Ok(());
        };
        if let (Some(within), true) = (due.within.take(), self.sending.is_empty()) {
            let cycles = self.cycle - self.last_beat_at;
            ensure!(
                cycles <= within,
                "it takes {cycles} cycles, {within} are allowed: {:x?}",
                due.beats
            );
            self.corners.timed += 1;
        }
        Ok(())
    }

    fn receive(&mut self, beat: u64, last: bool) -> Result<()> {
        self.received.push(beat);
        let due = self.due.front().with_context(|| format!("nobody asked for {beat:x}"))?;
        ensure!(
            last == (self.received.len() == due.beats.len()),
            "{:x?} with last {last}, not {:x?}",
            self.received,
            due.beats
        );
        if !last {
            return Ok(());
        }
        let due = self.due.pop_front().expect("there is a first");
        let mut received = std::mem::take(&mut self.received);
        let answer = Answer::decode(received[0]).with_context(|| format!("{:x} is no answer", received[0]))?;
        let golden = Answer::decode(due.beats[0]).expect("golden answers are well-formed");
        self.corners.by_status[golden.status as usize] += 1;
        let wanted = match golden.status {
            Status::Found | Status::Done if due.learns => {
                ensure!(
                    self.given.insert(answer.handle),
                    "handle {:x} comes again",
                    answer.handle
                );
                self.to_device.insert(golden.handle, answer.handle);
                answer.handle
            }
            Status::Found | Status::Done if due.beats.len() == 1 || golden.status == Status::Found => {
                self.to_device[&golden.handle]
            }
            _ => 0,
        };
        let wanted = Answer {
            handle: wanted,
            ..golden
        }
        .encode();
        let expected: Vec<u64> = [wanted].into_iter().chain(due.beats[1..].iter().copied()).collect();
        if golden.status == Status::Done && received.len() == ENTRY_BEATS && self.shape.buckets > 0 {
            self.check_lengths(&Counters::decode(&received[1..]))?;
            received[3..].copy_from_slice(&expected[3..]);
        }
        ensure!(received == expected, "it gives {received:x?}, not {expected:x?}");
        if due.forgets {
            self.stale.extend(self.to_device.remove(&golden.handle));
        }
        if let Some(results) = due.ends {
            self.open -= 1;
            self.corners.several += usize::from(results > 1);
            self.corners.most_results = self.corners.most_results.max(results);
        }
        Ok(())
    }

    /// Golden handles that the device's are known of, and that no command under way can delete.
    fn known(&self) -> Vec<u32> {
        let mut known: Vec<u32> = self.to_device.keys().copied().collect();
        known.sort_unstable();
        known
    }
}

/// Holds a list manager of these parameters to the golden model for so many random commands.
///
/// # Errors
/// The first difference, with the seed, or a corner that the run did not meet.
pub fn check(device: impl Device + 'static, shape: &ListParameters, commands: usize, seed: u64) -> Result<Corners> {
    let corners = run(device, shape, seed, |bench, rng| {
        bench.directed(rng)?;
        bench.random(commands, RESETS, rng)?;
        bench.empty(rng)?;
        bench.directed(rng)
    })?;
    corners.check_all(shape, seed)?;
    Ok(corners)
}

/// The same for one too large to be filled often: filled to the last place once, then few commands, and searches of all that
/// is there.
///
/// # Errors
/// As [`check`]; fewer corners are wanted.
pub fn check_size(
    device: impl Device + 'static,
    shape: &ListParameters,
    commands: usize,
    seed: u64,
) -> Result<Corners> {
    let corners = run(device, shape, seed, |bench, rng| {
        bench.fill(rng)?;
        bench.random(commands, 0.0, rng)?;
        bench.search_all(rng)
    })?;
    corners.check_size(shape, seed)?;
    Ok(corners)
}

fn run(
    device: impl Device + 'static,
    shape: &ListParameters,
    seed: u64,
    stimulus: impl Fn(&mut Bench, &mut SmallRng) -> Result<()>,
) -> Result<Corners> {
    let mut bench = Bench::new(Box::new(device), *shape)?;
    let outcome = stimulus(&mut bench, &mut SmallRng::seed_from_u64(seed));
    outcome.map_err(|error| error.context(format!("{shape:?}, seed {seed:#x}, cycle {}", bench.cycle)))?;
    Ok(bench.corners)
}

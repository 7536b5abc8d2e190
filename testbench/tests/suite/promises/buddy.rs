//! What the buddy allocator promises, on any device: the golden allocator's results word for word, within the cycles that
//! are documented, and its readings whenever no command is in hand.

use anyhow::{bail, ensure, Result};
use portico_golden::portals::buddy::BuddyAllocator;
use portico_spec::portals::buddy::{command, Heap, Operation, Outcome, Status, OPERAND_WIDTH};
use portico_testbench::device::{Device, Input, Output};
use rand::{rngs::SmallRng, seq::SliceRandom, Rng, SeedableRng};

/// Most cycles from a command taken to its result offered, with so many depths below the root: those of the walk, and of a
/// search through one, two or three tiers of depths.
fn most_cycles(depths: u64) -> u64 {
    let tier = (depths + 1).div_ceil(3);
    [8, 12, 15]
        .into_iter()
        .zip([0, 1, 2])
        .map(|(cycles, tiers)| (depths + cycles).saturating_sub(tiers * tier))
        .max()
        .expect("three tiers")
}

/// Resets in the middle of the random commands.
const RESETS: usize = 8;

/// How a phase of the run behaves.
#[derive(Clone, Copy)]
struct Phase {
    /// Chance that a command asks for a block.
    allocates: f64,
    /// Largest order asked for, below the whole heap.
    below_top: u32,
    /// Chance of a command that should be refused.
    wrong: f64,
    /// Chances in a cycle that a command is offered and that a result is taken.
    offers: f64,
    takes: f64,
}

const PHASES: [Phase; 6] = [
    phase(0.9, 3, 0.05, 1.0, 1.0),
    phase(0.5, 1, 0.1, 0.5, 0.5),
    phase(0.2, 2, 0.1, 0.9, 0.2),
    phase(0.7, 9, 0.05, 0.2, 0.9),
    phase(0.5, 5, 0.4, 1.0, 0.6),
    phase(0.4, 0, 0.05, 1.0, 1.0),
];

const fn phase(allocates: f64, below_top: u32, wrong: f64, offers: f64, takes: f64) -> Phase {
    Phase {
        allocates,
        below_top,
        wrong,
        offers,
        takes,
    }
}

/// How often each corner was met, and the longest latencies in cycles.
#[derive(Clone, Debug, Default)]
pub struct Corners {
    /// Results, by operation and status.
    pub results: [[usize; Status::ALL.len()]; Operation::ALL.len()],
    /// No free byte was left.
    pub full: usize,
    /// Refused although there were enough free bytes in all.
    pub fragmented: usize,
    /// The smallest block was cut from the whole heap, or joined with all others to it.
    pub cut_through: usize,
    pub joined_through: usize,
    /// A result waited; a command waited; the block stood idle.
    pub stalled: usize,
    pub waited: usize,
    pub idle: usize,
    /// A reset came while a command was in hand, and while tables were being cleared.
    pub lost_in_reset: usize,
    pub reset_in_sweep: usize,
    /// By operation.
    pub longest: [u64; Operation::ALL.len()],
    /// Cycles of the initialisation.
    pub initialisation: u64,
}

struct Ports {
    rst: Input,
    tdata: Input,
    tlast: Input,
    tvalid: Input,
    tready: Output,
    result_data: Output,
    result_last: Output,
    result_valid: Output,
    result_ready: Input,
    free_bytes: Output,
    largest_free: Output,
    initialising: Output,
}

/// A command in hand.
struct InHand {
    operation: Operation,
    expected: Outcome,
    taken_at: u64,
    offered: bool,
}

struct Bench {
    device: Box<dyn Device>,
    ports: Ports,
    heap: Heap,
    golden: BuddyAllocator,
    live: Vec<u32>,
    rng: SmallRng,
    in_hand: Option<InHand>,
    cycle: u64,
    reset_at: u64,
    initialised: bool,
    corners: Corners,
}

impl Bench {
    fn new(device: Box<dyn Device>, heap: Heap, seed: u64) -> Result<Self> {
        let ports = Ports {
            rst: device.require_input("rst")?,
            tdata: device.require_input("s_axis_tdata")?,
            tlast: device.require_input("s_axis_tlast")?,
            tvalid: device.require_input("s_axis_tvalid")?,
            tready: device.require_output("s_axis_tready")?,
            result_data: device.require_output("m_axis_tdata")?,
            result_last: device.require_output("m_axis_tlast")?,
            result_valid: device.require_output("m_axis_tvalid")?,
            result_ready: device.require_input("m_axis_tready")?,
            free_bytes: device.require_output("free_bytes")?,
            largest_free: device.require_output("largest_free")?,
            initialising: device.require_output("initialising")?,
        };
        Ok(Self {
            device,
            ports,
            heap,
            golden: BuddyAllocator::new(heap),
            live: vec![],
            rng: SmallRng::seed_from_u64(seed),
            in_hand: None,
            cycle: 0,
            reset_at: 0,
            initialised: false,
            corners: Corners::default(),
        })
    }

    /// One cycle; whether the command was taken, and whether a result was.
    fn step(&mut self, offered: Option<(Operation, u32)>, ready: bool) -> Result<(bool, bool)> {
        let word = offered.map_or(self.rng.gen(), |(operation, operand)| command(operation, operand));
        self.device.set(self.ports.tdata, word.into());
        self.device.set(self.ports.tlast, self.rng.gen_range(0..2));
        self.device.set(self.ports.tvalid, offered.is_some().into());
        self.device.set(self.ports.result_ready, ready.into());
        self.device.settle();
        let get = |port: Output| self.device.get(port);
        let initialising = get(self.ports.initialising) == 1;
        let (room, valid) = (get(self.ports.tready) == 1, get(self.ports.result_valid) == 1);
        ensure!(!(initialising && self.initialised), "it initialises again");
        ensure!(
            room == (self.in_hand.is_none() && !initialising),
            "tready is {room} with {} command in hand, initialising {initialising}",
            usize::from(self.in_hand.is_some())
        );
        if !initialising && !self.initialised {
            self.initialised = true;
            self.corners.initialisation = self.cycle - self.reset_at;
        }
        match &mut self.in_hand {
            None => ensure!(!valid, "a result without a command"),
            Some(in_hand) => {
                let latency = self.cycle - in_hand.taken_at;
                let most = most_cycles(self.heap.top_order().into());
                ensure!(valid || !in_hand.offered, "a result is withdrawn");
                ensure!(valid || latency < most, "no result within {most} cycles");
                if valid {
                    let shown = get(self.ports.result_data);
                    let expected = u64::from(in_hand.expected.word());
                    ensure!(shown == expected, "result {shown:#x}, not {:x?}", in_hand.expected);
                    ensure!(get(self.ports.result_last) == 1, "a result without a last");
                    if !in_hand.offered {
                        let longest = &mut self.corners.longest[in_hand.operation as usize];
                        *longest = latency.max(*longest);
                    }
                    in_hand.offered = true;
                }
            }
        }
        if !initialising && (valid || self.in_hand.is_none()) {
            let readings = [get(self.ports.free_bytes), get(self.ports.largest_free)];
            let expected = [self.golden.free_bytes(), self.golden.largest_free()].map(u64::from);
            ensure!(
                readings == expected,
                "free bytes and largest free block {readings:?}, not {expected:?}"
            );
        }
        self.device.tick();
        self.cycle += 1;
        self.corners.stalled += usize::from(valid && !ready);
        self.corners.waited += usize::from(offered.is_some() && !room);
        self.corners.idle += usize::from(offered.is_none() && room);
        let answered = valid && ready;
        if answered {
            self.in_hand = None;
        }
        let taken = offered.filter(|_| room);
        if let Some((operation, operand)) = taken {
            self.take(operation, operand);
        }
        Ok((taken.is_some(), answered))
    }

    /// A command enters: golden does it.
    fn take(&mut self, operation: Operation, operand: u32) {
        let (free, largest) = (self.golden.free_bytes(), self.golden.largest_free());
        let expected = self.golden.execute(operation, operand);
        let whole = self.heap.bytes();
        self.corners.results[operation as usize][expected.status as usize] += 1;
        self.corners.full += usize::from(self.golden.free_bytes() == 0);
        self.corners.fragmented += usize::from(expected.status == Status::Exhausted && free >= operand);
        if expected.status == Status::Done && expected.order == 0 {
            self.corners.cut_through += usize::from(largest == whole);
            self.corners.joined_through += usize::from(self.golden.largest_free() == whole);
        }
        if expected.status == Status::Done {
            match operation {
                Operation::Allocate => self.live.push(expected.address),
                Operation::Free => self.live.retain(|&live| live != operand),
            }
        }
        self.in_hand = Some(InHand {
            operation,
            expected,
            taken_at: self.cycle - 1,
            offered: false,
        });
    }

    /// A cycle in which `rst` is high: all is free afterwards.
    fn reset(&mut self) -> Result<()> {
        self.device.set(self.ports.rst, 1);
        self.device.set(self.ports.tvalid, 0);
        self.device.tick();
        self.device.set(self.ports.rst, 0);
        self.cycle += 1;
        self.corners.lost_in_reset += usize::from(self.in_hand.is_some());
        self.corners.reset_in_sweep += usize::from(!self.initialised);
        self.in_hand = None;
        self.golden = BuddyAllocator::new(self.heap);
        self.live.clear();
        self.initialised = false;
        self.reset_at = self.cycle;
        Ok(())
    }

    /// One command and its result, with nothing that stalls.
    fn execute(&mut self, operation: Operation, operand: u32) -> Result<Outcome> {
        while !self.step(Some((operation, operand)), true)?.0 {}
        let expected = self.in_hand.as_ref().map(|in_hand| in_hand.expected);
        while !self.step(None, true)?.1 {}
        Ok(expected.expect("a command was taken"))
    }

    /// Waits for the end of the initialisation.
    fn initialise(&mut self) -> Result<()> {
        let most = u64::from(self.heap.blocks()) + 2;
        while !self.initialised {
            ensure!(
                self.cycle - self.reset_at <= most,
                "initialising for more than {most} cycles"
            );
            self.step(None, true)?;
        }
        Ok(())
    }

    /// A size of a random order up to `largest`, at its upper end as often as within.
    fn size(&mut self, largest: u32) -> u32 {
        let bytes = self.heap.bytes_of(self.rng.gen_range(0..=largest));
        match self.rng.gen_range(0..3) {
            0 => bytes,
            1 => self.rng.gen_range(1..=bytes),
            _ => self.rng.gen_range(bytes / 2 + 1..=bytes),
        }
    }

    /// An operand for a command that is, more often than not, refused.
    fn wrong(&mut self, operation: Operation) -> u32 {
        let (heap, block) = (self.heap.bytes(), self.heap.block());
        let any = self.rng.gen_range(0..1 << 31);
        let inside = self.rng.gen_range(0..heap);
        let live = self.live.choose(&mut self.rng).copied().unwrap_or(0);
        let outside = 1u32 << self.rng.gen_range(heap.ilog2()..OPERAND_WIDTH as u32);
        let choices = match operation {
            Operation::Allocate => [0, heap + 1, heap, any, outside + inside, 0],
            Operation::Free => [
                inside,
                inside - inside % block,
                live + block,
                live + 1,
                outside + live,
                any,
            ],
        };
        *choices.choose(&mut self.rng).expect("there are choices")
    }

    fn draw(&mut self, phase: &Phase) -> (Operation, u32) {
        let allocates = self.rng.gen_bool(phase.allocates);
        let operation = if allocates {
            Operation::Allocate
        } else {
            Operation::Free
        };
        let live = self.live.choose(&mut self.rng).copied();
        let operand = match (operation, live) {
            _ if self.rng.gen_bool(phase.wrong) => self.wrong(operation),
            (Operation::Free, Some(live)) => live,
            (Operation::Free, None) => self.wrong(operation),
            (Operation::Allocate, _) => self.size(self.heap.top_order().saturating_sub(phase.below_top)),
        };
        (operation, operand)
    }

    /// Blocks of one size until there is no more, then all of them back in random order.
    fn fill_and_empty(&mut self, size: u32) -> Result<()> {
        while self.execute(Operation::Allocate, size)?.status == Status::Done {}
        ensure!(
            self.golden.free_bytes() == 0,
            "blocks of {size} bytes do not fill the heap"
        );
        let mut live = self.live.clone();
        live.shuffle(&mut self.rng);
        self.live.clear();
        for address in live {
            self.execute(Operation::Free, address)?;
        }
        self.whole()
    }

    /// Everything that lives is given back, and the heap is one block again.
    fn drain(&mut self) -> Result<()> {
        for address in std::mem::take(&mut self.live) {
            self.execute(Operation::Free, address)?;
        }
        self.whole()
    }

    /// The device says that the heap is one free block, and gives it.
    fn whole(&mut self) -> Result<()> {
        let bytes = self.heap.bytes();
        self.step(None, true)?;
        let readings = [self.ports.free_bytes, self.ports.largest_free].map(|port| self.device.get(port));
        ensure!(
            readings == [u64::from(bytes); 2],
            "bytes have leaked: {readings:?} of {bytes} are free"
        );
        let outcome = self.execute(Operation::Allocate, bytes)?;
        ensure!(outcome.status == Status::Done, "the whole heap is not granted");
        self.execute(Operation::Free, 0)?;
        Ok(())
    }

    /// Every depth is cut and joined, in the most cycles that it can take.
    fn directed(&mut self) -> Result<()> {
        self.initialise()?;
        let block = self.heap.block();
        self.execute(Operation::Allocate, block)?;
        self.execute(Operation::Free, 0)?;
        self.execute(Operation::Free, 0)?;
        for order in 0..=self.heap.top_order() {
            self.execute(Operation::Allocate, self.heap.bytes_of(order))?;
        }
        self.drain()?;
        // A free block of each order in turn is the only one when the smallest is asked for.
        for order in 0..self.heap.top_order() {
            let mut rest = self.heap.bytes() / 2;
            while rest >= self.heap.bytes_of(order) {
                self.execute(Operation::Allocate, rest)?;
                rest /= 2;
            }
            self.execute(Operation::Allocate, 1)?;
            self.execute(Operation::Allocate, self.heap.bytes_of(order))?;
            self.drain()?;
        }
        Ok(())
    }

    fn random(&mut self, commands: usize) -> Result<()> {
        let mut pending = None;
        let period = commands / RESETS;
        let (mut taken, mut next_phase, mut next_reset) = (0, 0, period / 2);
        let mut phase = PHASES[0];
        while taken < commands {
            if taken >= next_phase {
                phase = *PHASES.choose(&mut self.rng).expect("there are phases");
                next_phase += (commands / 40).max(10);
            }
            if pending.is_none() && self.rng.gen_bool(phase.offers) {
                pending = Some(self.draw(&phase));
            }
            let ready = self.rng.gen_bool(phase.takes);
            if self.step(pending, ready)?.0 {
                pending = None;
                taken += 1;
            }
            if taken >= next_reset && self.in_hand.is_some() && self.rng.gen_bool(0.2) {
                next_reset += period;
                pending = None;
                self.reset()?;
                if self.rng.gen() {
                    self.step(None, true)?;
                    self.reset()?;
                }
                self.initialise()?;
            }
        }
        while self.in_hand.is_some() {
            self.step(None, true)?;
        }
        self.drain()
    }
}

/// Holds the allocator of `heap` to what golden does over `commands` random commands, after every depth was cut and joined
/// and the heap filled with blocks of a size.
///
/// # Errors
/// The first cycle that differs, with the seed, or a corner that the run did not meet.
pub fn check(device: impl Device + 'static, heap: Heap, commands: usize, seed: u64) -> Result<Corners> {
    let mut bench = Bench::new(Box::new(device), heap, seed)?;
    let run = |bench: &mut Bench| {
        bench.reset()?;
        bench.directed()?;
        // Smallest blocks in a heap of few, larger ones in a heap of many, so that a run stays short.
        let least = heap.top_order().saturating_sub(9);
        bench.fill_and_empty(heap.bytes_of(least))?;
        bench.fill_and_empty(heap.bytes_of(heap.top_order() - 1))?;
        bench.random(commands)
    };
    let outcome = run(&mut bench);
    let at = format!("{heap:?}, seed {seed:#x}, cycle {}", bench.cycle);
    if let Err(error) = outcome {
        bail!("{at}: {error:#}");
    }
    let corners = bench.corners;
    let [allocated, freed] = corners.results;
    let met = [
        allocated[Status::Done as usize],
        allocated[Status::ZeroSize as usize],
        allocated[Status::TooLarge as usize],
        allocated[Status::Exhausted as usize],
        freed[Status::Done as usize],
        freed[Status::NotLive as usize],
        freed[Status::Foreign as usize],
        corners.full,
        // Takes two free blocks that are no buddies.
        corners.fragmented + usize::from(heap.top_order() < 2),
        corners.cut_through,
        corners.joined_through,
        corners.stalled,
        corners.waited,
        corners.idle,
        corners.lost_in_reset,
        corners.reset_in_sweep + usize::from(corners.initialisation == 0),
    ];
    ensure!(!met.contains(&0), "{at} misses a corner: {corners:?}");
    Ok(corners)
}

//! What nodes count, to the flit.

use super::driver::{collective::post, rest, Gate, SOON};
use portico::{
    collective::Shape,
    onesided::{Geometry, Remote, Window},
    registers::Registers,
    Error, Fabric, Transport,
};
use portico_sim::SimulatedFabric;
use portico_spec::{
    mpe::call::{Call, Kind, Transfer as Moved},
    ni::{
        descriptor::{Command, Descriptor, Geometry as Block, Transfer},
        registers::CounterRegister::{
            self, ControlIn, ControlOut, Cycles, DataIn, DataOut, DataStalls, EnginesRun, EnginesWait, MemoryErrors,
            Refused, Running, Waiting,
        },
    },
};

/// Words of the window.
const WORDS: u32 = 100;
/// The flits of a packet beside its payload: head and ADDRESS.
const HEADER: u32 = 2;
/// The flits of a get's request, of an acknowledgement, of a refusal.
const GET: u32 = 4;
const ACK: u32 = 1;
const REFUSE: u32 = 2;

/// A fabric whose tile `ends[0]` is told by its command stream what to do with `ends[1]`, so that nothing else is on the
/// network.
struct Pair {
    fabric: Fabric<SimulatedFabric>,
    ends: [usize; 2],
}

/// What a node has counted from one look at its counters to the next.
struct Counted {
    before: Registers<CounterRegister>,
    after: Registers<CounterRegister>,
}

impl Counted {
    fn of(&self, counter: CounterRegister) -> u32 {
        self.after[counter].wrapping_sub(self.before[counter])
    }
}

impl Pair {
    fn counts(&mut self) -> Result<[Registers<CounterRegister>; 2], Error> {
        let [first, second] = self.ends;
        Ok([self.fabric.counters(first)?, self.fabric.counters(second)?])
    }

    /// What both nodes count in `cycles` from a command on, if there is one, and the look at the counters.
    fn look(&mut self, words: Option<Vec<u32>>, cycles: u64) -> Result<[Counted; 2], Error> {
        let [first, second] = self.counts()?;
        if let Some(words) = words {
            self.fabric.transport().command(self.ends[0], &words);
        }
        self.fabric.transport().run(cycles);
        let counted = |(before, after)| Counted { before, after };
        let [first_after, second_after] = self.counts()?;
        Ok([(first, first_after), (second, second_after)].map(counted))
    }

    fn descriptor(&self, remote: &Remote, words: u32, command: fn(Transfer) -> Command) -> Result<Vec<u32>, Error> {
        let row = words * self.fabric.word_bytes();
        let transfer = Transfer {
            remote: 0,
            local: 0,
            geometry: Block::Row { row },
        };
        let descriptor = Descriptor {
            segment: remote.handle(),
            ..Descriptor::new(command(transfer))
        };
        Ok(descriptor.encode(self.fabric.config())?)
    }
}

/// Puts, a get and a put that is refused in part, each alone on the network.
pub fn nodes_count_every_flit(hardware: SimulatedFabric) -> Result<(), Error> {
    let mut fabric = Fabric::open(hardware)?;
    let ends = [0, 5];
    let bytes = WORDS * fabric.word_bytes();
    // Two windows on one tag, one after the other: the handle of the first is too large for the second.
    let first = fabric.publish(ends[1], Window::new(0, 2 * bytes))?;
    let remote = fabric.tile(ends[0])?.clone_segment(first.id())?;
    first.withdraw(&mut fabric)?;
    let _window = fabric.publish(ends[1], Window::new(0, bytes))?;
    let mut pair = Pair { fabric, ends };
    let idle = pair.look(None, 400)?;
    let commands: [fn(Transfer) -> Command; 2] = [Command::Put, Command::Get];
    for (command, words, packets, there, back) in [
        (0, 20, 1, [20 + HEADER, 0], [0, ACK]),
        (0, WORDS, 2, [WORDS + 2 * HEADER, 0], [0, ACK]),
        (1, 30, 1, [0, GET], [30 + HEADER, 0]),
        (0, WORDS + 3, 2, [WORDS + 3 + 2 * HEADER, 0], [0, REFUSE]),
    ] {
        let words = pair.descriptor(&remote, words, commands[command])?;
        let counted = pair.look(Some(words), 400)?;
        let more = |end: usize, counter: CounterRegister| counted[end].of(counter) - idle[end].of(counter);
        let flits = |from: usize, to: usize| {
            let out = [more(from, DataOut), more(from, ControlOut)];
            let came = [more(to, DataIn), more(to, ControlIn)];
            assert_eq!(out, came, "what leaves node {} arrives", ends[from]);
            out
        };
        assert_eq!((flits(0, 1), flits(1, 0)), (there, back), "{packets} packets of data");
        assert_eq!(more(0, DataStalls) + more(1, DataStalls), 0, "nobody is in the way");
        let refused = if back[1] == REFUSE { 3 } else { 0 };
        assert_eq!((more(0, Refused), more(1, Refused)), (0, refused));
        // A micro-core of the initiator runs for a put, the server for a get.
        assert_eq!((more(0, Running) > 0, more(1, Running) > 0), (true, command == 1));
    }
    Ok(())
}

/// Two tiles that put to a third stall for as long as the other has the link.
pub fn nodes_count_the_flits_that_wait(hardware: SimulatedFabric) -> Result<(), Error> {
    let mut fabric = Fabric::open(hardware)?;
    let segment = fabric.publish(5, Window::new(0, 0x1000))?;
    let mut puts = Vec::new();
    for tile in [2, 4] {
        let remote = fabric.tile(tile)?.clone_segment(segment.id())?;
        let event = fabric.event(tile)?;
        puts.push((tile, remote, event));
    }
    for (tile, remote, event) in &puts {
        let put = fabric.tile(*tile)?.put(remote, 0, 0, Geometry::linear(0x1000))?;
        put.count_in(event)?;
    }
    for (_, _, event) in &puts {
        event.drain(&mut fabric, SOON)?;
    }
    let [first, second] = [fabric.counters(2)?[DataStalls], fabric.counters(4)?[DataStalls]];
    assert!(first > 100 && second > 100, "{first} and {second} cycles");
    Ok(())
}

/// A program that waits counts every cycle as one of a micro-core that runs, and waits; without it none is.
pub fn nodes_count_how_their_engine_spends_its_time(hardware: SimulatedFabric) -> Result<(), Error> {
    const LONG: u64 = 2_000;
    let mut fabric = Fabric::open(hardware)?;
    let segment = fabric.publish(5, Window::new(0, 8))?;
    let remote = fabric.tile(0)?.clone_segment(segment.id())?;
    let gate = Gate::new(&mut fabric, 0)?;
    let mut pair = Pair { fabric, ends: [0, 5] };
    for waits in [false, true] {
        if waits {
            let _closed = gate.close(&mut pair.fabric, &remote)?;
            rest(&mut pair.fabric);
        }
        let [short, _] = pair.look(None, 100)?;
        let [long, _] = pair.look(None, 100 + LONG)?;
        let more = |counter| u64::from(long.of(counter) - short.of(counter));
        let engine = if waits { LONG } else { 0 };
        assert_eq!((more(Cycles), more(Running), more(Waiting)), (LONG, engine, engine));
    }
    Ok(())
}

/// A member that waits in a barrier counts each cycle as one in which its engine runs, and waits; before and after it none is.
pub fn engines_count_the_cycles_of_a_call(hardware: SimulatedFabric) -> Result<(), Error> {
    const LONG: u64 = 2_000;
    let mut fabric = Fabric::open(hardware)?;
    let ends = [0, 5];
    let group = fabric.communicator(&ends, &Shape::Linear)?;
    let barrier = Call::in_turn(Kind::Barrier, 0, group.context() as u8, Moved::NONE);
    let mut pair = Pair { fabric, ends };
    // The first member comes, waits, and is let go by the second one.
    for (comes, waits) in [(None, false), (Some(0), true), (Some(1), false)] {
        if let Some(rank) = comes {
            post(&mut pair.fabric, &group, rank, 0, barrier)?;
            rest(&mut pair.fabric);
        }
        let [short, _] = pair.look(None, 100)?;
        let [long, _] = pair.look(None, 100 + LONG)?;
        let more = |counter| u64::from(long.of(counter) - short.of(counter));
        let engine = if waits { LONG } else { 0 };
        assert_eq!(
            (more(Cycles), more(EnginesRun), more(EnginesWait)),
            (LONG, engine, engine)
        );
    }
    // Beside the wait there are the steps of the call, which are few.
    let counted = pair.fabric.counters(ends[0])?;
    let steps = counted[EnginesRun] - counted[EnginesWait];
    assert!((1..=20).contains(&steps), "{steps} steps of a barrier");
    Ok(())
}

/// A burst and the words of another in a range in which the memory fails, if it does.
pub fn errors_of_external_memory_are_counted<T: Transport>(mut fabric: Fabric<T>, fails: bool) -> Result<(), Error> {
    let memory = fabric.config().tiles() + 1;
    let word = fabric.word_bytes();
    let segment = fabric.publish(memory, Window::new(FAILING.start as u32 - 0x800, 0x1000))?;
    let remote = fabric.tile(0)?.clone_segment(segment.id())?;
    let mut errors = Vec::new();
    for offset in [0, 0x800] {
        let line = Geometry::linear(word);
        fabric.tile(0)?.put(&remote, offset, 0, line)?.wait(SOON)?;
        rest(&mut fabric);
        errors.push(fabric.counters(memory)?[MemoryErrors]);
        let line = Geometry::linear(8 * word);
        fabric.tile(0)?.get(&remote, offset, 0x100, line)?.wait(SOON)?;
        errors.push(fabric.counters(memory)?[MemoryErrors]);
    }
    assert_eq!(errors, if fails { [0, 0, 1, 9] } else { [0; 4] });
    Ok(())
}

/// Bytes that fail.
pub const FAILING: std::ops::Range<u64> = 0x2000..0x3000;

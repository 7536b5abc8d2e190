//! What the message-passing engine promises at its socket (`docs/collectives.md`, `docs/engines.md`), for any device: an engine
//! with two contexts among neighbours that do all that a correct neighbour may.

mod bench;
mod plan;

use anyhow::{ensure, Context};
use bench::{head, Act, Bench};
use plan::Plan;
use portico_spec::{
    mpe::{
        call::{Begin, Call, Kind, Row, Sign, Transfer, NEIGHBOURS},
        reduce::Operation,
    },
    ni::{
        command::{Opcode, EVENT_OFFSET},
        packet::{ControlKind, DataKind},
        registers::{
            MPE_CLOSE_OFFSET, MPE_DRAINED_OFFSET, MPE_IDLE_OFFSET, MPE_NEXT_OFFSET, MPE_OPEN_OFFSET, MPE_RUNNING_OFFSET,
        },
        INITIALISATION_CYCLES,
    },
    Node,
};
use portico_testbench::device::Device;
use rand::{rngs::StdRng, seq::SliceRandom, Rng, SeedableRng};

/// Contexts, and places of their lists.
pub const CONTEXTS: usize = 2;
pub const PLACES: usize = 4;
/// Bytes of the scratchpad of a context: half are sources, half results.
const SHARE: u32 = 0x800;
const LENGTHS: [u32; 9] = [0, 1, 2, 31, 32, 63, 64, 95, 100];
const OPERATIONS: [Operation; 4] = [
    Operation::IntegerSum,
    Operation::FloatSum,
    Operation::IntegerMax,
    Operation::Xor,
];
/// Nodes that are neighbours, and one that never is.
const NODES: [Node; 5] = [
    Node { x: 0, y: 1 },
    Node { x: 2, y: 1 },
    Node { x: 1, y: 0 },
    Node { x: 1, y: 2 },
    Node { x: 3, y: 3 },
];
/// Rounds after which lists change.
const ROUNDS_A_LIST: usize = 4;
/// Cycles in which any round is over.
const PATIENCE: u64 = 20_000;
/// Cycles for which a member may be late.
const LATEST: u64 = 300;

/// What a check has met.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seen {
    pub cycles: u64,
    /// Barriers in the middle of the tree, reductions at a root with two children of integers and of numbers, broadcasts at a
    /// leaf, allreduces of one word.
    pub barriers: usize,
    pub integer_sums: usize,
    pub float_sums: usize,
    pub leaves: usize,
    pub words: usize,
    /// Packets that were refused, and those of them beyond a credit.
    pub refused: u64,
    pub overruns: u64,
}

/// The words of the descriptor of a call.
fn descriptor(plan: &Plan) -> Vec<(u64, bool)> {
    let opcode = Opcode::Barrier as u32 + plan.call.kind as u32;
    let words = plan.call.encode().expect("a call");
    let first = opcode | (plan.event as u32) << EVENT_OFFSET;
    let length = words.len();
    let words = std::iter::once(first).chain(words).enumerate();
    words.map(|(at, word)| (word.into(), at == length)).collect()
}

/// Draws a list: places, each with a node of its own.
fn list(random: &mut StdRng) -> Vec<(usize, Row)> {
    let mut nodes = NODES[..PLACES].to_vec();
    nodes.shuffle(random);
    let count = random.gen_range(1..=PLACES);
    let mut places: Vec<usize> = (0..PLACES).collect();
    places.shuffle(random);
    places.truncate(count);
    places.sort_unstable();
    let rows = places.into_iter().zip(nodes).map(|(place, node)| {
        let row = Row {
            node,
            place: random.gen_range(0..NEIGHBOURS as u8),
        };
        (place, row)
    });
    rows.collect()
}

/// A word to fold: small numbers with fractions, so that sums round, and all integers.
fn word(random: &mut StdRng, operation: Operation) -> u32 {
    match operation {
        Operation::FloatSum => random.gen_range(-1000.0f32..1000.0).to_bits(),
        _ => random.gen(),
    }
}

fn draw(random: &mut StdRng, context: usize, number: u8, places: &[usize]) -> Plan {
    let kind = *Kind::ALL.choose(random).expect("a kind");
    let way = places.choose(random).copied().filter(|_| random.gen_bool(0.6));
    let children: Vec<usize> = places.iter().copied().filter(|&place| Some(place) != way).collect();
    let operation = *OPERATIONS.choose(random).expect("an operation");
    let length = *LENGTHS.choose(random).expect("a length");
    let source = SHARE * context as u32;
    let transfer = Transfer {
        length,
        source,
        result: source + SHARE / 2,
        operation: if kind.folds() { operation } else { Operation::IntegerSum },
    };
    let mut words = || (0..length).map(|_| word(random, operation)).collect::<Vec<u32>>();
    Plan {
        own: words(),
        theirs: children.iter().map(|_| words()).collect(),
        down: words(),
        call: Call {
            kind,
            begin: Begin::InTurn,
            number,
            context: context as u8,
            towards: way.map(|place| place as u8),
            transfer: if kind == Kind::Barrier {
                Transfer::NONE
            } else {
                transfer
            },
        },
        event: 3 + 10 * context as u64,
        way,
        children,
    }
}

/// A packet, or a token, that an engine with these lists refuses.
fn strange(random: &mut StdRng, lists: &[Vec<(usize, Row)>]) -> Act {
    let context = random.gen_range(0..CONTEXTS);
    let (place, row) = *lists[context].choose(random).expect("a neighbour");
    let stranger = NODES[PLACES];
    let data = DataKind::Collective as u8;
    let words = random.gen_range(1..34);
    let packet = |first: u32| [vec![first], vec![0x5a5a_5a5a; words]].concat();
    match random.gen_range(0..6) {
        0 | 1 => Act::Strange(packet(head(stranger, data, context, place, Sign::Credit))),
        // A neighbour, in a place that is not its own.
        2 => Act::Strange(packet(head(row.node, data, context, place + PLACES, Sign::Credit))),
        3 => Act::Strange(packet(head(row.node, data, CONTEXTS, place, Sign::Credit))),
        4 => Act::Strange(vec![head(row.node, data, context, place, Sign::Credit)]),
        _ => {
            let sign = *[Sign::Credit, Sign::Go, Sign::Token].choose(random).expect("a sign");
            let word = head(stranger, ControlKind::Collective as u8, context, place, sign);
            Act::Control(word, None)
        }
    }
}

/// Cycle of a race in which the call is posted, and offsets of the row from the first cycle.
const POSTED: u64 = 10;
const OFFSETS: std::ops::Range<u64> = 0..22;
/// Cycles after which a race is over.
const DECIDED: u64 = 40;

/// A row is written beside a call to its context, at every offset: first the row, and the call has a neighbour more; or first the
/// call, and the row is refused, because the call does not end before its other neighbour has answered.
fn rows_race_calls(device: &mut impl Device, kind: Kind, seed: u64) -> anyhow::Result<()> {
    const CONTEXT: usize = 1;
    let rows = [0, 1].map(|at| Row {
        node: NODES[at],
        place: 2,
    });
    let refusals = OFFSETS.map(|offset| -> anyhow::Result<u64> {
        device.reset(2);
        let mut bench = Bench::new(device, StdRng::seed_from_u64(seed));
        bench.clear(INITIALISATION_CYCLES)?;
        bench.write_list(CONTEXT, PLACES, &[(0, rows[0])])?;
        let mut plan = draw(&mut bench.random, CONTEXT, 0, &[0]);
        let transfer = Transfer {
            length: 4,
            ..plan.call.transfer
        };
        plan.call = Call {
            kind,
            towards: None,
            transfer: if kind == Kind::Barrier {
                Transfer::NONE
            } else {
                transfer
            },
            ..plan.call
        };
        (plan.way, plan.children) = (None, vec![0]);
        bench.begin(vec![None, Some(plan)]);
        let start = bench.now;
        bench.acts.push((start + POSTED, Act::Post(CONTEXT)));
        while bench.now < start + DECIDED {
            let writes = bench.now == start + offset;
            bench.write_row(CONTEXT, 1, rows[1], writes)?;
            bench.tick()?;
        }
        let (found, expected) = (bench.status(CONTEXT)?, 1 << MPE_RUNNING_OFFSET | 1 << MPE_NEXT_OFFSET);
        ensure!(
            found == expected && !bench.events[CONTEXT],
            "cycle {}: status {found:#x}, expected {expected:#x}",
            bench.now
        );
        if kind == Kind::Barrier {
            let token = bench.token(bench.edge(CONTEXT, 0));
            bench.acts.push((bench.now, token));
            (0..DECIDED).try_for_each(|_| bench.tick())?;
            let (ended, refused) = (bench.events[CONTEXT], bench.refused == 1);
            ensure!(
                ended == refused,
                "cycle {}: the barrier has ended: {ended}; the other neighbour was refused: {refused}",
                bench.now
            );
        }
        Ok(bench.refused)
    });
    let refusals: Vec<u64> = refusals.collect::<anyhow::Result<_>>()?;
    let written = refusals.iter().take_while(|&&refused| refused == 0).count();
    ensure!(
        written > 0 && written < refusals.len() && refusals[written..].iter().all(|&refused| refused == 1),
        "cycle {POSTED}: {kind:?} is posted, and rows from cycle 0 on are refused so often: {refusals:?}"
    );
    Ok(())
}

/// Cycles from the post of a call to the close of its context: from its check to its event.
const CLOSES: std::ops::Range<u64> = 0..90;

/// A context is closed at every step of a call, and opens. The call ends with CLOSED, or keeps what its event promises; the next call
/// ends when its own words are written.
fn nothing_of_a_call_outlives_its_context(device: &mut impl Device, seed: u64) -> anyhow::Result<()> {
    const CONTEXT: usize = 1;
    let place = 2;
    let mut closed = 0;
    for offset in CLOSES {
        device.reset(2);
        let mut bench = Bench::new(device, StdRng::seed_from_u64(seed + offset));
        bench.clear(INITIALISATION_CYCLES)?;
        bench.write_list(CONTEXT, PLACES, &[(0, Row { node: NODES[0], place })])?;
        bench.idle = 0.5;
        for is_closed in [true, false] {
            let mut plan = draw(&mut bench.random, CONTEXT, 0, &[0]);
            while plan.call.kind != Kind::Reduce || plan.way.is_some() || !(1..=32).contains(&plan.call.transfer.length)
            {
                plan = draw(&mut bench.random, CONTEXT, 0, &[0]);
            }
            let at = plan.call.context as usize * SHARE as usize / 4;
            bench.memory.fill(0xdead_0000);
            bench.memory[at..at + plan.own.len()].copy_from_slice(&plan.own);
            let comes = plan.comes(0);
            bench.begin(vec![None, Some(plan)]);
            let (start, edge) = (bench.now, bench.edge(CONTEXT, 0));
            bench.acts.push((start, Act::Sends(edge, comes)));
            bench.acts.push((start, Act::Post(CONTEXT)));
            if is_closed {
                while bench.now < start + offset {
                    bench.tick()?;
                }
                bench.closes = Some(CONTEXT);
                bench.control(CONTEXT, 1 << MPE_CLOSE_OFFSET)?;
            }
            while !bench.is_over() || is_closed && bench.status(CONTEXT)? >> MPE_DRAINED_OFFSET & 1 == 0 {
                bench.tick()?;
                let limit = start + PATIENCE;
                ensure!(
                    bench.now < limit,
                    "closed {offset} cycles after its post: a call does not end"
                );
            }
            if is_closed {
                bench.closes = None;
                bench.control(CONTEXT, 1 << MPE_OPEN_OFFSET)?;
            }
        }
        closed += bench.closed;
    }
    let calls = CLOSES.count();
    ensure!(
        (1..calls).contains(&closed),
        "{closed} of {calls} calls end with CLOSED"
    );
    Ok(())
}

/// Rounds of calls in both contexts of an engine, which is in reset.
///
/// # Errors
/// The engine breaks a promise.
pub fn check(device: &mut impl Device, rounds: usize, seed: u64) -> anyhow::Result<Seen> {
    let races = [Kind::Barrier, Kind::Reduce].map(|kind| {
        let raced = rows_race_calls(device, kind, seed);
        raced.with_context(|| format!("seed {seed:#x}, a row beside a call of kind {kind:?}"))
    });
    races.into_iter().collect::<anyhow::Result<()>>()?;
    nothing_of_a_call_outlives_its_context(device, seed).with_context(|| format!("seed {seed:#x}, a close"))?;
    play_rounds(device, rounds, seed).with_context(|| format!("seed {seed:#x}"))
}

fn play_rounds(device: &mut impl Device, rounds: usize, seed: u64) -> anyhow::Result<Seen> {
    device.reset(2);
    let mut bench = Bench::new(device, StdRng::seed_from_u64(seed));
    bench.clear(INITIALISATION_CYCLES)?;
    let mut seen = Seen::default();
    let mut lists = vec![vec![]; CONTEXTS];
    let mut numbers = [0u8; CONTEXTS];
    for round in 0..rounds {
        bench.idle = [0.0, 0.2, 0.6][round % 3];
        if round % ROUNDS_A_LIST == 0 {
            for context in 0..CONTEXTS {
                lists[context] = list(&mut bench.random);
                bench.write_list(context, PLACES, &lists[context])?;
                numbers[context] = 0;
            }
        }
        play(&mut bench, &lists, &mut numbers, &mut seen)?;
        let at = format!("round {round}, before cycle {}", bench.now);
        for (context, number) in numbers.into_iter().enumerate() {
            let (found, expected) = (
                bench.status(context)?,
                1 << MPE_IDLE_OFFSET | u64::from(number) << MPE_NEXT_OFFSET,
            );
            ensure!(
                found == expected,
                "{at}: status {found:#x} of context {context}, expected {expected:#x}"
            );
        }
        ensure!(
            bench.refused == bench.expected_refused,
            "{at}: {} packets are refused, expected {}",
            bench.refused,
            bench.expected_refused
        );
    }
    (seen.cycles, seen.refused, seen.overruns) = (bench.now, bench.refused, bench.overruns);
    ensure!(
        seen.barriers > 4
            && seen.integer_sums > 1
            && seen.float_sums > 1
            && seen.leaves > 1
            && seen.words > 1
            && seen.refused > 20
            && seen.overruns > 2,
        "the run misses a corner: {seen:?}"
    );
    Ok(seen)
}

/// One call in one context or in each.
fn play(
    bench: &mut Bench<impl Device>,
    lists: &[Vec<(usize, Row)>],
    numbers: &mut [u8],
    seen: &mut Seen,
) -> anyhow::Result<()> {
    let alone = bench.random.gen_bool(0.3).then(|| bench.random.gen_range(0..CONTEXTS));
    let mut plans = vec![];
    for (context, list) in lists.iter().enumerate() {
        let places: Vec<usize> = list.iter().map(|row| row.0).collect();
        let runs = alone.is_none_or(|alone| alone == context);
        plans.push(runs.then(|| draw(&mut bench.random, context, numbers[context], &places)));
        numbers[context] = numbers[context].wrapping_add(runs.into());
    }
    // Sources are the own words; all else is what no call leaves behind.
    bench.memory = (0..bench::MEMORY_WORDS as u32).map(|at| 0xdead_0000 | at).collect();
    for plan in plans.iter().flatten() {
        let at = plan.call.context as usize * SHARE as usize / 4;
        bench.memory[at..at + plan.own.len()].copy_from_slice(&plan.own);
        count(plan, seen);
    }
    let mut expected = bench.memory.clone();
    for plan in plans.iter().flatten() {
        let result = plan.result();
        let at = plan.call.transfer.result as usize / 4;
        result
            .into_iter()
            .flatten()
            .enumerate()
            .for_each(|(word, value)| expected[at + word] = value);
    }
    bench.begin(plans);
    let start = bench.now;
    for context in 0..CONTEXTS {
        let Some(plan) = &bench.plans[context] else { continue };
        let comes: Vec<(usize, Vec<Vec<u32>>)> = plan
            .children
            .iter()
            .chain(&plan.way)
            .map(|&place| (bench.edge(context, place), plan.comes(place)))
            .collect();
        let is_barrier = plan.call.kind == Kind::Barrier;
        let children = plan.children.clone();
        let late = start + bench.random.gen_range(0..LATEST);
        bench.acts.push((late, Act::Post(context)));
        for (edge, packets) in comes {
            let due = start + bench.random.gen_range(0..LATEST);
            if packets.len() > 1 && due + 100 < late {
                bench.overrun = Some(edge);
            }
            bench.acts.push((due, Act::Sends(edge, packets)));
        }
        for place in children.into_iter().filter(|_| is_barrier) {
            let due = start + bench.random.gen_range(0..LATEST);
            let token = bench.token(bench.edge(context, place));
            bench.acts.push((due, token));
        }
    }
    for _ in 0..bench.random.gen_range(0..3) {
        let due = start + bench.random.gen_range(0..LATEST);
        let act = strange(&mut bench.random, lists);
        bench.acts.push((due, act));
    }
    while !bench.is_over() {
        bench.tick()?;
        ensure!(
            bench.now < start + PATIENCE,
            "cycle {}: calls do not end: {:?}",
            bench.now,
            bench.plans.iter().flatten().map(|plan| plan.call).collect::<Vec<_>>()
        );
    }
    bench.overrun = None;
    // Nothing comes behind.
    (0..24).try_for_each(|_| bench.tick())?;
    let now = bench.now;
    bench.verify().with_context(|| format!("cycle {now}"))?;
    let differs = (0..expected.len()).find(|&at| bench.memory[at] != expected[at]);
    if let Some(at) = differs {
        let (found, expected) = (bench.memory[at], expected[at]);
        anyhow::bail!("cycle {now}: word {at:#x} of the scratchpad is {found:#x}, expected {expected:#x}");
    }
    Ok(())
}

fn count(plan: &Plan, seen: &mut Seen) {
    let Call { kind, transfer, .. } = plan.call;
    let is_sum = kind == Kind::Reduce && plan.way.is_none() && plan.children.len() >= 2 && transfer.length > 0;
    seen.barriers += usize::from(kind == Kind::Barrier && plan.way.is_some() && !plan.children.is_empty());
    seen.integer_sums += usize::from(is_sum && transfer.operation == Operation::IntegerSum);
    seen.float_sums += usize::from(is_sum && transfer.operation == Operation::FloatSum);
    seen.leaves += usize::from(kind == Kind::Broadcast && plan.children.is_empty() && transfer.length > 0);
    seen.words += usize::from(kind == Kind::Allreduce && transfer.length == 1);
}

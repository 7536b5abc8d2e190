//! The runs that hold a router to its promise: random traffic, full speed, fairness.

use super::router::{any_place, destination, packet, Bench, Ports, Routed};
use anyhow::{ensure, Result};
use portico_spec::{flit::MAX_PAYLOAD_FLITS, routing::legal_turn, Node, Port};
use portico_testbench::device::Device;
use rand::{rngs::SmallRng, seq::SliceRandom, Rng, SeedableRng};
use std::collections::{BTreeMap, VecDeque};

/// All flits of the longest packet.
const LONGEST: usize = 1 + MAX_PAYLOAD_FLITS;

/// A place with neighbours on all sides.
const INNER: Node = Node { x: 5, y: 9 };

/// What waits at each input.
type Queues = Ports<VecDeque<Routed>>;

/// Takes what was taken off the queues.
fn advance(queues: &mut Queues, taken: &Ports<bool>) {
    for (queue, _) in queues.iter_mut().zip(taken).filter(|(_, taken)| **taken) {
        queue.pop_front();
    }
}

fn fronts(queues: &Queues) -> Ports<Option<Routed>> {
    std::array::from_fn(|input| queues[input].front().copied())
}

/// A legal output for a packet from `input`, behind which something lies.
fn any_output(at: Node, input: Port, rng: &mut SmallRng) -> Port {
    let legal: Vec<Port> = Port::ALL
        .into_iter()
        .filter(|&output| legal_turn(input, output) && destination(at, output, rng).is_some())
        .collect();
    *legal.choose(rng).expect("the local output is legal from everywhere")
}

/// Packets of every length over every turn, with idle and back-pressure that change every so often, and resets.
fn random(bench: &mut Bench, width: usize, cycles: usize, rng: &mut SmallRng) -> Result<()> {
    let mut queues = Queues::default();
    let mut standing = Ports::<bool>::default();
    let (mut busy, mut ready_share) = ([0.5; 5], [0.5; 5]);
    let (mut turns, mut lengths) = (BTreeMap::<(Port, Port), usize>::new(), BTreeMap::<usize, usize>::new());
    let (mut resets_in_packets, mut contended) = (0, 0);
    bench.reset(any_place(rng));
    for cycle in 0..cycles {
        if cycle % 200 == 0 {
            let shares = [0.1, 0.4, 0.8, 1.0];
            busy = busy.map(|_| *shares.choose(rng).expect("shares"));
            ready_share = ready_share.map(|_| *shares.choose(rng).expect("shares"));
        }
        for input in Port::ALL {
            let queue = &mut queues[input.index()];
            if queue.is_empty() {
                let output = any_output(bench.at, input, rng);
                let flits = *[1, 1, 2, 3, 4, 5, rng.gen_range(1..=LONGEST), LONGEST]
                    .choose(rng)
                    .expect("lengths");
                *queue = packet(bench.at, (input, output), flits, width, rng)?;
                *turns.entry((input, output)).or_default() += 1;
                *lengths.entry(flits).or_default() += 1;
            }
            // A flit that was offered stays so until it is taken.
            standing[input.index()] |= rng.gen_bool(busy[input.index()]);
        }
        let mut offered = fronts(&queues);
        for (offer, standing) in offered.iter_mut().zip(standing) {
            *offer = offer.filter(|_| standing);
        }
        let ready = ready_share.map(|share| rng.gen_bool(share));
        if rng.gen_bool(0.002) {
            resets_in_packets += usize::from(bench.locked() > 0 && bench.held() > 0);
            bench.step_in_reset(&offered, &ready, any_place(rng))?;
            (queues, standing) = Default::default();
            continue;
        }
        let moved = bench.step(&offered, &ready)?;
        contended += moved.shown.iter().flatten().count();
        advance(&mut queues, &moved.taken);
        for (standing, taken) in standing.iter_mut().zip(moved.taken) {
            *standing &= !taken;
        }
    }
    let left: usize = queues.iter().map(VecDeque::len).sum();
    for _ in 0..left + bench.held() + 2 {
        let moved = bench.step(&fronts(&queues), &[true; 5])?;
        advance(&mut queues, &moved.taken);
    }
    let left: usize = queues.iter().map(VecDeque::len).sum();
    ensure!(
        left == 0 && bench.held() == 0 && bench.locked() == 0,
        "{left} flits wait, {} are inside",
        bench.held()
    );
    let legal = Port::ALL
        .iter()
        .flat_map(|input| Port::ALL.map(|output| legal_turn(*input, output)));
    ensure!(
        turns.len() == legal.filter(|legal| *legal).count(),
        "turns that were never taken: only {turns:?}"
    );
    ensure!(
        lengths.contains_key(&1) && lengths.contains_key(&LONGEST),
        "lengths: {lengths:?}"
    );
    ensure!(
        resets_in_packets > 0 && contended > cycles,
        "{resets_in_packets} resets, {contended} flits shown"
    );
    Ok(())
}

/// Every way to lead five inputs to five different outputs over legal turns.
fn permutations() -> Vec<Ports<Port>> {
    let mut found = vec![vec![]];
    for input in Port::ALL {
        found = found
            .iter()
            .flat_map(|outputs: &Vec<Port>| {
                let free = Port::ALL.into_iter().filter(|output| !outputs.contains(output));
                free.filter(|&output| legal_turn(input, output))
                    .map(|output| [&outputs[..], &[output]].concat())
            })
            .collect();
    }
    found
        .into_iter()
        .map(|outputs| std::array::from_fn(|input| outputs[input]))
        .collect()
}

/// All five ports carry a flit a cycle, in the cycle after it came, without a bubble between packets.
fn full_speed(bench: &mut Bench, width: usize, rng: &mut SmallRng) -> Result<()> {
    let permutations = permutations();
    ensure!(permutations.len() > 5, "only {} permutations", permutations.len());
    for (outputs, flits) in permutations
        .iter()
        .flat_map(|outputs| [1, 2, 3].map(|flits| (outputs, flits)))
    {
        bench.reset(INNER);
        let mut queues = Queues::default();
        for cycle in 0..40 {
            for input in Port::ALL
                .into_iter()
                .filter(|input| queues[input.index()].is_empty())
                .collect::<Vec<_>>()
            {
                queues[input.index()] = packet(INNER, (input, outputs[input.index()]), flits, width, rng)?;
            }
            let offered = fronts(&queues);
            let moved = bench.step(&offered, &[true; 5])?;
            let shown = moved.shown.iter().flatten().count();
            ensure!(
                moved.taken == [true; 5],
                "{outputs:?}, {flits} flits, cycle {cycle}: taken {:?}",
                moved.taken
            );
            ensure!(
                shown == if cycle == 0 { 0 } else { 5 },
                "{outputs:?}, {flits} flits, cycle {cycle}: {shown} shown"
            );
            advance(&mut queues, &moved.taken);
        }
    }
    Ok(())
}

/// Turns of the token from one of an input's own to the next (`portico_hdl::noc::Priority`): each side has every fourth,
/// but for the last of 16, which is the tile's and not the west's.
fn turns_between(input: Port) -> usize {
    match input {
        Port::Local => 16,
        Port::West => 8,
        Port::North | Port::East | Port::South => 4,
    }
}

/// Packets that an output may serve in one turn. The turn ends the cycle after the holder was seen to go, and the choice
/// follows a cycle later still: so the holder of a turn has three services if its packets are single flits.
const SERVICES_A_TURN: usize = 3;

/// No input waits for an output that all flood longer than the token and its rivals' turns allow.
fn fairness(bench: &mut Bench, width: usize, rng: &mut SmallRng) -> Result<()> {
    let runs = Port::ALL
        .into_iter()
        .flat_map(|output| [(1, 1.0), (4, 1.0), (1, 0.5), (4, 0.5)].map(|run| (output, run)));
    for (output, (flits, ready_share)) in runs {
        bench.reset(INNER);
        let rivals: Vec<Port> = Port::ALL
            .into_iter()
            .filter(|&input| legal_turn(input, output))
            .collect();
        let mut queues = Queues::default();
        let mut waits = Ports::<usize>::default();
        for cycle in 0..200 * flits {
            for input in &rivals {
                let queue = &mut queues[input.index()];
                if queue.is_empty() {
                    *queue = packet(INNER, (*input, output), flits, width, rng)?;
                }
            }
            let ready = [rng.gen_bool(ready_share); 5];
            let moved = bench.step(&fronts(&queues), &ready)?;
            advance(&mut queues, &moved.taken);
            let Some((served, _)) = moved.shown[output.index()].filter(|(_, flit)| flit.last && ready[0]) else {
                continue;
            };
            for input in &rivals {
                let wait = &mut waits[input.index()];
                *wait = if *input == served { 0 } else { *wait + 1 };
                ensure!(
                    *wait <= (turns_between(*input) - 1) * SERVICES_A_TURN,
                    "cycle {cycle}: {input} waits for {output} for {wait} packets of {flits} flits"
                );
            }
        }
    }
    Ok(())
}

/// Holds a router of `width` data bits with FIFOs of `depth` to all that it promises, for so many cycles of random traffic.
///
/// # Errors
/// The first cycle that differs, with the seed, or a corner that the run did not meet.
pub fn check(device: impl Device + 'static, depth: usize, width: usize, cycles: usize, seed: u64) -> Result<()> {
    let mut bench = Bench::new(Box::new(device), depth)?;
    let mut rng = SmallRng::seed_from_u64(seed);
    let outcome = full_speed(&mut bench, width, &mut rng)
        .and_then(|()| random(&mut bench, width, cycles, &mut rng))
        .and_then(|()| fairness(&mut bench, width, &mut rng));
    outcome.map_err(|error| error.context(format!("depth {depth}, width {width}, seed {seed:#x}")))
}

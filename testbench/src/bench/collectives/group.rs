//! A tree of all tiles in the engines' first context: its calls timed, and their words compared.

use super::form::{centre, Form};
use crate::bench::onesided::{
    bench::{Bench, PERIOD},
    transfers::{Check, EVENT},
    words::{self, EVENT_SPAN},
};
use anyhow::{ensure, Context};
use portico_spec::{
    mpe::{
        call::{Begin, Call, Kind, Row, Transfer},
        reduce::Operation,
        tree::{Tree, TreeError},
    },
    ni::{
        descriptor::Command,
        event::Status,
        registers::{CounterRegister, EventRegister, MpeRegister, MPE_IDLE_OFFSET, MPE_NEXT_OFFSET},
    },
    Config,
};

/// The context of all calls.
const CONTEXT: usize = 0;
/// Bytes of the pattern between the words of a tile and those of the next: no two tiles give the same words.
const APART: usize = 28;
/// Calls of a series: each counts in an event of its own, so that the host sets and reads events once a series.
const SERIES: usize = 48;
/// Longest time of a call of one word.
const CALL_CYCLES: u64 = 10_000;
/// Words of the pattern are integers below this, as floating-point numbers: their sums are exact.
const VALUES: u32 = 1000;

/// A word of the pattern.
pub fn word(random: u32) -> u32 {
    ((random % VALUES) as f32).to_bits()
}

/// The tree of a form over all tiles of a fabric.
///
/// # Errors
/// The engines have not room for as many neighbours.
pub fn tree(config: &Config, form: Form) -> Result<Tree, TreeError> {
    let all: Vec<usize> = (0..config.tiles()).collect();
    let tree = Tree::new(config, &all, &form.shape())?;
    tree.check(config.mpe_neighbours)?;
    Ok(tree)
}

/// What a call takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// From the cycle in which the last member's descriptor is accepted to that in which the last member's event shows.
    pub cycles: u64,
    /// Cycles in which engines had work and went on with it, of all tiles.
    pub running: u64,
    /// Cycles in which engines had work and waited, of all tiles.
    pub waiting: u64,
    /// What is left of the cycles of all tiles from the first beat to the last event.
    pub idle: u64,
}

/// A tree that the engines know.
pub struct Group {
    form: Form,
    tree: Tree,
    number: u8,
}

impl Group {
    /// Tells every tile its neighbours.
    ///
    /// # Errors
    /// The engines have not room for the tree, or the host's transfers fail.
    pub fn new(bench: &mut Bench, form: Form) -> anyhow::Result<Self> {
        let config = bench.config().clone();
        let tree = tree(&config, form)?;
        let register = bench.register(MpeRegister::Neighbour0, CONTEXT);
        for rank in 0..config.tiles() {
            let neighbours = tree.neighbours(rank).iter().enumerate();
            let rows = neighbours.map(|(place, &neighbour)| {
                Row::encode(Some(Row {
                    node: config.terminal_node(neighbour),
                    place: tree.place_at(rank, place) as u8,
                }))
            });
            let mut rows = rows.collect::<Result<Vec<u32>, _>>()?;
            rows.resize(config.mpe_neighbours, 0);
            bench.write_registers(&[rank], register, &rows)?;
        }
        Ok(Self { form, tree, number: 0 })
    }

    /// The tree.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Posts a call at all tiles at once, and compares what it leaves with what it should. Then all engines are idle.
    ///
    /// # Errors
    /// The call does not end, ends with an error or with wrong words, or an engine is not idle after it.
    pub fn measure(&mut self, bench: &mut Bench, kind: Kind, length: usize, check: Check) -> anyhow::Result<Cost> {
        let call = self.number;
        self.call(bench, kind, length, check).with_context(|| {
            let Config { cols, rows, .. } = bench.config();
            let form = self.form.name();
            format!("{kind:?} of {length} words on {cols}x{rows}, {form} tree, call {call}")
        })
    }

    fn call(&mut self, bench: &mut Bench, kind: Kind, length: usize, check: Check) -> anyhow::Result<Cost> {
        bench.shift();
        let tiles: Vec<usize> = self.tree.tiles().to_vec();
        let root = match kind {
            Kind::Barrier | Kind::Allreduce => centre(&self.tree),
            Kind::Broadcast | Kind::Reduce => self.form.root(&self.tree),
        };
        let calls = self.descriptors(bench, kind, length, root, 0);
        let before = counted(bench)?;
        let timing = bench.batch(&tiles, 1, |_, tile, _| calls[tile].clone())?;
        self.number = self.number.wrapping_add(1);
        for &tile in &tiles {
            bench.succeeded(tile)?;
        }
        let after = counted(bench)?;
        idle(bench)?;
        verify(bench, kind, length, root, check)?;
        let [work, waiting] = [0, 1].map(|at| u64::from(after[at].wrapping_sub(before[at])));
        let first = timing.accepted.iter().max().expect("a tile");
        let last = timing.fired.iter().max().expect("a tile");
        Ok(Cost {
            cycles: last - first,
            running: work.saturating_sub(waiting),
            waiting,
            idle: (tiles.len() as u64 * timing.whole()).saturating_sub(work),
        })
    }

    /// Posts the same call again and again at all tiles, without a wait for the calls before, and compares what the last one leaves
    /// with what it should. The cycles of `calls` further calls once as many are under way; twice as many must find room in a context.
    ///
    /// # Errors
    /// As [`Group::measure`].
    pub fn back_to_back(
        &mut self,
        bench: &mut Bench,
        kind: Kind,
        length: usize,
        calls: usize,
        check: Check,
    ) -> anyhow::Result<u64> {
        bench.shift();
        let tiles: Vec<usize> = self.tree.tiles().to_vec();
        let root = self.form.root(&self.tree);
        let mut whole = [0, 0];
        for (whole, calls) in whole.iter_mut().zip([calls, 2 * calls]) {
            let mut descriptors = vec![];
            for _ in 0..calls {
                descriptors.push(self.descriptors(bench, kind, length, root, 0));
                self.number = self.number.wrapping_add(1);
            }
            let timing = bench.batch(&tiles, calls, |_, tile, call| descriptors[call][tile].clone())?;
            for &tile in &tiles {
                bench.succeeded(tile)?;
            }
            *whole = timing.whole();
        }
        idle(bench)?;
        verify(bench, kind, length, root, check)?;
        Ok(whole[1] - whole[0])
    }

    /// Posts the same call so many times in a row, of one word or a barrier, each when the events of all tiles have counted the
    /// call before. The cycles of each.
    ///
    /// # Errors
    /// A call does not end or ends with an error or with a wrong word, or after some calls an engine is not idle or has another
    /// number for the next one.
    pub fn repeat(&mut self, bench: &mut Bench, kind: Kind, calls: usize) -> anyhow::Result<Vec<u64>> {
        let mut cycles = vec![];
        while cycles.len() < calls {
            let series = SERIES.min(calls - cycles.len());
            let begun = cycles.len();
            cycles.extend(
                self.series(bench, kind, series)
                    .with_context(|| format!("{kind:?}, calls from {begun} on"))?,
            );
        }
        Ok(cycles)
    }

    fn series(&mut self, bench: &mut Bench, kind: Kind, calls: usize) -> anyhow::Result<Vec<u64>> {
        bench.shift();
        let tiles: Vec<usize> = self.tree.tiles().to_vec();
        let root = centre(&self.tree);
        bench.events(&tiles, EVENT, &vec![1; calls])?;
        let mut cycles = vec![];
        for call in 0..calls {
            let descriptors = self.descriptors(bench, kind, 1, root, call);
            for (&tile, descriptor) in tiles.iter().zip(&descriptors) {
                bench.device().command(tile, descriptor);
            }
            let ends: Vec<(usize, usize)> = tiles.iter().map(|&tile| (tile, EVENT + call)).collect();
            let fired = bench.wait(&ends, CALL_CYCLES)?;
            let accepted = tiles.iter().map(|&tile| bench.device().accepted(tile).1);
            cycles.push(fired.iter().max().expect("a tile") - accepted.max().expect("a tile"));
            self.number = self.number.wrapping_add(1);
        }
        for &tile in &tiles {
            let (first, span) = (bench.register(EventRegister::Status, EVENT), 4 * EVENT_SPAN);
            for (call, status) in bench.read_rows(tile, first, calls, 4, span)?.into_iter().enumerate() {
                let error = Status::decode(status)?.error;
                ensure!(error.is_none(), "call {call} ends at tile {tile} with {error:?}");
            }
            let status = bench.read_register(tile, MpeRegister::Status, CONTEXT)?;
            let next = u32::from(self.number);
            ensure!(
                status >> MPE_NEXT_OFFSET == next,
                "the next call of tile {tile} is not {next}: its status is {status:#x}"
            );
        }
        idle(bench)?;
        // Each call has words and a result of its own.
        verify(
            bench,
            kind,
            calls,
            root,
            Check {
                whole: usize::MAX,
                rows: 2,
            },
        )?;
        Ok(cycles)
    }

    /// A descriptor for each tile, of a call whose words lie `at` words behind the first ones and that counts in the `at`th event.
    fn descriptors(&self, bench: &Bench, kind: Kind, length: usize, root: usize, at: usize) -> Vec<Vec<u32>> {
        let towards = self.tree.towards(root).into_iter().enumerate();
        let calls = towards.map(|(rank, towards)| {
            let transfer = Transfer {
                length: length as u32,
                source: (source(bench, rank) + 4 * at) as u32,
                result: (bench.room() + 4 * at) as u32,
                operation: if kind.folds() {
                    Operation::FloatSum
                } else {
                    Operation::IntegerSum
                },
            };
            let call = Call {
                kind,
                begin: Begin::InTurn,
                number: self.number,
                context: CONTEXT as u8,
                towards: towards.map(|place| place as u8),
                transfer: if kind == Kind::Barrier {
                    Transfer::NONE
                } else {
                    transfer
                },
            };
            words::descriptor(bench.config(), EVENT + at, 0, Command::Call(call))
        });
        calls.collect()
    }
}

/// Byte address of a tile's own words in the present measure.
fn source(bench: &Bench, tile: usize) -> usize {
    (bench.source() + APART * tile) % PERIOD
}

/// Sums over all tiles of the cycles in which engines had work, and in which they waited. They count modulo 2^32.
fn counted(bench: &mut Bench) -> anyhow::Result<[u32; 2]> {
    let register = bench.register(CounterRegister::EnginesRun, 0);
    let mut sums = [0u32; 2];
    for tile in 0..bench.config().tiles() {
        let counters = bench.read(tile, register, 2)?;
        sums.iter_mut()
            .zip(counters)
            .for_each(|(sum, counter)| *sum = sum.wrapping_add(counter));
    }
    Ok(sums)
}

/// Checks that all contexts of all engines are idle.
fn idle(bench: &mut Bench) -> anyhow::Result<()> {
    for tile in 0..bench.config().tiles() {
        for context in 0..bench.config().mpe {
            let status = bench.read_register(tile, MpeRegister::Status, context)?;
            ensure!(
                status >> MPE_IDLE_OFFSET & 1 == 1,
                "context {context} of tile {tile} is not idle after the call: its status is {status:#x}"
            );
        }
    }
    Ok(())
}

/// Compares what a call has left with the words that it should leave.
fn verify(bench: &mut Bench, kind: Kind, length: usize, root: usize, check: Check) -> anyhow::Result<()> {
    let tiles = bench.config().tiles();
    let written: Vec<usize> = match kind {
        Kind::Barrier => vec![],
        Kind::Broadcast => (0..tiles).filter(|&tile| tile != root).collect(),
        Kind::Reduce => vec![root],
        Kind::Allreduce => (0..tiles).collect(),
    };
    let room = bench.room();
    for tile in written {
        for (offset, found) in bench.sample(tile, room, 4 * length, check)? {
            for (at, &word) in found.iter().enumerate() {
                let byte = offset + 4 * at;
                let of = |tile: usize| bench.expected(APART * tile + byte);
                let expected = match kind.folds() {
                    true => (0..tiles).map(|tile| f32::from_bits(of(tile))).sum::<f32>().to_bits(),
                    false => of(root),
                };
                ensure!(
                    word == expected,
                    "word {} at tile {tile} is {word:#010x}, not {expected:#010x}",
                    byte / 4
                );
            }
        }
    }
    Ok(())
}

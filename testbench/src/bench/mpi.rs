//! The benchmark of MPI-like calls: every call in every way that it has, as the host sees it.
//!
//! A call takes from its start in the driver to the end of the wait: the descriptors that the host sends, what the fabric does, and
//! the events that the host reads. Each request is started twice; the second start counts. A request by engines is started four times
//! more: then it is launched, and the last start counts by itself. All tiles are members, ranks are their numbers, and the tree of the
//! [`Effort`] joins them. With two contexts the group has a chain as well; then each call by engines is measured
//! along both. After each call every word is compared. Last, a call fails because a member means another length, and the group
//! recovers.

use super::{
    collectives::form::Form,
    report::{Better, Row},
};
use anyhow::{ensure, Context};
use portico::{
    collective::Operation,
    mpi::{Comm, Request, Way},
    registers::MpeRegister,
    Error, Fabric, Region, Transport,
};
use portico_spec::{
    mpe::call::{self, Begin, Kind, Transfer, NUMBER_WIDTH},
    ni::{descriptor::Command, registers::MPE_NEXT_OFFSET},
    Config,
};

/// Name of the benchmark in its rows.
const BENCH: &str = "mpi";
/// Words of a tile that a call may fill: the host compares them, one after the other.
const MOST_WORDS: usize = 4096;
/// Longest time of a call, and for each word of it at each tile.
const LEAST_CYCLES: u64 = 50_000;
const CYCLES_A_WORD: u64 = 100;

/// Cycles in which calls of 16 members that are launched are to end, as the host sees it: call, words, cycles with one tree and with two.
const LAUNCHED: [(Call, usize, [u64; 2]); 3] = [
    (Call::Barrier, 0, [400, 400]),
    (Call::Allreduce, 1, [600, 600]),
    (Call::Bcast, 1024, [3_700, 1_800]),
];
const LAUNCHED_TILES: usize = 16;

/// How much longer than the best tree the tree that is taken may be, and of how many calls in a hundred at least.
const NEAR: f64 = 1.1;
const NEAR_PERCENT: f64 = 95.0;

/// Cycles in which a group is to recover, for each member.
const RECOVERY_CYCLES: u64 = 750;
/// Words of the call that fails, and of the same call as one member means it.
const RIGHT_WORDS: u32 = 8;
const WRONG_WORDS: u32 = 3;

/// A call of MPI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// `MPI_Barrier`.
    Barrier,
    /// `MPI_Bcast`.
    Bcast,
    /// `MPI_Reduce`.
    Reduce,
    /// `MPI_Allreduce`.
    Allreduce,
    /// `MPI_Reduce_scatter_block`.
    ReduceScatter,
    /// `MPI_Allgather`, in place.
    Allgather,
    /// `MPI_Scatter`.
    Scatter,
    /// `MPI_Gather`.
    Gather,
    /// `MPI_Alltoall`.
    Alltoall,
}

impl Call {
    /// All calls.
    pub const ALL: [Call; 9] = [
        Call::Barrier,
        Call::Bcast,
        Call::Reduce,
        Call::Allreduce,
        Call::ReduceScatter,
        Call::Allgather,
        Call::Scatter,
        Call::Gather,
        Call::Alltoall,
    ];

    /// Name in figures.
    pub fn name(self) -> &'static str {
        match self {
            Call::Barrier => "barrier",
            Call::Bcast => "bcast",
            Call::Reduce => "reduce",
            Call::Allreduce => "allreduce",
            Call::ReduceScatter => "reduce_scatter",
            Call::Allgather => "allgather",
            Call::Scatter => "scatter",
            Call::Gather => "gather",
            Call::Alltoall => "alltoall",
        }
    }

    /// Whether its part that engines carry out is one call, which can be launched.
    fn is_single(self) -> bool {
        self != Call::Allgather
    }

    /// Words of a member for blocks of `words` words.
    fn words(self, tiles: usize, words: usize) -> usize {
        match self {
            Call::Barrier => 0,
            Call::Bcast | Call::Reduce | Call::Allreduce => words,
            _ => tiles * words,
        }
    }
}

/// How much to measure.
#[derive(Clone, Debug, PartialEq)]
pub struct Effort {
    /// Columns and rows of the fabrics.
    pub meshes: Vec<(usize, usize)>,
    /// Words of a block.
    pub words: Vec<usize>,
    /// The tree of the group.
    pub tree: Form,
    /// Of the words.
    pub seed: u64,
}

impl Default for Effort {
    fn default() -> Self {
        Self {
            meshes: vec![(2, 2), (4, 4)],
            words: vec![1, 16, 128, 1024, 4096],
            tree: Form::Quad,
            seed: 1,
        }
    }
}

impl Effort {
    /// Words of a block of a call, and of all its blocks at a tile. Blocks that would fill too much of the memories are left out.
    fn sizes(&self, call: Call, tiles: usize) -> Vec<(usize, usize)> {
        let blocks = if call == Call::Barrier { &[0][..] } else { &self.words };
        let sizes = blocks.iter().map(|&words| (words, call.words(tiles, words)));
        sizes.filter(|&(_, all)| all <= MOST_WORDS).collect()
    }

    /// One small fabric, and few sizes of blocks.
    pub fn quick() -> Self {
        Self {
            meshes: vec![(2, 2)],
            words: vec![1, 128],
            ..Self::default()
        }
    }
}

/// One call in one way.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// The call.
    pub call: Call,
    /// Columns and rows of the fabric, whose tiles are the members.
    pub mesh: (usize, usize),
    /// Words of a block.
    pub words: usize,
    /// How it was carried out.
    pub way: Way,
    /// The way that the cost model takes.
    pub taken: Way,
    /// The tree of the engines; none in other ways.
    pub tree: Option<Form>,
    /// Whether the cost model takes this tree, of `trees` that the group has.
    pub is_tree_taken: bool,
    /// Trees of the group.
    pub trees: usize,
    /// What the cost model expects.
    pub estimate: u64,
    /// From the start to the end of the wait.
    pub cycles: u64,
    /// The same of a start that is launched; none where none is.
    pub launched: Option<u64>,
}

impl Point {
    /// Number of members.
    pub fn tiles(&self) -> usize {
        self.mesh.0 * self.mesh.1
    }

    /// Its cycles, the estimate, and the cycles of a start that is launched. The way that is taken is held against the others, whose
    /// least cycles are `others`.
    pub fn rows(&self, others: Option<u64>) -> Vec<Row> {
        let Point { call, words, .. } = *self;
        let tiles = self.tiles();
        let (call, way) = (call.name(), self.way.name());
        let length = match words {
            0 => String::new(),
            1 => ", 1 word".to_owned(),
            words => format!(", {words} words"),
        };
        let tree = self.tree.map(Form::name);
        // One tree needs no name.
        let along = tree.as_ref().filter(|_| self.trees > 1);
        let along = along.map_or(String::new(), |tree| format!(", {tree}"));
        let name = format!("{call}, {tiles} tiles{length}, {way}{along}");
        let row = |name: String, measure: &str, cycles: u64| {
            Row::new(BENCH, name, "cycles", Better::Less, cycles as f64)
                .with("measure", measure)
                .with("call", call)
                .on_mesh(self.mesh)
                .with("tiles", tiles)
                .with("words", words)
                .with("way", way)
                .with("taken", self.taken.name())
        };
        let row = |name, measure, cycles| match &tree {
            Some(tree) => row(name, measure, cycles)
                .with("tree", tree.as_str())
                .with("tree_taken", self.is_tree_taken),
            None => row(name, measure, cycles),
        };
        let measured = Row {
            bound: others.filter(|_| self.is_taken()).map(|cycles| cycles as f64),
            ..row(name.clone(), "call", self.cycles)
        };
        let estimate = row(format!("{name}, estimate"), "estimate", self.estimate);
        let launched = self.launched.map(|cycles| {
            let mut bounds = LAUNCHED
                .iter()
                .filter(|_| tiles == LAUNCHED_TILES && self.is_tree_taken);
            let bound = bounds.find(|&&(of, length, _)| (of, length) == (self.call, words));
            Row {
                bound: bound.map(|(_, _, bounds)| bounds[usize::from(self.trees > 1)] as f64),
                ..row(format!("{name}, launched"), "launched", cycles)
            }
        });
        [measured, estimate].into_iter().chain(launched).collect()
    }

    /// Whether the cost model takes its way, and by engines its tree.
    pub fn is_taken(&self) -> bool {
        self.way == self.taken && (self.tree.is_none() || self.is_tree_taken)
    }

    /// Cycles by which trees are compared: those of a launched start, in which the host has the least part.
    fn least_cycles(&self) -> u64 {
        self.launched.unwrap_or(self.cycles)
    }
}

/// How often the tree that the cost model takes is the best, or within a tenth, of all that the group has; none if it has one.
fn share_of_trees(points: &[Point]) -> Option<Row> {
    let key = |point: &Point| (point.call, point.mesh, point.words);
    let along: Vec<&Point> = points
        .iter()
        .filter(|point| point.trees > 1 && point.tree.is_some())
        .collect();
    let taken: Vec<&&Point> = along.iter().filter(|point| point.is_tree_taken).collect();
    let near = taken.iter().filter(|point| {
        let others = along.iter().filter(|other| key(other) == key(point));
        let best = others.map(|other| other.least_cycles()).min();
        best.is_some_and(|best| point.least_cycles() as f64 <= NEAR * best as f64)
    });
    (!taken.is_empty()).then(|| {
        let percent = 100.0 * near.count() as f64 / taken.len() as f64;
        Row {
            bound: Some(NEAR_PERCENT),
            ..Row::new(
                BENCH,
                "tree taken is the best or within a tenth".to_owned(),
                "%",
                Better::More,
                percent,
            )
        }
        .with("measure", "trees")
    })
}

/// The recovery of a group after a call of its engines has failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recovery {
    /// Columns and rows of the fabric, whose tiles are the members.
    pub mesh: (usize, usize),
    /// From the call of the driver to its end.
    pub cycles: u64,
}

impl Recovery {
    fn row(&self) -> Row {
        let tiles = self.mesh.0 * self.mesh.1;
        let name = format!("recover, {tiles} tiles");
        Row {
            bound: Some((RECOVERY_CYCLES * tiles as u64) as f64),
            ..Row::new(BENCH, name, "cycles", Better::Less, self.cycles as f64)
        }
        .with("measure", "recover")
        .on_mesh(self.mesh)
        .with("tiles", tiles)
    }
}

/// Everything that the benchmark measured.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    /// Each call in each way.
    pub points: Vec<Point>,
    /// One a fabric with engines.
    pub recoveries: Vec<Recovery>,
    /// Cycles of all fabrics.
    pub cycles: u64,
}

impl Measured {
    /// Rows of points and recoveries.
    pub fn rows(&self) -> Vec<Row> {
        let recoveries = self.recoveries.iter().map(Recovery::row);
        let share = share_of_trees(&self.points);
        rows(&self.points).into_iter().chain(share).chain(recoveries).collect()
    }
}

/// Rows of points: each way that is taken is held against the other ways and trees of its call.
fn rows(points: &[Point]) -> Vec<Row> {
    let key = |point: &Point| (point.call, point.mesh, point.words);
    let rows = points.iter().flat_map(|point| {
        let others = points
            .iter()
            .filter(|other| key(other) == key(point) && (other.way, other.tree) != (point.way, point.tree));
        point.rows(others.map(|other| other.cycles).min())
    });
    rows.collect()
}

/// Makes the fabric of a configuration.
pub type MakeTransport<'a> = dyn FnMut(&Config) -> anyhow::Result<Box<dyn Transport>> + 'a;

/// Runs the whole benchmark. `base` gives all but the size of the fabrics, of which one is made after the other. `progress` is told
/// of each step: how many of how many are done, and what comes next.
///
/// # Errors
/// A fabric cannot be made or measured, or did something wrong.
pub fn run(
    base: &Config,
    effort: &Effort,
    make: &mut MakeTransport,
    progress: &mut dyn FnMut(usize, usize, &str),
) -> anyhow::Result<Measured> {
    // The fabric, the calls, the recovery.
    let each = 1 + Call::ALL.len() + 1;
    let steps = effort.meshes.len() * each;
    let mut measured = Measured::default();
    for (place, &(cols, rows)) in effort.meshes.iter().enumerate() {
        let config = Config {
            cols,
            rows,
            ..base.clone()
        };
        progress(place * each, steps, &format!("making {cols}x{rows}"));
        let mut transport = make(&config.fabric()?)?;
        let mut bench = Bench::new(&mut *transport, effort).context("cannot set up the fabric")?;
        for (at, call) in Call::ALL.into_iter().enumerate() {
            progress(place * each + 1 + at, steps, &format!("{cols}x{rows}, {}", call.name()));
            measured.points.extend(bench.call(call, effort)?);
        }
        progress((place + 1) * each - 1, steps, &format!("{cols}x{rows}, recovery"));
        measured
            .recoveries
            .extend(bench.recovery().context("the group does not recover")?);
        measured.cycles += bench.fabric.transport().cycles();
    }
    progress(steps, steps, "done");
    Ok(measured)
}

/// Times of a call in one way: as a [`Point`] has them.
struct Timing {
    estimate: u64,
    cycles: u64,
    launched: Option<u64>,
}

/// A fabric whose tiles have words to send.
struct Bench<T: Transport> {
    fabric: Fabric<T>,
    comm: Comm,
    tree: Form,
    regions: Vec<Region>,
    /// Words of each tile that calls send: see [`Bench::sent`].
    sources: Vec<Vec<u32>>,
    /// Words of a tile in front of the results.
    front: usize,
    /// Calls so far. Each takes its words one place further on, so that none leaves what the one before has left.
    turn: usize,
}

impl<T: Transport> Bench<T> {
    fn new(transport: T, effort: &Effort) -> anyhow::Result<Bench<T>> {
        let mut fabric = Fabric::open(transport)?;
        let tiles = fabric.config().tiles();
        // One more for the call after the recovery.
        let turns = Call::ALL.len() * (Way::ALL.len() + 1) * effort.words.len() + 1;
        let words = Call::ALL.into_iter().flat_map(|call| effort.sizes(call, tiles));
        let most = words.map(|(_, all)| all).max().unwrap_or(0).max(RIGHT_WORDS as usize);
        let front = (most + turns).next_multiple_of(2);
        let (mut regions, mut sources) = (vec![], vec![]);
        for tile in 0..tiles {
            let region = fabric.allocate(tile, 4 * (front + most) as u32)?;
            let own: Vec<u32> = (0..front).map(|at| mix(effort.seed, tile, at)).collect();
            fabric.write(tile, region.base, &own)?;
            regions.push(region);
            sources.push(own);
        }
        let all: Vec<usize> = (0..tiles).collect();
        let comm = fabric.mpi(&all, &effort.tree.shape())?;
        Ok(Bench {
            fabric,
            comm,
            tree: effort.tree,
            regions,
            sources,
            front,
            turn: 0,
        })
    }

    /// A call with blocks of all sizes, in all ways, by engines along all trees.
    fn call(&mut self, call: Call, effort: &Effort) -> anyhow::Result<Vec<Point>> {
        let tiles = self.regions.len();
        let mut points = vec![];
        for (words, _) in effort.sizes(call, tiles) {
            let taken = self.chosen(None, call, words)?.map(|(way, _)| way);
            let taken = taken.context("a call has a way")?;
            let tree_taken = self.chosen(Some(Way::Engines), call, words)?.and_then(|(_, tree)| tree);
            let forms: Vec<Form> = self.comm.shapes(&self.fabric).iter().filter_map(Form::of).collect();
            let along = forms.iter().map(|&form| (Way::Engines, Some(form)));
            let others = [Way::Puts, Way::Host].map(|way| (way, None));
            for (way, tree) in along.chain(others) {
                self.comm.force(Some(way));
                self.comm.force_shape(tree.map(Form::shape));
                let timing = self.measure(call, words).with_context(|| {
                    let (call, way) = (call.name(), way.name());
                    format!("{call} of {words} words between {tiles} tiles, by {way}")
                })?;
                points.extend(timing.map(|timing| Point {
                    call,
                    mesh: self.mesh(),
                    words,
                    way,
                    taken,
                    tree,
                    is_tree_taken: tree == tree_taken,
                    trees: forms.len(),
                    estimate: timing.estimate,
                    cycles: timing.cycles,
                    launched: timing.launched,
                }));
            }
            self.comm.force_shape(None);
        }
        Ok(points)
    }

    /// Way and tree of a call if this way is forced; none if it does not have it.
    fn chosen(&mut self, way: Option<Way>, call: Call, words: usize) -> anyhow::Result<Option<(Way, Option<Form>)>> {
        self.comm.force(way);
        self.comm.force_shape(None);
        let mut request = match self.prepare(call, words) {
            Err(Error::WrongWay { .. } | Error::NotBuilt { .. }) => return Ok(None),
            request => request?,
        };
        let chosen = (request.way(), request.shape().and_then(Form::of));
        request.release(&mut self.fabric)?;
        Ok(Some(chosen))
    }

    /// Times of a call in the way that is forced; none if it does not have this way.
    fn measure(&mut self, call: Call, words: usize) -> anyhow::Result<Option<Timing>> {
        self.turn += 1;
        let mut request = match self.prepare(call, words) {
            Err(Error::WrongWay { .. } | Error::NotBuilt { .. }) => return Ok(None),
            request => request?,
        };
        // The calls in place find their words where they leave them.
        let in_place: Vec<(usize, usize)> = match call {
            Call::Bcast => vec![(0, 0)],
            Call::Allgather => (0..self.regions.len()).map(|tile| (tile, tile * words)).collect(),
            _ => vec![],
        };
        for (tile, at) in in_place {
            let own = self.sent(tile, 0, words);
            let result = self.result(tile) + 4 * at as u32;
            self.fabric.write(tile, result, &own)?;
        }
        let timeout = LEAST_CYCLES + CYCLES_A_WORD * (words * self.regions.len()) as u64;
        // In its first start, the driver reads the counters of events that it has not used yet.
        self.start(&mut request, timeout)?;
        let is_launched = request.way() == Way::Engines && call.is_single();
        if is_launched {
            // Two starts in a row would arm the call.
            self.prepare(Call::Barrier, 0)?.run(&mut self.fabric, timeout)?;
        }
        if request.way() == Way::Host && call == Call::Barrier {
            self.occupy()?;
        }
        let cycles = self.start(&mut request, timeout)?;
        let mut launched = None;
        if is_launched {
            // The last of these arms the call, also beside another one.
            for _ in 0..3 {
                self.start(&mut request, timeout)?;
            }
            launched = Some(self.start(&mut request, timeout)?);
        }
        let estimate = request.estimate();
        request.release(&mut self.fabric)?;
        self.verify(call, words)?;
        Ok(Some(Timing {
            estimate,
            cycles,
            launched,
        }))
    }

    /// Gives every member a command whose end the host does not know: a barrier by the host asks for it.
    fn occupy(&mut self) -> anyhow::Result<()> {
        let fence = [Command::Fence.opcode() as u32, 0];
        for tile in 0..self.regions.len() {
            drop(self.fabric.tile(tile)?.descriptor::<()>(&fence)?.start()?);
        }
        Ok(())
    }

    /// Cycles from a start to the end of the wait.
    fn start(&mut self, request: &mut Request, timeout: u64) -> anyhow::Result<u64> {
        let begun = self.fabric.transport().cycles();
        request.start(&mut self.fabric)?;
        request.wait(&mut self.fabric, timeout)?;
        Ok(self.fabric.transport().cycles() - begun)
    }

    /// Lets a call fail, and recovers the group; none without engines.
    fn recovery(&mut self) -> anyhow::Result<Option<Recovery>> {
        let Some(engines) = self.comm.engines() else {
            return Ok(None);
        };
        let tiles = self.regions.len();
        let (context, towards) = (engines.context(), engines.tree().towards(0)[tiles - 1]);
        let status = self.fabric.peek(tiles - 1, MpeRegister::Status, context)?;
        let wrong = call::Call {
            kind: Kind::Broadcast,
            begin: Begin::InTurn,
            number: (status >> MPE_NEXT_OFFSET) as u8 & u8::MAX >> (u8::BITS as usize - NUMBER_WIDTH),
            context: context as u8,
            towards: towards.map(|place| place as u8),
            transfer: Transfer {
                length: WRONG_WORDS,
                source: self.regions[tiles - 1].base,
                result: self.result(tiles - 1),
                ..Transfer::NONE
            },
        };
        let words = [&[Command::Call(wrong).opcode() as u32][..], &wrong.encode()?].concat();
        drop(self.fabric.tile(tiles - 1)?.descriptor::<()>(&words)?.start()?);
        self.comm.force(Some(Way::Engines));
        self.comm.force_shape(Some(self.tree.shape()));
        let right = self.prepare(Call::Bcast, RIGHT_WORDS as usize)?;
        let failed = right.run(&mut self.fabric, LEAST_CYCLES);
        ensure!(
            matches!(failed, Err(Error::CommunicatorFailed { .. })),
            "a call whose members disagree has not failed: {failed:?}"
        );
        let begun = self.fabric.transport().cycles();
        self.comm.recover(&mut self.fabric, LEAST_CYCLES)?;
        let cycles = self.fabric.transport().cycles() - begun;
        // It is as before.
        ensure!(self.measure(Call::Allreduce, 1)?.is_some(), "the group has no engines");
        Ok(Some(Recovery {
            mesh: self.mesh(),
            cycles,
        }))
    }

    fn prepare(&mut self, call: Call, words: usize) -> Result<Request, Error> {
        let (comm, operation) = (&self.comm, Operation::IntegerSum);
        let tiles = 0..self.regions.len();
        let sources: Vec<u32> = tiles.clone().map(|tile| self.source(tile)).collect();
        let results: Vec<u32> = tiles.map(|tile| self.result(tile)).collect();
        let (source, result, words) = (sources[0], results[0], words as u32);
        let fabric = &mut self.fabric;
        match call {
            Call::Barrier => comm.barrier(fabric),
            Call::Bcast => comm.bcast(fabric, 0, results, words),
            Call::Reduce => comm.reduce(fabric, 0, sources, result, words, operation),
            Call::Allreduce => comm.allreduce(fabric, sources, results, words, operation),
            Call::ReduceScatter => comm.reduce_scatter(fabric, sources, results, words, operation),
            Call::Allgather => comm.allgather(fabric, results, words),
            Call::Scatter => comm.scatter(fabric, 0, source, results, words),
            Call::Gather => comm.gather(fabric, 0, sources, result, words),
            Call::Alltoall => comm.alltoall(fabric, sources, results, words),
        }
    }

    /// Columns and rows of the fabric.
    fn mesh(&self) -> (usize, usize) {
        let Config { cols, rows, .. } = *self.fabric.config();
        (cols, rows)
    }

    /// Address of the words that a tile sends in this turn.
    fn source(&self, tile: usize) -> u32 {
        self.regions[tile].base + 4 * self.turn as u32
    }

    /// Address of what it receives.
    fn result(&self, tile: usize) -> u32 {
        self.regions[tile].base + 4 * self.front as u32
    }

    /// Words that a tile sends in this turn, from its block `block` on.
    fn sent(&self, tile: usize, block: usize, words: usize) -> Vec<u32> {
        self.sources[tile][self.turn + block * words..][..words].to_vec()
    }

    /// Compares what all tiles have received.
    fn verify(&mut self, call: Call, words: usize) -> anyhow::Result<()> {
        let tiles = self.regions.len();
        let sum = |block: usize| {
            let mut sum = vec![0u32; words];
            for tile in 0..tiles {
                let own = self.sent(tile, block, words);
                sum.iter_mut()
                    .zip(own)
                    .for_each(|(sum, own)| *sum = sum.wrapping_add(own));
            }
            sum
        };
        let all = |block: usize| (0..tiles).flat_map(|tile| self.sent(tile, block, words)).collect();
        let expected = |tile: usize| match call {
            Call::Barrier => vec![],
            Call::Bcast => self.sent(0, 0, words),
            Call::Reduce if tile > 0 => vec![],
            Call::Gather if tile > 0 => vec![],
            Call::Reduce | Call::Allreduce => sum(0),
            Call::ReduceScatter => sum(tile),
            Call::Allgather | Call::Gather => all(0),
            Call::Scatter => self.sent(0, tile, words),
            Call::Alltoall => all(tile),
        };
        let expected: Vec<Vec<u32>> = (0..tiles).map(expected).collect();
        for (tile, expected) in expected.iter().enumerate() {
            let address = self.result(tile);
            let found = self.fabric.read(tile, address, expected.len())?;
            let wrong = (0..found.len()).find(|&at| found[at] != expected[at]);
            if let Some(at) = wrong {
                let (found, expected) = (found[at], expected[at]);
                ensure!(false, "word {at} at tile {tile} is {found:#010x}, not {expected:#010x}");
            }
        }
        Ok(())
    }
}

/// A word that differs from those of other places and tiles.
fn mix(seed: u64, tile: usize, at: usize) -> u32 {
    let word = seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ ((tile as u64) << 32 | at as u64);
    (word.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::report::BenchReport;
    use portico::GoldenTransport;

    fn golden(config: &Config) -> anyhow::Result<Box<dyn Transport>> {
        Ok(Box::new(GoldenTransport::new(config)?))
    }

    fn measured(mpe: usize) -> (Measured, usize) {
        let config = Config {
            mpe,
            ..Config::default()
        };
        let effort = Effort {
            meshes: vec![(3, 1), (2, 2)],
            words: vec![1, 7, 2000],
            seed: 3,
            ..Effort::default()
        };
        let mut told = 0;
        let measured = run(&config, &effort, &mut golden, &mut |_, _, _| told += 1).unwrap();
        assert!(measured.cycles > 0);
        (measured, told)
    }

    #[test]
    fn every_call_has_a_point_in_every_way() {
        let (measured, told) = measured(1);
        let points = &measured.points;
        assert_eq!(told, 2 * (2 + Call::ALL.len()) + 1);
        // A barrier has one size; blocks of 2,000 words are too long for calls with a block a member.
        let sizes = |call: Call| match call {
            Call::Barrier => 1,
            Call::Bcast | Call::Reduce | Call::Allreduce => 3,
            _ => 2,
        };
        let ways = |call: Call| match call {
            Call::Scatter | Call::Gather | Call::Alltoall => 1,
            _ => 2,
        };
        let expected: usize = Call::ALL.map(|call| sizes(call) * ways(call)).iter().sum();
        assert_eq!(points.len(), 2 * expected);
        for call in Call::ALL {
            let chosen = points
                .iter()
                .filter(|point| point.call == call && point.way == point.taken);
            assert_eq!(chosen.count(), 2 * sizes(call), "{}", call.name());
        }
        let recovered: Vec<(usize, usize)> = measured.recoveries.iter().map(|recovery| recovery.mesh).collect();
        assert_eq!(recovered, [(3, 1), (2, 2)]);
        let launched = points.iter().filter(|point| point.launched.is_some()).count();
        let singles = [
            Call::Barrier,
            Call::Bcast,
            Call::Reduce,
            Call::Allreduce,
            Call::ReduceScatter,
        ];
        assert_eq!(launched, 2 * singles.map(sizes).iter().sum::<usize>());
        assert_eq!(measured.rows().len(), 2 * points.len() + launched + 2);
        let rows = rows(points);
        // The way that is taken is held against the other one, if there is one.
        let bounds = rows.iter().filter(|row| row.bound.is_some()).count();
        let of_two: usize = Call::ALL.into_iter().filter(|&call| ways(call) == 2).map(sizes).sum();
        assert_eq!(bounds, 2 * of_two);
    }

    #[test]
    fn without_engines_every_call_has_a_way() {
        let (Measured { points, recoveries, .. }, _) = measured(0);
        assert_eq!(recoveries, []);
        assert!(points
            .iter()
            .all(|point| point.way == point.taken && point.way != Way::Engines));
        for call in Call::ALL {
            assert!(points.iter().any(|point| point.call == call), "{}", call.name());
        }
    }

    /// With one context calls go along the tree of the effort, whose name is in their rows.
    #[test]
    fn a_group_has_the_tree_of_the_effort() {
        let effort = Effort {
            meshes: vec![(3, 3)],
            words: vec![7],
            tree: Form::Mapped,
            ..Effort::default()
        };
        let config = Config {
            mpe: 1,
            ..Config::default()
        };
        let measured = run(&config, &effort, &mut golden, &mut |_, _, _| {}).unwrap();
        let engines = measured.points.iter().filter(|point| point.way == Way::Engines);
        assert!(engines.clone().count() >= 5);
        assert!(engines.clone().all(|point| point.tree == Some(Form::Mapped)));
        let of_trees = measured.rows().into_iter().filter(|row| row.keys.contains_key("tree"));
        assert!(of_trees.clone().all(|row| row.keys["tree"] == "mapped"));
        assert!(of_trees.count() >= 15);
        assert_eq!(measured.recoveries.len(), 1);
    }

    /// With two contexts the engines have two points, one of which is that of the tree taken.
    #[test]
    fn with_two_contexts_every_call_of_the_engines_has_a_point_along_each_tree() {
        let (measured, _) = measured(2);
        let engines: Vec<&Point> = measured
            .points
            .iter()
            .filter(|point| point.way == Way::Engines)
            .collect();
        // In a row the trees are equal.
        let of = |tiles: usize| engines.iter().filter(move |point| point.tiles() == tiles);
        assert!(of(3).all(|point| point.trees == 1 && point.is_tree_taken));
        assert!(of(4).all(|point| point.trees == 2));
        for form in [Form::Quad, Form::Linear] {
            assert_eq!(
                2 * of(4).filter(|point| point.tree == Some(form)).count(),
                of(4).count()
            );
        }
        assert_eq!(2 * of(4).filter(|point| point.is_tree_taken).count(), of(4).count());
        let long = of(4).find(|point| (point.call, point.words, point.is_tree_taken) == (Call::Bcast, 2000, true));
        let long = long.unwrap();
        assert_eq!(long.tree, Some(Form::Linear));
        assert_eq!(long.rows(None)[0].name, "bcast, 4 tiles, 2000 words, engines, linear");
        let share = measured
            .rows()
            .into_iter()
            .find(|row| row.keys["measure"] == "trees")
            .unwrap();
        assert!((0.0..=100.0).contains(&share.value), "{}", share.value);
    }

    #[test]
    fn calls_of_two_meshes_with_as_many_tiles_are_told_apart() {
        let point = |mesh, way, cycles| Point {
            call: Call::Barrier,
            mesh,
            words: 0,
            way,
            taken: Way::Engines,
            tree: None,
            is_tree_taken: false,
            trees: 1,
            estimate: 0,
            cycles,
            launched: None,
        };
        let points = [
            point((4, 2), Way::Engines, 10),
            point((4, 2), Way::Host, 30),
            point((2, 4), Way::Engines, 11),
            point((2, 4), Way::Host, 20),
        ];
        let rows = rows(&points);
        let of = |cols: usize| rows.iter().find(|row| row.keys["cols"] == cols && row.bound.is_some());
        assert_eq!(
            [4, 2].map(|cols| of(cols).map(|row| row.value)),
            [Some(10.0), Some(11.0)]
        );
        assert_eq!(
            [4, 2].map(|cols| of(cols).and_then(|row| row.bound)),
            [Some(30.0), Some(20.0)]
        );
    }

    #[test]
    fn the_share_of_trees_counts_calls_whose_tree_is_near_the_best() {
        let point = |words, tree, is_tree_taken, cycles| Point {
            call: Call::Bcast,
            mesh: (2, 2),
            words,
            way: Way::Engines,
            taken: Way::Engines,
            tree: Some(tree),
            is_tree_taken,
            trees: 2,
            estimate: 0,
            cycles: 1,
            launched: Some(cycles),
        };
        let points = [
            point(1, Form::Quad, true, 109),
            point(1, Form::Linear, false, 100),
            point(8, Form::Quad, true, 112),
            point(8, Form::Linear, false, 100),
        ];
        assert_eq!(share_of_trees(&points).map(|row| row.value), Some(50.0));
        assert_eq!(share_of_trees(&points[..2]).map(|row| row.value), Some(100.0));
        assert_eq!(share_of_trees(&[]), None);
    }

    /// The estimates against what `portico bench mpi` has measured: within a factor of two, and the way that is taken needs at most a
    /// fifth more than the best.
    #[test]
    fn the_cost_model_is_near_the_figures() {
        let report: BenchReport = serde_json::from_str(include_str!("../../../docs/figures/mpi.json")).unwrap();
        let same =
            |one: &Row, other: &Row, keys: &[&str]| keys.iter().all(|&key| one.keys.get(key) == other.keys.get(key));
        let of = |measure: &'static str| report.rows.iter().filter(move |row| row.keys["measure"] == measure);
        let (calls, estimates): (Vec<&Row>, Vec<&Row>) = (of("call").collect(), of("estimate").collect());
        assert!(calls.len() > 80, "{} calls", calls.len());
        for call in &calls {
            let of_call = |row: &&&Row| same(call, row, &["call", "tiles", "words", "way", "tree"]);
            let estimate = estimates.iter().find(of_call).unwrap();
            let ratio = (estimate.value + 1.0) / (call.value + 1.0);
            assert!(
                (0.5..2.0).contains(&ratio),
                "{}: {} for {}",
                call.name,
                estimate.value,
                call.value
            );
            let least = calls.iter().filter(|row| same(call, row, &["call", "tiles", "words"]));
            let least = least.map(|row| row.value).fold(f64::INFINITY, f64::min);
            let is_other_tree = call.keys.get("tree_taken").is_some_and(|taken| taken == false);
            if call.keys["taken"] == call.keys["way"] && !is_other_tree {
                assert!(
                    call.value <= 1.2 * least,
                    "{}: {} and not {least}",
                    call.name,
                    call.value
                );
            }
        }
    }

    #[test]
    fn a_wrong_word_is_found_and_named() {
        let config = Config {
            cols: 3,
            rows: 1,
            ..Config::default()
        };
        let mut transport = golden(&config.fabric().unwrap()).unwrap();
        let mut bench = Bench::new(&mut *transport, &Effort::quick()).unwrap();
        bench.comm.force(Some(Way::Puts));
        bench.measure(Call::Alltoall, 4).unwrap().unwrap();
        bench.verify(Call::Alltoall, 4).unwrap();
        let address = bench.result(1) + 4 * 6;
        let right = bench.fabric.read(1, address, 1).unwrap()[0];
        bench.fabric.write(1, address, &[right ^ 0x100]).unwrap();
        let told = bench.verify(Call::Alltoall, 4).unwrap_err().to_string();
        assert!(told.starts_with("word 6 at tile 1 is "), "{told}");
    }
}

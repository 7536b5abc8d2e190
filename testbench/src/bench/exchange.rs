//! The benchmark of exchanges: every tile sends a block to every other one, by command lists.
//!
//! The lists lie in the tiles' memories. All tiles get the descriptors that start them at once, through their command streams. An
//! exchange takes from the cycle in which the last of these descriptors is accepted to that in which the last tile's event has
//! counted all of its puts. After each exchange every word is compared.

use super::{
    onesided::{bench::Bench, transfers::EVENT},
    report::{Better, Row},
};
use crate::bench::collectives::MakeFabric;
use anyhow::{ensure, Context};
use portico_spec::{
    exchange::{orders, Order},
    flit::MAX_PAYLOAD_FLITS,
    ni::{
        command::TRANSFER_WORDS,
        command_list::{self, ListPlace},
        descriptor::{Command, Descriptor, Geometry, Transfer},
    },
    routing, Config, Node, Port,
};
use std::collections::BTreeMap;

/// Name of the benchmark in its rows.
const BENCH: &str = "exchange";
/// Bytes of the pattern between the blocks of a tile and those of the next, whole words of each width: no two tiles send the same
/// words.
const APART: usize = 24;
/// Flits of a put's packet in front of its payload: head and address.
const FRONT: usize = 2;
/// Longest time of an exchange, for each byte that a tile sends.
const CYCLES_A_BYTE: u64 = 40;
/// Longest time of the shortest exchange.
const LEAST_CYCLES: u64 = 20_000;
/// How much to measure.
#[derive(Clone, Debug, PartialEq)]
pub struct Effort {
    /// Columns and rows of the fabrics.
    pub meshes: Vec<(usize, usize)>,
    /// Words of a block.
    pub words: Vec<usize>,
    /// Exchanges in the default order, one after the other; the other orders are measured once.
    pub runs: usize,
    /// Of the words.
    pub seed: u64,
}

impl Default for Effort {
    fn default() -> Self {
        Self {
            meshes: vec![(2, 2), (3, 3), (4, 4), (8, 4)],
            words: vec![1, 4, 16, 64, 256],
            runs: 1,
            seed: 1,
        }
    }
}

impl Effort {
    /// Small fabrics, and few sizes of blocks.
    pub fn quick() -> Self {
        Self {
            meshes: vec![(2, 2), (4, 4)],
            words: vec![1, 16, 64],
            ..Self::default()
        }
    }
}

/// Everything that the benchmark measured.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    /// A row an order, and the least and the most of the default one if it is measured more than once.
    pub rows: Vec<Row>,
    /// Blocks for which the memories of a fabric are too small: tiles and bytes.
    pub skipped: Vec<(usize, usize)>,
    /// Cycles of all fabrics.
    pub cycles: u64,
}

/// Runs the whole benchmark. `base` gives all but the size of the fabrics, of which one is made after the other. `progress` is told
/// of each step: how many of how many are done, and what comes next.
///
/// # Errors
/// A fabric cannot be made or measured, or did something wrong.
pub fn run(
    base: &Config,
    effort: &Effort,
    make: &mut MakeFabric,
    progress: &mut dyn FnMut(usize, usize, &str),
) -> anyhow::Result<Figures> {
    ensure!(
        base.commands,
        "a fabric without command streams cannot be measured: set commands"
    );
    let steps = effort.meshes.len() * (1 + effort.words.len());
    let mut figures = Figures::default();
    for (place, &(cols, rows)) in effort.meshes.iter().enumerate() {
        let config = Config {
            cols,
            rows,
            ..base.clone()
        };
        let mut step = place * (1 + effort.words.len());
        progress(step, steps, &format!("making {cols}x{rows}"));
        let device = make(&config.fabric()?)?;
        let longest = effort.words.iter().max().unwrap_or(&0) * config.width / 8;
        let mut bench =
            Bench::new(device, sent(config.tiles(), longest), effort.seed).context("cannot set up the fabric")?;
        for &words in &effort.words {
            let bytes = words * config.width / 8;
            step += 1;
            progress(step, steps, &format!("{cols}x{rows}, blocks of {bytes} bytes"));
            match blocks(&mut bench, bytes, effort.runs)? {
                Some(rows) => figures.rows.extend(rows),
                None => figures.skipped.push((config.tiles(), bytes)),
            }
        }
        figures.cycles += bench.device().cycles();
    }
    progress(steps, steps, "done");
    Ok(figures)
}

/// The rows of blocks of this size, with the default order measured `runs` times, once or more. None if the memories are too small.
///
/// # Errors
/// The fabric does something wrong.
pub fn blocks(bench: &mut Bench, bytes: usize, runs: usize) -> anyhow::Result<Option<Vec<Row>>> {
    let tiles = bench.config().tiles();
    let lists = command_list::bytes(bench.config(), &vec![TRANSFER_WORDS[0]; tiles - 1]) as usize;
    if sent(tiles, bytes) > bench.piece() || tiles * bytes + lists > bench.room() {
        return Ok(None);
    }
    let mut cycles = vec![];
    for way in Order::ALL {
        let runs = if way == Order::default() { runs } else { 1 };
        let taken: anyhow::Result<Vec<u64>> = (0..runs).map(|_| exchange(bench, way, bytes)).collect();
        let taken = taken.with_context(|| {
            let Config { cols, rows, .. } = bench.config();
            format!("alltoall of {bytes} bytes on {cols}x{rows}, order {}", way.name())
        })?;
        cycles.push((way, taken));
    }
    Ok(Some(rows(bench.config(), bytes, &cycles)))
}

/// The rows of one size of blocks: each order with the cycles of its runs.
fn rows(config: &Config, bytes: usize, cycles: &[(Order, Vec<u64>)]) -> Vec<Row> {
    let tiles = config.tiles();
    let mean = |cycles: &[u64]| cycles.iter().sum::<u64>() as f64 / cycles.len() as f64;
    // The baselines of the default order are the others.
    let others = cycles.iter().filter(|(way, _)| *way != Order::default());
    let bound = others.map(|(_, cycles)| mean(cycles)).reduce(f64::min);
    let limit = limit(config, bytes) as f64;
    let mut rows = vec![];
    for (way, cycles) in cycles {
        let name = format!("alltoall, {tiles} tiles, {bytes} bytes, {}", way.name());
        let row = |name: String, measure: &str, cycles: f64| {
            Row::new(BENCH, name, "cycles", Better::Less, cycles)
                .with("measure", measure)
                .on_mesh((config.cols, config.rows))
                .with("tiles", tiles)
                .with("bytes", bytes)
                .with("order", way.name())
        };
        rows.push(Row {
            limit: Some(limit),
            bound: bound.filter(|_| *way == Order::default()),
            ..row(name.clone(), "alltoall", mean(cycles))
        });
        if let ([_, _, ..], Some(least), Some(most)) = (&cycles[..], cycles.iter().min(), cycles.iter().max()) {
            rows.push(row(format!("{name}, least"), "least", *least as f64));
            rows.push(row(format!("{name}, most"), "most", *most as f64));
        }
    }
    rows
}

/// Bytes of the pattern that the blocks of all tiles come from.
fn sent(tiles: usize, bytes: usize) -> usize {
    tiles * (APART + bytes)
}

/// Cycles that no order can pass: the flits that the busiest link carries, between routers or to and from a tile.
pub fn limit(config: &Config, bytes: usize) -> usize {
    let words = bytes.div_ceil(config.width / 8);
    let flits = words + FRONT * words.div_ceil(MAX_PAYLOAD_FLITS);
    let mut links: BTreeMap<(Node, Port), usize> = BTreeMap::new();
    let tiles = config.tiles();
    for (from, to) in (0..tiles).flat_map(|from| (0..tiles).map(move |to| (from, to))) {
        if from != to {
            for link in routing::path(config, from, config.terminal_node(to)) {
                *links.entry(link).or_default() += flits;
            }
        }
    }
    links.into_values().max().unwrap_or(0)
}

/// One exchange of all tiles: its cycles.
fn exchange(bench: &mut Bench, way: Order, bytes: usize) -> anyhow::Result<u64> {
    bench.shift();
    let all: Vec<usize> = (0..bench.config().tiles()).collect();
    let mut starts = vec![];
    for (from, receivers) in orders(bench.config(), &all, way).into_iter().enumerate() {
        let puts = receivers.into_iter().map(|to| {
            let transfer = Transfer {
                remote: (bench.room() + from * bytes) as u32,
                local: (bench.source() + APART * from + to * bytes) as u32,
                geometry: Geometry::Row { row: bytes as u32 },
            };
            let put = Descriptor {
                segment: bench.memory_handle(to) as u8,
                event: EVENT as u8,
                ..Descriptor::new(Command::Put(transfer))
            };
            put.encode(bench.config())
        });
        let puts = puts.collect::<Result<Vec<Vec<u32>>, _>>()?;
        let lengths: Vec<usize> = puts.iter().map(Vec::len).collect();
        let end = 2 * bench.room() as u32;
        let place = ListPlace {
            node: from,
            base: end - command_list::bytes(bench.config(), &lengths),
            own_space: bench.system_handle(from) as u8,
            event: EVENT as u8,
        };
        let list = place.list(bench.config(), &puts)?;
        bench.write(&[from], place.base as usize, &list.memory)?;
        starts.push(list.start);
    }
    bench.events(&all, EVENT, &[all.len() - 1])?;
    for (&tile, start) in all.iter().zip(&starts) {
        bench.device().command(tile, start);
    }
    let ends: Vec<(usize, usize)> = all.iter().map(|&tile| (tile, EVENT)).collect();
    let fired = bench.wait(&ends, LEAST_CYCLES + CYCLES_A_BYTE * (all.len() * bytes) as u64)?;
    let accepted = all.iter().map(|&tile| bench.device().accepted(tile).1).max();
    for &tile in &all {
        bench.succeeded(tile)?;
        verify(bench, tile, bytes)?;
    }
    Ok(fired.iter().max().expect("a tile") - accepted.expect("a tile"))
}

/// Compares the blocks that a tile has received. It sends none to itself.
fn verify(bench: &mut Bench, tile: usize, bytes: usize) -> anyhow::Result<()> {
    let room = bench.room();
    let found = bench.read(tile, room, bench.config().tiles() * bytes / 4)?;
    for (from, block) in found.chunks(bytes / 4).enumerate().filter(|&(from, _)| from != tile) {
        for (at, &word) in block.iter().enumerate() {
            let expected = bench.expected(APART * from + tile * bytes + 4 * at);
            ensure!(
                word == expected,
                "word {at} from tile {from} at tile {tile} is {word:#010x}, not {expected:#010x}"
            );
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::{
        onesided::{
            device::FabricDevice,
            golden_device::{GoldenDevice, FRONT as GOLDEN_FRONT, WAY},
        },
        report::BenchReport,
    };
    use portico::mpi::cost::{self, MemberCommand};

    fn golden(config: &Config) -> anyhow::Result<Box<dyn FabricDevice>> {
        Ok(Box::new(GoldenDevice::new(config)))
    }

    #[test]
    fn every_exchange_has_a_row_and_every_step_is_told() {
        let effort = Effort {
            meshes: vec![(2, 2), (3, 1)],
            words: vec![1, 16, 100_000],
            runs: 1,
            seed: 5,
        };
        let mut steps = vec![];
        let figures = run(&Config::default(), &effort, &mut golden, &mut |done, of, _| {
            steps.push((done, of))
        })
        .unwrap();
        assert_eq!(steps, (0..9).map(|step| (step, 8)).collect::<Vec<_>>());
        // The longest blocks do not fit.
        assert_eq!(figures.rows.len(), 2 * 2 * Order::ALL.len());
        assert_eq!(figures.skipped, [(4, 400_000), (3, 400_000)]);
        let of_row = figures
            .rows
            .iter()
            .filter(|row| row.keys["cols"] == 3 && row.keys["rows"] == 1);
        assert_eq!(of_row.count(), 2 * Order::ALL.len());
        for row in &figures.rows {
            // Golden takes the words of the list one a cycle, and all that they ask for at once.
            let puts = row.keys["tiles"].as_u64().unwrap() - 1;
            assert_eq!(row.value, (GOLDEN_FRONT + 4 * puts + WAY) as f64, "{}", row.name);
            assert_eq!(row.bound.is_some(), row.keys["order"] == Order::default().name());
        }
    }

    #[test]
    fn runs_of_the_default_order_have_a_mean_a_least_and_a_most() {
        let cycles = Order::ALL.map(|way| match way == Order::default() {
            true => (way, vec![12, 10, 11, 13]),
            false => (way, vec![20]),
        });
        let rows = rows(&Config::default(), 16, &cycles);
        let of_default = rows.iter().filter(|row| row.keys["order"] == Order::default().name());
        let figures: Vec<(&str, f64, Option<f64>)> = of_default
            .map(|row| (row.keys["measure"].as_str().unwrap(), row.value, row.bound))
            .collect();
        assert_eq!(
            figures,
            [
                ("alltoall", 11.5, Some(20.0)),
                ("least", 10.0, None),
                ("most", 13.0, None)
            ]
        );
        assert_eq!(rows.len(), Order::ALL.len() + 2);
    }

    #[test]
    fn every_run_is_an_exchange_of_its_own() {
        let effort = Effort {
            meshes: vec![(2, 2)],
            words: vec![1],
            runs: 3,
            seed: 5,
        };
        let figures = run(&Config::default(), &effort, &mut golden, &mut |_, _, _| {}).unwrap();
        assert_eq!(figures.rows.len(), Order::ALL.len() + 2);
        assert!(figures.rows.iter().all(|row| row.value == figures.rows[0].value));
    }

    #[test]
    fn a_wrong_word_is_found_and_named() {
        for width in [32, 64] {
            let config = Config {
                cols: 3,
                rows: 1,
                width,
                ..Config::default()
            };
            let mut bench = Bench::new(golden(&config.fabric().unwrap()).unwrap(), sent(3, 8), 1).unwrap();
            exchange(&mut bench, Order::Rounds, 8).unwrap();
            verify(&mut bench, 1, 8).unwrap();
            let address = bench.room() + 2 * 8;
            let right = bench.read(1, address, 2).unwrap();
            bench.write(&[1], address, &[right[0], right[1] ^ 0x100]).unwrap();
            let told = verify(&mut bench, 1, 8).unwrap_err().to_string();
            assert!(told.starts_with("word 1 from tile 2 at tile 1 is "), "{told}");
        }
    }

    /// The cost model against what `portico bench exchange` has measured: within a half.
    #[test]
    fn the_cost_model_is_near_the_figures() {
        let report = include_str!("../../../docs/figures/exchange.json");
        let report: BenchReport = serde_json::from_str(report).unwrap();
        let mut count = 0;
        let order = Order::default();
        for row in report.rows.iter().filter(|row| row.keys["order"] == order.name()) {
            let [tiles, bytes] = ["tiles", "bytes"].map(|key| row.keys[key].as_u64().unwrap());
            let (cols, rows) = [(2, 2), (3, 3), (4, 4), (8, 4)]
                .into_iter()
                .find(|(cols, rows)| cols * rows == tiles as usize)
                .unwrap();
            let config = Config {
                cols,
                rows,
                ..Config::default()
            };
            let all: Vec<usize> = (0..config.tiles()).collect();
            let bytes = bytes as u32;
            let steps = orders(&config, &all, order).into_iter();
            let steps: Vec<Vec<MemberCommand>> = steps
                .map(|receivers| {
                    receivers
                        .into_iter()
                        .map(|to| MemberCommand::Send { to, bytes })
                        .collect()
                })
                .collect();
            let estimate = cost::exchange(&config, &all, &all, &steps) as f64;
            let ratio = estimate / row.value;
            assert!(
                (0.67..1.5).contains(&ratio),
                "{}: {estimate} for {}",
                row.name,
                row.value
            );
            count += 1;
        }
        assert!(count > 15, "{count} rows");
    }

    #[test]
    fn a_fabric_without_command_streams_is_refused() {
        let config = Config {
            commands: false,
            ..Config::default()
        };
        let refused = run(&config, &Effort::quick(), &mut golden, &mut |_, _, _| {}).unwrap_err();
        assert!(refused.to_string().contains("set commands"), "{refused}");
    }

    #[test]
    fn the_busiest_link_of_a_row_is_in_its_middle() {
        let row = |cols| Config {
            cols,
            rows: 1,
            ..Config::default()
        };
        // Four words and two flits in front of them. Of four tiles, two send to two others over the middle link.
        assert_eq!(limit(&row(4), 16), 4 * 6);
        // Of two, each takes what the other one sends.
        assert_eq!(limit(&row(2), 16), 6);
        assert_eq!(limit(&row(1), 16), 0);
        // Packets of 64 words.
        assert_eq!(limit(&row(2), 4 * 65), 65 + 4);
    }
}

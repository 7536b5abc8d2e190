//! `portico run traffic`: a fabric measures itself, with the source/sink cores of its tiles.

use crate::{
    design::design,
    failure::not_allowed,
    loads::load,
    model,
    on_board::{self, OnArgs},
    output, progress,
    table::{grouped, table},
    waveform::Waveform,
};
use anyhow::Context;
use clap::{
    builder::{PossibleValuesParser, TypedValueParser},
    Args,
};
use portico::{
    examples::{traffic, Delivered, Load},
    probe::{Target, LEAST_WORDS},
    Fabric, GoldenTransport, Transport,
};
use portico_sim::{Options, Trace};
use portico_spec::{flit::MAX_PAYLOAD_FLITS, Config};
use portico_testbench::{device::hardware, traffic::Pattern};
use std::path::PathBuf;

/// What all tiles send.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Options of traffic")]
pub struct TrafficArgs {
    /// Traffic pattern: uniform, or a pattern with one destination for each tile
    #[arg(long, value_name = "PATTERN", value_parser = pattern_parser())]
    pattern: Option<Pattern>,
    /// Words of payload of a packet, 2 to 64 [default: 15]
    #[arg(long, value_parser = clap::value_parser!(u32).range(LEAST_WORDS as i64..=MAX_PAYLOAD_FLITS as i64))]
    words: Option<u32>,
    /// Packets of each tile at each load; tiles begin one after the other, so few packets say little [default: 2000]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    packets: Option<u32>,
    /// Loads that tiles offer, in flits a cycle, above 0 and at most 1 [default: 0.1,0.2,0.4,0.6,1]
    #[arg(long, value_name = "LOADS", value_delimiter = ',', value_parser = load)]
    loads: Option<Vec<f64>>,
    /// Decides random destinations [default: 1]
    #[arg(long)]
    seed: Option<u32>,
}

fn pattern_parser() -> impl TypedValueParser<Value = Pattern> {
    let names = PossibleValuesParser::new(
        Pattern::ALL
            .into_iter()
            .filter(|&pattern| is_fixed(pattern))
            .map(Pattern::name),
    );
    names.try_map(|name| name.parse::<Pattern>())
}

/// A source knows one destination, or draws any other tile.
fn is_fixed(pattern: Pattern) -> bool {
    !matches!(pattern, Pattern::Neighbour | Pattern::Hotspot)
}

impl TrafficArgs {
    /// The first option that is given.
    pub fn given(&self) -> Option<&'static str> {
        [
            (self.pattern.is_some(), "--pattern"),
            (self.words.is_some(), "--words"),
            (self.packets.is_some(), "--packets"),
            (self.loads.is_some(), "--loads"),
            (self.seed.is_some(), "--seed"),
        ]
        .into_iter()
        .find_map(|(given, name)| given.then_some(name))
    }

    fn pattern(&self) -> Pattern {
        self.pattern.unwrap_or(Pattern::Uniform)
    }

    /// What is to be sent, load by load.
    ///
    /// # Errors
    /// The mesh has no such pattern.
    fn plan(&self, config: &Config) -> anyhow::Result<Vec<Load>> {
        let destinations = self
            .pattern()
            .on_mesh(config.cols, config.rows, 0)
            .map_err(not_allowed)?;
        let target = |tile: usize| match destinations.is_uniform(tile) {
            true => Some(Target::Uniform),
            false => destinations.only(tile).map(Target::Tile),
        };
        let targets: Vec<Option<Target>> = (0..config.tiles()).map(target).collect();
        let loads = self.loads.clone().unwrap_or_else(|| vec![0.1, 0.2, 0.4, 0.6, 1.0]);
        let plan = loads.into_iter().map(|offered| Load {
            targets: targets.clone(),
            words: self.words.unwrap_or(15),
            packets: self.packets.unwrap_or(2_000),
            offered,
            seed: self.seed.unwrap_or(1),
        });
        Ok(plan.collect())
    }
}

/// Runs all loads and prints what the counters say.
///
/// # Errors
/// The mesh has no such pattern; a packet is lost or wrong; the fabric fails, or is another than the configured one.
pub fn run(
    args: &TrafficArgs,
    config: &Config,
    golden: bool,
    board: &OnArgs,
    vcd: Option<PathBuf>,
) -> anyhow::Result<()> {
    let config = Config {
        probe: true,
        ..config.clone()
    };
    let plan = args.plan(&config)?;
    let delivered = match board.open(&config)? {
        Some((_, mut transport)) => loads(&plan, on_board::fabric(&mut *transport)?),
        None if golden => loads(&plan, Fabric::open(GoldenTransport::new(&config)?)?),
        None => verilated(&plan, &config, vcd),
    };
    let delivered = delivered.context("example traffic fails")?;
    output::print(&text(args.pattern(), &config, &plan, &delivered))
}

fn loads<T: Transport>(plan: &[Load], mut fabric: Fabric<T>) -> anyhow::Result<Vec<Delivered>> {
    let bar = progress::bar(plan.len() as u64);
    let mut delivered = vec![];
    for load in plan {
        delivered.push(traffic(&mut fabric, load).with_context(|| format!("at a load of {}", load.offered))?);
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(delivered)
}

fn verilated(plan: &[Load], config: &Config, vcd: Option<PathBuf>) -> anyhow::Result<Vec<Delivered>> {
    let options = Options {
        trace: vcd.as_ref().map_or(Trace::None, |_| Trace::Vcd),
        ..Options::default()
    };
    let (library, _) = model::build(&design("fabric", config)?, &options)?;
    let mut fabric = hardware::fabric_of(&library, config, hardware::MEMORY)?;
    let waveform = vcd.map(|file| Waveform::start(&file, fabric.model())).transpose()?;
    let outcome = Fabric::open(&mut fabric).map_err(Into::into);
    let outcome = outcome.and_then(|fabric| loads(plan, fabric));
    waveform.map(|waveform| waveform.finish(fabric.model())).transpose()?;
    outcome.map_err(|error| match hardware::timed_out(&error) {
        true => hardware::with_movement(&error, &fabric.movement()),
        false => error,
    })
}

fn text(pattern: Pattern, config: &Config, plan: &[Load], delivered: &[Delivered]) -> String {
    let Config { cols, rows, width, .. } = config;
    let silent = plan
        .first()
        .map_or(0, |load| load.targets.iter().filter(|target| target.is_none()).count());
    let (words, packets) = plan.first().map_or((0, 0), |load| (load.words, load.packets));
    let or_none = |value: Option<String>| value.unwrap_or_else(|| "-".into());
    let lines = plan.iter().zip(delivered).map(|(load, delivered)| {
        let latency = |of: fn(&(u32, f64, u32)) -> String| or_none(delivered.latency.as_ref().map(of));
        vec![
            format!("{:.3}", load.offered),
            or_none(delivered.accepted.map(|accepted| format!("{accepted:.3}"))),
            latency(|(least, ..)| least.to_string()),
            latency(|(_, mean, _)| format!("{mean:.1}")),
            latency(|(.., greatest)| greatest.to_string()),
            grouped(delivered.packets),
            grouped(delivered.bytes),
        ]
    });
    let header = [
        "offered",
        "accepted",
        "least",
        "mean",
        "greatest",
        "packets",
        "payload bytes",
    ];
    format!(
        "Fabric of {cols}x{rows} tiles, {width} bits; {pattern}, {silent} tiles silent; {packets} packets of {words} words a tile \
         and load.\nLoads in flits a cycle and tile, heads too; latencies in cycles, from the offer of a head to the tail at \
         the sink.\nAll figures come from the counters of the source/sink cores, which found every packet in sequence and its content \
         right.\n\n{}",
        table(&header, lines, &[0, 1, 2, 3, 4, 5, 6])
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(pattern: Option<Pattern>) -> TrafficArgs {
        TrafficArgs {
            pattern,
            words: Some(4),
            packets: Some(20),
            loads: Some(vec![0.5, 1.0]),
            seed: None,
        }
    }

    fn config(cols: usize) -> Config {
        let config = Config {
            cols,
            rows: 2,
            probe: true,
            ..Config::default()
        };
        config.fabric().unwrap()
    }

    #[test]
    fn every_pattern_has_its_destinations() {
        let targets = |pattern, cols| {
            args(Some(pattern))
                .plan(&config(cols))
                .map(|plan| plan[0].targets.clone())
        };
        assert_eq!(targets(Pattern::Uniform, 2).unwrap(), vec![Some(Target::Uniform); 4]);
        let across = [3, 2, 1, 0].map(|tile| Some(Target::Tile(tile)));
        assert_eq!(targets(Pattern::BitComplement, 2).unwrap(), across);
        assert_eq!(
            targets(Pattern::AllToOne, 2).unwrap()[..2],
            [None, Some(Target::Tile(0))]
        );
        let refused = targets(Pattern::Transpose, 3).unwrap_err();
        assert!(refused.to_string().contains("square"), "{refused}");
    }

    #[test]
    fn a_golden_fabric_has_counts_and_no_times() {
        let args = args(None);
        let plan = args.plan(&config(2)).unwrap();
        let delivered = loads(&plan, Fabric::open(GoldenTransport::new(&config(2)).unwrap()).unwrap()).unwrap();
        let text = text(Pattern::Uniform, &config(2), &plan, &delivered);
        assert!(text.contains("|      80 |         1,280"), "{text}");
        assert!(text.contains("        - |"), "{text}");
        assert_eq!(args.given(), Some("--words"));
    }
}

//! Whether a board holds a fabric, by what `portico bench area` has measured of its parts.

use crate::failure::not_allowed;
use anyhow::Context;
use portico_spec::{config::PROFILES, Config};
use portico_synth::{Board, Target};
use portico_testbench::bench::report::BenchReport;
use std::collections::BTreeMap;

/// Figures of `portico bench area`, which docs/area.md shows.
const FIGURES: &str = include_str!("../../../docs/figures/area.json");
/// Shares of a board's LUTs, in percent, from which a fabric is a warning and a refusal.
const TIGHT: f64 = 90.0;
const FULL: f64 = 100.0;
/// Keys of a profile that cost no LUTs, or are counted apart.
const APART: [&str; 4] = ["scratchpad", "probe", "streams", "mpe"];

/// A fabric, as its LUTs are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// The profile of its tiles.
    pub profile: &'static str,
    /// The profile of its host node.
    pub host: &'static str,
    /// Its tiles.
    pub tiles: usize,
    /// Whether each tile has a message-passing engine.
    pub mpe: bool,
    /// Whether each tile has a source/sink core.
    pub probe: bool,
    /// Whether each tile has streams.
    pub streams: bool,
}

impl Size {
    /// LUTs of its host node, its tiles, two routers a tile, and its engines, where `of` gives those of one.
    pub fn luts(self, of: impl Fn(&str) -> u64) -> u64 {
        let engine = |is_there: bool, name: &str| if is_there { of(name) } else { 0 };
        let tile = of(&format!("tile-{}", self.profile)) + 2 * of("router");
        let engines = engine(self.mpe, "mpe") + engine(self.probe, "probe") + engine(self.streams, "streams");
        of(&format!("host-{}", self.host)) + self.tiles as u64 * (tile + engines)
    }

    /// Of this configuration: with the least profile that has all that its tiles have, else the largest.
    fn of(config: &Config) -> Size {
        let keys = |config: &Config| config.entries().into_iter().collect::<BTreeMap<_, _>>();
        let asked = keys(config);
        let is_enough = |profile: &str| {
            let mut whole = Config::default();
            whole
                .set(&format!("profile={profile}"))
                .expect("a profile of the table");
            let has = keys(&whole);
            let mut compared = PROFILES[0].keys().filter(|key| !APART.contains(key));
            compared.all(|key| rank(&asked[key]) <= rank(&has[key]))
        };
        let enough = PROFILES.iter().rev().find(|profile| is_enough(profile.name));
        Size {
            profile: enough.unwrap_or(&PROFILES[0]).name,
            host: config.host_profile,
            tiles: config.tiles(),
            mpe: config.mpe > 0,
            probe: config.probe,
            streams: config.streams,
        }
    }
}

/// A value as a number, so that more is more: `false` below `true`.
fn rank(value: &str) -> i64 {
    value.parse().unwrap_or(i64::from(value == "true"))
}

/// Refuses a fabric that a board does not hold, and warns of one that it barely holds.
///
/// # Errors
/// The sum is above all LUTs of the board, and nothing forces it.
pub fn check(board: &Board, config: &Config, force: bool) -> anyhow::Result<()> {
    let report: BenchReport = serde_json::from_str(FIGURES).context("docs/figures/area.json")?;
    let family = family(board.family);
    let measured = report.rows.iter().filter(|row| {
        [("measure", "node"), ("cell", "sites"), ("family", family)]
            .into_iter()
            .all(|(key, value)| row.keys.get(key).is_some_and(|found| found == value))
    });
    let luts: BTreeMap<&str, u64> = measured
        .filter_map(|row| Some((row.keys.get("node")?.as_str()?, row.value as u64)))
        .collect();
    let share = |size: Size| 100.0 * size.luts(|node| luts[node]) as f64 / board.capacity.luts as f64;
    let size = Size::of(config);
    let taken = share(size);
    if taken <= TIGHT {
        return Ok(());
    }
    let what = format!(
        "{}x{} {}{} takes {taken:.0} % of the LUTs of {}, by the sums of docs/area.md",
        config.cols,
        config.rows,
        size.profile,
        if size.mpe { " with engines" } else { "" },
        board.name
    );
    if taken <= FULL || force {
        tracing::warn!("{what}: place and route may fail");
        return Ok(());
    }
    let fits = PROFILES.iter().filter_map(|profile| {
        let size = |tiles| Size {
            profile: profile.name,
            tiles,
            ..size
        };
        let (cols, rows) = meshes().rev().find(|(cols, rows)| share(size(cols * rows)) <= TIGHT)?;
        Some(format!(
            "{cols}x{rows} {} ({:.0} %)",
            profile.name,
            share(size(cols * rows))
        ))
    });
    let fits: Vec<String> = fits.collect();
    let instead = match fits.is_empty() {
        true => "no fabric fits with these engines".into(),
        false => format!("what fits: {}", fits.join(", ")),
    };
    Err(not_allowed(format!("{what}; {instead}; --force goes on nevertheless")))
}

/// Meshes that are nearly square, the smallest first.
fn meshes() -> impl DoubleEndedIterator<Item = (usize, usize)> {
    let mut meshes: Vec<_> = (1..=8)
        .flat_map(|rows| (rows..=2 * rows).map(move |cols| (cols, rows)))
        .collect();
    meshes.sort_by_key(|(cols, rows)| (cols * rows, std::cmp::Reverse(*cols)));
    meshes.into_iter()
}

/// A family as the figures name it.
pub fn family(target: Target) -> &'static str {
    match target {
        Target::Ecp5 => "ECP5",
        Target::Xilinx => "Xilinx 7",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::message;

    fn config(settings: &[&str]) -> Config {
        let mut config = Config::default();
        for setting in settings {
            config.set(setting).unwrap();
        }
        config
    }

    #[test]
    fn a_configuration_counts_as_the_least_profile_that_has_its_nodes() {
        for (settings, profile) in [
            (&[][..], "full"),
            (&["profile=leaf", "scratchpad=64"], "leaf"),
            (&["profile=leaf", "queues=true"], "compact"),
            (&["profile=compact", "cores=2", "programs=true"], "full"),
        ] {
            assert_eq!(Size::of(&config(settings)).profile, profile, "{settings:?}");
        }
        let size = Size::of(&config(&["cols=3", "rows=2", "mpe=2"]));
        assert_eq!((size.host, size.tiles, size.mpe, size.probe), ("leaf", 6, true, false));
    }

    #[test]
    fn a_fabric_is_the_sum_of_its_parts() {
        let of = |node: &str| match node {
            "host-full" => 1,
            "tile-leaf" => 10,
            "router" => 100,
            "mpe" => 1_000,
            "probe" => 10_000,
            "streams" => 100_000,
            _ => panic!("{node}"),
        };
        let size = Size {
            profile: "leaf",
            host: "full",
            tiles: 2,
            mpe: false,
            probe: true,
            streams: false,
        };
        assert_eq!(size.luts(of), 1 + 2 * (10 + 200 + 10_000));
        assert_eq!(Size { mpe: true, ..size }.luts(of), 1 + 2 * (10 + 200 + 11_000));
        assert_eq!(Size { streams: true, ..size }.luts(of), 1 + 2 * (10 + 200 + 110_000));
    }

    #[test]
    fn each_board_holds_what_its_sums_say() {
        let board = |name| Board::named(name).unwrap();
        let refused = check(&board("ulx3s-85f"), &config(&[]), false).unwrap_err();
        let text = message(&refused);
        assert!(text.starts_with("4x4 full takes 2"), "{text}");
        for part in ["ulx3s-85f", "what fits: 2x2 full", "compact", "leaf", "--force"] {
            assert!(text.contains(part), "{text} lacks {part}");
        }
        check(&board("ulx3s-85f"), &config(&[]), true).unwrap();
        let pair = config(&["profile=leaf", "cols=2", "rows=1"]);
        check(&board("arty-a7-35t"), &pair, false).unwrap();
        let text = message(&check(&board("arty-a7-35t"), &config(&["cols=2", "rows=1", "mpe=1"]), false).unwrap_err());
        assert!(
            text.starts_with("2x1 full with engines takes ") && text.contains("1x1 leaf"),
            "{text}"
        );
    }

    #[test]
    fn meshes_grow_and_are_nearly_square() {
        let all: Vec<_> = meshes().collect();
        assert_eq!(all[..4], [(1, 1), (2, 1), (2, 2), (3, 2)]);
        assert!(all.windows(2).all(|two| two[0].0 * two[0].1 <= two[1].0 * two[1].1));
    }
}

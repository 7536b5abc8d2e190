//! `portico synth --all`: the figures of every block, in a file that grows block by block.

use super::refusal;
use crate::{
    design::{design, VERSION},
    failure::{message, not_allowed},
    output::{self, Output},
    progress,
};
use anyhow::{bail, Context};
use portico_generate::{Top, TOPS};
use portico_spec::Config;
use portico_synth::{synthesise, SynthOptions, SynthReport};
use serde::{Deserialize, Serialize};
use std::{fs, path::Path, time::Instant};

/// The content of the file.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Sheet {
    /// Version of Portico.
    portico: String,
    /// How the blocks were synthesised; a file goes on with the same alone.
    options: String,
    /// One a block, in the order in which they were done.
    blocks: Vec<BlockFigures>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct BlockFigures {
    block: String,
    report: SynthReport,
}

/// Synthesises `only`, or every block if that is empty, except those that `file` holds, which is written after each.
///
/// # Errors
/// `file` holds something else; or a block failed: the others are done then.
pub fn run(only: &[&'static Top], options: &SynthOptions, file: &Path) -> anyhow::Result<()> {
    let chosen: Vec<&Top> = match only.is_empty() {
        true => TOPS.iter().collect(),
        false => only.to_vec(),
    };
    let synthesised = |top: &Top| -> anyhow::Result<SynthReport> {
        let design = design(top.name, &Config::default())?;
        let spinner = progress::spinner(format!("synthesising {}", design.top));
        let report = synthesise(&design, options);
        spinner.finish_and_clear();
        report.map_err(refusal)
    };
    fill(&chosen, &described(options), file, synthesised)
}

/// The options in a line.
fn described(options: &SynthOptions) -> String {
    let mapping = options.mapping;
    let copies = if mapping.flat { "flat" } else { "shared" };
    let place = options.place.as_ref().map(|place| {
        let seeds: Vec<String> = place.seeds.iter().map(u32::to_string).collect();
        let limit = place
            .limit
            .map(|limit| format!(", limit {:.1} minutes", limit.as_secs_f64() / 60.0));
        let (seeds, limit) = (seeds.join(","), limit.unwrap_or_default());
        format!("seeds {seeds}, aim {} MHz{limit}", place.target_mhz)
    });
    let place = place.unwrap_or_else(|| "not placed".into());
    format!("{}, {copies}, {place}", mapping.mode.command())
}

/// Adds to `file` what `synthesised` gives of each block that it lacks.
fn fill(
    chosen: &[&Top],
    options: &str,
    file: &Path,
    mut synthesised: impl FnMut(&Top) -> anyhow::Result<SynthReport>,
) -> anyhow::Result<()> {
    let mut sheet = Sheet::resumed(file, options)?;
    let mut failed = vec![];
    for (top, number) in chosen.iter().zip(1..) {
        let name = top.name;
        let told = if sheet.blocks.iter().any(|row| row.block == name) {
            "is in the file already".to_owned()
        } else {
            let start = Instant::now();
            match synthesised(top) {
                Ok(report) => {
                    let told = format!("{}; {:.0} s", line(&report), start.elapsed().as_secs_f64());
                    let block = name.to_owned();
                    sheet.blocks.push(BlockFigures { block, report });
                    sheet.write(file)?;
                    told
                }
                Err(error) => {
                    failed.push(name);
                    format!("failed: {}", message(&error))
                }
            }
        };
        output::print(&format!("{number}/{} {name}: {told}\n", chosen.len()))?;
    }
    if !failed.is_empty() {
        bail!("failed: {}; {} holds the others", failed.join(", "), file.display());
    }
    Ok(())
}

impl Sheet {
    /// What `file` holds, or a sheet without a row if there is none.
    ///
    /// # Errors
    /// It is no sheet, or one of other options or of another version.
    fn resumed(file: &Path, options: &str) -> anyhow::Result<Self> {
        let empty = Sheet {
            portico: VERSION.into(),
            options: options.into(),
            blocks: vec![],
        };
        if !file.exists() {
            return Ok(empty);
        }
        let shown = file.display();
        let text = fs::read_to_string(file).with_context(|| format!("cannot read {shown}"))?;
        let sheet: Sheet = serde_json::from_str(&text).map_err(|error| {
            not_allowed(format!(
                "json = {shown}: it is no file of portico synth --all ({error}); name another"
            ))
        })?;
        for (field, held, asked) in [
            ("portico", &sheet.portico, &empty.portico),
            ("options", &sheet.options, &empty.options),
        ] {
            if held != asked {
                let reason =
                    format!("json = {shown}: its {field} are {held}, where {asked} is asked for; name another file");
                return Err(not_allowed(reason));
            }
        }
        Ok(sheet)
    }

    fn write(&self, file: &Path) -> anyhow::Result<()> {
        let mut output = Output::default();
        output.add(file, serde_json::to_string_pretty(self)? + "\n");
        output.commit()
    }
}

/// The figures of a block in a line.
fn line(report: &SynthReport) -> String {
    let area = &report.area.area;
    let clock = report.timing.as_ref().map(|timing| match timing.median {
        Some(median) => format!(", {median:.1} MHz"),
        None => ", clock not finished".into(),
    });
    format!(
        "{} LUT, {} FF, {} LUT RAM, {} block RAM, {} DSP{}",
        area.luts,
        area.ffs,
        area.lut_rams,
        area.block_rams,
        area.dsps,
        clock.unwrap_or_default()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{design::block, output::tests::names};
    use portico_synth::{Area, Mapping, ModeArea, Placement, Target};
    use std::time::Duration;

    fn report(top: &Top) -> SynthReport {
        SynthReport {
            top: top.name.into(),
            target: Target::Ecp5,
            tools: Default::default(),
            area: ModeArea {
                command: "synth_ecp5".into(),
                area: Area::default(),
            },
            timing: None,
        }
    }

    fn blocks(file: &Path) -> Vec<String> {
        let sheet = Sheet::resumed(file, "fast").unwrap();
        sheet.blocks.into_iter().map(|row| row.block).collect()
    }

    #[test]
    fn a_file_grows_block_by_block_and_goes_on_where_it_stopped() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("all.json");
        let chosen = ["fifo", "router", "tile"].map(block);
        let error = fill(&chosen, "fast", &file, |top| match top.name {
            "router" => bail!("no"),
            _ => Ok(report(top)),
        });
        let expected = format!("failed: router; {} holds the others", file.display());
        assert_eq!(error.unwrap_err().to_string(), expected);
        assert_eq!(blocks(&file), ["fifo", "tile"]);

        let mut done = vec![];
        fill(&chosen, "fast", &file, |top| {
            done.push(top.name.to_owned());
            Ok(report(top))
        })
        .unwrap();
        assert_eq!(done, ["router"]);
        assert_eq!(blocks(&file), ["fifo", "tile", "router"]);
        assert_eq!(names(folder.path()), ["all.json"]);
    }

    #[test]
    fn options_that_give_other_figures_read_differently() {
        let options = |place| SynthOptions {
            mapping: Mapping::of(Target::Ecp5),
            place,
        };
        assert_eq!(described(&options(None)), "synth_ecp5 -nowidelut, shared, not placed");
        let limit = Some(Duration::from_secs(90));
        let place = Placement {
            limit,
            ..Placement::default()
        };
        assert_eq!(
            described(&options(Some(place))),
            "synth_ecp5 -nowidelut, shared, seeds 1,2,3, aim 200 MHz, limit 1.5 minutes"
        );
    }

    #[test]
    fn a_file_of_something_else_is_refused_and_stays() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("all.json");
        fill(&[block("fifo")], "fast", &file, |top| Ok(report(top))).unwrap();
        let error = Sheet::resumed(&file, "slow").unwrap_err().to_string();
        let expected = "its options are fast, where slow is asked for; name another file";
        assert!(error.ends_with(expected), "{error}");

        fs::write(&file, "{}").unwrap();
        let error = Sheet::resumed(&file, "fast").unwrap_err().to_string();
        assert!(error.contains("it is no file of portico synth --all"), "{error}");
        assert_eq!(fs::read_to_string(&file).unwrap(), "{}");
    }
}

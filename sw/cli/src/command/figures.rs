//! `portico figures`: the tables of the documentation, from the figures of the benchmarks.

mod page;
mod tables;

use crate::{
    failure::not_allowed,
    output::{self, Output},
    table::counted,
};
use anyhow::{bail, Context};
use clap::Args;
use page::Block;
use portico_testbench::bench::report::BenchReport;
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};
use tables::Tables;

const EXAMPLES: &str = "\
Examples:
  portico figures                         write the tables of README.md, CONTRIBUTING.md and docs/*.md
  portico figures --check                 tell the first line that is not what the figures give
  portico bench onesided --quick --json docs/figures/onesided.json

A page holds a table between two lines, which name a file in docs/figures and a table of docs/figures/tables.toml:
  <!-- figures: onesided.json latency -->
  <!-- end of figures -->

Exit status: 1 with --check if a page differs, 2 for a marker, file or table that is not right.";

/// Write the tables of the documentation from the JSON files of the benchmarks
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Figures {
    /// Write nothing; fail if a table differs from the figures
    #[arg(long)]
    check: bool,
    /// Folder of the checkout
    #[arg(value_name = "DIR", default_value = ".")]
    folder: PathBuf,
}

impl Figures {
    pub fn run(self) -> anyhow::Result<()> {
        let mut source = Source::read(&self.folder)?;
        let pages = pages(&self.folder)?;
        let (mut count, mut written, mut changed) = (0, 0, Output::default());
        let mut difference = None;
        for name in pages {
            let path = self.folder.join(&name);
            let text = fs::read_to_string(&path).with_context(|| format!("cannot read {name}"))?;
            let blocks = page::blocks(&text).map_err(|(line, fault)| wrong(&name, line, fault))?;
            count += blocks.len();
            let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
            let mut tables = vec![];
            for block in &blocks {
                let table = source.table(block).map_err(|fault| wrong(&name, block.line(), fault))?;
                difference = difference.or_else(|| differs(&name, block, &lines[block.body.clone()], &table));
                tables.push(table);
            }
            // The last table first: the places of those before stay.
            for (block, table) in blocks.iter().zip(tables).rev() {
                lines.splice(block.body.clone(), table);
            }
            let new: String = lines.iter().map(|line| format!("{line}\n")).collect();
            if !blocks.is_empty() && new != text {
                changed.add(path, new);
                written += 1;
            }
        }
        let tables = counted(count, "table");
        if self.check {
            if let Some(difference) = difference {
                bail!(difference);
            }
            return output::print(&format!("{tables}: the pages show the figures of {FOLDER}\n"));
        }
        changed.commit()?;
        output::print(&format!("{tables}, {} written\n", counted(written, "page")))
    }
}

/// Where figures lie in a checkout.
const FOLDER: &str = "docs/figures";

/// The list of tables, and the reports that have been read for them.
struct Source {
    folder: PathBuf,
    tables: Tables,
    reports: BTreeMap<String, BenchReport>,
}

impl Source {
    fn read(checkout: &Path) -> anyhow::Result<Self> {
        let folder = checkout.join(FOLDER);
        let name = format!("{FOLDER}/tables.toml");
        let text = fs::read_to_string(folder.join("tables.toml"))
            .map_err(|error| not_allowed(format!("cannot read {name}: {error}")))?;
        let tables = toml::from_str(&text).map_err(|error| not_allowed(format!("{name}: {error}")))?;
        Ok(Self {
            folder,
            tables,
            reports: BTreeMap::new(),
        })
    }

    /// The lines of a table, or why there are none.
    fn table(&mut self, block: &Block) -> Result<Vec<String>, String> {
        let Block { file, table, .. } = block;
        let Some(known) = self.tables.get(table) else {
            let names: Vec<&str> = self.tables.keys().map(String::as_str).collect();
            return Err(format!(
                "no table `{table}` in {FOLDER}/tables.toml; there are {}",
                names.join(", ")
            ));
        };
        if !self.reports.contains_key(file) {
            let fault = |error: String| format!("cannot read {FOLDER}/{file}: {error}");
            let text = fs::read_to_string(self.folder.join(file)).map_err(|error| fault(error.to_string()))?;
            let report = serde_json::from_str(&text).map_err(|error| fault(error.to_string()))?;
            self.reports.insert(file.clone(), report);
        }
        let lines = known.lines(&self.reports[file]);
        lines.map_err(|fault| format!("table `{table}` of {FOLDER}/{file}: {fault}"))
    }
}

/// Names of the pages of a checkout, in order.
fn pages(checkout: &Path) -> anyhow::Result<Vec<String>> {
    let mut pages = vec![];
    for under in ["", "docs/"] {
        let folder = checkout.join(under);
        let failed = || format!("cannot read folder {}", folder.display());
        for entry in fs::read_dir(&folder).with_context(failed)? {
            let name = entry.with_context(failed)?.file_name().to_string_lossy().into_owned();
            if name.ends_with(".md") {
                pages.push(format!("{under}{name}"));
            }
        }
    }
    pages.sort();
    Ok(pages)
}

fn wrong(page: &str, line: usize, fault: String) -> anyhow::Error {
    not_allowed(format!("{page} line {line}: {fault}"))
}

/// The first line of a page that shows something else than the table.
fn differs(page: &str, block: &Block, shown: &[String], table: &[String]) -> Option<String> {
    let lines = shown.len().max(table.len());
    let at = (0..lines).find(|&at| shown.get(at) != table.get(at))?;
    let line = |lines: &[String]| lines.get(at).map_or("no line".to_owned(), |line| format!("`{line}`"));
    Some(format!(
        "{page} line {}: the page has {}, {FOLDER}/{} gives {}; `portico figures` writes it",
        block.body.start + at + 1,
        line(shown),
        block.file,
        line(table)
    ))
}

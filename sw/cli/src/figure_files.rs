//! `--json` and `--csv`: files for the figures of a command.

use crate::output::Output;
use clap::Args;
use portico_testbench::bench::report::BenchReport;
use std::path::{Path, PathBuf};

/// Files for the same rows in two forms.
#[derive(Args, Debug)]
pub struct FigureFiles {
    /// All figures, as JSON
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// All figures, as CSV: a line a figure, a column a variable
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
}

impl FigureFiles {
    /// Adds the files asked for, and NAME.json and NAME.csv in `folder` if there is one.
    pub fn add(self, output: &mut Output, folder: Option<&Path>, name: &str, report: &BenchReport) {
        self.add_text(output, folder, name, report.to_json(), report);
    }

    /// The same, with other JSON than that of the report.
    pub fn add_text(self, output: &mut Output, folder: Option<&Path>, name: &str, json: String, report: &BenchReport) {
        output.add_at(
            self.json,
            folder.map(|folder| folder.join(format!("{name}.json"))),
            json,
        );
        output.add_at(
            self.csv,
            folder.map(|folder| folder.join(format!("{name}.csv"))),
            report.to_csv(),
        );
    }
}

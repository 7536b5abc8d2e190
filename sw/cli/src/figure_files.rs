//! `--json`, `--csv` and `--wide`: files for the figures of a command.

use crate::{design::VERSION, output::Output};
use clap::Args;
use portico_testbench::bench::report::BenchReport;
use std::path::{Path, PathBuf};

/// Files for the same rows in two forms.
#[derive(Args, Debug)]
pub struct FigureFiles {
    /// All figures, as JSON
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// All figures but those of wall-clock time, as CSV: a line a figure, a column a variable
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

/// Files of a benchmark: the rows, and a wide table for data frames.
#[derive(Args, Debug)]
pub struct BenchFiles {
    #[command(flatten)]
    rows: FigureFiles,
    /// All figures, as CSV for data frames: a line a configuration, a column a key or a measure
    #[arg(long, value_name = "FILE")]
    wide: Option<PathBuf>,
}

impl BenchFiles {
    /// Adds the files asked for, and NAME.json, NAME.csv and NAME-wide.csv in `folder` if there is one.
    pub fn add(self, output: &mut Output, folder: Option<&Path>, name: &str, report: &BenchReport) {
        self.add_text(output, folder, name, report.to_json(), report);
    }

    /// The same, with other JSON than that of the report.
    pub fn add_text(self, output: &mut Output, folder: Option<&Path>, name: &str, json: String, report: &BenchReport) {
        self.rows.add_text(output, folder, name, json, report);
        output.add_at(
            self.wide,
            folder.map(|folder| folder.join(format!("{name}-wide.csv"))),
            wide(report.with_titles()),
        );
    }
}

/// A report whose rows have a `measure`, as a wide table with the version of Portico.
pub fn wide(mut report: BenchReport) -> String {
    report.config.insert("version".into(), VERSION.into());
    report.to_wide_csv()
}

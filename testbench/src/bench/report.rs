//! The one form in which every benchmark gives its figures.
//!
//! ```json
//! {"command": "portico bench noc", "tools": {"verilator": "5.048"}, "config": {"fifo": 4}, "rows": [
//!   {"bench": "noc", "name": "one input to one output, 4x4", "unit": "flits/cycle",
//!    "paper": null, "limit": 1.0, "bound": 1.0, "better": "more", "value": 1.0,
//!    "cols": 4, "rows": 4}]}
//! ```
//!
//! Figures that belong to one table share the key `measure`; a key for each variable tells them apart.

use portico_spec::Config;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// All figures of one run of a benchmark.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BenchReport {
    /// The command line of a benchmark, without the files that it writes.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub command: String,
    /// Version of each tool that has a part in the figures, by name.
    pub tools: BTreeMap<String, String>,
    /// Settings that hold for all rows, by key.
    pub config: BTreeMap<String, Value>,
    /// The figures: two runs with one seed have the same.
    pub rows: Vec<Row>,
    /// Figures of wall-clock time, which differ from run to run. The CSV files do not have them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub speed: Vec<Row>,
}

/// One figure and what it is held against.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The benchmark, such as `noc`.
    pub bench: String,
    /// What was measured, under which conditions.
    pub name: String,
    /// Unit of all its figures.
    pub unit: String,
    /// The figure of the paper that described it.
    pub paper: Option<f64>,
    /// What no implementation can pass.
    pub limit: Option<f64>,
    /// What Portico must reach.
    pub bound: Option<f64>,
    /// Which way it gets better.
    pub better: Better,
    /// What was measured.
    pub value: f64,
    /// The variables by which figures of one table differ, such as `tiles`, and `measure`, the table they belong to.
    #[serde(flatten)]
    pub keys: BTreeMap<String, Value>,
}

/// Which way figures get better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Better {
    /// Down, as with latency.
    Less,
    /// Up, as with throughput.
    More,
}

/// Settings as [`Config::entries`] writes them, with numbers and booleans as such.
pub fn settings<K: Into<String>>(entries: impl IntoIterator<Item = (K, String)>) -> BTreeMap<String, Value> {
    let entries = entries.into_iter();
    entries.map(|(key, text)| (key.into(), setting(text))).collect()
}

/// One of them.
pub fn setting(text: String) -> Value {
    serde_json::from_str(&text).unwrap_or(Value::String(text))
}

impl BenchReport {
    /// A report without rows; a benchmark that runs on several configurations names what differs in its rows.
    pub fn new(config: &Config) -> Self {
        Self {
            config: settings(config.entries()),
            ..Self::default()
        }
    }

    /// All figures: the rows, then those of wall-clock time.
    pub fn figures(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().chain(&self.speed)
    }

    /// The rows as CSV below a line of names: the fields of every row, then each key that any row has. A field is empty where
    /// a row has no such figure or key.
    pub fn to_csv(&self) -> String {
        let keys: BTreeSet<&String> = self.rows.iter().flat_map(|row| row.keys.keys()).collect();
        let fields = ["bench", "name", "unit", "paper", "limit", "bound", "better", "value"];
        let header = fields.into_iter().chain(keys.iter().map(|key| key.as_str()));
        let mut text = line(header.map(quoted));
        for row in &self.rows {
            let figure = |figure: Option<f64>| figure.map_or_else(String::new, |figure| figure.to_string());
            let own = [
                quoted(&row.bench),
                quoted(&row.name),
                quoted(&row.unit),
                figure(row.paper),
                figure(row.limit),
                figure(row.bound),
                row.better.name().to_owned(),
                row.value.to_string(),
            ];
            let key = |key: &&String| row.keys.get(*key).map_or_else(String::new, field);
            text += &line(own.into_iter().chain(keys.iter().map(key)));
        }
        text
    }

    /// The report with rows for [`BenchReport::to_wide_csv`]: `measure` is the title of a column, with the unit behind it. Counts of
    /// cells have a column a kind of cell. The name of a figure is its title where it has no measure, or where others of equal keys have
    /// the same.
    pub fn with_titles(&self) -> Self {
        let mut report = self.clone();
        for row in &mut report.rows {
            if let Some(cell) = row.keys.remove("cell") {
                row.keys.insert("measure".to_owned(), cell);
            }
        }
        let mut counts = BTreeMap::new();
        for row in &report.rows {
            *counts.entry(id(&row.keys)).or_insert(0) += 1;
        }
        for row in &mut report.rows {
            let is_alone = counts[&id(&row.keys)] == 1;
            let measure = row.keys.get("measure").and_then(Value::as_str);
            let title = measure.filter(|_| is_alone).unwrap_or(&row.name);
            let title = match title == row.unit {
                true => title.to_owned(),
                false => format!("{title} ({})", row.unit),
            };
            row.keys.insert("measure".to_owned(), title.into());
        }
        report
    }

    /// The figures as CSV for data frames: a line for all figures that differ in nothing but `measure`, and a column for each measure.
    /// Before these come the settings of the report and the keys of its rows. A key of a row goes before the setting of the same name.
    /// A field is empty where there is no such figure. Each further figure with the same keys and measure begins a line of its own.
    ///
    /// # Panics
    /// If a row has no key `measure`.
    pub fn to_wide_csv(&self) -> String {
        let without = |row: &Row| {
            let mut keys = row.keys.clone();
            let measure = keys.remove("measure").expect("a row of a wide table has a measure");
            (keys, field(&measure))
        };
        let (mut lines, mut measures) = (Vec::<(BTreeMap<String, Value>, Vec<(String, f64)>)>::new(), vec![]);
        let mut places = BTreeMap::new();
        for row in &self.rows {
            let (keys, measure) = without(row);
            if !measures.contains(&measure) {
                measures.push(measure.clone());
            }
            let places: &mut Vec<usize> = places.entry(id(&keys)).or_default();
            let has_room = |&&place: &&usize| lines[place].1.iter().all(|(of, _)| *of != measure);
            let place = places.iter().find(has_room).copied().unwrap_or(lines.len());
            if place == lines.len() {
                places.push(place);
                lines.push((keys, vec![]));
            }
            lines[place].1.push((measure, row.value));
        }
        let keys: BTreeSet<&String> = lines.iter().flat_map(|(keys, _)| keys.keys()).collect();
        let settings: Vec<&String> = self.config.keys().filter(|key| !keys.contains(key)).collect();
        let keys: Vec<&String> = settings.into_iter().chain(keys).collect();
        let header = keys.iter().map(|key| quoted(key));
        let mut text = line(header.chain(measures.iter().cloned()));
        for (own, figures) in &lines {
            let of_key = |key: &&String| {
                let value = own.get(*key).or_else(|| self.config.get(*key));
                value.map_or_else(String::new, field)
            };
            let figure = |measure: &String| {
                let figure = figures.iter().find(|(of, _)| of == measure);
                figure.map_or_else(String::new, |(_, value)| value.to_string())
            };
            text += &line(keys.iter().map(of_key).chain(measures.iter().map(figure)));
        }
        text
    }

    /// The report as JSON, with a newline at its end.
    pub fn to_json(&self) -> String {
        let json = serde_json::to_string_pretty(self).expect("strings and numbers are JSON");
        json + "\n"
    }
}

impl Better {
    /// Its name in JSON and CSV.
    fn name(self) -> &'static str {
        match self {
            Better::Less => "less",
            Better::More => "more",
        }
    }
}

/// Keys of rows as text that orders them.
fn id(keys: &BTreeMap<String, Value>) -> String {
    serde_json::to_string(keys).expect("strings and numbers are JSON")
}

/// Fields of CSV as a line.
fn line(fields: impl Iterator<Item = String>) -> String {
    fields.collect::<Vec<_>>().join(",") + "\n"
}

/// A value as a field of CSV.
fn field(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => quoted(text),
        other => quoted(&other.to_string()),
    }
}

/// A field of CSV, in quotes where it needs them (RFC 4180).
fn quoted(field: &str) -> String {
    match field.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", field.replace('"', "\"\"")),
        false => field.to_owned(),
    }
}

impl Row {
    /// A figure that is held against nothing yet.
    pub fn new(bench: &str, name: impl Into<String>, unit: &str, better: Better, value: f64) -> Self {
        Self {
            bench: bench.to_owned(),
            name: name.into(),
            unit: unit.to_owned(),
            paper: None,
            limit: None,
            bound: None,
            better,
            value,
            keys: BTreeMap::new(),
        }
    }

    /// The same figure with one more variable.
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.keys.insert(key.to_owned(), value.into());
        self
    }

    /// The same figure with the mesh of the fabric that it was measured on: keys `cols` and `rows`.
    pub fn on_mesh(self, (cols, rows): (usize, usize)) -> Self {
        self.with("cols", cols).with("rows", rows)
    }

    /// Whether the figure is as good as the bound, if there is one.
    pub fn meets_bound(&self) -> Option<bool> {
        self.bound.map(|bound| match self.better {
            Better::Less => self.value <= bound,
            Better::More => self.value >= bound,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_has_null_where_there_is_no_figure_and_is_read_back() {
        let row = Row {
            limit: Some(1.0),
            ..Row::new("noc", "throughput", "flits/cycle", Better::More, 0.5)
                .with("mesh", "4x4")
                .with("fifo", 2)
        };
        let report = BenchReport {
            rows: vec![row],
            ..BenchReport::new(&Config::default())
        };
        let json = report.to_json();
        let row: String = json[json.rfind("\"rows\"").unwrap()..].split_whitespace().collect();
        assert_eq!(
            row,
            r#""rows":[{"bench":"noc","name":"throughput","unit":"flits/cycle","paper":null,"limit":1.0,"bound":null,"better":"more","value":0.5,"fifo":2,"mesh":"4x4"}]}"#
        );
        assert_eq!(report.config["fifo"], 4);
        assert_eq!(serde_json::from_str::<BenchReport>(&json).unwrap(), report);
    }

    #[test]
    fn csv_has_a_line_a_row_and_a_column_a_key() {
        let rows = vec![
            Row {
                bound: Some(2.5),
                ..Row::new("noc", "load, \"4x4\"", "flits/cycle", Better::More, 0.5).with("fifo", 2)
            },
            Row::new("noc", "latency", "cycles", Better::Less, 3.0).with("mesh", "4x4"),
        ];
        let report = BenchReport {
            rows,
            ..BenchReport::default()
        };
        assert_eq!(
            report.to_csv(),
            "bench,name,unit,paper,limit,bound,better,value,fifo,mesh\n\
             noc,\"load, \"\"4x4\"\"\",flits/cycle,,,2.5,more,0.5,2,\n\
             noc,latency,cycles,,,,less,3,,4x4\n"
        );
    }

    #[test]
    fn wide_csv_has_a_line_for_figures_of_equal_keys_and_a_column_a_measure() {
        let figure = |measure: &str, load: f64, value| {
            let row = Row::new("sim", measure, "cycles", Better::Less, value);
            row.with("measure", measure).with("load", load)
        };
        let report = BenchReport {
            config: [("cols".to_owned(), 4.into())].into(),
            rows: vec![
                figure("latency, mean", 0.1, 5.5),
                figure("accepted load", 0.1, 0.1),
                figure("latency, mean", 0.2, 7.0),
            ],
            ..BenchReport::default()
        };
        assert_eq!(
            report.to_wide_csv(),
            "cols,load,\"latency, mean\",accepted load\n4,0.1,5.5,0.1\n4,0.2,7,\n"
        );
    }

    #[test]
    fn wide_csv_has_the_mesh_of_each_line_and_keeps_figures_of_equal_keys() {
        let figure = |measure: &str, mesh, value| {
            let row = Row::new("mpi", "barrier, 8 tiles", "cycles", Better::Less, value);
            row.with("measure", measure).with("tiles", 8).on_mesh(mesh)
        };
        let report = BenchReport {
            rows: vec![
                figure("call", (4, 2), 5.0),
                figure("call", (2, 4), 6.0),
                figure("estimate", (2, 4), 6.5),
                figure("call", (4, 2), 7.0),
                figure("estimate", (4, 2), 5.5),
            ],
            ..BenchReport::default()
        };
        assert_eq!(
            report.to_wide_csv(),
            "cols,rows,tiles,call,estimate\n4,2,8,5,5.5\n2,4,8,6,6.5\n4,2,8,7,\n"
        );
    }

    #[test]
    fn wide_csv_of_a_benchmark_has_measures_with_units_and_names_where_these_are_not_alone() {
        let row = |name: &str, unit: &str, value| Row::new("b", name, unit, Better::Less, value);
        let report = BenchReport {
            config: [("width".to_owned(), 32.into()), ("seed".to_owned(), 1.into())].into(),
            rows: vec![
                row("latency, 2x2", "cycles", 5.0)
                    .with("measure", "latency")
                    .with("mesh", "2x2"),
                row("latency, 3x3", "cycles", 6.0)
                    .with("measure", "latency")
                    .with("mesh", "3x3"),
                row("share, 2x2", "%", 50.0)
                    .with("measure", "share")
                    .with("mesh", "2x2")
                    .with("width", 64),
                row("cycles, 2x2", "cycles", 7.5)
                    .with("measure", "cycles")
                    .with("mesh", "2x2"),
                row("put, \"odd\"", "cycles", 8.0).with("measure", "single"),
                row("get", "cycles", 9.0).with("measure", "single"),
                row("speed", "cycles/s", 1e3),
                row("tile, LUT", "cells", 10.0)
                    .with("measure", "node")
                    .with("cell", "LUT")
                    .with("node", "tile"),
                row("tile, FF", "cells", 11.0)
                    .with("measure", "node")
                    .with("cell", "FF")
                    .with("node", "tile"),
            ],
            ..BenchReport::default()
        };
        assert_eq!(
            report.with_titles().to_wide_csv(),
            "seed,mesh,node,width,latency (cycles),share (%),cycles,\"put, \"\"odd\"\" (cycles)\",get (cycles),\
             speed (cycles/s),LUT (cells),FF (cells)\n\
             1,2x2,,32,5,,7.5,,,,,\n\
             1,3x3,,32,6,,,,,,,\n\
             1,2x2,,64,,50,,,,,,\n\
             1,,,32,,,,8,9,1000,,\n\
             1,,tile,32,,,,,,,10,11\n"
        );
    }

    #[test]
    fn bounds_hold_in_both_directions() {
        let meets = |better, value| {
            Row {
                bound: Some(2.0),
                ..Row::new("b", "n", "u", better, value)
            }
            .meets_bound()
        };
        assert_eq!(
            (meets(Better::Less, 2.0), meets(Better::Less, 2.1)),
            (Some(true), Some(false))
        );
        assert_eq!(
            (meets(Better::More, 2.0), meets(Better::More, 1.9)),
            (Some(true), Some(false))
        );
        assert_eq!(Row::new("b", "n", "u", Better::More, 1.0).meets_bound(), None);
    }
}

//! Tables that are made from the figures of a report.

use crate::table::grouped;
use portico_testbench::bench::report::{BenchReport, Row};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// All tables, by name.
pub type Tables = BTreeMap<String, Table>;

/// Keys of rows, each with the value that it must have, or a list of values of which it must have one.
type Choice = BTreeMap<String, Value>;

/// Which rows a table shows, and how.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// Rows that have a place in it.
    #[serde(default, rename = "where")]
    choice: Choice,
    /// Rows with the same values of these keys share a line; the values are its first cells.
    by: Vec<String>,
    /// Its other columns.
    column: Vec<Column>,
}

/// A column of figures.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Column {
    title: String,
    /// Which row of the line it shows.
    #[serde(default, rename = "where")]
    choice: Choice,
    #[serde(default)]
    show: Figure,
    /// Shown in brackets behind, if there is one.
    brackets: Option<Figure>,
    /// Digits behind the point of a number that is not whole.
    #[serde(default = "one")]
    digits: usize,
}

/// A field of a row.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Figure {
    #[default]
    Value,
    Paper,
    Limit,
    Bound,
    /// Whether the value is as good as the bound.
    Verdict,
    Unit,
}

fn one() -> usize {
    1
}

impl Table {
    /// Its lines as Markdown, and the command that measured it; or why it cannot be made.
    pub fn lines(&self, report: &BenchReport) -> Result<Vec<String>, String> {
        let rows: Vec<(&Row, Map<String, Value>)> = report.figures().map(|row| (row, keys(row))).collect();
        let columns = self.column.iter().flat_map(|column| column.choice.keys());
        for key in self.choice.keys().chain(&self.by).chain(columns) {
            if !rows.iter().any(|(_, keys)| keys.contains_key(key)) {
                return Err(format!("no row has the key `{key}`"));
            }
        }
        let mut grouped: Vec<(Vec<String>, Vec<_>)> = vec![];
        for row in rows.iter().filter(|(_, keys)| fits(&self.choice, keys)) {
            let first: Vec<String> = self.by.iter().map(|key| key_text(row.1.get(key))).collect();
            match grouped.iter_mut().find(|(line, _)| *line == first) {
                Some((_, rows)) => rows.push(row),
                None => grouped.push((first, vec![row])),
            }
        }
        if grouped.is_empty() {
            return Err("no row is what the table asks for".to_owned());
        }
        let titles = self.by.iter().chain(self.column.iter().map(|column| &column.title));
        let titles: Vec<&str> = titles.map(String::as_str).collect();
        let mut lines = vec![line(&titles), line(&vec!["---"; titles.len()])];
        for (mut cells, rows) in grouped {
            for column in &self.column {
                let found: Vec<&Row> = (rows.iter())
                    .filter(|(_, keys)| fits(&column.choice, keys))
                    .map(|(row, _)| *row)
                    .collect();
                cells.push(match found[..] {
                    [] => "-".to_owned(),
                    [row] => column.cell(row),
                    [one, two, ..] => {
                        let (title, one, two) = (&column.title, &one.name, &two.name);
                        return Err(format!("column `{title}` cannot tell apart `{one}` and `{two}`"));
                    }
                });
            }
            lines.push(line(&cells));
        }
        let tools = report.tools.iter().map(|(name, version)| format!("{name} {version}"));
        let tools: Vec<String> = tools.collect();
        lines.extend([
            String::new(),
            format!("Measured by `{}`: {}.", report.command, tools.join(", ")),
        ]);
        Ok(lines)
    }
}

impl Column {
    fn cell(&self, row: &Row) -> String {
        let shown = self.figure(row, self.show).unwrap_or_else(|| "-".to_owned());
        match self.brackets.and_then(|figure| self.figure(row, figure)) {
            Some(other) => format!("{shown} ({other})"),
            None => shown,
        }
    }

    fn figure(&self, row: &Row, figure: Figure) -> Option<String> {
        let number = match figure {
            Figure::Value => Some(row.value),
            Figure::Paper => row.paper,
            Figure::Limit => row.limit,
            Figure::Bound => row.bound,
            Figure::Unit => return Some(row.unit.clone()),
            Figure::Verdict => {
                let verdict = row.meets_bound()?;
                return Some(if verdict { "met" } else { "missed" }.to_owned());
            }
        };
        number.map(|number| number_text(number, self.digits))
    }
}

/// All keys of a row, its name and unit among them.
fn keys(row: &Row) -> Map<String, Value> {
    match serde_json::to_value(row) {
        Ok(Value::Object(keys)) => keys,
        other => unreachable!("a row is an object, not {other:?}"),
    }
}

fn fits(choice: &Choice, keys: &Map<String, Value>) -> bool {
    choice.iter().all(|(key, wanted)| match (wanted, keys.get(key)) {
        (Value::Array(list), Some(value)) => list.contains(value),
        (wanted, value) => Some(wanted) == value,
    })
}

fn key_text(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => "-".to_owned(),
        Some(Value::String(text)) => text.replace('|', "\\|"),
        Some(value) => match value.as_u64() {
            Some(number) => grouped(number),
            None => value.to_string(),
        },
    }
}

/// Whole numbers, and those from 1,000 on, have no digits behind the point.
fn number_text(number: f64, digits: usize) -> String {
    match number >= 0.0 && (number.fract() == 0.0 || number >= 1_000.0) {
        true => grouped(number.round() as u64),
        false => format!("{number:.digits$}"),
    }
}

fn line(cells: &[impl AsRef<str>]) -> String {
    let cells = cells.iter().map(|cell| format!(" {} |", cell.as_ref()));
    std::iter::once("|".to_owned()).chain(cells).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use portico_testbench::bench::report::Better;

    fn report() -> BenchReport {
        let row = |fifo: u32, packet: u32, value| Row {
            bound: (packet == 1).then_some(0.5),
            ..Row::new("noc", format!("{fifo}, {packet}"), "flits", Better::More, value)
                .with("fifo", fifo)
                .with("packet", packet)
        };
        BenchReport {
            command: "portico bench noc".into(),
            tools: [("verilator".to_owned(), "5.048".to_owned())].into(),
            rows: vec![row(2, 1, 0.551), row(2, 4, 0.48)],
            speed: vec![row(1024, 1, 1234.5)],
            ..BenchReport::default()
        }
    }

    fn lines(table: &str) -> Result<Vec<String>, String> {
        toml::from_str::<Table>(table).unwrap().lines(&report())
    }

    #[test]
    fn lines_and_columns_are_found_by_the_keys_of_rows() {
        let table = r#"
            by = ["fifo"]
            column = [
                { title = "of 1", where = { packet = 1 }, brackets = "bound", digits = 2 },
                { title = "of 4", where = { packet = 4 }, brackets = "bound", digits = 2 },
                { title = "", where = { packet = 1 }, show = "verdict" },
            ]"#;
        assert_eq!(
            lines(table).unwrap(),
            [
                "| fifo | of 1 | of 4 |  |",
                "| --- | --- | --- | --- |",
                "| 2 | 0.55 (0.50) | 0.48 | met |",
                "| 1,024 | 1,235 (0.50) | - | met |",
                "",
                "Measured by `portico bench noc`: verilator 5.048.",
            ]
        );
        let chosen = r#"
            where = { name = ["2, 4", "2, 1"] }
            by = ["name"]
            column = [{ title = "unit", show = "unit" }]"#;
        assert_eq!(lines(chosen).unwrap()[2..4], ["| 2, 1 | flits |", "| 2, 4 | flits |"]);
    }

    #[test]
    fn a_table_that_cannot_be_made_says_why() {
        for (table, fault) in [
            ("by = ['mesh']\ncolumn = []", "no row has the key `mesh`"),
            (
                "where = { fifo = 3 }\nby = ['fifo']\ncolumn = []",
                "no row is what the table asks for",
            ),
            (
                "by = ['fifo']\ncolumn = [{ title = 'all' }]",
                "column `all` cannot tell apart `2, 1` and `2, 4`",
            ),
        ] {
            assert_eq!(lines(table).unwrap_err(), fault);
        }
    }
}

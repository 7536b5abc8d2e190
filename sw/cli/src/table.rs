//! Tables on standard output: one look for all of them.

use tabled::{
    builder::Builder,
    settings::{
        object::{Columns, Segment},
        Alignment, Style, Width,
    },
};

/// A table of `rows` below `header`, ending in a newline; columns listed in `right` are aligned to the right.
pub fn table(header: &[&str], rows: impl IntoIterator<Item = Vec<String>>, right: &[usize]) -> String {
    folded(header, rows, right, usize::MAX)
}

/// The same, with cells wider than `widest` folded between words.
pub fn folded(header: &[&str], rows: impl IntoIterator<Item = Vec<String>>, right: &[usize], widest: usize) -> String {
    let mut builder = Builder::default();
    builder.push_record(header.iter().copied());
    for row in rows {
        builder.push_record(row);
    }
    let mut table = builder.build();
    table.with(Style::psql());
    table.modify(Segment::all(), Width::wrap(widest).keep_words());
    for &column in right {
        table.modify(Columns::single(column), Alignment::right());
    }
    let lines = table.to_string();
    lines.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// A whole number with a comma between thousands.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `count` things: `1 module`, `2 modules`.
pub fn counted(count: usize, thing: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{} {thing}{plural}", grouped(count as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_aligned_and_lines_have_no_tail() {
        let rows = [vec!["a".to_owned(), "1".to_owned()], vec!["long".into(), "23".into()]];
        assert_eq!(
            table(&["name", "value"], rows, &[1]),
            " name | value\n------+-------\n a    |     1\n long |    23\n"
        );
    }

    #[test]
    fn a_wide_cell_is_folded_between_words() {
        let rows = [vec!["a".to_owned(), "three little words".to_owned()]];
        assert_eq!(
            folded(&["name", "value"], rows, &[], 12),
            " name | value\n------+--------------\n a    | three little\n      | words\n"
        );
    }

    #[test]
    fn thousands_are_grouped() {
        for (number, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(grouped(number), text);
        }
        assert_eq!(
            (counted(1, "module"), counted(1200, "line")),
            ("1 module".into(), "1,200 lines".into())
        );
    }
}

//! The places of a page where tables of figures stand.

use std::ops::Range;

const BEGIN: &str = "<!-- figures:";
const END: &str = "<!-- end of figures -->";

/// A table of a page.
#[derive(Debug, PartialEq)]
pub struct Block {
    /// The JSON file that it is made from.
    pub file: String,
    /// Its name in the list of tables.
    pub table: String,
    /// Its lines between the markers, counted from 0.
    pub body: Range<usize>,
}

impl Block {
    /// Line of the first marker, counted from 1.
    pub fn line(&self) -> usize {
        self.body.start
    }
}

/// All tables of a page in order, or the line, counted from 1, of a marker that is not right, and the fault.
pub fn blocks(text: &str) -> Result<Vec<Block>, (usize, String)> {
    let mut blocks = vec![];
    let mut open: Option<Block> = None;
    let unclosed = |block: Block| (block.line(), format!("the marker is not closed by `{END}`"));
    for (at, line) in text.lines().enumerate() {
        if line == END {
            let block = open.take();
            let mut block = block.ok_or((at + 1, format!("`{END}` closes no marker")))?;
            block.body.end = at;
            blocks.push(block);
        } else if line.starts_with("<!-- figures") || line.starts_with("<!-- end of figures") {
            if let Some(block) = open {
                return Err(unclosed(block));
            }
            let inner = line.strip_prefix(BEGIN).and_then(|line| line.strip_suffix("-->"));
            let words: Vec<&str> = inner.unwrap_or_default().split_whitespace().collect();
            let [file, table] = words[..] else {
                let fault = format!("unknown marker `{line}`; allowed are `{BEGIN} FILE.json TABLE -->` and `{END}`");
                return Err((at + 1, fault));
            };
            open = Some(Block {
                file: file.to_owned(),
                table: table.to_owned(),
                body: at + 1..at + 1,
            });
        }
    }
    match open {
        Some(block) => Err(unclosed(block)),
        None => Ok(blocks),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_found_between_their_markers() {
        let page = "# A\n<!-- figures: a.json one -->\n| x |\n<!-- end of figures -->\n\n<!-- figures: b.json two -->\n<!-- end of figures -->\n";
        let block = |file: &str, table: &str, body| Block {
            file: file.into(),
            table: table.into(),
            body,
        };
        let expected = [block("a.json", "one", 2..3), block("b.json", "two", 6..6)];
        assert_eq!(blocks(page).unwrap(), expected);
        assert_eq!(blocks("A line with `<!-- figures: a.json one -->` in it\n"), Ok(vec![]));
    }

    #[test]
    fn a_marker_that_is_not_right_is_named_by_its_line() {
        for (page, line, fault) in [
            ("\n<!-- figures: a.json one -->\n", 2, "not closed"),
            (
                "<!-- figures: a.json one -->\n<!-- figures: a.json one -->\n",
                1,
                "not closed",
            ),
            ("\n\n<!-- end of figures -->\n", 3, "closes no marker"),
            ("<!-- figures: a.json -->\n", 1, "unknown marker"),
            ("<!-- figures a.json one -->\n", 1, "unknown marker"),
        ] {
            let (at, text) = blocks(page).unwrap_err();
            assert!(at == line && text.contains(fault), "{at}: {text}");
        }
    }
}

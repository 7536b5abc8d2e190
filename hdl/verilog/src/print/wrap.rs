//! Lines no wider than people read.

/// Indentation of a level.
pub const INDENT: &str = "    ";

/// No line is longer than this, unless one word is.
pub const LINE: usize = 100;

/// `text` as a comment at this depth, wrapped.
pub fn comment(text: &str, depth: usize) -> String {
    let lead = format!("{}// ", INDENT.repeat(depth));
    let mut lines = Vec::new();
    let mut line = lead.clone();
    for word in text.split_whitespace() {
        if line.len() + word.len() > LINE && line.len() > lead.len() {
            lines.push(line.trim_end().to_owned());
            line = lead.clone();
        }
        line.push_str(word);
        line.push(' ');
    }
    if line.len() > lead.len() {
        lines.push(line.trim_end().to_owned());
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// A statement on as many lines as it needs: broken behind operators and commas, the rest a level deeper.
pub fn statement(line: &str) -> String {
    if line.len() <= LINE {
        return line.to_owned();
    }
    let indentation = line.len() - line.trim_start().len();
    let deeper = format!("{}{INDENT}", " ".repeat(indentation));
    let mut lines = Vec::new();
    let mut rest = line.to_owned();
    while rest.len() > LINE {
        let indentation = rest.len() - rest.trim_start().len();
        let breaks = rest.match_indices(' ').map(|(at, _)| at);
        let allowed = breaks.filter(|at| *at > indentation && is_behind_operator(&rest[..*at]));
        let (fitting, beyond): (Vec<usize>, Vec<usize>) = allowed.partition(|at| *at <= LINE);
        let Some(at) = fitting.last().or(beyond.first()).copied() else {
            break;
        };
        lines.push(rest[..at].to_owned());
        rest = format!("{deeper}{}", &rest[at + 1..]);
    }
    lines.push(rest);
    lines.join("\n")
}

/// Whether the text ends in an operator between two operands, a comma, or an assignment.
fn is_behind_operator(text: &str) -> bool {
    let word = text.rsplit(' ').next().unwrap_or_default();
    // `+:` binds a width to an offset.
    let is_operator = !word.is_empty() && word != "+:" && word.bytes().all(|b| b"+-*&|^<>=!?:".contains(&b));
    is_operator || word.ends_with(',') || word.ends_with('{')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_statements_break_behind_operators() {
        let long = format!("    assign sum = {} | {};", "a".repeat(60), "b".repeat(60));
        let text = statement(&long);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 2);
        assert!(lines[0].ends_with(" |") && lines[1].starts_with("        bbb"));
        assert_eq!(statement("    assign a = b;"), "    assign a = b;");
    }

    #[test]
    fn long_comments_break_between_words() {
        let text = comment(&"word ".repeat(40), 1);
        assert!(
            text.lines().count() == 3
                && text
                    .lines()
                    .all(|line| line.len() <= LINE && line.starts_with("    // word"))
        );
        assert_eq!(comment("", 0), "");
    }
}

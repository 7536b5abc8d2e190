//! Blocks that are given as Verilog text: memories and vendor primitives.

use crate::{loops::Paths, names, tree::Instance};
use rust_hdl::core::atom::AtomKind;

/// Combinational paths of a block given as text: those that its timing does not cut with a register. The timing names ports
/// as the text does, flat.
pub fn paths(instance: &Instance) -> Paths {
    let sampled: Vec<&String> = instance.timing.iter().flat_map(|timing| &timing.inputs).collect();
    let registered: Vec<&String> = instance.timing.iter().flat_map(|timing| &timing.outputs).collect();
    let is_clock = |key: &str| instance.timing.iter().any(|timing| timing.clock == key);
    let of_kind = |kind| instance.atoms.iter().filter(move |atom| atom.kind == kind);
    let free = of_kind(AtomKind::InputParameter).map(|atom| names::flat(&atom.key));
    let inputs = free
        .filter(|port| !sampled.contains(&port) && !is_clock(port))
        .collect();
    of_kind(AtomKind::OutputParameter)
        .map(|atom| names::flat(&atom.key))
        .filter(|port| !registered.contains(&port))
        .map(|port| (port, Clone::clone(&inputs)))
        .collect()
}

/// The text with numbers below zero as Verilog has them: rust-hdl writes `16'h-3` where `-16'h3` is meant.
pub fn with_signs_in_front(body: &str) -> String {
    let mut text = String::new();
    let mut rest = body;
    while let Some(at) = rest.find("'h-").into_iter().chain(rest.find("'b-")).min() {
        let (number, after) = rest.split_at(at);
        let size = number
            .rfind(|c: char| !c.is_ascii_digit())
            .map_or(0, |before| before + 1);
        let base = &after[.."'h".len()];
        text += &format!("{}-{}{base}", &number[..size], &number[size..]);
        rest = &after["'h-".len()..];
    }
    text + rest
}

/// Whether the text assigns to `name` in an `initial` or `always` block, so that it must be a `reg`.
pub fn assigns_in_process(body: &str, name: &str) -> bool {
    let tokens: Vec<&str> = tokens(body).collect();
    (0..tokens.len()).any(|at| tokens[at] == name && starts_statement(&tokens[..at]) && is_assigned(&tokens[at + 1..]))
}

/// Whether a statement may start after these tokens; `(`, `=` or an operator would make it an expression.
fn starts_statement(before: &[&str]) -> bool {
    const OPENERS: [&str; 7] = ["begin", "else", "end", "endcase", ";", ")", ":"];
    before.last().is_some_and(|token| OPENERS.contains(token))
}

/// Whether `=` or `<=` follows, perhaps after an index.
fn is_assigned(after: &[&str]) -> bool {
    let mut depth = 0;
    for token in after {
        match *token {
            "[" => depth += 1,
            "]" => depth -= 1,
            token if depth == 0 => return token == "=" || token == "<=",
            _ => {}
        }
    }
    false
}

/// Words and operators of Verilog, as far as assignments need them; comments are no tokens.
fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$' || c == '\'';
    let is_comparison = |c: char| "<>=!".contains(c);
    let mut rest = text;
    std::iter::from_fn(move || loop {
        rest = rest.trim_start();
        if let Some(comment) = rest.strip_prefix("//") {
            rest = comment.split_once('\n').map_or("", |(_, after)| after);
            continue;
        }
        if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.split_once("*/").map_or("", |(_, after)| after);
            continue;
        }
        let first = rest.chars().next()?;
        let length = match first {
            c if is_word(c) => rest.find(|c| !is_word(c)),
            c if is_comparison(c) => rest.find(|c| !is_comparison(c)),
            c => Some(c.len_utf8()),
        };
        let (token, after) = rest.split_at(length.unwrap_or(rest.len()));
        rest = after;
        return Some(token);
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &str = "
        assign wired = a == q;
        assign part[3:0] = b;
        always @(posedge clk) begin // begin commented <= 1;
            if (q <= 3) q <= d;
            word[8 * lane +: 8] <= d;
            case (d)
                1: chosen = 1;
            endcase
        end
        BUFFER buffer (.in(a), .out(driven)); /* ; commented = 1 */
    ";

    #[test]
    fn signs_go_in_front() {
        let text = "mem[3'b001] = 16'h-2;\nmem[3'b010] = 5'b-11;\n";
        let expected = "mem[3'b001] = -16'h2;\nmem[3'b010] = -5'b11;\n";
        assert_eq!(with_signs_in_front(text), expected);
        assert_eq!(with_signs_in_front(BODY), BODY);
    }

    #[test]
    fn what_a_process_assigns_is_a_register() {
        for name in ["q", "word", "chosen"] {
            assert!(assigns_in_process(BODY, name), "{name}");
        }
        for name in ["wired", "part", "driven", "a", "b", "d", "lane", "commented"] {
            assert!(!assigns_in_process(BODY, name), "{name}");
        }
    }
}

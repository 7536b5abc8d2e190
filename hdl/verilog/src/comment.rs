//! Comments of kernels.
//!
//! rust-hdl's AST keeps `comment!`, `println!` and `assert!` alike, as the text of their call without `comment ! ("` or
//! `println ! ("` before it and `")` behind. So a `println!` of a bare text looks like a comment, and is one; with
//! arguments it has a quotation mark left.

/// A comment in a kernel: the Verilog has it as `//` above the statement that follows it.
///
/// ```
/// use portico_verilog::comment;
/// use rust_hdl::prelude::*;
///
/// #[derive(LogicBlock, Default)]
/// struct Gate {
///     pub a: Signal<In, Bit>,
///     pub b: Signal<In, Bit>,
///     pub y: Signal<Out, Bit>,
/// }
///
/// impl Logic for Gate {
///     #[hdl_gen]
///     fn update(&mut self) {
///         comment!("high while both are");
///         self.y.next = self.a.val() & self.b.val();
///     }
/// }
/// ```
#[macro_export]
macro_rules! comment {
    ($text:literal) => {};
}

/// The text of a comment, if `source` is one.
pub fn text(source: &str) -> Option<String> {
    let called = |name: &str| {
        let rest = source.trim().strip_prefix(name)?.trim_start();
        Some(rest.strip_prefix('!')?.trim())
    };
    if called("assert").is_some() || called("println").is_some() {
        return None;
    }
    // A compiler that writes calls without spaces leaves the name and the bracket.
    let inner = called("comment").map_or(source, |call| call.trim_start_matches('(').trim());
    let inner = inner.strip_prefix('"').unwrap_or(inner);
    let inner = inner.strip_suffix('"').unwrap_or(inner);
    let (mut text, mut rest) = (String::new(), inner.chars());
    while let Some(c) = rest.next() {
        match c {
            '"' => return None,
            '\\' => match rest.next()? {
                'n' => text.push('\n'),
                other => text.push(other),
            },
            _ => text.push(c),
        }
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_told_from_the_rest() {
        for source in ["idle (1)", "comment ! (\"idle (1)", "comment!(\"idle (1)"] {
            assert_eq!(text(source).as_deref(), Some("idle (1)"), "{source}");
        }
        assert_eq!(text("say \\\"no\\\"\\nor yes").as_deref(), Some("say \"no\"\nor yes"));
        for source in [
            "count {}\", self.count.val())",
            "assert ! (self.count.val() < 3)",
            "println ! ()",
        ] {
            assert_eq!(text(source), None, "{source}");
        }
    }
}

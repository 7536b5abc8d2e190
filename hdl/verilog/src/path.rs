//! Paths as kernels spell them: `router[y*8+x+1]$m_axis$tdata`, with indices computed at elaboration.

use crate::{
    error::{Error, Result},
    symbols::Symbols,
};

/// Loop variables in scope, inner last.
pub type Loops = [(String, usize)];

/// The key of the signal that `text` spells: indices evaluated, `next` dropped.
pub fn resolve(text: &str, symbols: &Symbols, loops: &Loops, block: &str) -> Result<String> {
    let mut key = String::new();
    let mut rest = text.trim_start_matches(['$', '.']);
    while let Some(open) = rest.find('[') {
        let close = matching_bracket(rest, open).ok_or_else(|| bad(block, rest, "a bracket is missing"))?;
        key.push_str(&rest[..open]);
        key.push_str(&format!(
            "${}",
            evaluate(&rest[open + 1..close], symbols, loops, block)?
        ));
        rest = &rest[close + 1..];
    }
    key.push_str(rest);
    let key = key.replace('.', "$").replace("::", "$");
    Ok(key.strip_suffix("$next").unwrap_or(&key).to_owned())
}

fn matching_bracket(text: &str, open: usize) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in text.char_indices().skip_while(|(at, _)| *at < open) {
        match c {
            '[' => depth += 1,
            ']' if depth == 1 => return Some(at),
            ']' => depth -= 1,
            _ => {}
        }
    }
    None
}

fn bad(block: &str, index: &str, reason: impl Into<String>) -> Error {
    Error::BadIndex {
        block: block.to_owned(),
        index: index.to_owned(),
        reason: reason.into(),
    }
}

/// Value of an index expression over literals, loop variables and constants (`self.cols.val().index()`).
pub fn evaluate(text: &str, symbols: &Symbols, loops: &Loops, block: &str) -> Result<usize> {
    let mut parser = Parser {
        rest: text,
        symbols,
        loops,
    };
    let value = parser.sum().map_err(|reason| bad(block, text, reason))?;
    if !parser.rest.is_empty() {
        return Err(bad(block, text, format!("`{}` is left over", parser.rest)));
    }
    usize::try_from(value).map_err(|_| bad(block, text, format!("it is {value}")))
}

struct Parser<'a> {
    rest: &'a str,
    symbols: &'a Symbols,
    loops: &'a Loops,
}

impl Parser<'_> {
    fn accept(&mut self, operators: &str) -> Option<char> {
        let first = self.rest.chars().next().filter(|c| operators.contains(*c))?;
        self.rest = &self.rest[1..];
        Some(first)
    }

    fn sum(&mut self) -> Result<i64, String> {
        let mut value = self.product()?;
        while let Some(operator) = self.accept("+-") {
            let right = self.product()?;
            let sum = match operator {
                '+' => value.checked_add(right),
                _ => value.checked_sub(right),
            };
            value = sum.ok_or("it is too large")?;
        }
        Ok(value)
    }

    fn product(&mut self) -> Result<i64, String> {
        let mut value = self.term()?;
        while let Some(operator) = self.accept("*/%") {
            let right = self.term()?;
            let product = match operator {
                _ if operator != '*' && right == 0 => return Err("it divides by zero".into()),
                '*' => value.checked_mul(right),
                '/' => value.checked_div(right),
                _ => value.checked_rem(right),
            };
            value = product.ok_or("it is too large")?;
        }
        Ok(value)
    }

    fn term(&mut self) -> Result<i64, String> {
        if self.accept("(").is_some() {
            let value = self.sum()?;
            return self
                .accept(")")
                .map(|_| value)
                .ok_or_else(|| "a parenthesis is missing".into());
        }
        let word = |c: char| c.is_ascii_alphanumeric() || "_$.:".contains(c);
        let end = self.rest.find(|c: char| !word(c)).unwrap_or(self.rest.len());
        let mut name = &self.rest[..end];
        self.rest = &self.rest[end..];
        // A constant is spelled with calls: `cols$val()$index()`.
        while let Some(rest) = self.rest.strip_prefix("()") {
            let end = rest.find(|c: char| !word(c)).unwrap_or(rest.len());
            self.rest = &rest[end..];
            name = name.trim_end_matches("$val").trim_end_matches("$index");
        }
        if name.starts_with(|c: char| c.is_ascii_digit()) {
            let digits = name.trim_end_matches("usize").replace('_', "");
            return digits.parse().map_err(|_| format!("`{name}` is not a number"));
        }
        if let Some((_, value)) = self.loops.iter().rev().find(|(variable, _)| variable == name) {
            return Ok(*value as i64);
        }
        let key = name.replace("::", "$");
        let constant = self.symbols.constant(&key).map(|constant| &constant.value);
        let value = constant.or(self.symbols.number(&key).map(|number| &number.value));
        value
            .and_then(|value| i64::try_from(value).ok())
            .ok_or_else(|| format!("`{name}` is not a loop variable or Constant"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_are_evaluated_at_every_level() {
        let loops = [("x".to_owned(), 2), ("y".to_owned(), 1), ("x".to_owned(), 3)];
        let key = |text: &str| resolve(text, &Symbols::default(), &loops, "top").unwrap();
        assert_eq!(key("router[y*8+x+1]$m_axis$tdata$next"), "router$12$m_axis$tdata");
        assert_eq!(key("cell[(y+1)*4-1]$to[x%2][7/2]"), "cell$7$to$1$3");
        assert_eq!(key(".west.tdata"), "west$tdata");
        assert_eq!(key("State::Idle"), "State$Idle");
    }
}

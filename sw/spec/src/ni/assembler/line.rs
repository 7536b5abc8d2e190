//! One line of a text, apart from what its words mean.

use super::{AssemblyError, Fault};
use crate::ni::instruction::LOOPS;

/// A word with its place.
pub(super) struct Token {
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
    /// In small letters.
    pub text: String,
}

impl Token {
    pub fn fault(&self, fault: Fault) -> AssemblyError {
        AssemblyError {
            line: self.line,
            column: self.column,
            fault,
        }
    }
}

/// A line with an instruction.
pub(super) struct Line {
    pub mnemonic: Token,
    /// What the commas separate.
    pub items: Vec<Token>,
    /// Loops that end here.
    pub ends: u8,
}

impl Line {
    /// Reads a line; none if it is empty but for a comment.
    pub fn read(line: usize, text: &str) -> Result<Option<Line>, AssemblyError> {
        let mut tokens = tokens(line, text).into_iter();
        let Some(mnemonic) = tokens.next() else {
            return Ok(None);
        };
        let mut rest: Vec<Token> = tokens.collect();
        let ends = match rest.last().filter(|token| token.text.starts_with('!')) {
            None => 0,
            Some(token) => ends(token)?,
        };
        if ends > 0 {
            rest.pop();
        }
        let items = items(&mnemonic, rest)?;
        Ok(Some(Line { mnemonic, items, ends }))
    }
}

/// Words and commas.
fn tokens(line: usize, text: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut in_word = false;
    for (column, letter) in (1..).zip(text.chars()) {
        match letter {
            ';' | '#' => break,
            _ if letter.is_whitespace() => in_word = false,
            _ if in_word && letter != ',' => {
                let word = tokens.last_mut().expect("a word has begun");
                word.text.push(letter.to_ascii_lowercase());
            }
            _ => {
                let text = letter.to_ascii_lowercase().to_string();
                tokens.push(Token { line, column, text });
                in_word = letter != ',';
            }
        }
    }
    tokens
}

/// What stands between the commas: one word each.
fn items(mnemonic: &Token, tokens: Vec<Token>) -> Result<Vec<Token>, AssemblyError> {
    let mut items: Vec<Token> = Vec::new();
    let mut wanted = true;
    let mut comma = None;
    for token in tokens {
        match (token.text == ",", wanted) {
            (true, true) => return Err(token.fault(Fault::NothingBetweenCommas)),
            (true, false) => comma = Some(token),
            (false, true) => {
                items.push(token);
                comma = None;
            }
            (false, false) => {
                let text = token.text.clone();
                return Err(token.fault(Fault::MissingComma { text }));
            }
        }
        wanted = comma.is_some();
    }
    match comma {
        Some(comma) => Err(comma.fault(Fault::NothingBetweenCommas)),
        None if mnemonic.text == "," => Err(mnemonic.fault(Fault::NothingBetweenCommas)),
        None => Ok(items),
    }
}

fn ends(token: &Token) -> Result<u8, AssemblyError> {
    let count = match token.text.strip_prefix("!end") {
        Some("") => Some(1),
        Some(digits) => digits.parse().ok(),
        None => None,
    };
    count
        .filter(|ends| (1..=LOOPS).contains(&usize::from(*ends)))
        .ok_or_else(|| {
            let text = token.text.clone();
            token.fault(Fault::UnknownEnd { text })
        })
}

//! The dispatcher among models of its neighbours.

mod bench;
mod commands;
mod expect;
mod random;
mod requests;
mod waiting;

use super::*;
use bench::{ENTRIES, SPACE};

#[test]
#[should_panic(expected = "descriptor: memory_words = 4194304, allowed: 1 to 4194303")]
fn memories_beyond_an_address_are_refused() {
    Dispatcher::<32>::new(&Build::FULL, &Config::default(), 1 << 22, SPACE, &ENTRIES);
}

//! The dispatcher among models of its neighbours.

mod bench;
mod commands;
mod expect;
mod random;
mod requests;
mod waiting;

use super::*;
use crate::prim::testing::emitted;
use bench::{ENTRIES, MEMORY, SPACE};

#[test]
fn emission() {
    emitted("dispatcher", &Dispatcher::<32>::new(8, MEMORY, SPACE, &ENTRIES));
    emitted("dispatcher-64", &Dispatcher::<64>::new(1, MEMORY, SPACE, &ENTRIES));
}

#[test]
#[should_panic(expected = "descriptor: memory_words = 4194304, allowed: 1 to 4194303")]
fn memories_beyond_an_address_are_refused() {
    Dispatcher::<32>::new(1, 1 << 22, SPACE, &ENTRIES);
}

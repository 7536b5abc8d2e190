//! Programs of C against the static library.

use std::path::Path;

use crate::bench::{folder, run, ROOT};

#[test]
fn a_c_program_moves_words_on_golden() {
    let source = Path::new(ROOT).join("../../examples/c/put.c");
    assert_eq!(run(&folder("put"), &source), "tile 3 has 10 20 30 40\n");
}

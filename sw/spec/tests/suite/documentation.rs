//! The generated page of documentation is the committed one, and programs in the other assemble.

use std::{fs, path::Path};

use portico_spec::{
    ni::{assembler::assemble, render::markdown},
    Config,
};

#[test]
fn the_page_of_registers_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/registers.md");
    let committed = fs::read_to_string(&path).unwrap_or_default();
    let generated = markdown(&Config::default());
    let different = committed
        .lines()
        .zip(generated.lines())
        .position(|(one, other)| one != other);
    assert!(
        committed == generated,
        "docs/registers.md differs from what the tables give, first in line {}: \
         run `cargo run -p portico-cli -- registers > docs/registers.md`",
        1 + different.unwrap_or(committed.lines().count().min(generated.lines().count())),
    );
}

#[test]
fn the_programs_of_the_documentation_assemble() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/network-interface.md");
    let page = fs::read_to_string(path).unwrap();
    let programs: Vec<&str> = page
        .split("```")
        .filter_map(|block| block.strip_prefix("asm\n"))
        .collect();
    assert_eq!(programs.len(), 2);
    for program in programs {
        assemble(program).unwrap_or_else(|error| panic!("{error} of\n{program}"));
    }
}

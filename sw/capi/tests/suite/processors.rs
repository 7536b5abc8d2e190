//! The library for processors that are not this computer's.

use std::{env, path::Path, process::Command};

use crate::bench::{succeed, ROOT};

/// The processors of a Zynq UltraScale+ and of a Zynq 7000. Both have an unsigned `char`, the second has pointers of 32 bits.
const TARGETS: [&str; 2] = ["aarch64-unknown-linux-gnu", "armv7-unknown-linux-gnueabihf"];

/// Whether Rust's standard library for a target is installed.
fn is_installed(target: &str) -> bool {
    let rustc = env::var_os("RUSTC").unwrap_or("rustc".into());
    let folder = succeed(Command::new(rustc).args(["--print", "target-libdir", "--target", target]));
    Path::new(folder.trim_end()).is_dir()
}

#[test]
fn the_library_compiles_for_the_processors_of_a_zynq() {
    // The target folder of this test is locked while another cargo builds there.
    let built = Path::new(env!("CARGO_TARGET_TMPDIR")).join("processors");
    for target in TARGETS {
        if !is_installed(target) {
            println!("not run for {target}: rustup target add {target}");
            continue;
        }
        // A check takes no linker for the target.
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["check", "--locked", "--offline", "--quiet", "-p", "portico-capi"]);
        cargo.args(["--target", target, "--target-dir"]).arg(&built);
        succeed(cargo.current_dir(ROOT));
    }
}

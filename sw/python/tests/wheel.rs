//! The wheel in a fresh Python environment: `run.sh` builds and tries it. Boards of the reference model are served from here, behind
//! pseudo-terminals.

use std::{path::Path, process::Command, thread};

use portico::{serial::Terminal, Config, GoldenTransport};
use portico_golden::Bridge;
use portico_spec::ni::registers::SPACE_BYTES;

/// Boards, each for one test in Python.
const BOARDS: usize = 20;

/// Serves a board of four tiles until the process ends. Returns its path.
fn board() -> String {
    let config = Config::from_toml("cols = 2\nrows = 2").unwrap();
    let golden = GoldenTransport::new(&config).unwrap();
    let mut bridge = Bridge::new(golden, SPACE_BYTES as u32);
    let mut terminal = Terminal::open().unwrap();
    let path = terminal.path().to_owned();
    thread::spawn(move || while terminal.serve(&mut bridge).is_ok() {});
    path
}

#[test]
fn a_wheel_in_a_fresh_venv_moves_words() {
    let work = tempfile::tempdir().unwrap();
    let boards: Vec<_> = (0..BOARDS).map(|_| board()).collect();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/run.sh");
    let mut command = Command::new(script);
    command.arg(work.path()).env("PORTICO_BOARDS", boards.join(":"));
    let output = command.output().unwrap();
    let printed = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    assert!(output.status.success(), "{command:?}: {}{}", printed[0], printed[1]);
}

//! The record of the long tests: an entry is current only with the hash with which it passed.

use std::{fs, path::Path, process::Command};

/// Each entry of `long.sh --list`: its name, and whether the record in this file makes it current.
fn states(record: &Path) -> Vec<(String, bool)> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("long.sh");
    let listed = Command::new(script).arg("--list").env("LONG_RECORD", record).output();
    let listed = listed.expect("long.sh starts");
    assert!(listed.status.success(), "{listed:?}");
    let text = String::from_utf8(listed.stdout).expect("names are text");
    let entries = text.lines().map(|line| {
        let mut words = line.split(' ').map(str::to_owned);
        let (name, state) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        (name, state == "current")
    });
    entries.collect()
}

#[test]
fn an_entry_is_due_unless_its_line_has_its_hash() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (record, kept) = (
        folder.path().join("long.txt"),
        concat!(env!("CARGO_MANIFEST_DIR"), "/long.txt"),
    );
    let none = states(&record);
    assert!(none.len() >= 8 && none.iter().all(|(_, current)| !current), "{none:?}");
    let lines = fs::read_to_string(kept).expect("testbench/long.txt is there");
    for (name, _) in &none {
        assert_eq!(
            lines
                .lines()
                .filter(|line| line.split(' ').next() == Some(name))
                .count(),
            1,
            "{name}"
        );
    }
    let wrong: String = lines.lines().map(|line| format!("{line}0\n")).collect();
    fs::write(&record, wrong).expect("a temporary folder can be written");
    assert_eq!(states(&record), none);
}

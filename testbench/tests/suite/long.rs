//! The record of the long tests: an entry is current only with the hash with which it passed.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

/// An entry of `long.sh --list`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    name: String,
    is_current: bool,
    hash: String,
}

/// Runs `long.sh` with a record in this file.
fn long(record: &Path, argument: &str) -> Output {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("long.sh");
    let ended = Command::new(script).arg(argument).env("LONG_RECORD", record).output();
    ended.expect("long.sh starts")
}

fn entries(record: &Path) -> Vec<Entry> {
    let listed = long(record, "--list");
    assert!(listed.status.success(), "{listed:?}");
    let text = String::from_utf8(listed.stdout).expect("names are text");
    let entry = |line: &str| match line.split(' ').collect::<Vec<_>>()[..] {
        [name, state @ ("current" | "due"), hash, _, ..] => Entry {
            name: name.into(),
            is_current: state == "current",
            hash: hash.into(),
        },
        _ => panic!("{line}"),
    };
    text.lines().map(entry).collect()
}

#[test]
fn an_entry_is_due_unless_its_line_has_its_hash() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let record = folder.path().join("long.txt");
    let kept = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/long.txt")).expect("the record is there");
    let none = entries(&record);
    assert!(
        none.len() >= 8 && none.iter().all(|entry| !entry.is_current),
        "{none:?}"
    );
    for Entry { name, .. } in &none {
        let lines = kept.lines().filter(|line| line.split(' ').next() == Some(name));
        assert_eq!(lines.count(), 1, "{name}");
    }
    // All lines are wrong but the second.
    let lines = none.iter().enumerate().map(|(at, Entry { name, hash, .. })| match at {
        1 => format!("{name} {hash}\n"),
        _ => format!("{name} {hash}0\n"),
    });
    fs::write(&record, lines.collect::<String>()).expect("a temporary folder can be written");
    let mut one = none;
    one[1].is_current = true;
    assert_eq!(entries(&record), one);
}

#[test]
fn an_unknown_entry_is_refused_with_the_known_ones() {
    let refused = long(Path::new("none"), "random-size");
    let errors = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(2), "{errors}");
    assert!(
        errors.contains("random-size;") && errors.contains("random-sizes random-soaks"),
        "{errors}"
    );
}

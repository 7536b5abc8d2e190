//! The lines of `portico run portals --unexpected`: the events of a tile, and its lists after each.

use crate::table::{counted, table};
use portico::portals::{Event, EventKind, PtlList};

/// The lists of a portal index, as its events tell of them.
#[derive(Default)]
struct Lists {
    /// User pointers of entries.
    priority: Vec<u32>,
    overflow: Vec<u32>,
    /// Numbers of messages whose headers are there.
    unexpected: Vec<u64>,
}

impl Lists {
    fn follow(&mut self, event: &Event) {
        let list = match event.ptl_list {
            PtlList::Priority => &mut self.priority,
            PtlList::Overflow => &mut self.overflow,
        };
        match (event.kind, event.ptl_list) {
            (EventKind::Link, _) => list.push(event.user_ptr),
            (EventKind::AutoUnlink, _) => list.retain(|&entry| entry != event.user_ptr),
            (EventKind::Put, PtlList::Overflow) => self.unexpected.push(event.hdr_data),
            (EventKind::PutOverflow, _) => self.unexpected.retain(|&message| message != event.hdr_data),
            _ => {}
        }
    }
}

/// A table of the events, and a line about which receives found their messages.
pub fn lines(events: &[Event]) -> Vec<String> {
    let mut lists = Lists::default();
    let rows = events.iter().map(|event| {
        lists.follow(event);
        let mut row = vec![event.kind.to_string(), event.user_ptr.to_string()];
        row.extend(match event.kind {
            EventKind::Put | EventKind::PutOverflow => [
                format!("{} of rank {}", event.hdr_data, event.initiator),
                event.mlength.to_string(),
                format!("{:#x}", event.start),
            ],
            _ => Default::default(),
        });
        row.push(outcome(event).to_owned());
        row.extend([
            numbers(&lists.priority),
            numbers(&lists.overflow),
            numbers(&lists.unexpected),
        ]);
        row
    });
    let header = [
        "event",
        "entry",
        "message",
        "bytes",
        "start",
        "receive",
        "Priority",
        "Overflow",
        "Unexpected",
    ];
    let text = table(&header, rows, &[1, 3, 4]);
    let count = |expected| events.iter().filter(|event| outcome(event) == expected).count();
    let (found, met) = (count(UNEXPECTED), count(EXPECTED));
    let summary = format!(
        "{}: {found} found messages that had come before them, {met} met messages that came after; all bytes lie at `start`, as sent",
        counted(found + met, "receive")
    );
    text.lines().map(str::to_owned).chain([summary]).collect()
}

const UNEXPECTED: &str = "unexpected";
const EXPECTED: &str = "expected";

/// How a receive got its message, in the event that says so.
fn outcome(event: &Event) -> &'static str {
    match (event.kind, event.ptl_list) {
        (EventKind::PutOverflow, _) => UNEXPECTED,
        (EventKind::Put, PtlList::Priority) => EXPECTED,
        _ => "",
    }
}

fn numbers(list: &[impl ToString]) -> String {
    list.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

//! What the counters may say, and when sequence numbers run out.

use super::Bench;
use anyhow::{ensure, Result};
use portico_spec::portals::list::{Counters, Entry, List, Opcode, ANY_SOURCE};

impl Bench {
    /// Entries that a command searches, at most.
    pub(super) fn searched(&self, opcode: Opcode, list: List, entry: &Entry) -> u64 {
        let lists = match (opcode, list) {
            (Opcode::Append | Opcode::Resolve, _) => return 0,
            (Opcode::AppendSearch | Opcode::AppendHold, _) => vec![List::Unexpected],
            (_, List::All) => vec![List::Priority, List::Overflow],
            (_, list) => vec![list],
        };
        let same_chain = |list: List, other: &Entry| match (self.shape.buckets as u16, list) {
            (0, _) => true,
            (_, List::Unexpected) if entry.has(ANY_SOURCE) => true,
            (buckets, List::Unexpected) => other.source % buckets == entry.source % buckets,
            (buckets, _) => other.has(ANY_SOURCE) || other.source % buckets == entry.source % buckets,
        };
        let entries = |&list: &List| {
            let entries = self.golden.entries(list);
            entries.iter().filter(|other| same_chain(list, other)).count() as u64
        };
        lists.iter().map(entries).sum()
    }

    /// Holds the counters, when no command is under way, to the golden ones.
    pub(super) fn check_counters(&self, seen: &Counters) -> Result<()> {
        let expected = match self.shape.buckets {
            0 => self.golden.counters(),
            _ => Counters {
                compared: seen.compared,
                longest: seen.longest,
                ..self.golden.counters()
            },
        };
        ensure!(*seen == expected, "its counters are {seen:?}, not {expected:?}");
        self.check_lengths(seen)
    }

    /// Holds search lengths to what the chains had when they were searched; an unhashed list manager's are golden.
    pub(super) fn check_lengths(&self, seen: &Counters) -> Result<()> {
        let Counters { compared, longest, .. } = *seen;
        ensure!(
            compared <= self.may_compare && longest <= self.may_longest && longest <= compared,
            "it compared {compared} entries, {longest} at once; {} and {} are possible",
            self.may_compare,
            self.may_longest
        );
        Ok(())
    }

    /// An entry gets a number; when they run out, the entries of Priority and Overflow are numbered afresh.
    pub(super) fn count_number(&mut self) {
        if self.shape.buckets == 0 {
            return;
        }
        self.numbers += 1;
        if self.numbers == self.shape.sequence_limit {
            let [priority, overflow, _] = self.golden.counters().occupancy;
            self.numbers = u64::from(priority) + u64::from(overflow);
            self.corners.ran_out += 1;
        }
    }
}

use super::{EntryRow, ListField, ListOperation, PortalCounts, ShownIn, PLACE_WIDTH};
use portico_spec::portals::list::{GENERATION_OFFSET, GENERATION_WIDTH};
use portico_verilog::prelude::*;

/// State of the resolver of headers.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum ResolveStep {
    /// Waits for a header.
    Idle,
    /// The lists remove the header, or let it go.
    Resolve,
    /// The lists free the place of its entry.
    Release,
}

/// Tells the lists what becomes of a header that they hold for a scan: it leaves if its data are here, else it stays.
///
/// | | |
/// | --- | --- |
/// | latency | from `starts`: 1 cycle beside each operation of the lists, of which there is a second one if a place is freed |
/// | throughput | one header at a time |
/// | state | the step |
///
/// The entry that took a header that leaves has one header less. If the entry has left its list and its messages are
/// complete, the lists free its place with its last header.
#[derive(LogicBlock, Default)]
pub struct HeaderResolver {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// High for a cycle: the lists hold a header, and are asked from the next cycle on.
    pub starts: Signal<In, Bit>,
    /// Rows that the tables show: of the header, of its entry and portal index.
    pub shown: ShownIn,
    /// High for a cycle: the handle of the entry goes to the lists.
    pub write: Signal<Out, Bit>,
    /// The field for a handle.
    pub field: Signal<Out, ListField>,
    /// The handle; valid with `write`.
    pub word: Signal<Out, Bits<32>>,
    /// The lists are asked; stays until `done`.
    pub valid: Signal<Out, Bit>,
    /// The operation; valid with `valid`.
    pub operation: Signal<Out, ListOperation>,
    /// A resolution: the header leaves its list and its place.
    pub removes: Signal<Out, Bit>,
    /// High for a cycle: the operation is carried out.
    pub done: Signal<In, Bit>,
    /// High for a cycle: the row of the entry is written.
    pub entry_write: Signal<Out, Bit>,
    /// That row: a header fewer.
    pub entry: Signal<Out, EntryRow>,
    /// High for a cycle: the counts of the portal index are written.
    pub counts_write: Signal<Out, Bit>,
    /// Those counts: an entry fewer.
    pub counts: Signal<Out, PortalCounts>,
    /// High for a cycle: the header stays, and nothing has changed.
    pub kept: Signal<Out, Bit>,
    /// High for a cycle: the header has left, and its entry keeps its place.
    pub left: Signal<Out, Bit>,
    /// High for a cycle: the header has left, and the place of its entry is free.
    pub freed: Signal<Out, Bit>,
    step: DFF<ResolveStep>,
    asks: DFF<Bit>,
    frees: Signal<Local, Bit>,
}

#[kernel]
impl Logic for HeaderResolver {
    fn update(&mut self) {
        dff_setup!(self, clk, step, asks);
        // The entry has left its list, all its messages are complete, and this is its last header.
        self.frees.next = self.shown.entry.val().detached
            & !self.shown.entry.val().messages.any()
            & (self.shown.entry.val().headers == 1);
        self.write.next = false;
        self.field.next = ListField::Handle;
        self.word.next = bit_cast::<32, PLACE_WIDTH>(self.shown.header.val().owner)
            | field::<32, GENERATION_WIDTH>(self.shown.entry.val().generation, GENERATION_OFFSET);
        self.valid.next = self.asks.q.val();
        self.operation.next = ListOperation::Resolve;
        self.removes.next = false;
        self.entry_write.next = false;
        self.entry.next = self.shown.entry.val();
        self.entry.next.headers = self.shown.entry.val().headers - 1;
        self.counts.next = self.shown.counts.val();
        self.counts.next.entries = self.shown.counts.val().entries - 1;
        self.kept.next = false;
        self.left.next = false;
        self.freed.next = false;
        if self.asks.q.val() & self.done.val() {
            self.asks.d.next = false;
        }
        match self.step.q.val() {
            ResolveStep::Idle => {
                if self.starts.val() {
                    self.asks.d.next = true;
                    self.step.d.next = ResolveStep::Resolve;
                }
            }
            ResolveStep::Resolve => {
                self.removes.next = self.shown.header.val().here;
                if !self.asks.q.val() {
                    self.kept.next = !self.shown.header.val().here;
                    self.entry_write.next = self.shown.header.val().here;
                    self.left.next = self.shown.header.val().here & !self.frees.val();
                    if self.shown.header.val().here & self.frees.val() {
                        self.write.next = true;
                        self.asks.d.next = true;
                        self.step.d.next = ResolveStep::Release;
                    }
                }
            }
            ResolveStep::Release => {
                self.operation.next = ListOperation::Release;
                self.freed.next = !self.asks.q.val();
            }
        }
        self.counts_write.next = self.write.val();
        if self.kept.val() | self.left.val() | self.freed.val() | self.rst.val() {
            self.step.d.next = ResolveStep::Idle;
        }
        if self.rst.val() {
            self.asks.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        portals::engine::HeaderRow,
        prim::testing::{clock, clocked, reset, settle},
    };

    clocked!([] HeaderResolver);

    /// What has become of the header.
    fn ends(dut: &HeaderResolver) -> [bool; 3] {
        [dut.kept.val(), dut.left.val(), dut.freed.val()]
    }

    /// Lets the lists carry `operation` out, in three cycles.
    fn carry_out(dut: &mut HeaderResolver, operation: ListOperation, removes: bool) {
        for cycle in 0..3 {
            dut.done.next = cycle == 2;
            settle(dut);
            assert!(dut.valid.val() && dut.operation.val() == operation);
            assert_eq!((dut.removes.val(), ends(dut)), (removes, [false; 3]));
            assert!(!dut.write.val() && !dut.entry_write.val() && !dut.counts_write.val());
            clock(dut);
        }
        dut.done.next = false;
        settle(dut);
        assert!(!dut.valid.val());
    }

    #[test]
    fn a_header_leaves_when_its_data_are_here_and_the_place_of_its_entry_with_the_last_one() {
        let mut dut = reset(HeaderResolver::default());
        for case in 0..16u64 {
            let [here, detached, is_busy, has_more] = [0, 1, 2, 3].map(|bit| case >> bit & 1 == 1);
            dut.shown.header.next = HeaderRow {
                owner: 3.into(),
                here,
                ..HeaderRow::default()
            };
            dut.shown.entry.next = EntryRow {
                messages: u64::from(is_busy).into(),
                headers: (1 + u64::from(has_more)).into(),
                generation: 5.into(),
                detached,
                ..EntryRow::default()
            };
            dut.shown.counts.next = PortalCounts {
                entries: 9.into(),
                ..PortalCounts::default()
            };
            dut.starts.next = true;
            clock(&mut dut);
            dut.starts.next = false;
            let frees = here && detached && !is_busy && !has_more;
            carry_out(&mut dut, ListOperation::Resolve, here);
            assert_eq!(ends(&dut), [!here, here && !frees, false], "case {case}");
            assert_eq!(
                (dut.entry_write.val(), dut.counts_write.val()),
                (here, frees),
                "case {case}"
            );
            assert_eq!(dut.entry.val().headers.to_u64(), u64::from(has_more));
            assert_eq!(dut.counts.val().entries.to_u64(), 8);
            assert_eq!(dut.write.val(), frees, "case {case}");
            assert_eq!(dut.word.val().to_u64(), 3 | 5 << GENERATION_OFFSET);
            clock(&mut dut);
            if frees {
                carry_out(&mut dut, ListOperation::Release, false);
                assert_eq!(ends(&dut), [false, false, true], "case {case}");
                clock(&mut dut);
            }
            assert!(!dut.valid.val() && ends(&dut) == [false; 3], "case {case}");
        }
    }
}

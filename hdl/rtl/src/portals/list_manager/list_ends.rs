use super::ports::{EndsIn, EndsOut, LIST_BITS};
use portico_verilog::prelude::*;

/// Lists that exist.
const LISTS: usize = 3;

/// The ends of one chain a list.
///
/// Ends of three chains of entries that `A` bits number.
///
/// | | |
/// | --- | --- |
/// | latency | `ends`: 1 cycle after `look`; a change: 1 cycle |
/// | throughput | one look or one change a cycle |
/// | state | first and last entry of three lists, and the list looked at |
#[derive(LogicBlock, Default)]
pub struct ListEnds<const A: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: all chains are empty afterwards.
    pub rst: Signal<In, Bit>,
    /// Turns to `list`, below 3.
    pub look: Signal<In, Bit>,
    /// The list to turn to.
    pub list: Signal<In, Bits<LIST_BITS>>,
    /// Those of the list looked at; a change shows at once.
    pub ends: EndsOut<A>,
    /// Changes them.
    pub write: Signal<In, Bit>,
    /// What they become.
    pub new_ends: EndsIn<A>,
    shown: DFF<Bits<LIST_BITS>>,
    nonempty: [DFF<Bit>; LISTS],
    head: [DFF<Bits<A>>; LISTS],
    tail: [DFF<Bits<A>>; LISTS],
}

#[kernel]
impl<const A: usize> Logic for ListEnds<A> {
    fn update(&mut self) {
        dff_setup!(self, clk, shown);
        if self.look.val() {
            self.shown.d.next = self.list.val();
        }
        self.ends.nonempty.next = false;
        self.ends.head.next = 0.into();
        self.ends.tail.next = 0.into();
        for i in 0..3 {
            self.nonempty[i].clock.next = self.clk.val();
            self.nonempty[i].d.next = self.nonempty[i].q.val();
            self.head[i].clock.next = self.clk.val();
            self.head[i].d.next = self.head[i].q.val();
            self.tail[i].clock.next = self.clk.val();
            self.tail[i].d.next = self.tail[i].q.val();
            if self.shown.q.val() == bits::<LIST_BITS>(i) {
                self.ends.nonempty.next = self.nonempty[i].q.val();
                self.ends.head.next = self.head[i].q.val();
                self.ends.tail.next = self.tail[i].q.val();
                if self.write.val() {
                    self.nonempty[i].d.next = self.new_ends.nonempty.val();
                    self.head[i].d.next = self.new_ends.head.val();
                    self.tail[i].d.next = self.new_ends.tail.val();
                }
            }
            if self.rst.val() {
                self.nonempty[i].d.next = false;
            }
        }
    }
}

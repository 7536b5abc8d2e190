use super::{FinishIn, FinishOut};
use portico_verilog::prelude::*;

/// Blocks that hand over what is to be raised: that of messages and that of commands, of which one has its turn.
const SOURCES: usize = 2;

/// The finisher's input for the block that has its turn.
///
/// Two blocks, of which one at most makes an offer. Combinational, no state.
#[derive(LogicBlock, Default)]
pub struct FinishShare {
    /// Offers of messages, and of commands.
    pub source: [FinishIn; SOURCES],
    /// The offer for the finisher.
    pub chosen: FinishOut,
}

#[kernel]
impl Logic for FinishShare {
    fn update(&mut self) {
        for i in 0..SOURCES {
            self.source[i].ready.next = self.chosen.ready.val() & self.source[i].valid.val();
        }
        self.chosen.valid.next = self.source[0].valid.val() | self.source[1].valid.val();
        wire!(source[0] => chosen: context, portal, queue, overflow, pointer, raises, kind, header, counts, counter);
        wire!(source[0] => chosen: amount, unlinks, frees, answers, slot, outcome, full, used);
        if self.source[1].valid.val() {
            wire!(source[1] => chosen: context, portal, queue, overflow, pointer, raises, kind, header, counts, counter);
            wire!(source[1] => chosen: amount, unlinks, frees, answers, slot, outcome, full, used);
        }
    }
}

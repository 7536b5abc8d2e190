//! Packets through a filter, for unit tests.

use crate::prim::{StreamIn, StreamOut};
use rand::{rngs::SmallRng, Rng};

/// Data bits of a flit.
pub(super) const WIDTH: usize = 32;

/// Packets at a stream that either come out of another or are dropped.
#[derive(Default)]
pub(super) struct Passage {
    /// Data of the flit at the input, and flits of its packet from it on.
    waiting: Option<(u64, usize)>,
    /// Flits of the packet that are still to come.
    left: usize,
    /// Whether the packet is to be dropped.
    is_refused: bool,
    /// Flits that came out, and flits that waited for it.
    pub(super) passed: usize,
    pub(super) stalled: usize,
}

impl Passage {
    /// Sets the inputs. Between flits there may be none; `head` gives the head of a packet and whether it is refused. Gives
    /// the head if one comes to the input that is refused.
    pub(super) fn drive(
        &mut self,
        input: &mut StreamIn<WIDTH>,
        output: &mut StreamOut<WIDTH>,
        rng: &mut SmallRng,
        head: impl Fn(&mut SmallRng) -> (u64, bool),
    ) -> Option<u64> {
        let mut refused_head = None;
        if self.waiting.is_none() && rng.gen_bool(0.7) {
            let mut data = u64::from(rng.gen::<u32>());
            if self.left == 0 {
                self.left = rng.gen_range(1..=4);
                (data, self.is_refused) = head(rng);
                refused_head = self.is_refused.then_some(data);
            }
            self.waiting = Some((data, self.left));
        }
        let (data, left) = self.waiting.unwrap_or((rng.gen::<u32>().into(), 1));
        input.tvalid.next = self.waiting.is_some();
        input.tdata.next = data.into();
        input.tlast.next = left == 1;
        output.tready.next = rng.gen_bool(0.6);
        refused_head
    }

    /// Checks the settled outputs, and takes the flit that goes with the coming clock edge.
    pub(super) fn check(&mut self, input: &StreamIn<WIDTH>, output: &StreamOut<WIDTH>) {
        let shown = output
            .tvalid
            .val()
            .then(|| (output.tdata.val().to_u64(), output.tlast.val()));
        let Some((data, left)) = self.waiting else {
            assert_eq!(shown, None, "nothing was offered");
            return;
        };
        let ready = output.tready.val();
        assert_eq!(shown, (!self.is_refused).then_some((data, left == 1)));
        assert_eq!(
            input.tready.val(),
            ready || self.is_refused,
            "a refused packet never waits"
        );
        self.stalled += usize::from(!input.tready.val());
        if input.tready.val() {
            self.passed += usize::from(!self.is_refused);
            self.waiting = None;
            self.left -= 1;
        }
    }
}

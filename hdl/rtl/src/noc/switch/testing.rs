//! Packets for the outputs of the switch, and what an output should make of them.

use super::Leg;
use crate::prim::{
    testing::{clock, reset, rng, settle, Clocked},
    StreamOut,
};
use rand::{rngs::SmallRng, Rng};

/// Data bits of a flit.
pub(super) const WIDTH: usize = 16;

/// An output with its legs.
pub(super) trait Output: Clocked {
    fn legs(&mut self) -> Vec<&mut Leg<WIDTH>>;
    fn m_axis(&mut self) -> &mut StreamOut<WIDTH>;
    /// Sets the ties anew; gives the numbers of the legs, who goes first first.
    fn set_ties(&mut self, rng: &mut SmallRng) -> Vec<usize>;
}

/// What one leg has to send.
#[derive(Clone, Default)]
struct Sender {
    /// Flits of the packet that have not gone.
    left: usize,
    /// Data of the flit at the leg.
    waiting: Option<u64>,
}

/// Holds an output to this: it gives itself to the first in the order of the ties when a head is offered, and to nobody else
/// until the tail has gone; and a flit that has been offered stays.
pub(super) fn locks_from_head_to_tail<O: Output>(dut: O, seed: u64) {
    let mut rng = rng(seed);
    let mut dut = reset(dut);
    let count = dut.legs().len();
    let mut senders = vec![Sender::default(); count];
    let mut owner = None;
    let mut stalled = None;
    let mut packets = vec![0; count];
    let (mut contests, mut stalls, mut gaps, mut resets) = (0, 0, 0, 0);
    for cycle in 0..6000 {
        let ready = rng.gen_bool(0.7);
        let rst = rng.gen_bool(0.002);
        let order = dut.set_ties(&mut rng);
        for (sender, leg) in senders.iter_mut().zip(dut.legs()) {
            if sender.waiting.is_none() && rng.gen_bool(0.6) {
                if sender.left == 0 {
                    sender.left = rng.gen_range(1..=4);
                }
                sender.waiting = Some(rng.gen_range(0..1 << WIDTH));
            }
            leg.wanted.next = sender.waiting.is_some();
            // What stands at a leg without a flit does not matter.
            leg.data.next = sender.waiting.unwrap_or_else(|| rng.gen_range(0..1 << WIDTH)).into();
            leg.last.next = sender.waiting.map_or_else(|| rng.gen(), |_| sender.left == 1);
        }
        dut.m_axis().tready.next = ready;
        dut.rst().next = rst;
        settle(&mut dut);

        let asks = |leg: &usize| senders[*leg].waiting.is_some() && owner.is_none_or(|owner| owner == *leg);
        let winner = order.iter().copied().find(asks);
        let flit = winner.and_then(|leg| Some((senders[leg].waiting?, senders[leg].left == 1)));
        let shown = dut.m_axis();
        let shown = shown
            .tvalid
            .val()
            .then(|| (shown.tdata.val().to_u64(), shown.tlast.val()));
        assert_eq!(shown, flit, "cycle {cycle}");
        if stalled.is_some() {
            assert_eq!(shown, stalled, "cycle {cycle}: an offered flit stays");
        }
        let taken: Vec<_> = dut.legs().iter().map(|leg| leg.taken.val()).collect();
        let expected: Vec<_> = (0..count).map(|leg| ready && winner == Some(leg)).collect();
        assert_eq!(taken, expected, "cycle {cycle}");

        contests +=
            usize::from(owner.is_none() && senders.iter().filter(|sender| sender.waiting.is_some()).count() > 1);
        gaps +=
            usize::from(owner.is_some() && winner.is_none() && senders.iter().any(|sender| sender.waiting.is_some()));
        stalls += usize::from(winner.is_some() && !ready);
        resets += usize::from(rst && owner.is_some());
        clock(&mut dut);
        stalled = shown.filter(|_| !ready && !rst);
        if let Some(leg) = winner {
            owner = winner;
            if ready {
                senders[leg].waiting = None;
                senders[leg].left -= 1;
                if senders[leg].left == 0 {
                    owner = None;
                    packets[leg] += 1;
                }
            }
        }
        if rst {
            owner = None;
            senders.fill(Sender::default());
        }
    }
    assert!(
        packets.iter().all(|&packets| packets > 20),
        "packets by leg: {packets:?}"
    );
    let corners = [contests, stalls, gaps, resets];
    assert!(
        corners.iter().all(|&times| times > 0),
        "a corner was not reached: {corners:?}"
    );
}

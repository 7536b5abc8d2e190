use portico_verilog::prelude::*;

/// An arbiter with a registered grant: the last user keeps the grant until another asks.
///
/// Grants one of `N` users at a time.
///
/// | | |
/// | --- | --- |
/// | latency | none for the user that has the grant; 1 cycle for another while the one that has it wants nothing |
/// | throughput | a turn a cycle, if every user of a turn gives it up in its last cycle |
/// | fairness | a user that asks gets the grant within `N` - 1 turns |
/// | timing | `grant` is a flip-flop; `follower` is 4 levels behind `request` with 4 users |
/// | state | `N` flip-flops |
///
/// The next user is chosen while the one before it has its turn, so that no cycle is lost between two turns.
#[derive(LogicBlock, Default)]
pub struct ParkedArbiter<const N: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: user 0 has the grant.
    pub rst: Signal<In, Bit>,
    /// One bit a user: it wants a turn, or has it and goes on.
    pub request: Signal<In, Bits<N>>,
    /// The turn may pass to another user: the holder ends its turn in this cycle, or has not begun one.
    pub yields: Signal<In, Bit>,
    /// One-hot: the user that has the turn.
    pub grant: Signal<Out, Bits<N>>,
    /// One-hot: the user to whom the turn passes next, of those that ask now; 0 if no other user asks. Combinational.
    pub follower: Signal<Out, Bits<N>>,
    holder: DFF<Bits<N>>,
    others: Signal<Local, Bits<N>>,
    behind: Signal<Local, Bits<N>>,
    wanted: Signal<Local, Bits<N>>,
}

#[kernel]
impl<const N: usize> Logic for ParkedArbiter<N> {
    fn update(&mut self) {
        dff_setup!(self, clk, holder);
        self.grant.next = self.holder.q.val();
        self.others.next = self.request.val() & !self.holder.q.val();
        // Users behind the holder come before users in front of it; in each group the lowest wins.
        self.behind.next = self.others.val() & !(self.holder.q.val() - 1);
        self.wanted.next = self.others.val();
        if self.behind.val().any() {
            self.wanted.next = self.behind.val();
        }
        self.follower.next = self.wanted.val() & (bits::<N>(0) - self.wanted.val());
        if self.yields.val() & self.others.val().any() {
            self.holder.d.next = self.follower.val();
        }
        if self.rst.val() {
            self.holder.d.next = 1.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock, clocked, reset, rng, settle};
    use rand::Rng;

    clocked!([const N: usize] ParkedArbiter<N>);

    #[test]
    fn the_grant_stays_where_it_is_and_passes_on_in_turn() {
        let mut rng = rng(0x9a2c);
        let mut dut = reset(ParkedArbiter::<5>::default());
        let (mut holder, mut waited, mut longest) = (0usize, [0; 5], 0);
        for cycle in 0..20_000 {
            settle(&mut dut);
            assert_eq!(dut.grant.val(), 1 << holder, "cycle {cycle}");
            let busy = cycle % 2_000 < 1_000;
            let request: u64 = if busy { 31 } else { rng.gen_range(0..32) };
            let yields = rng.gen_bool(0.6);
            dut.request.next = request.into();
            dut.yields.next = yields;
            let next = (1..5)
                .map(|step| (holder + step) % 5)
                .find(|user| request >> user & 1 == 1);
            settle(&mut dut);
            assert_eq!(dut.follower.val(), next.map_or(0, |next| 1 << next), "cycle {cycle}");
            clock(&mut dut);
            if let Some(next) = next.filter(|_| yields) {
                holder = next;
                for (user, turns) in waited.iter_mut().enumerate() {
                    *turns = if user == holder || request >> user & 1 == 0 {
                        0
                    } else {
                        *turns + 1
                    };
                    longest = longest.max(*turns);
                }
            }
        }
        assert_eq!(longest, 4, "turns of others that a user has waited for");
    }

    #[test]
    fn reset_gives_the_grant_to_the_first() {
        let mut dut = reset(ParkedArbiter::<3>::default());
        dut.request.next = 4u64.into();
        dut.yields.next = true;
        clock(&mut dut);
        assert_eq!(dut.grant.val(), 4u64);
        let dut = reset(dut);
        assert_eq!(dut.grant.val(), 1u64);
    }
}

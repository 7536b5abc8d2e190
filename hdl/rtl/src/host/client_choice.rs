use super::gatherer::BEATS_WIDTH;
use portico_verilog::prelude::*;

/// Chooses between two clients that read memory, and stays with one for a burst.
///
/// Serves one client while it asks; if the other client asks too, for at most 16 words.
///
/// | | |
/// | --- | --- |
/// | latency | combinational |
/// | state | 5 flip-flops |
#[derive(LogicBlock, Default)]
pub struct ClientChoice {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// The client of this number offers a read.
    pub asks: [Signal<In, Bit>; 2],
    /// A word of the chosen client is taken in this cycle.
    pub take: Signal<In, Bit>,
    /// The client, of those that ask.
    pub client: Signal<Out, Bit>,
    preferred: DFF<Bit>,
    taken: DFF<Bits<BEATS_WIDTH>>,
}

#[kernel]
impl Logic for ClientChoice {
    fn update(&mut self) {
        dff_setup!(self, clk, preferred, taken);
        self.client.next = self.asks[1].val() & (self.preferred.q.val() | !self.asks[0].val());
        if self.take.val() {
            self.preferred.d.next = self.client.val();
            self.taken.d.next = self.taken.q.val() + 1;
            if self.client.val() != self.preferred.q.val() {
                self.taken.d.next = 1.into();
            }
            if (self.client.val() == self.preferred.q.val()) & self.taken.q.val().all() {
                self.preferred.d.next = !self.client.val();
            }
        }
        if self.rst.val() {
            self.preferred.d.next = false;
            self.taken.d.next = 0.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock, clocked, reset, settle};

    clocked!([] ClientChoice);

    fn taken(dut: &mut ClientChoice, asks: [bool; 2]) -> bool {
        for (port, asks) in dut.asks.iter_mut().zip(asks) {
            port.next = asks;
        }
        dut.take.next = asks[0] || asks[1];
        settle(dut);
        let client = dut.client.val();
        clock(dut);
        client
    }

    #[test]
    fn both_asking_take_turns_of_a_burst_each() {
        let mut dut = reset(ClientChoice::default());
        let clients: Vec<bool> = (0..96).map(|_| taken(&mut dut, [true, true])).collect();
        let expected: Vec<bool> = (0..96).map(|word| word / 16 % 2 == 1).collect();
        assert_eq!(clients, expected);
    }

    #[test]
    fn one_alone_is_always_chosen_and_keeps_its_turn() {
        let mut dut = reset(ClientChoice::default());
        for client in [true, false, true] {
            assert!((0..40).all(|_| taken(&mut dut, [!client, client]) == client));
        }
        for client in [true, false] {
            let mut dut = reset(ClientChoice::default());
            assert_eq!(taken(&mut dut, [!client, client]), client);
            let run = (1..40).take_while(|_| taken(&mut dut, [true, true]) == client).count();
            assert_eq!(run, 15, "the rest of its burst");
        }
    }
}

use portico_verilog::prelude::*;

/// Round-robin arbiter: grants one of `N` requesters a cycle; a requester waits for at most `N - 1` services.
///
/// Grants one of `N` requesters, in turn.
///
/// | | |
/// | --- | --- |
/// | latency | 0 cycles: `grant` is combinational from `request` |
/// | throughput | one grant a cycle |
/// | fairness | a requester that keeps requesting is served within `N` services |
/// | state | `N` flip-flops |
///
/// The circuit is the two-way mask: `behind` marks the requesters that come after the one served last, and the lowest of
/// those that request wins; if none does, the lowest of all. At most 16 can ask.
#[derive(LogicBlock, Default)]
pub struct RoundRobinArbiter<const N: usize> {
    /// Every register changes at its rising edge.
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high. Requester 0 is first after reset.
    pub rst: Signal<In, Bit>,
    /// One bit a requester; may change at any time.
    pub request: Signal<In, Bits<N>>,
    /// High in a cycle in which the granted requester is served: the turn passes on.
    pub served: Signal<In, Bit>,
    /// One-hot; zero without a request.
    pub grant: Signal<Out, Bits<N>>,
    behind: DFF<Bits<N>>,
    preferred: Signal<Local, Bits<N>>,
    chosen: Signal<Local, Bits<N>>,
    /// What lies above one of the chosen, by at most 1, 2, 4, 8 places; and by any.
    above_by: [Signal<Local, Bits<N>>; 4],
    above: Signal<Local, Bits<N>>,
}

#[kernel]
impl<const N: usize> Logic for RoundRobinArbiter<N> {
    fn update(&mut self) {
        dff_setup!(self, clk, behind);
        self.preferred.next = self.request.val() & self.behind.q.val();
        self.chosen.next = self.request.val();
        if self.preferred.val().any() {
            self.chosen.next = self.preferred.val();
        }
        self.above_by[0].next = self.chosen.val() << 1;
        self.above_by[1].next = self.above_by[0].val() | (self.above_by[0].val() << 1);
        self.above_by[2].next = self.above_by[1].val() | (self.above_by[1].val() << 2);
        self.above_by[3].next = self.above_by[2].val() | (self.above_by[2].val() << 4);
        self.above.next = self.above_by[3].val() | (self.above_by[3].val() << 8);
        self.grant.next = self.chosen.val() & !self.above.val();
        // A service without a grant must not move the turn.
        if self.served.val() & self.request.val().any() {
            self.behind.d.next = self.above.val();
        }
        if self.rst.val() {
            self.behind.d.next = 0.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock, clocked, reset, rng, settle};
    use rand::Rng;

    clocked!([const N: usize] RoundRobinArbiter<N>);

    const N: usize = 5;

    /// What the block promises, told another way: a cyclic scan from the one after the last served.
    #[derive(Default)]
    struct Model {
        next: usize,
    }

    impl Model {
        fn grant(&self, request: u64) -> u64 {
            (0..N)
                .map(|step| 1 << ((self.next + step) % N))
                .find(|bit| request & bit != 0)
                .unwrap_or(0)
        }

        fn serve(&mut self, grant: u64) {
            if grant != 0 {
                self.next = (grant.trailing_zeros() as usize + 1) % N;
            }
        }
    }

    fn new() -> RoundRobinArbiter<N> {
        reset(RoundRobinArbiter::default())
    }

    /// Lets inputs settle, and reads the grant as a number.
    fn settled_grant(dut: &mut RoundRobinArbiter<N>) -> u64 {
        settle(dut);
        dut.grant.val().to_u64()
    }

    #[test]
    fn grants_as_the_cyclic_scan_does() {
        let mut rng = rng(0x5eed);
        let (mut dut, mut model) = (new(), Model::default());
        for cycle in 0..5_000 {
            let (request, served) = (rng.gen_range(0..1 << N), rng.gen());
            dut.request.next = request.into();
            dut.served.next = served;
            let grant = settled_grant(&mut dut);
            assert_eq!(grant, model.grant(request), "cycle {cycle}, request {request:05b}");
            if served {
                model.serve(grant);
            }
            clock(&mut dut);
        }
    }

    #[test]
    fn nobody_waits_for_more_than_n_services() {
        let mut dut = new();
        dut.request.next = ((1u64 << N) - 1).into();
        dut.served.next = true;
        let mut order = Vec::new();
        for _ in 0..2 * N {
            order.push(settled_grant(&mut dut).trailing_zeros() as usize);
            clock(&mut dut);
        }
        assert_eq!(order, (0..N).chain(0..N).collect::<Vec<_>>());
    }

    #[test]
    fn a_service_with_no_request_keeps_the_turn() {
        let mut dut = new();
        dut.served.next = true;
        dut.request.next = 0b00100.into();
        settled_grant(&mut dut);
        clock(&mut dut);
        dut.request.next = 0.into();
        assert_eq!(settled_grant(&mut dut), 0);
        clock(&mut dut);
        dut.request.next = 0b01111.into();
        assert_eq!(settled_grant(&mut dut), 0b01000);
    }
}

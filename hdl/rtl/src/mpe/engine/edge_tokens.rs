use super::{EDGES, EDGE_WIDTH};
use portico_spec::mpe::call::{AHEAD, CONTEXTS, CONTEXT_WIDTH, HEAD_NUMBER_WIDTH, KIND_WIDTH, NEIGHBOURS, PLACE_WIDTH};
use portico_verilog::prelude::*;

/// Keeps the tokens of all edges by their calls: the current one, and those that a neighbour may be ahead.
///
/// Of 32 edges.
///
/// | | |
/// | --- | --- |
/// | latency | a token shows in the next cycle; a wrong one in 1 or 2 cycles |
/// | throughput | a token comes in a cycle, and any number are taken |
/// | state | by edge whether there is a token of the current call, of the next, and of the one behind that |
///
/// A second token of a call on an edge only raises `overflow`. A neighbour that follows the protocol never causes this. A token is
/// wrong if its call has ended before it was taken, or runs and is no barrier: then the neighbour means another call.
#[derive(LogicBlock, Default)]
pub struct EdgeTokens {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// High for a cycle: a token comes.
    pub add: Signal<In, Bit>,
    /// Edge on which it comes: context above place; valid with `add`.
    pub neighbour: Signal<In, Bits<EDGE_WIDTH>>,
    /// The low bits of the number of its call; valid with `add`.
    pub number: Signal<In, Bits<HEAD_NUMBER_WIDTH>>,
    /// One bit an edge: the token of the current call is taken.
    pub take: Signal<In, Bits<EDGES>>,
    /// One bit an edge: all its tokens are dropped.
    pub clear: Signal<In, Bits<EDGES>>,
    /// One bit a context: a call runs.
    pub running: Signal<In, Bits<CONTEXTS>>,
    /// One bit a context, for a cycle: its call has ended.
    pub ended: Signal<In, Bits<CONTEXTS>>,
    /// By context the low bits of the number of its current call.
    pub numbers: [Signal<In, Bits<HEAD_NUMBER_WIDTH>>; CONTEXTS],
    /// By context the kind of its current call; valid while the call runs.
    pub kinds: [Signal<In, Bits<KIND_WIDTH>>; CONTEXTS],
    /// One bit an edge: a token of the current call is here.
    pub some: Signal<Out, Bits<EDGES>>,
    /// A token that comes in this cycle is dropped.
    pub overflow: Signal<Out, Bit>,
    /// One bit a context, for a cycle: a token is wrong.
    pub wrong: Signal<Out, Bits<CONTEXTS>>,
    now: DFF<Bits<EDGES>>,
    next: DFF<Bits<EDGES>>,
    behind: DFF<Bits<EDGES>>,
    fails: DFF<Bits<CONTEXTS>>,
    current: Signal<Local, Bits<HEAD_NUMBER_WIDTH>>,
    ahead: Signal<Local, Bits<HEAD_NUMBER_WIDTH>>,
    chosen: Signal<Local, Bits<EDGES>>,
    /// Of the token that comes, by how far its call is ahead; the last of a call that has ended.
    to_now: Signal<Local, Bits<EDGES>>,
    to_next: Signal<Local, Bits<EDGES>>,
    to_behind: Signal<Local, Bits<EDGES>>,
    too_late: Signal<Local, Bits<EDGES>>,
    /// Tokens that are here when what comes and goes in this cycle has done so.
    left: Signal<Local, Bits<EDGES>>,
    left_next: Signal<Local, Bits<EDGES>>,
    left_behind: Signal<Local, Bits<EDGES>>,
    /// Edges of one context; of those whose call has ended, and of those that run another call than a barrier.
    own: Signal<Local, Bits<EDGES>>,
    over: Signal<Local, Bits<EDGES>>,
    strays: Signal<Local, Bits<EDGES>>,
    bad: Signal<Local, Bits<EDGES>>,
    bad_contexts: Signal<Local, Bits<CONTEXTS>>,
    built: Constant<Bits<EDGES>>,
}

impl EdgeTokens {
    /// For the edges of `contexts` contexts.
    pub fn new(contexts: usize) -> Self {
        const {
            assert!(
                AHEAD == 2,
                "a flip-flop each for the calls that a neighbour may be ahead"
            )
        };
        Self {
            built: Constant::new(bits(super::built_edges(contexts))),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for EdgeTokens {
    fn update(&mut self) {
        dff_setup!(self, clk, now, next, behind, fails);
        self.own.next = bits::<EDGES>((1 << NEIGHBOURS) - 1);
        self.over.next = 0.into();
        self.strays.next = 0.into();
        self.current.next = 0.into();
        for i in 0..CONTEXTS {
            if self.neighbour.val().get_bits::<CONTEXT_WIDTH>(PLACE_WIDTH) == bits::<CONTEXT_WIDTH>(i) {
                self.current.next = self.numbers[i].val();
            }
            if self.ended.val().get_bit(i) {
                self.over.next = self.over.val() | self.own.val();
            }
            if self.running.val().get_bit(i) & self.kinds[i].val().any() {
                self.strays.next = self.strays.val() | self.own.val();
            }
            self.own.next = self.own.val() << bits::<6>(NEIGHBOURS as u64);
        }

        // The token that comes.
        self.ahead.next = self.number.val() - self.current.val();
        self.chosen.next = 0.into();
        if self.add.val() {
            self.chosen.next = (bits::<EDGES>(1) << self.neighbour.val()) & self.built.val();
        }
        self.to_now.next = 0.into();
        self.to_next.next = 0.into();
        self.to_behind.next = 0.into();
        self.too_late.next = 0.into();
        if self.ahead.val() == 0 {
            self.to_now.next = self.chosen.val();
        }
        if self.ahead.val() == 1 {
            self.to_next.next = self.chosen.val();
        }
        if self.ahead.val() == 2 {
            self.to_behind.next = self.chosen.val();
        }
        if self.ahead.val() == 3 {
            self.too_late.next = self.chosen.val();
        }
        self.overflow.next = ((self.to_now.val() & self.now.q.val())
            | (self.to_next.val() & self.next.q.val())
            | (self.to_behind.val() & self.behind.q.val()))
        .any();

        // When a call ends, the others move up. Edges that are not built are constants, which synthesis takes out.
        self.left.next = (self.now.q.val() & !self.take.val()) | (self.to_now.val() & !self.now.q.val());
        self.left_next.next = self.next.q.val() | self.to_next.val();
        self.left_behind.next = self.behind.q.val() | self.to_behind.val();
        self.now.d.next = ((self.left.val() & !self.over.val()) | (self.left_next.val() & self.over.val()))
            & !self.clear.val()
            & self.built.val();
        self.next.d.next = ((self.left_next.val() & !self.over.val()) | (self.left_behind.val() & self.over.val()))
            & !self.clear.val()
            & self.built.val();
        self.behind.d.next = self.left_behind.val() & !self.over.val() & !self.clear.val() & self.built.val();
        self.some.next = self.now.q.val();
        self.bad.next =
            self.too_late.val() | (self.left.val() & self.over.val()) | (self.now.q.val() & self.strays.val());
        self.bad_contexts.next = 0.into();
        for i in 0..CONTEXTS {
            if self.bad.val().get_bits::<NEIGHBOURS>(i * NEIGHBOURS).any() {
                self.bad_contexts.next = self.bad_contexts.val().replace_bit(i, true);
            }
        }
        self.fails.d.next = self.bad_contexts.val();
        self.wrong.next = self.fails.q.val();
        if self.rst.val() {
            self.now.d.next = 0.into();
            self.next.d.next = 0.into();
            self.behind.d.next = 0.into();
            self.fails.d.next = 0.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock, clocked, reset, rng, settle};
    use portico_spec::mpe::call::Kind;
    use rand::Rng;

    clocked!([] EdgeTokens);

    const KINDS: usize = 1 << KIND_WIDTH;

    /// A context: the number of its current call, the call that runs, and the numbers of the tokens of each edge.
    #[derive(Clone, Default)]
    struct Context {
        number: u64,
        runs: Option<u64>,
        tokens: [Vec<u64>; NEIGHBOURS],
    }

    #[test]
    fn tokens_are_those_of_their_calls() {
        for contexts in [1, 2, 4] {
            let mut rng = rng(0x70ce + contexts as u64);
            let mut dut = reset(EdgeTokens::new(contexts));
            let mut model = vec![Context::default(); contexts];
            let mut expected_wrong = 0u64;
            let mut seen = [0; 3];
            for _ in 0..6_000 {
                let (at, place) = (rng.gen_range(0..contexts), rng.gen_range(0..NEIGHBOURS));
                let add = rng.gen_bool(0.5);
                // From the call before the current one to two behind it.
                let number = (model[at].number + rng.gen_range(0..4)).wrapping_sub(1);
                let ended: Vec<bool> = model
                    .iter()
                    .map(|context| context.runs.is_some() && rng.gen_bool(0.1))
                    .collect();
                let clear = rng.gen_bool(0.02).then(|| rng.gen_range(0..contexts));
                let running = |context: &Context, at: usize| u64::from(context.runs.is_some() && !ended[at]);
                dut.running.next = model
                    .iter()
                    .enumerate()
                    .map(|(at, context)| running(context, at) << at)
                    .sum::<u64>()
                    .into();
                dut.ended.next = ended
                    .iter()
                    .enumerate()
                    .map(|(at, &ended)| u64::from(ended) << at)
                    .sum::<u64>()
                    .into();
                for (at, context) in model.iter().enumerate() {
                    dut.numbers[at].next = (context.number % 4).into();
                    dut.kinds[at].next = context.runs.unwrap_or(0).into();
                }
                dut.add.next = add;
                dut.neighbour.next = ((at * NEIGHBOURS + place) as u64).into();
                dut.number.next = (number % 4).into();
                let some = |context: &Context, place: usize| context.tokens[place].contains(&context.number);
                let mask = |is: &dyn Fn(&Context, usize) -> bool| {
                    let edges = model
                        .iter()
                        .enumerate()
                        .flat_map(|(at, context)| (0..NEIGHBOURS).map(move |place| (at, context, place)));
                    edges
                        .map(|(at, context, place)| u64::from(is(context, place)) << (at * NEIGHBOURS + place))
                        .sum::<u64>()
                };
                // Only tokens that are here are taken.
                let take = rng.gen::<u64>() & rng.gen::<u64>() & mask(&some);
                dut.take.next = take.into();
                dut.clear.next = clear.map_or(0, |at| 0xffu64 << (at * NEIGHBOURS)).into();
                settle(&mut dut);
                assert_eq!(dut.some.val().to_u64(), mask(&some));
                assert_eq!(dut.wrong.val().to_u64(), expected_wrong);
                let is_second = add && model[at].tokens[place].contains(&number);
                assert_eq!(dut.overflow.val(), is_second);
                seen[0] += usize::from(is_second);
                expected_wrong = 0;
                for (context, own) in model.iter_mut().enumerate() {
                    let mut wrong = own.runs.is_some_and(|kind| kind != Kind::Barrier as u64)
                        && !ended[context]
                        && own.tokens.iter().any(|tokens| tokens.contains(&own.number));
                    for (edge, tokens) in own.tokens.iter_mut().enumerate() {
                        if take >> (context * NEIGHBOURS + edge) & 1 == 1 {
                            tokens.retain(|&token| token != own.number);
                        }
                    }
                    if add && at == context {
                        if number.wrapping_sub(own.number) > AHEAD as u64 {
                            wrong = true;
                            seen[1] += 1;
                        } else if !is_second {
                            own.tokens[place].push(number);
                        }
                    }
                    if ended[context] {
                        let number = own.number;
                        wrong |= own.tokens.iter().any(|tokens| tokens.contains(&number));
                        seen[2] += usize::from(wrong);
                        own.tokens
                            .iter_mut()
                            .for_each(|tokens| tokens.retain(|&token| token > number));
                        (own.number, own.runs) = (number + 1, None);
                    } else if own.runs.is_none() && rng.gen_bool(0.2) {
                        own.runs = Some(rng.gen_range(0..KINDS as u64));
                    }
                    if clear == Some(context) {
                        own.tokens.iter_mut().for_each(Vec::clear);
                    }
                    expected_wrong |= u64::from(wrong) << context;
                }
                clock(&mut dut);
            }
            assert!(seen.iter().all(|&count| count > 20), "{seen:?}");
        }
    }
}

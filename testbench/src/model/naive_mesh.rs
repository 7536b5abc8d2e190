//! A wormhole mesh told naively, cycle by cycle, for the tests of this crate: XY routes, input FIFOs, round-robin held for
//! a packet, one cycle a router.

use crate::device::stream::{Handshakes, StreamDevice};
use portico_spec::{
    routing::{legal_turn, next_port},
    Config, Flit, Head, Port,
};
use std::collections::VecDeque;

#[derive(Clone, Default)]
struct Router {
    fifos: [VecDeque<Flit>; 5],
    /// Output and end of the link of the packet at the front of each input, once its head was there.
    routes: [Option<(Port, Onward)>; 5],
    /// Input that holds each output.
    holders: [Option<usize>; 5],
    /// Input served last, by output.
    turns: [usize; 5],
}

/// Where a flit goes that leaves a router.
#[derive(Clone, Copy)]
enum Onward {
    Router(usize, Port),
    Terminal(usize),
    Nowhere,
}

pub struct NaiveMesh {
    config: Config,
    routers: Vec<Router>,
    accepted: Vec<bool>,
    emitted: Vec<Option<Flit>>,
}

impl NaiveMesh {
    pub fn new(config: &Config) -> Self {
        Self {
            config: config.clone(),
            routers: vec![Router::default(); config.tiles()],
            accepted: vec![false; config.terminals()],
            emitted: vec![None; config.terminals()],
        }
    }

    fn route(&self, router: usize, input: Port, head: Flit) -> (Port, Onward) {
        let at = self.config.tile_node(router);
        let destination = Head::decode(head.data as u32).destination;
        let output = next_port(at, destination);
        let onward = match (self.config.neighbour(at, output), self.config.attached(at, output)) {
            _ if !legal_turn(input, output) => Onward::Nowhere,
            (Some(next), _) => Onward::Router(self.config.node_id(next).unwrap(), output.opposite()),
            (None, Some(terminal)) if destination == self.config.terminal_node(terminal) => Onward::Terminal(terminal),
            _ => Onward::Nowhere,
        };
        (output, onward)
    }

    /// The moves of a router, from the state at the start of the cycle: input, output, end of the link.
    fn moves(&mut self, router: usize, ready: &[bool], room: &[[bool; 5]]) -> Vec<(usize, Port, Onward)> {
        for input in Port::ALL {
            let Router { fifos, routes, .. } = &self.routers[router];
            if let (Some(&front), None) = (fifos[input.index()].front(), routes[input.index()]) {
                self.routers[router].routes[input.index()] = Some(self.route(router, input, front));
            }
        }
        let state = &self.routers[router];
        let move_to = |output: Port| {
            let wants = |input: &usize| {
                state.routes[*input].is_some_and(|(port, _)| port == output) && !state.fifos[*input].is_empty()
            };
            let turn = state.turns[output.index()];
            let input = match state.holders[output.index()] {
                Some(holder) => Some(holder).filter(wants),
                None => (1..=5).map(|step| (turn + step) % 5).find(wants),
            }?;
            let (_, onward) = state.routes[input]?;
            let free = match onward {
                Onward::Router(next, port) => room[next][port.index()],
                Onward::Terminal(terminal) => ready[terminal],
                Onward::Nowhere => true,
            };
            free.then_some((input, output, onward))
        };
        Port::ALL.into_iter().filter_map(move_to).collect()
    }
}

impl StreamDevice for NaiveMesh {
    fn inputs(&self) -> usize {
        self.accepted.len()
    }

    fn outputs(&self) -> usize {
        self.emitted.len()
    }

    fn reset(&mut self) {
        *self = Self::new(&self.config);
    }

    fn cycle(&mut self, offered: &[Option<Flit>], ready: &[bool]) -> Handshakes<'_> {
        let depth = self.config.fifo;
        let room: Vec<[bool; 5]> = (self.routers.iter())
            .map(|router| std::array::from_fn(|input| router.fifos[input].len() < depth))
            .collect();
        let moves: Vec<_> = (0..self.routers.len())
            .map(|router| self.moves(router, ready, &room))
            .collect();
        self.emitted.fill(None);
        let mut entering = vec![];
        for (router, (input, output, onward)) in moves
            .into_iter()
            .enumerate()
            .flat_map(|(router, moves)| moves.into_iter().map(move |step| (router, step)))
        {
            let state = &mut self.routers[router];
            let flit = state.fifos[input].pop_front().unwrap();
            state.holders[output.index()] = Some(input).filter(|_| !flit.last);
            state.turns[output.index()] = input;
            if flit.last {
                state.routes[input] = None;
            }
            match onward {
                Onward::Router(next, port) => entering.push((next, port, flit)),
                Onward::Terminal(terminal) => self.emitted[terminal] = Some(flit),
                Onward::Nowhere => (),
            }
        }
        for (terminal, &offered) in offered.iter().enumerate() {
            let (at, port) = self.config.attachment(terminal);
            let router = self.config.node_id(at).unwrap();
            self.accepted[terminal] = offered.is_some() && room[router][port.index()];
            if let (true, Some(flit)) = (self.accepted[terminal], offered) {
                entering.push((router, port, flit));
            }
        }
        for (router, port, flit) in entering {
            self.routers[router].fifos[port.index()].push_back(flit);
        }
        Handshakes {
            accepted: &self.accepted,
            emitted: &self.emitted,
        }
    }
}

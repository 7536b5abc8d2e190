//! The source queues: unbounded, one a terminal, from which packets enter the network flit by flit.

use super::packet::PacketRequest;
use portico_spec::{Config, Flit};
use rand::{rngs::SmallRng, Rng, SeedableRng};
use std::collections::VecDeque;

/// A packet whose head the network has just accepted.
#[derive(Clone, Copy, Debug)]
pub struct Departure<'a> {
    /// Its source, destination and length.
    pub request: PacketRequest,
    /// All its words, the head first.
    pub words: &'a [u64],
    /// Cycle in which it was generated.
    pub born: u64,
}

#[derive(Clone, Copy, Debug)]
struct Queued {
    request: PacketRequest,
    sequence: u64,
    born: u64,
}

#[derive(Clone, Debug, Default)]
struct Source {
    queue: VecDeque<Queued>,
    /// Packets that ever were in the queue.
    generated: u64,
    /// Words of the packet at the front of the queue, once it is offered.
    words: Vec<u64>,
    /// Which of them is on offer or comes next.
    at: usize,
}

/// The source queues of all terminals of a network.
#[derive(Clone, Debug)]
pub struct Sources {
    config: Config,
    seed: u64,
    idle: f64,
    rng: SmallRng,
    sources: Vec<Source>,
    offered: Vec<Option<Flit>>,
    waiting: usize,
}

impl Sources {
    /// Empty queues. Before each flit a source pauses with probability `idle` (0 to below 1) a cycle; once it offers a
    /// flit it keeps offering it, as AXI4-Stream demands.
    pub fn new(config: &Config, idle: f64, seed: u64) -> Self {
        Self {
            config: config.clone(),
            seed,
            idle,
            rng: SmallRng::seed_from_u64(!seed),
            sources: vec![Source::default(); config.terminals()],
            offered: vec![None; config.terminals()],
            waiting: 0,
        }
    }

    /// Queues a packet generated in cycle `born`.
    pub fn push(&mut self, request: PacketRequest, born: u64) {
        let source = &mut self.sources[request.source];
        source.queue.push_back(Queued {
            request,
            sequence: source.generated,
            born,
        });
        source.generated += 1;
        self.waiting += 1;
    }

    /// What each terminal offers in this cycle.
    pub fn offer(&mut self) -> &[Option<Flit>] {
        for (source, offered) in self.sources.iter_mut().zip(&mut self.offered) {
            let Some(front) = source.queue.front() else { continue };
            if offered.is_some() || (self.idle > 0.0 && self.rng.gen_bool(self.idle)) {
                continue;
            }
            if source.at == 0 {
                front
                    .request
                    .words(&self.config, front.sequence, self.seed, &mut source.words);
            }
            *offered = Some(Flit {
                data: source.words[source.at],
                last: source.at + 1 == source.words.len(),
            });
        }
        &self.offered
    }

    /// Takes note of which offers the network accepted, and tells `depart` of every head among them.
    ///
    /// # Panics
    /// The network accepted what was not offered.
    pub fn accept(&mut self, accepted: &[bool], mut depart: impl FnMut(Departure)) {
        for ((source, offered), _) in self
            .sources
            .iter_mut()
            .zip(&mut self.offered)
            .zip(accepted)
            .filter(|(_, &accepted)| accepted)
        {
            let flit = offered.take().expect("only an offered flit is accepted");
            let front = source.queue[0];
            if source.at == 0 {
                depart(Departure {
                    request: front.request,
                    words: &source.words,
                    born: front.born,
                });
            }
            source.at += 1;
            if flit.last {
                source.queue.pop_front();
                source.at = 0;
                self.waiting -= 1;
            }
        }
    }

    /// Packets whose tail has not entered the network.
    pub fn waiting(&self) -> usize {
        self.waiting
    }

    /// Packets of one terminal whose tail has not entered the network.
    pub fn waiting_at(&self, terminal: usize) -> usize {
        self.sources[terminal].queue.len()
    }

    /// Forgets all packets of which no flit is on offer or in the network; returns how many.
    pub fn discard(&mut self) -> usize {
        let before = self.waiting;
        for (source, offered) in self.sources.iter_mut().zip(&self.offered) {
            let begun = usize::from(source.at > 0 || offered.is_some());
            self.waiting -= source.queue.len() - begun;
            source.queue.truncate(begun);
        }
        before - self.waiting
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(source: usize, flits: usize) -> PacketRequest {
        PacketRequest {
            source,
            destination: 0,
            flits,
        }
    }

    #[test]
    fn packets_leave_whole_and_in_order() {
        let config = Config::default();
        let mut sources = Sources::new(&config, 0.0, 1);
        let lengths = [3, 1, 65, 2];
        for (born, flits) in lengths.into_iter().enumerate() {
            sources.push(request(5, flits), born as u64);
        }
        let (mut departed, mut left) = (vec![], vec![]);
        for _ in 0..lengths.iter().sum() {
            let offered = sources.offer().to_vec();
            assert_eq!(offered.iter().flatten().count(), 1);
            left.push(offered[5].unwrap());
            let accepted: Vec<bool> = offered.iter().map(Option::is_some).collect();
            sources.accept(&accepted, |departure| {
                departed.push((departure.born, departure.words.to_vec()))
            });
        }
        assert_eq!(sources.waiting(), 0);
        assert_eq!(sources.offer().iter().flatten().count(), 0);
        assert_eq!(departed.iter().map(|(born, _)| *born).collect::<Vec<_>>(), [0, 1, 2, 3]);
        let promised: Vec<Flit> = departed.iter().flat_map(|(_, words)| Flit::packet(words)).collect();
        assert_eq!(left, promised);
    }

    #[test]
    fn an_offer_stands_until_it_is_accepted_and_pauses_come_before() {
        let mut sources = Sources::new(&Config::default(), 0.7, 0x5eed);
        sources.push(request(2, 60), 0);
        let (mut standing, mut pauses) = (None, 0);
        for cycle in 0.. {
            let offered = sources.offer()[2];
            assert!(
                standing.is_none() || standing == offered,
                "cycle {cycle}: an offer was withdrawn"
            );
            pauses += usize::from(offered.is_none());
            let mut accepted = vec![false; 16];
            accepted[2] = offered.is_some() && cycle % 3 == 0;
            standing = offered.filter(|_| !accepted[2]);
            sources.accept(&accepted, |_| ());
            if sources.waiting() == 0 {
                break;
            }
        }
        assert!(pauses > 60, "{pauses} pauses");
    }

    #[test]
    fn discarding_spares_what_has_begun() {
        let mut sources = Sources::new(&Config::default(), 0.0, 1);
        for _ in 0..3 {
            sources.push(request(0, 2), 0);
        }
        assert!(sources.offer()[0].is_some());
        sources.push(request(1, 2), 0);
        assert_eq!(sources.discard(), 3);
        assert_eq!(
            (sources.waiting(), sources.waiting_at(0), sources.waiting_at(1)),
            (1, 1, 0)
        );
        assert!(sources.offer()[0].is_some());
    }
}

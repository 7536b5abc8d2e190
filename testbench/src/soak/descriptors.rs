//! Random descriptors, each with what it must come to.

use super::{
    draw::Draw,
    geometry::Shape,
    operation::{Addition, Operation, COUNTER_OFFSETS},
    site::{CREDITS, LANE_WORDS, MESSAGE_WORDS, RECEIVED_WORDS, SHARED},
    workload::Kind,
    wrong,
};
use portico::mailbox::Mailbox;
use portico_spec::{
    flit::MAX_PAYLOAD_FLITS,
    mpe::call::{Call, Kind as CallKind, Transfer as CallTransfer, CONTEXTS},
    ni::{
        command::QUEUE_WORDS,
        descriptor::{Atomic, Command, Descriptor, Transfer},
        ErrorCode,
    },
    probe::{Destination, Run, DESCRIPTOR_WORDS, LEAST_WORDS, RATE_CYCLES},
    streams::{Receive, Send, WAITING},
};
use rand::Rng;

/// Flits of a run of the source/sink core, at most.
const MOST_PROBE_FLITS: u32 = 400;

impl<R: Rng> Draw<'_, R> {
    /// A descriptor of this kind; `None` if the pair can have none of it any more in this round.
    pub fn operation(&mut self, kind: Kind) -> Option<Operation> {
        let plain = |event| (event, None);
        let (command, segment, (event, addition)) = match kind {
            Kind::Put => {
                if self.state.is_read {
                    return None;
                }
                let (command, segment) = match self.random.gen_bool(0.2) {
                    true => (self.put_in_lane(), self.pair.shared),
                    false => (self.put(), self.pair.zone),
                };
                (command, segment, plain(self.shared_event()))
            }
            Kind::Get => {
                // What is to be read must not change: the zone, or what nobody writes.
                let segment = match self.state.is_read {
                    true => self.pair.zone,
                    false => self.pair.fixed,
                };
                (self.get(), segment, plain(self.shared_event()))
            }
            Kind::Program => {
                if self.state.is_read {
                    return None;
                }
                (self.program()?, self.pair.zone, plain(self.shared_event()))
            }
            Kind::Stream => (self.stream()?, self.pair.stream, plain(self.shared_event())),
            Kind::Enqueue => {
                // Where no node has queues the command is refused.
                if self.pair.queue.is_none() && self.config.queues {
                    return None;
                }
                // A node with one core parks nothing: it has as many messages as credits.
                if self.config.cores == 1 && self.state.messages == CREDITS {
                    return None;
                }
                self.state.messages += 1;
                let segment = self.pair.queue.unwrap_or(self.pair.zone);
                (self.message(), segment, plain(self.shared_event()))
            }
            Kind::Mail => (self.mail()?, self.pair.zone, plain(self.shared_event())),
            Kind::Probe => (self.probe()?, self.pair.zone, plain(self.shared_event())),
            Kind::Send => (self.send()?, self.pair.zone, plain(self.shared_event())),
            Kind::Receive => (self.receive()?, self.pair.zone, plain(self.shared_event())),
            // See the module `portals`.
            Kind::Portals => return None,
            Kind::Collective => (self.barrier(), self.pair.zone, plain(self.shared_event())),
            Kind::Fence => (Command::Fence, self.pair.zone, plain(self.shared_event())),
            Kind::Atomic => {
                if self.state.is_read {
                    return None;
                }
                let event = self.single_event()?;
                (self.atomic(), self.pair.zone, plain(event))
            }
            Kind::Shared => {
                let event = self.single_event()?;
                let (command, addition) = self.addition();
                (command, self.pair.counters, (event, Some(addition)))
            }
            Kind::Wrong => {
                let event = self.single_event()?;
                return Some(wrong::operation(self, event));
            }
        };
        let fetches =
            kind == Kind::Atomic && matches!(&command, Command::Atomic { operation, .. } if !operation.is_posted());
        let quiet = !matches!(kind, Kind::Atomic | Kind::Shared) && self.random.gen_bool(0.3);
        let descriptor = Descriptor {
            segment,
            event: event as u8,
            quiet,
            drained: self.random.gen_bool(0.1),
            shaper: self.random.gen_range(0..self.config.shapers as u8),
            command,
        };
        let words = descriptor.encode(self.config).expect("all values are in range");
        if wrong::is_absent(self.config, words[0]) {
            return Some(wrong::refused(words, self.single_event()?, ErrorCode::NotBuilt));
        }
        Some(Operation {
            words,
            kind,
            event,
            counts: !quiet,
            error: None,
            fetches,
            addition,
            room: None,
        })
    }

    fn shared_event(&mut self) -> usize {
        self.random.gen_range(SHARED)
    }

    fn single_event(&mut self) -> Option<usize> {
        self.tile.single_event(self.config)
    }

    /// A shape with a place in the source, or where gets go, and one in a zone.
    fn transfer(&mut self, local: u32, local_words: u32) -> Command {
        let zone = self.site.zone_words;
        let shape = Shape::random(self.random, local_words, zone);
        let remote = self.random.gen_range(0..=zone - shape.remote_words());
        let place = self.random.gen_range(0..=local_words - shape.local_words());
        Command::Put(Transfer {
            remote: remote * self.word(),
            local: local + place * self.word(),
            geometry: shape.geometry(self.word()),
        })
    }

    fn put(&mut self) -> Command {
        let source = self.site.initiators[self.pair.initiator].source;
        self.transfer(source.base, 2 * self.site.zone_words)
    }

    /// A put beside those of other initiators, some of which are wrong.
    fn put_in_lane(&mut self) -> Command {
        let source = self.site.initiators[self.pair.initiator].source;
        let shape = Shape::random(self.random, LANE_WORDS, LANE_WORDS);
        let place = self.random.gen_range(0..=LANE_WORDS - shape.remote_words());
        Command::Put(Transfer {
            remote: (self.pair.lane * LANE_WORDS + place) * self.word(),
            local: source.base,
            geometry: shape.geometry(self.word()),
        })
    }

    fn get(&mut self) -> Command {
        match self.transfer(self.pair.landing.base, self.site.zone_words) {
            Command::Put(transfer) => Command::Get(transfer),
            other => other,
        }
    }

    fn stream(&mut self) -> Option<Command> {
        // The window is half a zone, of which rows fill three quarters.
        let room = self.site.zone_words * 3 / 8 - self.state.streamed;
        let source = self.site.initiators[self.pair.initiator].source;
        let shape = Shape::random(self.random, 2 * self.site.zone_words, 2 * self.site.zone_words).stream();
        if shape.words() == 0 || shape.words() > room {
            return None;
        }
        self.state.streamed += shape.words();
        let place = self
            .random
            .gen_range(0..=2 * self.site.zone_words - shape.local_words());
        Some(Command::Stream {
            local: source.base + place * self.word(),
            geometry: shape.geometry(self.word()),
        })
    }

    /// A run of the source/sink core: of a round no more than fit its command queue, which drops what does not fit.
    fn probe(&mut self) -> Option<Command> {
        self.tile.probes += 1;
        if self.tile.probes > QUEUE_WORDS / (1 + DESCRIPTOR_WORDS) {
            return None;
        }
        let tiles = self.config.tiles();
        let destination = match tiles > 1 && self.random.gen() {
            true => Destination::Uniform,
            false => Destination::Node(self.config.terminal_node(self.random.gen_range(0..tiles))),
        };
        let words = self.random.gen_range(LEAST_WORDS as u32..=MAX_PAYLOAD_FLITS as u32);
        let flits = self.random.gen_range(0..=MOST_PROBE_FLITS);
        let rate = match self.random.gen_bool(0.8) {
            true => 0,
            // So that a run takes a few thousand cycles at most.
            false => self.random.gen_range(RATE_CYCLES / 32..RATE_CYCLES),
        };
        Some(Command::Probe(Run {
            destination,
            words,
            packets: flits / (words + 1),
            rate,
            seed: self.random.gen(),
        }))
    }

    /// Counts a send or a receive: of each no more in a round than may run and wait.
    fn moves(&mut self, direction: usize) -> Option<()> {
        let moves = &mut self.tile.moves[direction];
        *moves += 1;
        (*moves <= 1 + WAITING).then_some(())
    }

    /// Rows of what is put, streamed and sent.
    fn send(&mut self) -> Option<Command> {
        self.moves(0)?;
        let words = 2 * self.site.zone_words;
        let source = self.site.initiators[self.pair.initiator].source;
        let rows = self.random.gen_range(1..=4);
        let row = self.random.gen_range(1..=words.min(24));
        let stride = match rows {
            1 => self.random.gen(),
            _ => self.random.gen_range(0..=(words - row) / (rows - 1)) as u16,
        };
        let behind = match rows {
            1 => words - row,
            _ => words - row - (rows - 1) * u32::from(stride),
        };
        let place = self.random.gen_range(0..=behind);
        Some(Command::Send(Send {
            address: source.base + place * self.word(),
            row: row * self.word(),
            rows,
            stride: u32::from(stride) * self.word(),
            each_row: self.random.gen(),
        }))
    }

    fn receive(&mut self) -> Option<Command> {
        self.moves(1)?;
        let words = self.random.gen_range(1..=RECEIVED_WORDS);
        let place = self.random.gen_range(0..=RECEIVED_WORDS - words);
        // A fabric without streams refuses it: where its words would go does not matter.
        let base = self.site.initiators[self.pair.initiator].received.base;
        Some(Command::Receive(Receive {
            address: base + place * self.word(),
            length: words * self.word(),
        }))
    }

    /// A call of a node without an engine, where it is refused. See [`super::calls`] for those that are not.
    fn barrier(&mut self) -> Command {
        Command::Call(Call::in_turn(
            CallKind::Barrier,
            self.random.gen(),
            self.random.gen_range(0..CONTEXTS as u8),
            CallTransfer::NONE,
        ))
    }

    fn program(&mut self) -> Option<Command> {
        let zone = self.site.zone_words;
        let own = self.site.initiators[self.pair.initiator];
        let shape = Shape::random(self.random, 2 * zone, zone).rows();
        let place = self.random.gen_range(0..=2 * zone - shape.local_words());
        let remote = self.random.gen_range(0..=zone - shape.remote_words());
        // Some outlast what a packet may stay open, and a few run as if they did not end.
        let idle = match self.random.gen_range(0..20) {
            0 => self.random.gen_range(300..600),
            1..=4 => self.random.gen_range(40..100),
            _ => 1,
        };
        let local = own.source.base / self.word() + place;
        Some(Command::Program {
            entry: own.program,
            registers: shape.registers(local, remote, idle)?,
        })
    }

    fn message(&mut self) -> Command {
        let words = self.random.gen_range(0..=MESSAGE_WORDS);
        let source = self.site.initiators[self.pair.initiator].source;
        let place = self.random.gen_range(0..=2 * self.site.zone_words - words);
        Command::Enqueue {
            local: source.base + place * self.word(),
            bytes: words * self.word(),
        }
    }

    fn mail(&mut self) -> Option<Command> {
        // Where the last mail wins there is one a round; barriers join them in any order.
        if !self.pair.is_barrier && self.state.mailed {
            return None;
        }
        self.state.mailed = true;
        Some(Command::Mail {
            node: self.config.terminal_node(self.pair.target),
            // Without mailboxes it is lost, whatever its number.
            mailbox: self.pair.mailbox.as_ref().map_or(0, Mailbox::number),
            value: self.random.gen::<u64>() & self.random.gen::<u64>(),
        })
    }

    fn atomic(&mut self) -> Command {
        let wide = self.random.gen();
        let (bytes, limit) = match wide {
            true => (8, u64::MAX),
            false => (4, u32::MAX.into()),
        };
        let remote = bytes * self.random.gen_range(0..self.site.zone_words * self.word() / bytes);
        let now = self.value(self.pair.zone_region.base + remote, wide);
        let operand = self.random.gen_range(0..=limit);
        // Close to the value that is there: equal, just above or below, or anything.
        let against = match self.random.gen_range(0..4) {
            0 => operand,
            1 => now.saturating_add(1).min(limit),
            _ => now,
        };
        let operation = match self.random.gen_range(0..7) {
            0 => Atomic::PostAdd { addend: operand },
            1 => Atomic::Poke { value: operand },
            2 => Atomic::FetchAdd { addend: operand },
            3 => Atomic::FetchClear,
            4 => Atomic::CompareAndSwap {
                compare: against,
                new: operand,
            },
            5 => Atomic::Peek,
            _ => Atomic::AddIf {
                limit: against,
                addend: operand,
            },
        };
        Command::Atomic {
            remote,
            operation,
            wide,
        }
    }

    fn value(&mut self, address: u32, wide: bool) -> u64 {
        let low = self.golden.peek(self.pair.target, address);
        let high = match wide {
            true => self.golden.peek(self.pair.target, address + 4),
            false => 0,
        };
        u64::from(high) << 32 | u64::from(low)
    }

    fn addition(&mut self) -> (Command, Addition) {
        let (wide, fetched): (bool, bool) = self.random.gen();
        let addend = self.random.gen_range(1..1000);
        let operation = match fetched {
            true => Atomic::FetchAdd { addend },
            false => Atomic::PostAdd { addend },
        };
        let command = Command::Atomic {
            remote: COUNTER_OFFSETS[usize::from(!wide)],
            operation,
            wide,
        };
        let target = self.pair.target;
        let addition = Addition {
            target,
            wide,
            addend,
            fetched,
        };
        (command, addition)
    }
}

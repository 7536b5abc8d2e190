//! The host node: the only one whose address space the driver sees directly. It reaches the others through its own
//! network interface, with puts and gets on the window that each node has over its whole address space.

use std::collections::BTreeMap;

use portico_spec::{
    ni::{
        build::Build,
        descriptor::{Command, Geometry, Transfer},
        registers::{address_at, INITIALISING_OFFSET},
        segment,
    },
    parts::Station,
};

use crate::{
    command,
    registers::{ControlRegister, EventRegister, Registers, SegmentRegister},
    resources::NodeState,
    Error, Fabric, Transport,
};

/// Most segment handles of the host that stand for whole nodes. A further node replaces the others in turn.
const MAX_HANDLES: usize = 64;
/// Name of the driver's accesses in error messages.
const ACCESS: &str = "access of the host";
/// Name of an access that timed out and delays the next one.
const EARLIER: &str = "earlier access of the host";
/// Most bytes of the host's memory that serve as staging memory for accesses to other nodes.
const MAX_STAGING: u32 = 8 << 10;

/// The host's address space, and the parts of it that the driver reserves.
#[derive(Debug)]
pub(crate) struct HostPort<T> {
    pub transport: T,
    pub host: usize,
    pub word_bytes: u32,
    pub timeout: u64,
    memory_bytes: u32,
    build: Build,
    staging: u32,
    staging_bytes: u32,
    /// The node of each handle.
    handles: Vec<Option<usize>>,
    next: usize,
    /// The last access that has begun, if not all have ended.
    under_way: Option<Access>,
    /// Bytes of the staging memory that accesses under way use, while they need not end one by one: see [`Fabric::together`].
    pub taken: Option<u32>,
    /// Events that were read before they are asked for. Any access forgets them.
    pub seen: BTreeMap<(usize, u8), Registers<EventRegister>>,
}

#[derive(Clone, Copy, Debug)]
struct Access {
    node: usize,
    /// The value of the event's counter when the access has ended.
    target: u16,
}

impl<T: Transport> HostPort<T> {
    /// Waits until the host is initialised.
    pub fn open(mut transport: T, host: usize, timeout: u64) -> Result<HostPort<T>, Error> {
        let word_bytes = (transport.config().width / 8) as u32;
        let [bytes, build, engines, status] = [
            ControlRegister::Memory,
            ControlRegister::Build,
            ControlRegister::BuildEngines,
            ControlRegister::Status,
        ]
        .map(|register| address_at(transport.config(), host, register, 0));
        let begun = transport.cycles();
        while transport.read(status)? >> INITIALISING_OFFSET & 1 != 0 {
            if transport.cycles() - begun >= timeout {
                let (node, what, cycles) = (host, "initialisation", timeout);
                return Err(Error::Timeout { node, what, cycles });
            }
        }
        let memory_bytes = transport.read(bytes)?;
        let build = Build::from_registers(transport.read(build)?, transport.read(engines)?);
        let staging_bytes = (memory_bytes / 4).min(MAX_STAGING) / 8 * 8;
        Ok(HostPort {
            transport,
            host,
            word_bytes,
            timeout,
            memory_bytes,
            build,
            staging: memory_bytes - staging_bytes,
            staging_bytes,
            handles: vec![None; MAX_HANDLES.min(build.segments / 2)],
            next: 0,
            under_way: None,
            taken: None,
            seen: BTreeMap::new(),
        })
    }

    /// Whether an access has begun and has not ended.
    pub fn is_under_way(&self) -> bool {
        self.under_way.is_some()
    }

    /// The host's event for the driver's own accesses: the last.
    fn event(&self) -> u8 {
        (self.build.events - 1) as u8
    }

    /// The resources of the host that are left to allocate.
    pub fn state(&self) -> NodeState {
        let mut state = NodeState::new(Station::Host, self.memory_bytes, self.staging, &self.build);
        state.segments.reserve(0..self.handles.len());
        state.events.reserve(usize::from(self.event())..self.build.events);
        state
    }
}

impl<T: Transport> Fabric<T> {
    /// Reads words of a node's address space.
    pub(crate) fn read_space(&mut self, node: usize, address: u32, words: &mut [u32]) -> Result<(), Error> {
        if node == self.port.host {
            return Ok(self.port.transport.read_block(address, words)?);
        }
        let mut address = address;
        for chunk in words.chunks_mut(self.port.staging_bytes as usize / 4) {
            let local = self.stage(chunk.len())?;
            self.access(Command::Get, node, address, (local, chunk.len()))?;
            self.end_access(ACCESS)?;
            self.port.transport.read_block(local, chunk)?;
            address += 4 * chunk.len() as u32;
        }
        Ok(())
    }

    /// Writes words of a node's address space.
    pub(crate) fn write_space(&mut self, node: usize, address: u32, words: &[u32]) -> Result<(), Error> {
        if node == self.port.host {
            return Ok(self.port.transport.write_block(address, words)?);
        }
        let mut address = address;
        for chunk in words.chunks(self.port.staging_bytes as usize / 4) {
            let local = self.stage(chunk.len())?;
            self.port.transport.write_block(local, chunk)?;
            self.access(Command::Put, node, address, (local, chunk.len()))?;
            if self.port.taken.is_none() {
                self.end_access(ACCESS)?;
            }
            address += 4 * chunk.len() as u32;
        }
        Ok(())
    }

    /// Reads words of the address spaces of other nodes: `count` from each of these addresses on. The reads end together.
    pub(crate) fn read_spaces(&mut self, places: &[(usize, u32)], count: usize) -> Result<Vec<Vec<u32>>, Error> {
        // As `stage` rounds: places without gaps.
        let each = count.next_multiple_of(2);
        let mut found = vec![];
        for places in places.chunks(self.port.staging_bytes as usize / 4 / each) {
            self.together(|fabric| {
                places.iter().try_for_each(|&(node, address)| {
                    let local = fabric.stage(count)?;
                    fabric.access(Command::Get, node, address, (local, count))
                })
            })?;
            let mut words = vec![0; each * places.len()];
            self.port.transport.read_block(self.port.staging, &mut words)?;
            found.extend(words.chunks(each).map(|words| words[..count].to_vec()));
        }
        Ok(found)
    }

    /// Lets the writes of `work` end together: none of them is waited for before the next one begins.
    ///
    /// # Errors
    /// That of `work`, else that of a write: it names the last one.
    pub(crate) fn together<R>(&mut self, work: impl FnOnce(&mut Self) -> Result<R, Error>) -> Result<R, Error> {
        self.end_earlier_access()?;
        self.port.taken = Some(0);
        let result = work(self);
        self.port.taken = None;
        let ended = self.end_access(ACCESS);
        let result = result?;
        ended.map(|()| result)
    }

    /// A place in the staging memory for so many words that no access under way uses.
    fn stage(&mut self, words: usize) -> Result<u32, Error> {
        let bytes = (4 * words as u32).next_multiple_of(8);
        let first = match self.port.taken {
            Some(taken) if taken + bytes <= self.port.staging_bytes => taken,
            _ => {
                self.end_earlier_access()?;
                0
            }
        };
        if let Some(taken) = &mut self.port.taken {
            *taken = first + bytes;
        }
        Ok(self.port.staging + first)
    }

    /// Begins to move words between a node's address space and their place in the staging memory.
    fn access(
        &mut self,
        command: fn(Transfer) -> Command,
        node: usize,
        address: u32,
        (local, words): (u32, usize),
    ) -> Result<(), Error> {
        self.port.seen.clear();
        let host = self.port.host;
        let handle = self.handle(node)?;
        let transfer = Transfer {
            remote: address,
            local,
            geometry: Geometry::Row { row: 4 * words as u32 },
        };
        let words = command::encode(self.config(), handle, command(transfer))?;
        let (target, written) = self.issue(host, self.port.event(), &words)?;
        written?;
        self.port.under_way = Some(Access { node, target });
        Ok(())
    }

    /// Waits until no access is under way: an access that timed out still uses the staging memory.
    ///
    /// # Errors
    /// [`Error::Timeout`] and [`Error::Refused`] name the node of the earlier access, because its caller did not learn its result.
    pub(crate) fn end_earlier_access(&mut self) -> Result<(), Error> {
        self.end_access(EARLIER)
    }

    fn end_access(&mut self, what: &'static str) -> Result<(), Error> {
        let Some(Access { node, target }) = self.port.under_way else {
            return Ok(());
        };
        let HostPort { host, timeout, .. } = self.port;
        let registers = self
            .completed(host, self.port.event(), target, timeout)
            .map_err(|error| match error {
                Error::Timeout { cycles, .. } => Error::Timeout { node, what, cycles },
                error => error,
            })?;
        if registers.error.is_some() {
            self.clear_error(host, self.port.event())?;
        }
        self.port.under_way = None;
        match registers.error {
            None => Ok(()),
            Some(code) => Err(Error::Refused { node, what, code }),
        }
    }

    /// A segment handle for the whole address space of the node. Another node gets it only when no access is under way.
    fn handle(&mut self, node: usize) -> Result<u8, Error> {
        if let Some(handle) = self.port.handles.iter().position(|&of| of == Some(node)) {
            return Ok(handle as u8);
        }
        self.end_earlier_access()?;
        let handle = self.port.next;
        self.port.next = (handle + 1) % self.port.handles.len();
        // The handle has no node until its registers are written, so that an error in between leaves no wrong node.
        self.port.handles[handle] = None;
        let [target, size] = segment::space(self.config(), node);
        let registers = [(SegmentRegister::Target, target), (SegmentRegister::Size, size)];
        self.poke_item(self.port.host, handle, registers)?;
        self.port.handles[handle] = Some(node);
        Ok(handle as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        mailbox::Delivery, onesided::Window, program::assemble, registers::CommandRegister, testing::Failing, Config,
        ErrorCode, GoldenTransport, TransportError,
    };

    /// A fabric whose driver has fewer handles than there are nodes, as from 65 nodes on.
    fn with_few_handles(config: &Config) -> Fabric<Failing> {
        let mut fabric = Fabric::open(Failing::new(config)).unwrap();
        fabric.port.handles = vec![None; 8];
        fabric.port.next = 0;
        fabric
    }

    #[test]
    fn a_handle_that_could_not_be_written_stands_for_nobody() {
        let config = Config {
            cols: 5,
            rows: 4,
            edge_nodes: 1,
            ..Config::default()
        };
        for register in [SegmentRegister::Target, SegmentRegister::Size] {
            let mut fabric = with_few_handles(&config);
            // More nodes than handles, so that the next node gets one that another has had.
            for node in 0..config.tiles() {
                fabric.write(node, 0x40, &[node as u32]).unwrap();
            }
            let handle = fabric.port.next;
            let address = address_at(&config, config.tiles(), register, handle);
            fabric.transport().refused = Some(address);
            let failed = fabric.write(2, 0x40, &[100]).unwrap_err();
            assert!(
                matches!(failed, Error::Transport(TransportError::Bus { .. })),
                "{failed}"
            );
            fabric.write(2, 0x40, &[100]).unwrap();
            for node in 0..config.tiles() {
                let expected = if node == 2 { 100 } else { node as u32 };
                assert_eq!(fabric.read(node, 0x40, 1), Ok(vec![expected]), "node {node}");
            }
        }
    }

    /// More nodes than handles, more words than the staging memory has, and more commands than the host's queue.
    #[test]
    fn accesses_that_end_together_leave_what_single_ones_do() {
        for width in [32, 64] {
            let config = Config {
                cols: 6,
                rows: 4,
                width,
                edge_nodes: 1,
                ..Config::default()
            };
            let mut fabric = with_few_handles(&config);
            let words = |tile: usize| (0..600).map(move |at| (tile * 1000 + at) as u32).collect::<Vec<u32>>();
            fabric
                .together(|fabric| (0..24).try_for_each(|tile| fabric.write(tile, 0x40, &words(tile))))
                .unwrap();
            for tile in 0..24 {
                assert_eq!(fabric.read(tile, 0x40, 600).unwrap(), words(tile), "tile {tile}");
                fabric.poke(tile, EventRegister::Count, 3, &[tile as u32 + 1]).unwrap();
            }
            let events: Vec<(usize, u8)> = (0..24).map(|tile| (tile, 3)).collect();
            fabric.read_events_ahead(&events).unwrap();
            let accesses = fabric.transport().cycles();
            for &(tile, event) in &events {
                assert_eq!(fabric.read_event(tile, event).unwrap().count, tile as u16 + 1);
            }
            assert_eq!(fabric.transport().cycles(), accesses, "they are read already");
            // An access in between forgets what was read ahead.
            fabric.read_events_ahead(&events).unwrap();
            fabric.poke(5, EventRegister::Count, 3, &[77]).unwrap();
            assert_eq!(fabric.read_event(5, 3).unwrap().count, 77);
        }
    }

    #[test]
    fn an_access_that_fails_among_others_is_told_and_the_next_ones_go_on() {
        let config = Config {
            cols: 3,
            rows: 2,
            edge_nodes: 2,
            memories: 1,
            ..Config::default()
        };
        let mut fabric = Fabric::open(Failing::new(&config)).unwrap();
        // A memory node takes no commands. The error names the last node.
        let refused = fabric.together(|fabric| {
            fabric.poke(7, CommandRegister::Word, 15, &[0])?;
            fabric.write(2, 0x40, &[5])
        });
        let (node, what, code) = (2, ACCESS, ErrorCode::CommandFull);
        assert_eq!(refused, Err(Error::Refused { node, what, code }));
        assert_eq!(fabric.read(2, 0x40, 1).unwrap(), [5]);
        // A write that began before the error still ends. The caller gets the error of the work.
        let failed = fabric.together(|fabric| {
            fabric.write(1, 0x40, &[6])?;
            fabric.transport().left = Some(0);
            fabric.write(2, 0x40, &[7])
        });
        assert!(
            matches!(failed, Err(Error::Transport(TransportError::Failed(_)))),
            "{failed:?}"
        );
        assert_eq!(fabric.read(1, 0x40, 1).unwrap(), [6]);
        assert_eq!(fabric.read(2, 0x40, 1).unwrap(), [5]);
        // A write that was not sent is told as such, although others are under way.
        let outer = fabric.together(|fabric| {
            fabric.write(1, 0x40, &[8])?;
            fabric.transport().left = Some(0);
            Ok(fabric.poke_once(2, EventRegister::Count, 3, &[1]))
        });
        assert!(matches!(outer, Ok(Err(Error::Transport(_)))), "{outer:?}");
        assert_eq!(fabric.read(1, 0x40, 1).unwrap(), [8]);
    }

    /// In every access that can fail, among them those that wait for others because a handle is replaced.
    #[test]
    fn a_write_is_told_as_sent_if_and_only_if_it_is() {
        let config = Config {
            cols: 4,
            rows: 3,
            edge_nodes: 1,
            ..Config::default()
        };
        let mut fabric = with_few_handles(&config);
        let mut failures = 0;
        for left in 0..80 {
            for tile in 0..12 {
                fabric.poke(tile, EventRegister::Count, 3, &[0]).unwrap();
            }
            fabric.transport().left = Some(left);
            let mut told = vec![];
            let ended = fabric.together(|fabric| {
                told.extend((0..12).map(|tile| fabric.poke_once(tile, EventRegister::Count, 3, &[7])));
                Ok(())
            });
            fabric.transport().left = None;
            failures += usize::from(ended.is_err()) + told.iter().filter(|told| told.is_err()).count();
            for (tile, told) in told.iter().enumerate() {
                let count = fabric.peek(tile, EventRegister::Count, 3).unwrap();
                assert_eq!(count == 7, told.is_ok(), "tile {tile}, access {left}: {told:?}");
            }
        }
        assert!(failures > 30, "{failures}");
    }

    fn fabric(settings: &[&str]) -> Fabric<GoldenTransport> {
        let mut config = Config::default();
        for setting in settings {
            config.set(setting).unwrap();
        }
        Fabric::open(GoldenTransport::new(&config.fabric().unwrap()).unwrap()).unwrap()
    }

    #[test]
    fn a_leaf_host_has_a_segment_for_each_of_16_tiles_beside_the_drivers() {
        let mut fabric = fabric(&["profile=leaf"]);
        let tiles = 0..fabric.config().tiles();
        let segments: Vec<_> = tiles
            .clone()
            .map(|tile| fabric.publish(tile, Window::new(0x40, 8)).unwrap())
            .collect();
        let remotes: Vec<_> = segments
            .iter()
            .map(|segment| fabric.host().clone_segment(segment.id()).unwrap())
            .collect();
        assert_eq!(remotes.len(), 16);
        // Each node has a handle of the driver's, too: no access replaces another's.
        assert!(fabric.port.handles.len() >= fabric.config().terminals());
        for (tile, remote) in tiles.clone().zip(&remotes) {
            let put = fabric.host().poke(remote, 4, 100 + tile as u32).unwrap();
            put.wait(1000).unwrap();
        }
        for tile in tiles {
            assert_eq!(
                fabric.read(tile, 0x40, 2),
                Ok(vec![0, 100 + tile as u32]),
                "tile {tile}"
            );
        }
    }

    #[test]
    fn what_a_leaf_host_lacks_is_refused_with_the_key_that_gives_it() {
        let mut fabric = fabric(&[]);
        let host = fabric.host_node();
        let without = |error: Error, what: &str, key: &str| {
            let expected = format!("node {host} is built without {what}: set the key {key}");
            assert_eq!(error.to_string(), expected);
        };
        without(fabric.queue(host, 4, 16, None).unwrap_err(), "queues", "host_queues");
        let mut queue = fabric.queue(3, 4, 16, None).unwrap();
        without(queue.sender(&mut fabric, host, 1).unwrap_err(), "queues", "host_queues");
        let stop = assemble("stop").unwrap();
        let programs = fabric.load(host, &stop).unwrap_err().to_string();
        assert_eq!(programs, format!("node {host} is built without programs of the user's"));

        // An atomic of the host, and one at the host.
        let wide = "atomics of 64 bits";
        let at_tile = fabric.publish(5, Window::new(0x40, 8)).unwrap();
        let remote = fabric.host().clone_segment(at_tile.id()).unwrap();
        without(
            fabric.host().postadd(&remote, 0, 1u64).unwrap_err(),
            wide,
            "host_profile",
        );
        fabric.host().postadd(&remote, 0, 1u32).unwrap().wait(1000).unwrap();
        let at_host = fabric.publish(host, Window::new(0x40, 8)).unwrap();
        let remote = fabric.tile(5).unwrap().clone_segment(at_host.id()).unwrap();
        let refused = fabric.tile(5).unwrap().fetchadd(&remote, 0, 1u64).unwrap_err();
        without(refused, wide, "host_profile");
    }

    #[test]
    fn a_table_of_the_host_that_is_full_names_the_key_that_makes_it_larger() {
        let mut fabric = fabric(&["segments=16"]);
        let host = fabric.host_node();
        let told = |error: Error, wanted: &str, limit: u32, key: &str| {
            let expected = format!(
                "node {host} cannot allocate {wanted}: it has {limit} in all; the key {key} gives the host more"
            );
            assert_eq!(error.to_string(), expected);
        };
        let mailboxes: Vec<_> = (0..4)
            .map(|_| fabric.mailbox(host, Delivery::Message, None).unwrap())
            .collect();
        let refused = fabric.mailbox(host, Delivery::Message, None).unwrap_err();
        told(refused, "1 mailbox", mailboxes.len() as u32, "host_profile");
        let mut segments = vec![];
        let refused = loop {
            match fabric.clone_space(host, 3) {
                Ok(remote) => segments.push(remote),
                Err(error) => break error,
            }
        };
        told(refused, "1 segment handle", 64, "segments");
        let free = fabric.memory_bytes(host).unwrap() - fabric.port.staging_bytes;
        fabric.allocate(host, free).unwrap();
        told(
            fabric.allocate(host, 8).unwrap_err(),
            "8 bytes of memory",
            free,
            "host_scratchpad",
        );
    }

    #[test]
    fn a_full_host_has_queues_and_names_no_key_for_more() {
        let settings = [
            "profile=leaf",
            "queues=true",
            "host_profile=full",
            "host_queues=true",
            "host_scratchpad=256",
        ];
        let mut fabric = fabric(&settings);
        let host = fabric.host_node();
        let mut queue = fabric.queue(host, 4, 16, None).unwrap();
        let sender = queue.sender(&mut fabric, 5, 2).unwrap();
        fabric.write(5, 0x40, &[1, 2, 3]).unwrap();
        fabric
            .tile(5)
            .unwrap()
            .enqueue(&sender, 0x40, 12)
            .unwrap()
            .wait(1000)
            .unwrap();
        assert_eq!(queue.receive(&mut fabric).unwrap().unwrap().words, [1, 2, 3]);
        let mailboxes: Vec<_> = (0..128)
            .map(|_| fabric.mailbox(host, Delivery::Message, None).unwrap())
            .collect();
        let refused = fabric.mailbox(host, Delivery::Message, None).unwrap_err().to_string();
        let expected = format!(
            "node {host} cannot allocate 1 mailbox: it has {} in all",
            mailboxes.len()
        );
        assert_eq!(refused, expected);
    }

    #[test]
    fn a_compact_tile_says_how_it_gets_programs() {
        let stop = assemble("stop").unwrap();
        let refused = fabric(&["profile=compact"]).load(3, &stop).unwrap_err().to_string();
        let expected = "node 3 is built without programs of the user's: set the key programs";
        assert_eq!(refused, expected);
        let _program = fabric(&["profile=compact", "cores=2", "programs=true"])
            .load(3, &stop)
            .unwrap();
    }
}

//! A fabric set up for the benchmark, through nothing but itself.
//!
//! The host fills its own scratchpad through its port and puts from there into memories and registers of other nodes: each
//! node's system window is open after reset. It gets from them likewise.
//!
//! | bytes of a tile's memory | what |
//! | --- | --- |
//! | from 0 | the pattern: random words that repeat every [`PERIOD`] bytes, the same in all tiles |
//! | the last [`NOTES`] of the lower half | words that descriptors of a measure need |
//! | upper half | where data go |
//!
//! The period is no power of two, and each measure begins at another place of it: words that are left of an earlier measure,
//! or that are written to a wrong place, are not those that are expected.

use super::{
    device::FabricDevice,
    words::{self, Segment, Window},
};
use anyhow::{anyhow, bail, ensure, Context};
use portico::TransportError;
use portico_spec::{
    ni::{
        command::first_place,
        descriptor::{Command, Geometry, Transfer},
        event::Status,
        registers::{self, CommandRegister, EventRegister, Place, SegmentRegister, TagRegister},
        ErrorCode,
    },
    Config,
};
use rand::{rngs::StdRng, RngCore, SeedableRng};

mod setup;

/// Bytes after which the pattern repeats.
pub const PERIOD: usize = 1000;
/// Bytes of the notes of a measure.
pub const NOTES: usize = 512;
/// Most terminals: each takes two of 256 handles, and a queue takes one.
const MOST_TERMINALS: usize = 127;
/// Most bytes that the host puts or gets at once.
const STAGING: usize = 1024;
/// Least memory of a tile with which the benchmark works.
const LEAST_MEMORY: usize = 16 << 10;
/// Longest time until an event shows that it was written.
const SETTLED: u64 = 100;
/// Longest time that one of the host's own transfers may take: it is alone in the fabric.
const HOST_CYCLES: u64 = 20_000;

/// A fabric whose tiles know each other's memories and hold the pattern.
pub struct Bench {
    device: Box<dyn FabricDevice>,
    config: Config,
    memory: usize,
    piece: usize,
    pattern: Vec<u32>,
    shift: usize,
}

impl Bench {
    /// Sets up `device` for transfers of up to `largest` bytes at once, or as many as its memories allow. `seed` is that of
    /// the pattern.
    ///
    /// # Errors
    /// The fabric has no host or too few or too many tiles, its memories are too small, or it does not work.
    pub fn new(device: Box<dyn FabricDevice>, largest: usize, seed: u64) -> anyhow::Result<Self> {
        let mut random = StdRng::seed_from_u64(seed);
        Self::with_pattern(device, largest, &mut || random.next_u32())
    }

    /// The same, with the words of the pattern from `word`.
    ///
    /// # Errors
    /// As [`Bench::new`].
    pub fn with_pattern(
        device: Box<dyn FabricDevice>,
        largest: usize,
        word: &mut dyn FnMut() -> u32,
    ) -> anyhow::Result<Self> {
        let config = device.config().clone();
        ensure!(config.edge_nodes > 0, "a fabric without a host cannot be measured");
        ensure!(
            config.tiles() > 1,
            "a fabric of one tile cannot be measured: it has no neighbour"
        );
        ensure!(
            config.terminals() <= MOST_TERMINALS,
            "a fabric of {} nodes cannot be measured: allowed are {MOST_TERMINALS} at most",
            config.terminals()
        );
        let (segments, least) = (config.segments, Self::least_segments(&config));
        ensure!(
            segments >= least,
            "segments = {segments} is too small to be measured: {} nodes need {least} or more",
            config.terminals()
        );
        let mut bench = Self {
            device,
            memory: 0,
            piece: 0,
            pattern: (0..PERIOD / 4).map(|_| word()).collect(),
            shift: 0,
            config,
        };
        bench.memory = bench.config.memory_bytes(0) as usize;
        ensure!(
            bench.memory >= LEAST_MEMORY,
            "memories of {} bytes are too small to be measured: allowed are {LEAST_MEMORY} or more",
            bench.memory
        );
        bench.piece = Self::longest(bench.memory).min(largest.next_power_of_two());
        bench.set_up_host()?;
        bench.set_up_tiles()?;
        Ok(bench)
    }

    /// Bytes of the least memory, a power of two, with which [`Bench::piece`] is `largest` or more.
    pub fn least_memory(largest: usize) -> usize {
        let mut memories = (0..).map(|log: u32| LEAST_MEMORY << log);
        let is_enough = |&memory: &usize| Self::longest(memory) >= largest;
        memories.find(is_enough).expect("memories grow without end")
    }

    /// Bytes of the longest transfer, a power of two, in a memory of `memory` bytes. The lower half of the memory holds as many bytes
    /// of the pattern from any place of its period on, and the notes.
    fn longest(memory: usize) -> usize {
        1 << (memory / 2 - PERIOD - NOTES).ilog2()
    }

    /// The least `segments` of a fabric: handles of the memory and of the address space of each node, and of a queue.
    pub fn least_segments(config: &Config) -> usize {
        2 * config.terminals() + 1
    }

    /// The configuration of the fabric.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The fabric.
    pub fn device(&mut self) -> &mut dyn FabricDevice {
        &mut *self.device
    }

    /// Most bytes of one transfer.
    pub fn piece(&self) -> usize {
        self.piece
    }

    /// Byte at which the notes of a measure begin.
    pub fn notes(&self) -> usize {
        self.memory / 2 - NOTES
    }

    /// Byte at which the room for data begins; it ends with the memory.
    pub fn room(&self) -> usize {
        self.memory / 2
    }

    /// Where the data of the present measure begin in the pattern.
    pub fn source(&self) -> usize {
        self.shift
    }

    /// Begins a new measure: its data are others than before.
    pub fn shift(&mut self) {
        self.shift = (self.shift + 296) % PERIOD;
    }

    /// Four bytes of the data of the present measure.
    pub fn expected(&self, byte: usize) -> u32 {
        self.pattern[(self.shift + byte) % PERIOD / 4]
    }

    /// The handle by which every tile knows the memory of a terminal.
    pub fn memory_handle(&self, terminal: usize) -> usize {
        terminal
    }

    /// The handle by which every tile and the host know the address space of a terminal.
    pub fn system_handle(&self, terminal: usize) -> usize {
        self.config.terminals() + terminal
    }

    /// The handle that no terminal has: that of a measure's queue.
    pub fn queue_handle(&self) -> usize {
        2 * self.config.terminals()
    }

    /// The terminal of the host.
    pub fn host(&self) -> usize {
        self.config.tiles()
    }

    /// The event of the host's own puts and gets: its last.
    fn host_event(&self) -> usize {
        self.config.build_of(self.host()).events - 1
    }

    /// Byte address of a register of an item in the address space of its node.
    pub fn register(&self, place: impl Place, item: usize) -> usize {
        registers::address(&self.config, place, item)
    }

    /// A put as a descriptor; [`Bench::device`] takes it.
    pub fn put(&self, event: usize, handle: usize, transfer: Transfer) -> Vec<u32> {
        words::descriptor(&self.config, event, handle, Command::Put(transfer))
    }

    /// A get as a descriptor.
    pub fn get(&self, event: usize, handle: usize, transfer: Transfer) -> Vec<u32> {
        words::descriptor(&self.config, event, handle, Command::Get(transfer))
    }

    /// Writes words to the same byte address of several terminals.
    ///
    /// # Errors
    /// The host's port or one of the puts fails.
    pub fn write(&mut self, terminals: &[usize], address: usize, words: &[u32]) -> anyhow::Result<()> {
        for (chunk, words) in words.chunks(STAGING / 4).enumerate() {
            for (at, &word) in words.iter().enumerate() {
                self.host_write(4 * at, word)?;
            }
            let address = address + chunk * STAGING;
            for &terminal in terminals {
                let put = Command::Put(words::linear(address, 0, 4 * words.len()));
                self.host_transfer(terminal, put)
                    .with_context(|| format!("write to {} at {address:#x}", self.config.terminal(terminal)))?;
            }
        }
        Ok(())
    }

    /// Reads words at a byte address of a terminal.
    ///
    /// # Errors
    /// The host's port or the get fails.
    pub fn read(&mut self, terminal: usize, address: usize, words: usize) -> anyhow::Result<Vec<u32>> {
        let mut found = vec![];
        while found.len() < words {
            let address = address + 4 * found.len();
            let bytes = (4 * (words - found.len())).min(STAGING);
            found.extend(self.read_rows(terminal, address, 1, bytes, 0)?);
        }
        Ok(found)
    }

    /// Reads rows of `bytes` that begin every `stride` bytes; all together no more than the host stages.
    ///
    /// # Errors
    /// The host's port or the get fails.
    pub fn read_rows(
        &mut self,
        terminal: usize,
        address: usize,
        rows: usize,
        bytes: usize,
        stride: usize,
    ) -> anyhow::Result<Vec<u32>> {
        assert!(rows * bytes <= STAGING, "{rows} rows of {bytes} bytes");
        let [count, row, remote_stride] = [rows, bytes, stride].map(|size| size as u32);
        let geometry = match rows {
            1 => Geometry::Row { row },
            _ => Geometry::Rows {
                rows: count,
                row,
                local_stride: row,
                remote_stride,
            },
        };
        let get = Command::Get(Transfer {
            remote: address as u32,
            local: 0,
            geometry,
        });
        self.host_transfer(terminal, get)
            .with_context(|| format!("read from {} at {address:#x}", self.config.terminal(terminal)))?;
        (0..rows * bytes / 4).map(|at| self.host_read(4 * at)).collect()
    }

    /// Writes registers side by side from an address on, of several terminals alike.
    ///
    /// # Errors
    /// As [`Bench::write`].
    pub fn write_registers(&mut self, terminals: &[usize], address: usize, values: &[u32]) -> anyhow::Result<()> {
        let words = self.as_words(values);
        self.write(terminals, address, &words)
    }

    /// Values as words of the fabric, of which a register is the low 32 bits.
    pub fn as_words(&self, values: &[u32]) -> Vec<u32> {
        let mut words = vec![0; values.len() * self.config.width / 32];
        words
            .iter_mut()
            .step_by(self.config.width / 32)
            .zip(values)
            .for_each(|(word, &value)| *word = value);
        words
    }

    /// Reads a register of a terminal.
    ///
    /// # Errors
    /// As [`Bench::read`].
    pub fn read_register(&mut self, terminal: usize, place: impl Place, item: usize) -> anyhow::Result<u32> {
        let address = self.register(place, item);
        Ok(self.read(terminal, address, self.config.width / 32)?[0])
    }

    /// Opens a window or queue of a terminal.
    ///
    /// # Errors
    /// As [`Bench::write`].
    pub fn window(&mut self, terminals: &[usize], tag: usize, window: &Window) -> anyhow::Result<()> {
        let values = window.registers(&self.config);
        self.write_registers(terminals, self.register(TagRegister::Base, tag), &values)
    }

    /// Makes segments known to terminals, under handles from `first` on.
    ///
    /// # Errors
    /// As [`Bench::write`].
    pub fn segments(&mut self, terminals: &[usize], first: usize, segments: &[Segment]) -> anyhow::Result<()> {
        let values: Vec<u32> = (segments.iter())
            .flat_map(|segment| segment.registers(&self.config))
            .collect();
        self.write_registers(terminals, self.register(SegmentRegister::Target, first), &values)
    }

    /// Lets the events of tiles from `first` on count from zero, without error, to these thresholds; then none of them has
    /// fired.
    ///
    /// # Errors
    /// As [`Bench::write`], or an event shows that it has fired nevertheless.
    pub fn events(&mut self, tiles: &[usize], first: usize, thresholds: &[usize]) -> anyhow::Result<()> {
        let values: Vec<u32> = (thresholds.iter())
            .flat_map(|&threshold| words::event_registers(threshold))
            .collect();
        self.write_registers(tiles, self.register(EventRegister::Count, first), &values)?;
        let events = u64::MAX >> (u64::BITS as usize - thresholds.len()) << first;
        let end = self.device.cycles() + SETTLED;
        for &tile in tiles {
            while self.device.fired(tile) & events != 0 {
                ensure!(
                    self.device.cycles() < end,
                    "events of tile {tile} have fired before anything happened"
                );
                self.device.cycle();
            }
        }
        Ok(())
    }

    /// The error of an event, if there is one.
    ///
    /// # Errors
    /// As [`Bench::read`].
    pub fn error(&mut self, tile: usize, event: usize) -> anyhow::Result<Option<ErrorCode>> {
        let status = self.read_register(tile, EventRegister::Status, event)?;
        Ok(Status::decode(status)?.error)
    }

    /// Writes four bytes of the host node, at once.
    ///
    /// # Errors
    /// The host's port refuses it.
    pub fn host_write(&mut self, address: usize, word: u32) -> anyhow::Result<()> {
        let written = self.device.write(address as u32, word);
        written.map_err(|error| refused("write to", &error))
    }

    /// Reads four bytes of the host node, at once.
    ///
    /// # Errors
    /// The host's port refuses it.
    pub fn host_read(&mut self, address: usize) -> anyhow::Result<u32> {
        let read = self.device.read(address as u32);
        read.map_err(|error| refused("read from", &error))
    }

    /// Pushes a descriptor at the host's COMMAND registers.
    ///
    /// # Errors
    /// The host's port refuses it.
    pub fn host_command(&mut self, descriptor: &[u32]) -> anyhow::Result<()> {
        let first = first_place(descriptor.len());
        for (at, &word) in descriptor.iter().enumerate() {
            self.host_write(self.register(CommandRegister::Word, first + at), word)?;
        }
        Ok(())
    }

    fn host_transfer(&mut self, terminal: usize, command: Command) -> anyhow::Result<()> {
        let event = self.host_event();
        self.host_write(self.register(EventRegister::Count, event), 0)?;
        let handle = self.system_handle(terminal);
        self.host_command(&words::descriptor(&self.config, event, handle, command))?;
        let end = self.device.cycles() + HOST_CYCLES;
        while self.device.host_fired() >> event & 1 == 0 {
            ensure!(
                self.device.cycles() < end,
                "the host's transfer is not over after {HOST_CYCLES} cycles"
            );
            self.device.cycle();
        }
        let status = self.host_read(self.register(EventRegister::Status, event))?;
        match Status::decode(status)?.error {
            None => Ok(()),
            Some(error) => bail!(error),
        }
    }
}

fn refused(what: &str, error: &TransportError) -> anyhow::Error {
    anyhow!("a {what} of the host's port: {error}")
}

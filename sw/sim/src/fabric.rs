//! A fabric that runs as compiled Verilog: its AXI4-Lite ports, its tiles' command streams and events.

use crate::{
    axi_lite::{AxiLitePort, Passing},
    monitors::{Monitors, Watch},
    portals_log::{LoggedStep, PortalsLog},
    stream::StreamPort,
    Access, Answer, Input, Library, Model, Output, SimError,
};
use portico::{check_port, check_streams, Error, Transport, TransportError, Watched};
use portico_spec::{streams::Beat, Config, Port};
use std::collections::VecDeque;

/// Something outside the fabric that takes part in every cycle, such as an external memory.
pub trait Peripheral {
    /// A cycle begins: set inputs.
    fn drive(&mut self, model: &mut Model);

    /// The cycle has settled: look at outputs, and leave inputs as they are.
    fn observe(&mut self, model: &mut Model);

    /// The fabric is reset: what was under way never ends.
    fn reset(&mut self);
}

/// A tile's command stream and what it shows.
struct TilePins {
    tdata: Input,
    tlast: Input,
    tvalid: Input,
    tready: Output,
    irq: Output,
    fired: Output,
    waiting: VecDeque<(u32, bool)>,
    accepted: u64,
    last_accepted: u64,
}

/// A fabric in simulation, out of reset and with its tables cleared.
pub struct SimulatedFabric {
    model: Model,
    config: Config,
    /// Those of the tiles, where they have any, and that of the host.
    ports: Vec<AxiLitePort>,
    /// Those with accesses that are not answered.
    asking: Vec<usize>,
    host_irq: Output,
    host_fired: Output,
    tiles: Vec<TilePins>,
    active: Vec<usize>,
    /// Those of the tiles, where they have any.
    streams: Vec<StreamPort>,
    /// Those with words to give, or that may take words.
    streaming: Vec<usize>,
    pub(crate) monitors: Option<Monitors>,
    /// A link whose flits are noted.
    watch: Option<Watch>,
    /// Steps of Portals engines, where tiles tell them; noted if `is_logging`.
    portals_log: Option<PortalsLog>,
    is_logging: bool,
    peripherals: Vec<Box<dyn Peripheral>>,
}

/// Cycles after which a stream that a tile can fill has a word.
const STREAM_CYCLES: u64 = 2_000;

/// Longest time that an access of a port may take; a port never waits for the network.
const ACCESS_CYCLES: u64 = 10_000;

impl SimulatedFabric {
    /// A new fabric of `library`, which is the top `fabric` of `config`; it is reset and initialised.
    ///
    /// # Errors
    /// The library has not the ports of that fabric.
    pub fn new(library: &Library, config: &Config) -> Result<Self, SimError> {
        let model = library.model();
        let tile = |at: usize| -> Result<TilePins, SimError> {
            Ok(TilePins {
                tdata: model.input(&format!("s_axis_command_{at}_tdata"))?,
                tlast: model.input(&format!("s_axis_command_{at}_tlast"))?,
                tvalid: model.input(&format!("s_axis_command_{at}_tvalid"))?,
                tready: model.output(&format!("s_axis_command_{at}_tready"))?,
                irq: model.output(&format!("status_{at}_irq"))?,
                fired: model.output(&format!("status_{at}_fired"))?,
                waiting: VecDeque::new(),
                accepted: 0,
                last_accepted: 0,
            })
        };
        let tiles = (0..config.tiles()).map(tile).collect::<Result<_, _>>()?;
        let ported = if config.tile_ports { config.tiles() } else { 0 };
        let prefixes = (0..ported).map(|at| format!("s_axil_tile_{at}"));
        let ports = prefixes.chain(["s_axil".to_owned()]);
        let ports = ports.map(|prefix| AxiLitePort::find(&model, &prefix));
        let streamed = if config.streams { config.tiles() } else { 0 };
        let streams = (0..streamed).map(|at| StreamPort::find(&model, at));
        let mut fabric = Self {
            streams: streams.collect::<Result<_, _>>()?,
            streaming: vec![],
            ports: ports.collect::<Result<_, _>>()?,
            asking: vec![],
            host_irq: model.output("host_irq")?,
            host_fired: model.output("host_fired")?,
            tiles,
            config: config.clone(),
            active: vec![],
            monitors: Monitors::find(&model, config)?,
            watch: None,
            portals_log: PortalsLog::find(&model, config)?,
            is_logging: false,
            peripherals: vec![],
            model,
        };
        fabric.reset();
        Ok(fabric)
    }

    /// The configuration.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Cycles since the model was made.
    pub fn cycles(&self) -> u64 {
        self.model.cycle()
    }

    /// Whether the host node interrupts.
    pub fn interrupt(&mut self) -> bool {
        self.is_high(self.host_irq)
    }

    /// The port of a tile, for the memory and the registers of the tile. An access takes its cycles of all that is at the
    /// fabric: accesses that wait at other ports, descriptors, peripherals.
    ///
    /// A driver that commands the same tile counts the room in its command queue alone: see [`portico::Fabric::reserve`].
    ///
    /// # Errors
    /// [`Error::NoSuchNode`], [`Error::NotBuilt`] if the tiles have no ports.
    pub fn port(&mut self, tile: usize) -> Result<TilePort<'_>, Error> {
        check_port(&self.config, tile)?;
        Ok(TilePort { fabric: self, tile })
    }

    /// Puts something at the fabric's outer ports.
    pub fn attach(&mut self, peripheral: Box<dyn Peripheral>) {
        self.peripherals.push(peripheral);
    }

    /// The model itself, for waveforms and further ports.
    pub fn model(&mut self) -> &mut Model {
        &mut self.model
    }

    /// Resets the fabric in whatever it is doing, forgets descriptors that wait at the command streams and accesses that wait at
    /// the ports, and lets the tables be cleared.
    pub fn reset(&mut self) {
        for tile in &mut self.tiles {
            tile.waiting.clear();
            self.model.set(tile.tvalid, 0);
        }
        for port in &mut self.ports {
            port.reset(&mut self.model);
        }
        for stream in &mut self.streams {
            stream.reset(&mut self.model);
        }
        self.asking.clear();
        self.active.clear();
        self.streaming.clear();
        self.watch = None;
        if let Some(log) = &mut self.portals_log {
            log.steps.clear();
        }
        for peripheral in &mut self.peripherals {
            peripheral.reset();
        }
        self.model.reset(2);
        self.run(portico_spec::ni::INITIALISATION_CYCLES as u64 + 2);
    }

    /// Lets time pass.
    pub fn run(&mut self, cycles: u64) {
        let is_watched = self.watch.is_some() || self.is_logging;
        let is_quiet = !is_watched && self.active.is_empty() && self.asking.is_empty() && self.streaming.is_empty();
        if is_quiet && self.peripherals.is_empty() {
            self.model.run(cycles);
        } else {
            (0..cycles).for_each(|_| self.cycle());
        }
    }

    /// Notes when flits pass a link of the data plane: that from the router of `tile` through `port`. Needs the monitors.
    fn begin_watch(&mut self, tile: usize, port: Port) {
        let Some(monitors) = self.monitors else {
            return;
        };
        self.model.set(monitors.tile, tile as u64);
        self.model.set(monitors.link, port.index() as u64);
        self.model.set(monitors.stalls, 0);
        let tiles = self.tiles.len();
        // Until the chain shows this counter.
        self.run(tiles as u64 + 1);
        self.watch = Some(Watch {
            delay: (1 + tiles - tile) as u64,
            count: self.model.get(monitors.values[0]),
            seen: Watched::default(),
        });
    }

    /// Ends the watch, when its last flits show.
    fn end_watch(&mut self) -> Option<Watched> {
        let delay = self.watch.as_ref()?.delay;
        self.run(delay + 1);
        self.watch.take().map(|watch| watch.seen)
    }

    /// Notes the steps of all Portals engines from now on; false if the fabric is built without key `portals_log`.
    pub fn log_portals(&mut self) -> bool {
        self.is_logging = self.portals_log.is_some();
        self.is_logging
    }

    /// Steps of Portals engines that were noted and not taken, in the order in which they took effect.
    pub fn portals_steps(&mut self) -> Vec<LoggedStep> {
        let log = self.portals_log.as_mut();
        log.map(|log| std::mem::take(&mut log.steps)).unwrap_or_default()
    }

    /// Queues a descriptor at a tile's command stream.
    ///
    /// # Panics
    /// There is no such tile, or the descriptor is empty.
    pub fn command(&mut self, tile: usize, descriptor: &[u32]) {
        let last = descriptor.len().checked_sub(1).expect("a descriptor has words");
        let words = descriptor.iter().enumerate().map(|(at, &word)| (word, at == last));
        if self.tiles[tile].waiting.is_empty() {
            self.active.push(tile);
        }
        self.tiles[tile].waiting.extend(words);
    }

    /// Queues an access at a tile's port: so several ports have accesses in the same cycles. They pass as cycles do.
    ///
    /// # Panics
    /// There is no such tile, or the tiles have no ports.
    pub fn ask(&mut self, tile: usize, access: Access) {
        check_port(&self.config, tile).expect("a tile with a port");
        self.ask_port(tile, access);
    }

    /// The oldest answer of a tile's port that was not taken; `None` if there is none yet.
    ///
    /// # Panics
    /// There is no such tile, or the tiles have no ports.
    pub fn answer(&mut self, tile: usize) -> Option<Answer> {
        check_port(&self.config, tile).expect("a tile with a port");
        self.ports[tile].answer()
    }

    /// Queues words at the stream into a tile. They pass as cycles do, when a receive takes them.
    ///
    /// # Errors
    /// [`Error::NoSuchNode`], [`Error::NotBuilt`] if the tiles have no streams.
    pub fn give(&mut self, tile: usize, beats: &[Beat]) -> Result<(), Error> {
        self.stream(tile)?.give(beats);
        Ok(())
    }

    /// Lets the stream out of a tile give so many words more: so several streams move in the same cycles.
    ///
    /// # Errors
    /// [`Error::NoSuchNode`], [`Error::NotBuilt`] if the tiles have no streams.
    pub fn want(&mut self, tile: usize, beats: usize) -> Result<(), Error> {
        self.stream(tile)?.want(beats);
        Ok(())
    }

    /// Words of the stream out of a tile that have come and were not asked for here.
    ///
    /// # Errors
    /// [`Error::NoSuchNode`], [`Error::NotBuilt`] if the tiles have no streams.
    pub fn taken(&mut self, tile: usize) -> Result<Vec<Beat>, Error> {
        check_streams(&self.config, tile)?;
        Ok(self.streams[tile].taken())
    }

    /// Takes up to `most` words from the stream out of a tile, until none has come for thousands of cycles.
    ///
    /// # Errors
    /// [`Error::NoSuchNode`], [`Error::NotBuilt`] if the tiles have no streams.
    pub fn take(&mut self, tile: usize, most: usize) -> Result<Vec<Beat>, Error> {
        let mut taken = self.taken(tile)?;
        self.want(tile, most.saturating_sub(taken.len()))?;
        let mut silent = 0;
        while taken.len() < most && silent < STREAM_CYCLES {
            self.cycle();
            let new = self.streams[tile].taken();
            silent = if new.is_empty() { silent + 1 } else { 0 };
            taken.extend(new);
        }
        self.streams[tile].want_none(&mut self.model);
        Ok(taken)
    }

    /// The stream of a tile, to give it something to do.
    fn stream(&mut self, tile: usize) -> Result<&mut StreamPort, Error> {
        check_streams(&self.config, tile)?;
        if !self.streaming.contains(&tile) {
            self.streaming.push(tile);
        }
        Ok(&mut self.streams[tile])
    }

    fn ask_port(&mut self, port: usize, access: Access) {
        if !self.ports[port].is_asking() {
            self.asking.push(port);
        }
        self.ports[port].ask(&mut self.model, access);
    }

    /// Makes an access of a port, behind those that wait there.
    fn access(&mut self, port: usize, access: Access) -> Answer {
        self.ask_port(port, access);
        for _ in 0..ACCESS_CYCLES {
            self.cycle();
            if !self.ports[port].is_asking() {
                return self.ports[port].last_answer().expect("all are answered");
            }
        }
        Err(TransportError::Silent {
            address: access.address(),
            cycles: ACCESS_CYCLES,
        })
    }

    /// The host's is the last.
    fn host_port(&self) -> usize {
        self.ports.len() - 1
    }

    fn is_high(&mut self, output: Output) -> bool {
        self.model.settle();
        self.model.get(output) == 1
    }

    /// Descriptors of this tile that were accepted whole, and the cycle in which the last beat of the latest was.
    pub fn accepted(&self, tile: usize) -> (u64, u64) {
        (self.tiles[tile].accepted, self.tiles[tile].last_accepted)
    }

    /// Whether descriptors wait at the tile's command stream.
    pub fn is_busy(&self, tile: usize) -> bool {
        !self.tiles[tile].waiting.is_empty()
    }

    /// The tiles at whose command streams words wait, and how many.
    pub(crate) fn waiting_words(&self) -> Vec<(usize, usize)> {
        let words = self.tiles.iter().map(|tile| tile.waiting.len());
        words.enumerate().filter(|(_, words)| *words > 0).collect()
    }

    /// The events of a tile that have fired, bit 0 for event 0.
    pub fn fired(&mut self, tile: usize) -> u64 {
        self.model.settle();
        self.model.get(self.tiles[tile].fired)
    }

    /// The events of the host node that have fired.
    pub fn host_fired(&mut self) -> u64 {
        self.model.settle();
        self.model.get(self.host_fired)
    }

    /// Runs until an event of a tile has fired; gives the cycle in which it shows, `None` after `limit` cycles.
    pub fn wait_event(&mut self, tile: usize, event: usize, limit: u64) -> Option<u64> {
        let end = self.cycles() + limit;
        while self.fired(tile) >> event & 1 == 0 {
            if self.cycles() >= end {
                return None;
            }
            self.cycle();
        }
        Some(self.cycles())
    }

    /// One cycle with all that takes part in it.
    pub fn cycle(&mut self) {
        for &tile in &self.active {
            let port = &self.tiles[tile];
            let &(word, last) = port.waiting.front().expect("an active stream has words");
            self.model.set(port.tdata, word.into());
            self.model.set(port.tlast, last.into());
            self.model.set(port.tvalid, 1);
        }
        for &tile in &self.streaming {
            self.streams[tile].drive(&mut self.model);
        }
        for peripheral in &mut self.peripherals {
            peripheral.drive(&mut self.model);
        }
        self.model.settle();
        let now = self.model.cycle();
        let mut taken = vec![];
        for &tile in &self.active {
            if self.model.get(self.tiles[tile].tready) == 1 {
                taken.push(tile);
            }
        }
        let passing: Vec<(usize, Passing)> = self
            .asking
            .iter()
            .map(|&port| (port, self.ports[port].passing(&self.model)))
            .collect();
        for &tile in &self.streaming {
            self.streams[tile].observe(&self.model);
        }
        for peripheral in &mut self.peripherals {
            peripheral.observe(&mut self.model);
        }
        if let (Some(watch), Some(monitors)) = (&mut self.watch, &self.monitors) {
            watch.observe(self.model.get(monitors.values[0]), now);
        }
        if let Some(log) = self.portals_log.as_mut().filter(|_| self.is_logging) {
            log.observe(&self.model, now);
        }
        self.model.tick();
        for (port, passing) in passing {
            self.ports[port].pass(&mut self.model, passing);
        }
        for &tile in &self.streaming {
            self.streams[tile].rest(&mut self.model);
        }
        let streams = &self.streams;
        self.streaming.retain(|&tile| streams[tile].is_busy());
        let ports = &self.ports;
        self.asking.retain(|&port| ports[port].is_asking());
        for tile in taken {
            let port = &mut self.tiles[tile];
            let (_, last) = port.waiting.pop_front().expect("an active stream has words");
            if last {
                port.accepted += 1;
                port.last_accepted = now;
            }
            if port.waiting.is_empty() {
                self.model.set(port.tvalid, 0);
                self.active.retain(|&active| active != tile);
            }
        }
    }

    /// Writes a word through the host's port; address and data are offered together.
    ///
    /// # Errors
    /// The response is not OKAY, or there is none.
    pub fn write_word(&mut self, address: u32, value: u32) -> Result<(), TransportError> {
        self.access(self.host_port(), Access::write(address, value)).map(drop)
    }

    /// Reads a word through the host's port.
    ///
    /// # Errors
    /// The response is not OKAY, or there is none.
    pub fn read_word(&mut self, address: u32) -> Result<u32, TransportError> {
        self.access(self.host_port(), Access::Read { address })
    }
}

impl Transport for SimulatedFabric {
    fn config(&self) -> &Config {
        self.config()
    }

    fn read(&mut self, address: u32) -> Result<u32, TransportError> {
        self.read_word(address)
    }

    fn write(&mut self, address: u32, value: u32) -> Result<(), TransportError> {
        self.write_word(address, value)
    }

    fn cycles(&self) -> u64 {
        self.cycles()
    }

    fn wait(&mut self, cycles: u64) {
        self.run(cycles);
    }

    fn interrupt(&mut self) -> bool {
        self.interrupt()
    }

    fn watch(&mut self, tile: usize, port: Port) {
        self.begin_watch(tile, port);
    }

    fn watched(&mut self) -> Option<Watched> {
        self.end_watch()
    }
}

/// The port of a tile as a transport: see [`SimulatedFabric::port`].
pub struct TilePort<'a> {
    fabric: &'a mut SimulatedFabric,
    tile: usize,
}

impl Transport for TilePort<'_> {
    fn config(&self) -> &Config {
        self.fabric.config()
    }

    fn read(&mut self, address: u32) -> Result<u32, TransportError> {
        self.fabric.access(self.tile, Access::Read { address })
    }

    fn write(&mut self, address: u32, value: u32) -> Result<(), TransportError> {
        self.fabric.access(self.tile, Access::write(address, value)).map(drop)
    }

    fn cycles(&self) -> u64 {
        self.fabric.cycles()
    }

    fn wait(&mut self, cycles: u64) {
        self.fabric.run(cycles);
    }

    fn interrupt(&mut self) -> bool {
        let irq = self.fabric.tiles[self.tile].irq;
        self.fabric.is_high(irq)
    }
}

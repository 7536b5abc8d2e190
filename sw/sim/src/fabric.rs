//! A fabric that runs as compiled Verilog: its host's AXI4-Lite port, its tiles' command streams and events.

use crate::{monitors::Monitors, Input, Library, Model, Output, SimError};
use portico::{Transport, TransportError};
use portico_spec::Config;
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

/// The host's port: names as in AMBA AXI4-Lite (ARM IHI 0022), after `s_axil_`.
struct HostPort {
    awaddr: Input,
    awvalid: Input,
    awready: Output,
    wdata: Input,
    wstrb: Input,
    wvalid: Input,
    wready: Output,
    bresp: Output,
    bvalid: Output,
    bready: Input,
    araddr: Input,
    arvalid: Input,
    arready: Output,
    rdata: Output,
    rresp: Output,
    rvalid: Output,
    rready: Input,
}

impl HostPort {
    fn find(model: &Model) -> Result<Self, SimError> {
        let input = |name: &str| model.input(&format!("s_axil_{name}"));
        let output = |name: &str| model.output(&format!("s_axil_{name}"));
        Ok(Self {
            awaddr: input("awaddr")?,
            awvalid: input("awvalid")?,
            awready: output("awready")?,
            wdata: input("wdata")?,
            wstrb: input("wstrb")?,
            wvalid: input("wvalid")?,
            wready: output("wready")?,
            bresp: output("bresp")?,
            bvalid: output("bvalid")?,
            bready: input("bready")?,
            araddr: input("araddr")?,
            arvalid: input("arvalid")?,
            arready: output("arready")?,
            rdata: output("rdata")?,
            rresp: output("rresp")?,
            rvalid: output("rvalid")?,
            rready: input("rready")?,
        })
    }
}

/// A tile's command stream and what it shows.
struct TilePort {
    tdata: Input,
    tlast: Input,
    tvalid: Input,
    tready: Output,
    fired: Output,
    waiting: VecDeque<(u32, bool)>,
    accepted: u64,
    last_accepted: u64,
}

/// A fabric in simulation, out of reset and with its tables cleared.
pub struct SimulatedFabric {
    model: Model,
    config: Config,
    host: HostPort,
    host_irq: Output,
    host_fired: Output,
    tiles: Vec<TilePort>,
    active: Vec<usize>,
    pub(crate) monitors: Option<Monitors>,
    peripherals: Vec<Box<dyn Peripheral>>,
}

/// Longest time that an access of the host's port may take; the port never waits for the network.
const ACCESS_CYCLES: u64 = 10_000;

impl SimulatedFabric {
    /// A new fabric of `library`, which is the top `fabric` of `config`; it is reset and initialised.
    ///
    /// # Errors
    /// The library has not the ports of that fabric.
    pub fn new(library: &Library, config: &Config) -> Result<Self, SimError> {
        let model = library.model();
        let tile = |at: usize| -> Result<TilePort, SimError> {
            Ok(TilePort {
                tdata: model.input(&format!("s_axis_command_{at}_tdata"))?,
                tlast: model.input(&format!("s_axis_command_{at}_tlast"))?,
                tvalid: model.input(&format!("s_axis_command_{at}_tvalid"))?,
                tready: model.output(&format!("s_axis_command_{at}_tready"))?,
                fired: model.output(&format!("status_{at}_fired"))?,
                waiting: VecDeque::new(),
                accepted: 0,
                last_accepted: 0,
            })
        };
        let tiles = (0..config.tiles()).map(tile).collect::<Result<_, _>>()?;
        let mut fabric = Self {
            host: HostPort::find(&model)?,
            host_irq: model.output("host_irq")?,
            host_fired: model.output("host_fired")?,
            tiles,
            config: config.clone(),
            active: vec![],
            monitors: Monitors::find(&model, config)?,
            peripherals: vec![],
            model,
        };
        fabric.model.set(fabric.host.bready, 1);
        fabric.model.set(fabric.host.rready, 1);
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
        self.model.settle();
        self.model.get(self.host_irq) == 1
    }

    /// Puts something at the fabric's outer ports.
    pub fn attach(&mut self, peripheral: Box<dyn Peripheral>) {
        self.peripherals.push(peripheral);
    }

    /// The model itself, for waveforms and further ports.
    pub fn model(&mut self) -> &mut Model {
        &mut self.model
    }

    /// Resets the fabric in whatever it is doing, forgets descriptors that wait at the command streams, and lets the
    /// tables be cleared.
    pub fn reset(&mut self) {
        for tile in &mut self.tiles {
            tile.waiting.clear();
            self.model.set(tile.tvalid, 0);
        }
        for input in [self.host.awvalid, self.host.wvalid, self.host.arvalid] {
            self.model.set(input, 0);
        }
        self.active.clear();
        for peripheral in &mut self.peripherals {
            peripheral.reset();
        }
        self.model.reset(2);
        self.run(portico_spec::ni::INITIALISATION_CYCLES as u64 + 2);
    }

    /// Lets time pass.
    pub fn run(&mut self, cycles: u64) {
        if self.active.is_empty() && self.peripherals.is_empty() {
            self.model.run(cycles);
        } else {
            (0..cycles).for_each(|_| self.cycle());
        }
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
        for peripheral in &mut self.peripherals {
            peripheral.observe(&mut self.model);
        }
        self.model.tick();
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
        self.model.set(self.host.awaddr, address.into());
        self.model.set(self.host.awvalid, 1);
        self.model.set(self.host.wdata, value.into());
        self.model.set(self.host.wstrb, 0xf);
        self.model.set(self.host.wvalid, 1);
        for _ in 0..ACCESS_CYCLES {
            self.model.settle();
            let address_taken = self.model.get(self.host.awready) == 1;
            let data_taken = self.model.get(self.host.wready) == 1;
            let answered = self.model.get(self.host.bvalid) == 1;
            let response = self.model.get(self.host.bresp) as u8;
            self.cycle();
            if address_taken {
                self.model.set(self.host.awvalid, 0);
            }
            if data_taken {
                self.model.set(self.host.wvalid, 0);
            }
            if answered {
                return okay(address, response);
            }
        }
        Err(silent(address))
    }

    /// Reads a word through the host's port.
    ///
    /// # Errors
    /// The response is not OKAY, or there is none.
    pub fn read_word(&mut self, address: u32) -> Result<u32, TransportError> {
        self.model.set(self.host.araddr, address.into());
        self.model.set(self.host.arvalid, 1);
        for _ in 0..ACCESS_CYCLES {
            self.model.settle();
            let taken = self.model.get(self.host.arready) == 1;
            let answered = self.model.get(self.host.rvalid) == 1;
            let (data, response) = (
                self.model.get(self.host.rdata) as u32,
                self.model.get(self.host.rresp) as u8,
            );
            self.cycle();
            if taken {
                self.model.set(self.host.arvalid, 0);
            }
            if answered {
                return okay(address, response).map(|()| data);
            }
        }
        Err(silent(address))
    }
}

fn okay(address: u32, response: u8) -> Result<(), TransportError> {
    let name = match response {
        0 => return Ok(()),
        2 => "SLVERR",
        3 => "DECERR",
        _ => "EXOKAY",
    };
    Err(TransportError::Bus {
        address,
        response: name.to_owned(),
    })
}

fn silent(address: u32) -> TransportError {
    TransportError::Silent {
        address,
        cycles: ACCESS_CYCLES,
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
}

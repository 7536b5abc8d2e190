//! The ports of all tiles at once: masters at random paces beside traffic of the network, held to a model of the memory.

use crate::promises::driver::config;
use portico::{
    onesided::{Geometry, Window},
    Error, Fabric, Transport,
};
use portico_generate::design;
use portico_sim::{Access, Library, Options, SimulatedFabric};
use portico_spec::{
    ni::{
        command::{first_place, MAX_DESCRIPTOR_WORDS},
        descriptor::{Command, Descriptor, Geometry as Shape, Transfer},
        event::Compare,
        registers::{address, CommandRegister, ControlRegister, EventRegister, IDENTITY, SPACE_BYTES},
    },
    Config,
};
use portico_testbench::device::{
    axi_lite_master::{AttachedMaster, Write},
    axi_memory::Timing,
    hardware::fabric_of,
};
use rand::{rngs::SmallRng, Rng, SeedableRng};
use std::collections::{HashMap, HashSet};

const MEMORY: Timing = Timing {
    latency: 12,
    stall: 0.1,
};
const SLAVE_ERROR: u64 = 2;
/// Cycles of a put and a get of 8 bytes of the next tile; 27 and 36 are allowed.
const PUT_CYCLES: u64 = 27;
const GET_CYCLES: u64 = 36;
/// The memory that is the masters' alone, and that of the network.
const OWN: u64 = 0x1000;
const OWN_BYTES: u64 = 0x200;
const NETWORK: u32 = 0x2000;

/// The model that the suite `fabric` has too.
fn library(width: usize) -> Library {
    let design = design("fabric", &config(width)).expect("the fabric can be emitted");
    portico_sim::build(&design, &Options::default()).expect("its Verilog compiles")
}

/// A fabric of it with a master at each port, that of the host left to the driver.
fn with_masters(width: usize) -> (SimulatedFabric, Vec<AttachedMaster>) {
    let (library, config) = (library(width), config(width));
    let mut fabric = fabric_of(&library, &config, MEMORY).expect("the ports of a fabric");
    let prefixes: Vec<String> = (0..config.tiles()).map(|tile| format!("s_axil_tile_{tile}")).collect();
    let masters = AttachedMaster::all(&library, fabric.model(), &prefixes).expect("the ports of tiles");
    for master in &masters {
        fabric.attach(Box::new(master.clone()));
    }
    (fabric, masters)
}

/// What the answers of one master must be.
struct Model {
    config: Config,
    tile: usize,
    /// Words of the master's own memory.
    memory: HashMap<u64, u64>,
    /// Words of accesses that have no answer.
    open: HashSet<u64>,
    checked: [usize; 2],
    refused: usize,
}

impl Model {
    fn new(config: &Config, tile: usize) -> Model {
        Model {
            config: config.clone(),
            tile,
            memory: HashMap::new(),
            open: HashSet::new(),
            checked: [0; 2],
            refused: 0,
        }
    }

    fn is_memory(&self, address: u64) -> bool {
        address < (self.config.scratchpad as u64) << 10
    }

    /// Another access, mostly of the own memory.
    fn draw(&mut self, rng: &mut SmallRng, master: &AttachedMaster) {
        let beyond = (self.config.scratchpad as u64) << 10;
        let id = address(&self.config, ControlRegister::Id, 0) as u64;
        let at = match rng.gen_range(0..20) {
            0 => beyond + 4 * rng.gen_range(0..16),
            1 => id,
            _ => OWN + 4 * rng.gen_range(0..OWN_BYTES / 4),
        };
        if !self.open.insert(at) {
            return;
        }
        if at != id && rng.gen_bool(0.5) {
            let lanes = if rng.gen_bool(0.7) { 15 } else { rng.gen_range(0..16) };
            master.get().write((at, rng.gen::<u32>().into(), lanes));
        } else {
            master.get().read(at);
        }
    }

    /// Holds all new answers to the model.
    fn check(&mut self, master: &AttachedMaster) {
        let written = std::mem::take(&mut master.get().written);
        for ((address, data, lanes), response) in written {
            self.open.remove(&address);
            self.checked[0] += 1;
            if !self.is_memory(address) {
                assert_eq!(response, SLAVE_ERROR, "tile {}, {address:#x}", self.tile);
                self.refused += 1;
                continue;
            }
            assert_eq!(response, 0, "tile {}, {address:#x}", self.tile);
            let word = self.memory.entry(address).or_default();
            for byte in (0..4).filter(|byte| lanes >> byte & 1 == 1) {
                let mask = 0xff << (8 * byte);
                *word = *word & !mask | data & mask;
            }
        }
        let answered = std::mem::take(&mut master.get().answered);
        for (address, data, response) in answered {
            self.open.remove(&address);
            self.checked[1] += 1;
            let expected = match self.is_memory(address) {
                true => (self.memory.get(&address).copied().unwrap_or_default(), 0),
                false if address < SPACE_BYTES as u64 / 2 => (0, SLAVE_ERROR),
                false => (u64::from(IDENTITY), 0),
            };
            assert_eq!((data, response), expected, "tile {}, {address:#x}", self.tile);
        }
    }
}

/// Puts of all tiles to the next ones, again and again, until `work` is over; then what arrived.
fn beside_puts(
    fabric: &mut Fabric<SimulatedFabric>,
    mut work: impl FnMut(&mut SimulatedFabric) -> bool,
) -> Result<(), Error> {
    let tiles = fabric.config().tiles();
    let bytes = 0x400;
    let mut puts = vec![];
    for tile in 0..tiles {
        let to = (tile + 1) % tiles;
        let data: Vec<u32> = (0..bytes / 4).map(|at| (tile as u32) << 16 | at).collect();
        fabric.write(tile, NETWORK, &data)?;
        let segment = fabric.publish(to, Window::new(NETWORK + bytes, bytes))?;
        let remote = fabric.tile(tile)?.clone_segment(segment.id())?;
        puts.push((tile, to, data, remote, fabric.event(tile)?));
    }
    loop {
        for (tile, _, _, remote, event) in &puts {
            let put = fabric.tile(*tile)?.put(remote, 0, NETWORK, Geometry::linear(bytes))?;
            put.count_in(event)?;
        }
        let is_over = work(fabric.transport());
        for (.., event) in &puts {
            event.drain(fabric, 20_000)?;
        }
        if is_over {
            break;
        }
    }
    for (_, to, data, ..) in &puts {
        assert_eq!(&fabric.read(*to, NETWORK + bytes, data.len())?, data, "at tile {to}");
    }
    Ok(())
}

/// All masters at once, fast and slow, beside puts between all tiles; the host's accesses go on.
#[test]
fn all_masters_at_once_get_what_they_wrote() -> Result<(), Error> {
    for (width, pace, seed) in [(32, 1.0, 0xb1), (32, 0.4, 0xb2), (64, 0.7, 0xb3)] {
        println!("width {width}, pace {pace}, seed {seed:#x}");
        let mut rng = SmallRng::seed_from_u64(seed);
        let (hardware, masters) = with_masters(width);
        let mut fabric = Fabric::open(hardware)?;
        let config = fabric.config().clone();
        let mut models: Vec<Model> = (0..masters.len()).map(|tile| Model::new(&config, tile)).collect();
        // The memory is unknown until it is written.
        for master in &masters {
            master.get().pace = pace;
            for word in 0..OWN_BYTES / 4 {
                master.get().write((OWN + 4 * word, 0, 15));
            }
        }
        while masters.iter().any(|master| master.get().to_do() != [0, 0]) {
            fabric.transport().run(1);
        }
        for master in &masters {
            master.get().written.clear();
        }
        let mut rounds = 0;
        beside_puts(&mut fabric, |fabric| {
            for _ in 0..2_000 {
                for (model, master) in models.iter_mut().zip(&masters) {
                    while master.get().to_do().iter().any(|to_do| *to_do < 3) && model.open.len() < 8 {
                        model.draw(&mut rng, master);
                    }
                }
                fabric.cycle();
                for (model, master) in models.iter_mut().zip(&masters) {
                    model.check(master);
                }
            }
            rounds += 1;
            rounds == 5
        })?;
        while masters.iter().any(|master| master.get().to_do() != [0, 0]) {
            fabric.transport().run(1);
        }
        for (model, master) in models.iter_mut().zip(&masters) {
            model.check(master);
            let [writes, reads] = model.checked;
            assert!(
                writes > 300 && reads > 300 && model.refused > 10,
                "{writes}, {reads}, {}",
                model.refused
            );
        }
    }
    Ok(())
}

/// A master that takes no answer holds up neither the other masters, nor the network, nor the host.
#[test]
fn a_master_that_takes_no_answer_disturbs_nobody() -> Result<(), Error> {
    let (hardware, masters) = with_masters(32);
    let mut fabric = Fabric::open(hardware)?;
    let silent = 2;
    masters[silent].get().pace = 1.0;
    masters[silent].get().write((OWN, 1, 15));
    masters[silent].get().read(OWN + 4);
    fabric.transport().run(1);
    masters[silent].get().pace = 0.0;
    let mut rounds = 0;
    beside_puts(&mut fabric, |fabric| {
        for (tile, master) in masters.iter().enumerate().filter(|(tile, _)| *tile != silent) {
            master.get().write((OWN, 100 + tile as u64, 15));
        }
        fabric.run(100);
        rounds += 1;
        rounds == 10
    })?;
    assert_eq!(masters[silent].get().to_do(), [1, 1]);
    for (tile, master) in masters.iter().enumerate().filter(|(tile, _)| *tile != silent) {
        let written = std::mem::take(&mut master.get().written);
        let expected: (Write, u64) = ((OWN, 100 + tile as u64, 15), 0);
        assert_eq!(written, vec![expected; 10], "tile {tile}");
        assert_eq!(fabric.read(tile, OWN as u32, 1)?, [100 + tile as u32]);
    }
    // Its tile takes accesses of the host all the same, and it goes on where it was.
    fabric.write(silent, OWN as u32 + 8, &[5])?;
    fabric.poke(silent, EventRegister::Count, 3, &[9])?;
    masters[silent].get().pace = 1.0;
    fabric.transport().run(10);
    assert_eq!(masters[silent].get().to_do(), [0, 0]);
    assert_eq!(fabric.read(silent, OWN as u32, 1)?, [1]);
    Ok(())
}

/// A write every 2 cycles and a read every 4, as at the host's port, at all tiles at once.
#[test]
fn ports_are_as_fast_as_the_hosts() -> Result<(), Error> {
    let (mut fabric, masters) = with_masters(32);
    for master in &masters {
        for word in 0..100 {
            master.get().write((4 * word, word, 15));
            // Of other words than the writes.
            master.get().read(OWN + 4 * word);
        }
    }
    fabric.run(2 * 100 + 1);
    assert!(masters.iter().all(|master| master.get().written.len() == 100));
    fabric.run(2 * 100 - 1);
    assert!(masters.iter().all(|master| master.get().answered.len() == 100));
    Ok(())
}

/// A port writes the bytes whose strobes are set, and no others: all strobes of one word after the other.
pub fn strobes_choose_bytes(mut fabric: SimulatedFabric) {
    const AT: u32 = 0x40;
    let mut answer = |tile: usize, access: Access| {
        fabric.ask(tile, access);
        fabric.run(20);
        fabric.answer(tile).expect("an answer within 20 cycles").expect("OKAY")
    };
    let mut expected = 0x0123_4567u32;
    answer(1, Access::write(AT, expected));
    for strobes in 0..16u8 {
        let value = 0x1111_1111 * u32::from(strobes ^ 0xa);
        answer(
            1,
            Access::Write {
                address: AT,
                value,
                strobes,
            },
        );
        let mask = (0..4)
            .filter(|byte| strobes >> byte & 1 == 1)
            .fold(0, |mask, byte| mask | 0xff << (8 * byte));
        expected = expected & !mask | value & mask;
        let found = answer(1, Access::Read { address: AT });
        assert_eq!(
            found, expected,
            "strobes {strobes:#06b}: found {found:#x}, expected {expected:#x}"
        );
    }
}

#[test]
fn a_port_writes_single_bytes() {
    for width in [32, 64] {
        let fabric = fabric_of(&library(width), &config(width), MEMORY).expect("the ports of a fabric");
        strobes_choose_bytes(fabric);
    }
}

/// From the last word of a descriptor at the port to the event, for 8 bytes of the next tile: exact.
#[test]
fn a_put_and_a_get_through_a_port_take_so_many_cycles() -> Result<(), Error> {
    let (hardware, masters) = with_masters(32);
    let mut fabric = Fabric::open(hardware)?;
    let (config, bytes) = (fabric.config().clone(), 8);
    let segment = fabric.publish(1, Window::new(0, bytes))?;
    let remote = fabric.tile(0)?.clone_segment(segment.id())?;
    let event = fabric.event(0)?;
    event.configure(&mut fabric, 1, Compare::AtLeast, false)?;
    let number = event.number();
    let transfer = Transfer {
        remote: 0,
        local: 0x100,
        geometry: Shape::Row { row: bytes },
    };
    let mut took = vec![];
    for command in [Command::Put(transfer), Command::Get(transfer)] {
        event.reset(&mut fabric, 0)?;
        let descriptor = Descriptor {
            segment: remote.handle(),
            event: number,
            ..Descriptor::new(command)
        };
        let words = descriptor.encode(&config).expect("a right descriptor");
        let hardware = fabric.transport();
        hardware.run(100);
        let mut begun = 0;
        for (at, &word) in (first_place(words.len())..).zip(&words) {
            let place = address(&config, CommandRegister::Word, at) as u64;
            begun = hardware.cycles();
            masters[0].get().write((place, word.into(), 15));
            hardware.run(if at + 1 < MAX_DESCRIPTOR_WORDS { 10 } else { 0 });
        }
        let ended = hardware.wait_event(0, number.into(), 1_000).expect("it ends");
        took.push(ended - begun);
    }
    assert_eq!(took, [PUT_CYCLES, GET_CYCLES]);
    Ok(())
}

/// Accesses that are queued at several ports end in the same cycles: all take as long as one.
#[test]
fn queued_accesses_of_all_ports_pass_together() {
    let library = library(32);
    let mut fabric = fabric_of(&library, &config(32), MEMORY).expect("the ports of a fabric");
    let tiles = fabric.config().tiles();
    let mut alone = fabric.cycles();
    fabric.port(0).expect("a port").write(0x40, 1).expect("an answer");
    alone = fabric.cycles() - alone;
    for tile in 0..tiles {
        fabric.ask(tile, Access::write(0x40, 10 + tile as u32));
        fabric.ask(tile, Access::Read { address: 0x40 });
    }
    fabric.run(alone);
    for tile in 0..tiles {
        assert_eq!(fabric.answer(tile), Some(Ok(0)), "tile {tile}");
        assert_eq!(fabric.answer(tile), None, "tile {tile}");
    }
    fabric.run(10);
    for tile in 0..tiles {
        assert_eq!(fabric.answer(tile), Some(Ok(10 + tile as u32)), "tile {tile}");
    }
}

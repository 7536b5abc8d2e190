//! Ports of tiles: what a master beside a tile reaches, and what it is told.

use super::{rest, Gate, SOON};
use portico::{
    onesided::Window,
    registers::{CommandRegister, ControlRegister, EventRegister, Place, SegmentRegister},
    Error, Fabric, GoldenTransport, Transport, TransportError,
};
use portico_sim::SimulatedFabric;
use portico_spec::ni::{
    command::{first_place, QUEUE_WORDS},
    descriptor::{Command, Descriptor, Geometry, Transfer},
    registers::{address, SPACE_BYTES},
    segment,
};

/// A transport of a fabric whose tiles have ports.
pub trait Ported: Transport {
    /// The port of a tile.
    fn port(&mut self, tile: usize) -> Result<impl Transport, Error>;
}

impl Ported for GoldenTransport {
    fn port(&mut self, tile: usize) -> Result<impl Transport, Error> {
        GoldenTransport::port(self, tile)
    }
}

impl Ported for SimulatedFabric {
    fn port(&mut self, tile: usize) -> Result<impl Transport, Error> {
        SimulatedFabric::port(self, tile)
    }
}

/// What the master of a tile does: its own accesses alone.
struct Master<'a, T> {
    fabric: &'a mut Fabric<T>,
    tile: usize,
}

impl<T: Ported> Master<'_, T> {
    fn read(&mut self, address: u32) -> Result<u32, Error> {
        Ok(self.fabric.transport().port(self.tile)?.read(address)?)
    }

    fn write(&mut self, address: u32, value: u32) -> Result<(), Error> {
        Ok(self.fabric.transport().port(self.tile)?.write(address, value)?)
    }

    fn address(&self, register: impl Place, item: usize) -> u32 {
        address(self.fabric.config(), register, item) as u32
    }

    fn peek(&mut self, register: impl Place, item: usize) -> Result<u32, Error> {
        self.read(self.address(register, item))
    }

    fn poke(&mut self, register: impl Place, item: usize, value: u32) -> Result<(), Error> {
        self.write(self.address(register, item), value)
    }

    /// A descriptor, word by word: whether each was refused.
    fn command(&mut self, words: &[u32]) -> Result<Vec<bool>, Error> {
        let first = first_place(words.len());
        let mut refused = vec![];
        for (place, &word) in (first..).zip(words) {
            refused.push(match self.poke(CommandRegister::Word, place, word) {
                Ok(()) => false,
                Err(Error::Transport(TransportError::Bus { response, .. })) if response == "SLVERR" => true,
                Err(error) => return Err(error),
            });
        }
        Ok(refused)
    }

    /// Waits until an event has counted to `count`.
    fn wait(&mut self, event: usize, count: u32) -> Result<(), Error> {
        for _ in 0..SOON {
            if self.peek(EventRegister::Count, event)? == count {
                return Ok(());
            }
        }
        panic!("tile {}: event {event} has not counted to {count}", self.tile);
    }
}

fn master<T: Ported>(fabric: &mut Fabric<T>, tile: usize) -> Master<'_, T> {
    Master { fabric, tile }
}

/// A master reaches memory and registers of its tile and of no other node, and the host reaches them all the same.
pub fn a_master_reaches_its_own_tile<T: Ported>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    for width in [32, 64] {
        let mut fabric = open(width);
        if !fabric.config().tile_ports {
            continue;
        }
        let (tiles, lanes) = (fabric.config().tiles(), width as u32 / 32);
        for tile in 0..tiles {
            let node = u32::from(fabric.config().tile_node(tile).number());
            let mut master = master(&mut fabric, tile);
            assert_eq!(master.peek(ControlRegister::Node, 0)?, node);
            for at in 0..2 * lanes {
                master.write(0x80 + 4 * at, 1000 * tile as u32 + at)?;
            }
            master.poke(EventRegister::Count, 5, 50 + tile as u32)?;
        }
        for tile in 0..tiles {
            let expected: Vec<u32> = (0..2 * lanes).map(|at| 1000 * tile as u32 + at).collect();
            assert_eq!(fabric.read(tile, 0x80, expected.len())?, expected, "tile {tile}");
            assert_eq!(fabric.peek(tile, EventRegister::Count, 5)?, 50 + tile as u32);
            fabric.write(tile, 0x80, &vec![7 + tile as u32; 2 * lanes as usize])?;
        }
        for tile in 0..tiles {
            let mut master = master(&mut fabric, tile);
            assert_eq!(master.read(0x84)?, 7 + tile as u32);
        }
    }
    Ok(())
}

/// A master at tile 3 writes a word, one at tile 0 lets its tile get it, and reads it.
pub fn a_word_goes_from_master_to_master<T: Ported>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    const SEGMENT: usize = 2;
    const EVENT: usize = 4;
    for width in [32, 64] {
        let mut fabric = open(width);
        if !fabric.config().tile_ports {
            continue;
        }
        let config = fabric.config().clone();
        let bytes = width as u32 / 8;
        fabric.reserve(0, 0..0, SEGMENT..SEGMENT + 1, EVENT..EVENT + 1, 0x200..0x208)?;
        fabric.reserve(3, 0..0, 0..0, 0..0, 0x100..0x108)?;
        master(&mut fabric, 3).write(0x100, 0x600d_0003)?;

        let mut master = master(&mut fabric, 0);
        let [target, size] = segment::space(&config, 3);
        master.poke(SegmentRegister::Target, SEGMENT, target)?;
        master.poke(SegmentRegister::Size, SEGMENT, size)?;
        let get = Command::Get(Transfer {
            remote: 0x100,
            local: 0x200,
            geometry: Geometry::Row { row: bytes },
        });
        let get = Descriptor {
            segment: SEGMENT as u8,
            event: EVENT as u8,
            ..Descriptor::new(get)
        };
        let words = get.encode(&config).expect("a right descriptor");
        assert_eq!(master.command(&words)?, vec![false; words.len()]);
        master.wait(EVENT, 1)?;
        assert_eq!(master.read(0x200)?, 0x600d_0003);
    }
    Ok(())
}

/// While the commands of a tile wait, its port answers: a descriptor is refused from its first word without room on, and memory and
/// registers are reached.
pub fn a_port_answers_while_its_commands_wait<T: Ported>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    const PUTS: u32 = 60;
    const EVENT: usize = 9;
    for width in [32, 64] {
        let mut fabric = open(width);
        if !fabric.config().tile_ports {
            continue;
        }
        let (config, tile, word) = (fabric.config().clone(), 1, fabric.word_bytes());
        fabric.reserve(tile, 0..0, 0..0, EVENT..EVENT + 1, 0x40..0x48)?;
        let segment = fabric.publish(5, Window::new(0, word))?;
        let remote = fabric.tile(tile)?.clone_segment(segment.id())?;
        let gate = Gate::new(&mut fabric, tile)?;
        let mut closed = gate.close(&mut fabric, &remote)?;
        let put = Command::Put(Transfer {
            remote: 0,
            local: 0x40,
            geometry: Geometry::Row { row: word },
        });
        let put = Descriptor {
            segment: remote.handle(),
            event: EVENT as u8,
            ..Descriptor::new(put)
        };
        let words = put.encode(&config).expect("a right descriptor");
        let mut taken = 0;
        for number in 0..PUTS {
            let mut master = master(&mut fabric, tile);
            let refused = master.command(&words)?;
            assert!(refused.is_sorted(), "width {width}, put {number}: {refused:?}");
            taken += u32::from(!refused[words.len() - 1]);
            master.write(0x40, number)?;
            assert_eq!(master.read(0x40)?, number);
            assert_eq!(master.peek(EventRegister::Count, EVENT)?, 0);
        }
        assert!(
            taken < PUTS && taken >= (QUEUE_WORDS / words.len()) as u32,
            "{taken} taken"
        );
        gate.open(&mut fabric)?;
        closed.wait(&mut fabric, SOON)?;
        rest(&mut fabric);
        let mut master = master(&mut fabric, tile);
        assert_eq!(master.peek(EventRegister::Count, EVENT)?, taken);
        assert_eq!(master.command(&words)?, vec![false; words.len()]);
        master.wait(EVENT, taken + 1)?;
    }
    Ok(())
}

/// What is not there is answered with SLVERR, for hardware alone: golden reads 0.
pub fn a_port_refuses_what_is_not_there<T: Ported>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    for width in [32, 64] {
        let mut fabric = open(width);
        let bytes = fabric.memory_bytes(0)?;
        let behind = SPACE_BYTES as u32 - 4;
        for tile in 0..fabric.config().tiles() {
            let mut master = master(&mut fabric, tile);
            for address in [bytes, 0x7fffc].into_iter().chain((width == 32).then_some(behind)) {
                for answer in [master.read(address).map(drop), master.write(address, 1)] {
                    let refused = answer.unwrap_err().to_string();
                    assert_eq!(refused, format!("the bus answered SLVERR at address {address:#x}"));
                }
            }
            master.read(bytes - 4)?;
        }
    }
    Ok(())
}

//! A node's address space as the host sees it, for what the driver does not do.

use super::SOON;
use portico::{Error, Fabric, Transport};
use portico_spec::{
    ni::{
        command::MAX_DESCRIPTOR_WORDS,
        descriptor::{Command, Descriptor, Geometry, Transfer},
        registers::{address, CommandRegister, CounterRegister, Place, SegmentRegister, BASE_BYTES},
        segment::{SegmentKind, KIND_OFFSET, SEGMENTS, TAG_OFFSET},
        window::SYSTEM_WINDOW,
    },
    Config,
};

/// Registers of block counters.
const COUNTERS: usize = CounterRegister::REGISTERS.len();

/// What a node has counted since reset.
#[derive(Clone, Copy, Debug)]
pub struct Counts([u32; COUNTERS]);

impl Counts {
    pub fn of(&self, counter: CounterRegister) -> u32 {
        self.0[counter.number()]
    }

    /// Since then.
    pub fn since(&self, earlier: &Counts) -> Counts {
        Counts(std::array::from_fn(|at| self.0[at].wrapping_sub(earlier.0[at])))
    }
}

/// The system window of a node other than the host, under a handle of the host's.
pub struct Space {
    handle: u8,
    registers: usize,
    config: Config,
}

impl Space {
    /// Where in the host's memory words are on their way.
    const LOCAL: u32 = 0x1000;

    pub fn new<T: Transport>(fabric: &mut Fabric<T>, node: usize) -> Result<Space, Error> {
        let config = fabric.config().clone();
        // The driver takes handles from below.
        let handle = (SEGMENTS - 1 - node) as u8;
        let number = u32::from(config.terminal_node(node).number());
        let target = (SegmentKind::Window as u32) << KIND_OFFSET | (SYSTEM_WINDOW as u32) << TAG_OFFSET | number;
        let size = config.space_bytes(node) / fabric.word_bytes();
        for (register, value) in [(SegmentRegister::Target, target), (SegmentRegister::Size, size)] {
            let address = address(&config, register, handle.into()) as u32;
            fabric.transport().write(address, value)?;
        }
        Ok(Space {
            handle,
            registers: config.registers_base(node) as usize,
            config,
        })
    }

    fn place<P: Place>(&self, register: P, item: usize) -> usize {
        self.registers + address(&self.config, register, item) - BASE_BYTES
    }

    fn run<T: Transport>(&self, fabric: &mut Fabric<T>, command: Command) -> Result<(), Error> {
        let descriptor = Descriptor {
            segment: self.handle,
            ..Descriptor::new(command)
        };
        let words = descriptor.encode(&self.config)?;
        fabric.host().descriptor(&words)?.wait(SOON)
    }

    fn transfer<T: Transport>(&self, fabric: &Fabric<T>, remote: usize, words: usize) -> Transfer {
        let row = words as u32 * fabric.word_bytes();
        Transfer {
            remote: remote as u32,
            local: Space::LOCAL,
            geometry: Geometry::Row { row },
        }
    }

    /// Gives the node a descriptor, whether there is room or not.
    pub fn command<T: Transport>(&self, fabric: &mut Fabric<T>, words: &[u32]) -> Result<(), Error> {
        let lanes = fabric.word_bytes() as usize / 4;
        let mut spread = vec![0; words.len() * lanes];
        for (place, &word) in spread.iter_mut().step_by(lanes).zip(words) {
            *place = word;
        }
        fabric.write(fabric.host_node(), Space::LOCAL, &spread)?;
        let first = self.place(CommandRegister::Word, MAX_DESCRIPTOR_WORDS - words.len());
        let transfer = self.transfer(fabric, first, words.len());
        self.run(fabric, Command::Put(transfer))
    }

    /// All counters of the node, read one after the other by a single get.
    pub fn counts<T: Transport>(&self, fabric: &mut Fabric<T>) -> Result<Counts, Error> {
        let transfer = self.transfer(fabric, self.place(CounterRegister::Cycles, 0), COUNTERS);
        self.run(fabric, Command::Get(transfer))?;
        let lanes = fabric.word_bytes() as usize / 4;
        let words = fabric.read(fabric.host_node(), Space::LOCAL, COUNTERS * lanes)?;
        Ok(Counts(std::array::from_fn(|counter| words[counter * lanes])))
    }
}

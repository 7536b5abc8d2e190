//! The clients of a node's external memory, which know what every word may be.

use portico_spec::ni::{
    page::{last_address, PAGES, PAGE_OFFSET_WIDTH},
    registers::{Block, BLOCK_OFFSET},
};
use portico_testbench::device::{
    axi_memory::{AxiMemory, Timing},
    Device, Input, Output,
};
use rand::{rngs::SmallRng, Rng, SeedableRng};
use std::collections::{HashMap, VecDeque};

/// Words of a page.
pub const PAGE_WORDS: u64 = 1 << PAGE_OFFSET_WIDTH;
const PREFIX: &str = "m_axi";

/// A word as it was from some cycle on.
type Versions = Vec<u64>;

pub struct Writer {
    valid: Input,
    address: Input,
    data: Input,
    lanes: Input,
    ready: Output,
    pub offered: Option<(u64, u64, u64)>,
}

pub struct Reader {
    valid: Input,
    address: Input,
    ready: Output,
    data: Output,
    data_valid: Output,
    pub offered: Option<u64>,
    /// Address, and how many versions of the word there were when the request was taken.
    expected: VecDeque<(u64, usize)>,
}

/// The block, its clients and its memory.
pub struct Bench {
    device: Box<dyn Device>,
    pub memory: AxiMemory,
    fault: Output,
    pub writer: Writer,
    pub readers: [Reader; 2],
    bases: Vec<u64>,
    /// The greatest byte address.
    last: u64,
    words: HashMap<u64, Versions>,
    pub bytes: u64,
    pub rng: SmallRng,
    pub faults: u64,
    /// The memory has broken a burst of reads, and has not been idle since: any word may be another's.
    is_spoilt: bool,
    pub read: u64,
    pub written: u64,
    pub cycle: u64,
}

impl Bench {
    /// Of a block whose words and addresses have `width` bits.
    pub fn new(mut device: Box<dyn Device>, width: usize, timing: Timing, seed: u64) -> Self {
        let input = |name: &str| device.require_input(name).unwrap();
        let output = |name: &str| device.require_output(name).unwrap();
        let reader = |k| Reader {
            valid: input(&format!("memory_read_{k}_valid")),
            address: input(&format!("memory_read_{k}_address")),
            ready: output(&format!("memory_read_{k}_ready")),
            data: output(&format!("memory_read_{k}_data")),
            data_valid: output(&format!("memory_read_{k}_data_valid")),
            offered: None,
            expected: VecDeque::new(),
        };
        let readers = [reader(0), reader(1)];
        let writer = Writer {
            valid: input("memory_write_valid"),
            address: input("memory_write_address"),
            data: input("memory_write_data"),
            lanes: input("memory_write_lanes"),
            ready: output("memory_write_ready"),
            offered: None,
        };
        let fault = output("fault");
        let memory = AxiMemory::new(&device, PREFIX, width, timing, seed).unwrap();
        let (active, place) = (input("sweep_active"), input("sweep_place"));
        device.reset(2);
        device.set(active, 1);
        for page in 0..PAGES {
            device.set(place, page as u64);
            device.tick();
        }
        device.set(active, 0);
        let bytes = width as u64 / 8;
        Self {
            device,
            memory,
            fault,
            writer,
            readers,
            bases: (0..PAGES as u64).map(|page| page * PAGE_WORDS * bytes).collect(),
            last: last_address(width),
            words: HashMap::new(),
            bytes,
            rng: SmallRng::seed_from_u64(seed),
            faults: 0,
            is_spoilt: false,
            read: 0,
            written: 0,
            cycle: 0,
        }
    }

    pub fn move_page(&mut self, page: usize, base: u64) {
        let input = |name: &str| self.device.require_input(name).unwrap();
        let ports = ["enable", "index", "data"].map(|field| input(&format!("registers_{field}")));
        for (half, data) in [base & 0xffff_ffff, base >> 32].into_iter().enumerate() {
            let index = ((Block::Pages as u64) << BLOCK_OFFSET) | (2 * page + half) as u64;
            for (port, value) in ports.into_iter().zip([1, index, data]) {
                self.device.set(port, value);
            }
            self.device.tick();
        }
        self.device.set(ports[0], 0);
        self.bases[page] = base & self.last & !0xfff;
    }

    fn external(&self, address: u64) -> u64 {
        self.bases[(address / PAGE_WORDS) as usize] + address % PAGE_WORDS * self.bytes
    }

    /// A cycle; offers that are not yet taken stay.
    pub fn cycle(&mut self, write: Option<(u64, u64, u64)>, reads: [Option<u64>; 2]) {
        let device = &mut self.device;
        self.writer.offered = self.writer.offered.or(write);
        let (address, data, lanes) = self.writer.offered.unwrap_or_default();
        device.set(self.writer.valid, u64::from(self.writer.offered.is_some()));
        device.set(self.writer.address, address);
        device.set(self.writer.data, data);
        device.set(self.writer.lanes, lanes);
        for (reader, read) in self.readers.iter_mut().zip(reads) {
            reader.offered = reader.offered.or(read);
            device.set(reader.valid, u64::from(reader.offered.is_some()));
            device.set(reader.address, reader.offered.unwrap_or_default());
        }
        self.memory.drive(device);
        device.settle();
        let broken = self.memory.traffic().broken;
        self.memory.observe(device);
        self.is_spoilt |= self.memory.traffic().broken > broken;
        self.faults += device.get(self.fault);

        for (k, reader) in self.readers.iter_mut().enumerate() {
            if device.get(reader.data_valid) == 1 {
                let data = device.get(reader.data);
                let (address, known) = reader.expected.pop_front().expect("data that nobody asked for");
                let versions = self.words.entry(address).or_insert_with(|| vec![0]);
                assert!(
                    versions[known - 1..].contains(&data) || self.is_spoilt,
                    "cycle {}, client {k}: {data:#x} at {address:#x}, which had {:x?} since it was asked for",
                    self.cycle,
                    &versions[known - 1..]
                );
                self.read += 1;
            }
        }
        for reader in &mut self.readers {
            if device.get(reader.ready) == 1 {
                if let Some(address) = reader.offered.take() {
                    let versions = self.words.entry(address).or_insert_with(|| vec![0]);
                    reader.expected.push_back((address, versions.len()));
                }
            }
        }
        if device.get(self.writer.ready) == 1 {
            if let Some((address, data, lanes)) = self.writer.offered.take() {
                let versions = self.words.entry(address).or_insert_with(|| vec![0]);
                let mask = (0..8).filter(|lane| lanes >> lane & 1 == 1);
                let mask = mask.fold(0, |mask, lane| mask | 0xffu64 << (8 * lane));
                let old = *versions.last().expect("a word has a first version");
                versions.push(old & !mask | data & mask);
                self.written += 1;
            }
        }
        device.tick();
        self.cycle += 1;
        if self.is_done() && self.memory.is_idle() {
            self.is_spoilt = false;
        }
    }

    fn is_done(&self) -> bool {
        self.writer.offered.is_none()
            && self
                .readers
                .iter()
                .all(|reader| reader.offered.is_none() && reader.expected.is_empty())
    }

    /// Lets all that is under way come to its end, and compares every word with the external memory.
    pub fn finish(&mut self) {
        for _ in 0..10_000 {
            self.cycle(None, [None; 2]);
            if self.is_done() && self.memory.is_idle() {
                break;
            }
        }
        // What is gathered goes out a little later.
        (0..200).for_each(|_| self.cycle(None, [None; 2]));
        assert!(
            self.is_done() && self.memory.is_idle(),
            "something never came to its end"
        );
        for (address, versions) in &self.words {
            let external = self.external(*address);
            assert_eq!(
                self.memory.word(external),
                *versions.last().unwrap(),
                "word {address:#x}"
            );
        }
        // A burst that is broken spoils what comes behind it too, which may be a fault of its own.
        let (traffic, broken) = (self.memory.traffic(), self.memory.traffic().broken);
        let least = traffic.errors + u64::from(broken > 0);
        let is_told = self.faults == least || broken > 0 && self.faults > least;
        assert!(is_told, "{} faults, {traffic:?}", self.faults);
    }

    pub fn word(&mut self) -> u64 {
        self.rng.gen::<u64>() >> (64 - 8 * self.bytes)
    }
}

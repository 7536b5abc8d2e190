//! An external memory behind AXI4 (ARM IHI 0022), as a device's master sees it, with a watch over the protocol.
//!
//! It is as unkind as the protocol lets it be: every channel stalls at random, a write is seen just before its response,
//! a read gets what is there when its address is taken.
//!
//! A cycle is: [`drive`](AxiMemory::drive), the device settles, [`observe`](AxiMemory::observe), the device ticks.

use crate::device::{channel::Channel, Device, Input, Output, PortError};
use rand::{rngs::SmallRng, Rng, SeedableRng};
use std::{
    collections::{HashMap, VecDeque},
    ops::Range,
};

pub use attached::AttachedMemory;

mod attached;

/// Bytes of a block that no burst may leave.
const BLOCK: u64 = 4096;
/// The response of a slave that refuses.
const SLAVE_ERROR: u64 = 2;

/// How fast the memory is.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// Cycles from a burst's address (of a write: and all its data) to its first response, 1 or more.
    pub latency: u64,
    /// Chance that a channel does not move in a cycle.
    pub stall: f64,
}

/// What has passed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Bursts written, by words; index 0 stays 0.
    pub writes: Vec<u64>,
    /// Bursts read, by words.
    pub reads: Vec<u64>,
    /// Responses of writes and beats of reads with an error.
    pub errors: u64,
    /// Bursts of reads that were broken.
    pub broken: u64,
    /// Most bursts of reads under way at once.
    pub most_reads: usize,
    /// Most bursts of writes under way at once.
    pub most_writes: usize,
}

/// A burst's first byte and words.
#[derive(Clone, Copy)]
struct Burst {
    address: u64,
    words: u64,
}

/// A burst of writes that is complete: when it is answered at the earliest, and its words and lanes.
struct Written {
    due: u64,
    burst: Burst,
    beats: Vec<(u64, u64)>,
}

/// A beat of a read: word, response, and whether it is the last.
type Beat = (u64, u64, bool);

/// The memory.
pub struct AxiMemory {
    bytes: u64,
    timing: Timing,
    rng: SmallRng,
    aw: Channel,
    w: Channel,
    ar: Channel,
    b_valid: Input,
    b_resp: Input,
    b_ready: Output,
    r_valid: Input,
    r_data: Input,
    r_resp: Input,
    r_last: Input,
    r_ready: Output,
    cycle: u64,
    pages: HashMap<u64, Vec<u8>>,
    failing: Range<u64>,
    breaking: f64,
    addresses: VecDeque<Burst>,
    beats: VecDeque<(u64, u64, bool)>,
    written: VecDeque<Written>,
    answer: Option<u64>,
    read: VecDeque<(u64, Vec<Beat>)>,
    beat: Option<Beat>,
    traffic: Traffic,
}

impl AxiMemory {
    /// A memory on the ports `prefix_awaddr` and so on, with words of `width` bits.
    ///
    /// # Errors
    /// The device has not all the ports.
    pub fn new(device: &impl Device, prefix: &str, width: usize, timing: Timing, seed: u64) -> Result<Self, PortError> {
        let input = |field: &str| device.require_input(&format!("{prefix}_{field}"));
        let output = |field: &str| device.require_output(&format!("{prefix}_{field}"));
        let address = ["addr", "len", "size", "burst", "id", "lock", "cache", "prot", "qos"];
        Ok(Self {
            bytes: width as u64 / 8,
            timing,
            rng: SmallRng::seed_from_u64(seed),
            aw: Channel::new(device, prefix, "aw", &address)?,
            w: Channel::new(device, prefix, "w", &["data", "strb", "last"])?,
            ar: Channel::new(device, prefix, "ar", &address)?,
            b_valid: input("bvalid")?,
            b_resp: input("bresp")?,
            b_ready: output("bready")?,
            r_valid: input("rvalid")?,
            r_data: input("rdata")?,
            r_resp: input("rresp")?,
            r_last: input("rlast")?,
            r_ready: output("rready")?,
            cycle: 0,
            pages: HashMap::new(),
            failing: 0..0,
            breaking: 0.0,
            addresses: VecDeque::new(),
            beats: VecDeque::new(),
            written: VecDeque::new(),
            answer: None,
            read: VecDeque::new(),
            beat: None,
            traffic: Traffic {
                writes: vec![0; 257],
                reads: vec![0; 257],
                ..Traffic::default()
            },
        })
    }

    /// Bursts that touch these bytes are answered with an error from now on, and write nothing.
    pub fn fail(&mut self, bytes: Range<u64>) {
        self.failing = bytes;
    }

    /// Breaks so many bursts of reads from now on, against the protocol: they lack words, or the mark of the last, or have
    /// beats too many.
    pub fn break_reads(&mut self, chance: f64) {
        self.breaking = chance;
    }

    /// Sends what nobody asked for: two beats of a read and a response of a write.
    pub fn stray(&mut self) {
        self.read.push_back((self.cycle, vec![(2, 0, true), (1, 0, false)]));
        self.answer = Some(0);
    }

    /// What has passed.
    pub fn traffic(&self) -> &Traffic {
        &self.traffic
    }

    /// Nothing is under way.
    pub fn is_idle(&self) -> bool {
        let writes = self.addresses.is_empty() && self.beats.is_empty() && self.written.is_empty();
        writes && self.answer.is_none() && self.read.is_empty() && self.beat.is_none()
    }

    /// The word at a byte address; bytes never written are 0.
    pub fn word(&self, address: u64) -> u64 {
        let bytes = (0..self.bytes).rev().map(|byte| self.byte(address + byte));
        bytes.fold(0, |word, byte| word << 8 | u64::from(byte))
    }

    /// Writes those bytes of a word whose bit in `lanes` is set.
    pub fn set_word(&mut self, address: u64, word: u64, lanes: u64) {
        for byte in (0..self.bytes).filter(|byte| lanes >> byte & 1 == 1) {
            let at = address + byte;
            let page = self.pages.entry(at / BLOCK).or_insert_with(|| vec![0; BLOCK as usize]);
            page[(at % BLOCK) as usize] = (word >> (8 * byte)) as u8;
        }
    }

    fn byte(&self, address: u64) -> u8 {
        let page = self.pages.get(&(address / BLOCK));
        page.map_or(0, |page| page[(address % BLOCK) as usize])
    }

    fn moves(&mut self) -> bool {
        !self.rng.gen_bool(self.timing.stall)
    }

    /// The device is reset: what is under way is forgotten, what is written stays.
    pub fn reset(&mut self) {
        for channel in [&mut self.aw, &mut self.w, &mut self.ar] {
            channel.reset();
        }
        self.addresses.clear();
        self.beats.clear();
        self.written.clear();
        self.read.clear();
        (self.answer, self.beat) = (None, None);
    }

    /// Sets the device's inputs for the next cycle.
    pub fn drive(&mut self, device: &mut impl Device) {
        let (aw, w, ar, b, r) = (self.moves(), self.moves(), self.moves(), self.moves(), self.moves());
        self.aw.drive(device, aw);
        self.w.drive(device, w);
        self.ar.drive(device, ar);

        if self.answer.is_none() && b && self.written.front().is_some_and(|written| written.due <= self.cycle) {
            let Written { burst, beats, .. } = self.written.pop_front().expect("looked at above");
            let fails = self.fails(burst);
            if !fails {
                for (at, (word, lanes)) in (burst.address..).step_by(self.bytes as usize).zip(beats) {
                    self.set_word(at, word, lanes);
                }
            }
            self.answer = Some(if fails { SLAVE_ERROR } else { 0 });
        }
        device.set(self.b_valid, u64::from(self.answer.is_some()));
        device.set(self.b_resp, self.answer.unwrap_or_default());

        if self.beat.is_none() && r {
            if let Some((_, beats)) = self.read.front_mut().filter(|(due, _)| *due <= self.cycle) {
                self.beat = beats.pop();
                if beats.is_empty() {
                    self.read.pop_front();
                }
            }
        }
        let (word, response, is_last) = self.beat.unwrap_or_default();
        device.set(self.r_valid, u64::from(self.beat.is_some()));
        device.set(self.r_data, word);
        device.set(self.r_resp, response);
        device.set(self.r_last, u64::from(is_last));
    }

    /// Takes what passes in the cycle that the device has settled.
    ///
    /// # Panics
    /// The device breaks the protocol.
    pub fn observe(&mut self, device: &impl Device) {
        if let Some(response) = self.answer.filter(|_| device.get(self.b_ready) == 1) {
            self.traffic.errors += u64::from(response != 0);
            self.answer = None;
        }
        if let Some((_, response, _)) = self.beat.filter(|_| device.get(self.r_ready) == 1) {
            self.traffic.errors += u64::from(response != 0);
            self.beat = None;
        }
        if let Some(payload) = self.aw.observe(device) {
            let burst = self.burst("aw", &payload);
            self.addresses.push_back(burst);
            self.traffic.writes[burst.words as usize] += 1;
        }
        if let Some(payload) = self.w.observe(device) {
            self.beats.push_back((payload[0], payload[1], payload[2] == 1));
        }
        if let Some(payload) = self.ar.observe(device) {
            let burst = self.burst("ar", &payload);
            self.traffic.reads[burst.words as usize] += 1;
            let response = if self.fails(burst) { SLAVE_ERROR } else { 0 };
            let words = (0..burst.words).map(|word| (self.word(burst.address + word * self.bytes), response));
            let mut beats: Vec<Beat> = words.map(|(word, response)| (word, response, false)).collect();
            self.broken(burst, &mut beats);
            beats.reverse();
            self.read.push_back((self.cycle + self.timing.latency, beats));
        }
        self.pair();
        self.traffic.most_reads = self.traffic.most_reads.max(self.read.len());
        let writes = self.addresses.len() + self.written.len() + usize::from(self.answer.is_some());
        self.traffic.most_writes = self.traffic.most_writes.max(writes);
        self.cycle += 1;
    }

    /// Marks the last beat of a burst, unless the burst is to be broken.
    fn broken(&mut self, burst: Burst, beats: &mut Vec<Beat>) {
        let breaks = self.breaking > 0.0 && self.rng.gen_bool(self.breaking);
        let kind = if breaks { self.rng.gen_range(0..3) } else { 3 };
        match kind {
            0 if beats.len() > 1 => beats.truncate(self.rng.gen_range(1..burst.words) as usize),
            1 => beats.extend((0..self.rng.gen_range(1..5)).map(|_| (0xbad, 0, false))),
            _ => {}
        }
        beats.last_mut().expect("a burst has words").2 = kind != 2;
        self.traffic.broken += u64::from(breaks);
    }

    /// Brings bursts of writes and their data together.
    fn pair(&mut self) {
        while let Some(burst) = self.addresses.front().copied() {
            for (beat, (.., is_last)) in self.beats.iter().take(burst.words as usize).enumerate() {
                let place = beat as u64 + 1;
                assert_eq!(
                    *is_last,
                    place == burst.words,
                    "wlast at beat {place} of {}",
                    burst.words
                );
            }
            if (self.beats.len() as u64) < burst.words {
                return;
            }
            let beats = self.beats.drain(..burst.words as usize);
            let beats = beats.map(|(word, lanes, _)| (word, lanes)).collect();
            self.written.push_back(Written {
                due: self.cycle + self.timing.latency,
                burst,
                beats,
            });
            self.addresses.pop_front();
        }
    }

    fn fails(&self, burst: Burst) -> bool {
        burst.address < self.failing.end && self.failing.start < burst.address + burst.words * self.bytes
    }

    fn burst(&self, channel: &str, payload: &[u64]) -> Burst {
        let &[address, len, size, kind, ..] = payload else {
            unreachable!("four fields and more")
        };
        assert_eq!(
            1 << size,
            self.bytes,
            "{channel}size = {size}, but a word has {} bytes",
            self.bytes
        );
        assert_eq!(
            kind, 1,
            "{channel}burst = {kind}, but a burst is of ascending addresses"
        );
        assert_eq!(address % self.bytes, 0, "{channel}addr = {address:#x} is not aligned");
        let words = len + 1;
        let last = address + words * self.bytes - 1;
        assert_eq!(
            address / BLOCK,
            last / BLOCK,
            "{words} words from {channel}addr = {address:#x} leave their 4 KiB"
        );
        Burst { address, words }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUTS: [&str; 23] = [
        "awaddr", "awlen", "awsize", "awburst", "awid", "awlock", "awcache", "awprot", "awqos", "awvalid", "wdata",
        "wstrb", "wlast", "wvalid", "bready", "araddr", "arlen", "arsize", "arburst", "arvalid", "rready", "arid",
        "arlock",
    ];
    const MORE_OUTPUTS: [&str; 3] = ["arcache", "arprot", "arqos"];
    const INPUTS: [&str; 9] = [
        "awready", "wready", "bvalid", "bresp", "arready", "rvalid", "rdata", "rresp", "rlast",
    ];

    /// A master that a test drives by hand.
    #[derive(Default)]
    struct Master {
        outputs: Vec<u64>,
        inputs: Vec<u64>,
    }

    impl Master {
        fn new() -> Self {
            Self {
                outputs: vec![0; OUTPUTS.len() + MORE_OUTPUTS.len()],
                inputs: vec![0; INPUTS.len()],
            }
        }

        fn offer(&mut self, values: &[(&str, u64)]) {
            for (name, value) in values {
                let port = self.output(&format!("m_{name}")).expect("a master's output");
                self.outputs[port.0] = *value;
            }
        }
    }

    impl Device for Master {
        fn input(&self, name: &str) -> Option<Input> {
            let name = name.strip_prefix("m_")?;
            INPUTS.iter().position(|known| *known == name).map(Input)
        }

        fn output(&self, name: &str) -> Option<Output> {
            let name = name.strip_prefix("m_")?;
            let mut all = OUTPUTS.iter().chain(&MORE_OUTPUTS);
            all.position(|known| *known == name).map(Output)
        }

        fn set(&mut self, port: Input, value: u64) {
            self.inputs[port.0] = value;
        }

        fn get(&self, port: Output) -> u64 {
            self.outputs[port.0]
        }

        fn settle(&mut self) {}

        fn tick(&mut self) {}

        fn reset(&mut self, _cycles: usize) {}
    }

    fn cycles(values: &[&[(&str, u64)]], stall: f64) {
        let mut master = Master::new();
        let timing = Timing { latency: 1, stall };
        let mut memory = AxiMemory::new(&master, "m", 32, timing, 1).unwrap();
        for values in values {
            memory.drive(&mut master);
            master.offer(values);
            memory.observe(&master);
        }
    }

    const READ: [(&str, u64); 5] = [
        ("arvalid", 1),
        ("arburst", 1),
        ("arsize", 2),
        ("araddr", 0xff8),
        ("arlen", 1),
    ];

    #[test]
    fn what_the_protocol_allows_passes() {
        cycles(&[&READ, &[("arvalid", 0), ("araddr", 7)]], 0.0);
        cycles(&[&READ, &[("rready", 1)]], 1.0);
    }

    #[test]
    #[should_panic(expected = "arvalid fell before it was taken")]
    fn an_offer_withdrawn_is_noticed() {
        cycles(&[&READ, &[("arvalid", 0)]], 1.0);
    }

    #[test]
    #[should_panic(expected = "ar changed before it was taken")]
    fn an_offer_changed_is_noticed() {
        cycles(&[&READ, &[("arlen", 0)]], 1.0);
    }

    #[test]
    #[should_panic(expected = "3 words from araddr = 0xff8 leave their 4 KiB")]
    fn a_burst_out_of_its_block_is_noticed() {
        cycles(&[&[READ.as_slice(), &[("arlen", 2)]].concat()], 0.0);
    }

    #[test]
    #[should_panic(expected = "arsize = 3, but a word has 4 bytes")]
    fn a_wrong_size_is_noticed() {
        cycles(&[&[READ.as_slice(), &[("arsize", 3)]].concat()], 0.0);
    }

    #[test]
    #[should_panic(expected = "wlast at beat 1 of 2")]
    fn a_wrong_last_is_noticed() {
        let write = [("awvalid", 1), ("awburst", 1), ("awsize", 2), ("awlen", 1)];
        cycles(&[&write, &[("awvalid", 0), ("wvalid", 1), ("wlast", 1)]], 0.0);
    }
}

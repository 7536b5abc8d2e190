//! The golden fabric as a device: what it does is right, and takes a time that is easy to foretell.
//!
//! A tile takes a word of a descriptor a cycle, does its commands one after the other, [`FRONT`] cycles and one a word of
//! data each, and shows the event [`WAY`] cycles after the last word. An access of the host takes [`ACCESS`] cycles.

use super::device::FabricDevice;
use crate::device::beside::BesideTiles;
use portico::{Transport, TransportError};
use portico_golden::GoldenFabric;
use portico_spec::{
    ni::command::{opcode, Opcode},
    parts::{MPE, PORTALS},
    Config,
};
use std::collections::VecDeque;

/// Cycles of a command beside those of its data.
pub const FRONT: u64 = 2;
/// Cycles from the end of a command to its event.
pub const WAY: u64 = 8;
/// Cycles of an access of the host.
const ACCESS: u64 = 3;

/// What a tile is about to do.
#[derive(Default)]
struct Stream {
    waiting: VecDeque<(u32, bool)>,
    taken: Vec<u32>,
    accepted: u64,
    last_accepted: u64,
    free: u64,
    commands: VecDeque<(u64, Vec<u32>)>,
}

/// Such a fabric.
pub struct GoldenDevice {
    config: Config,
    fabric: GoldenFabric,
    cycle: u64,
    streams: Vec<Stream>,
    /// Spoils what the host reads.
    pub spoil: fn(u32, u32) -> u32,
}

impl GoldenDevice {
    pub fn new(config: &Config) -> Self {
        Self {
            config: config.clone(),
            fabric: GoldenFabric::new(config),
            cycle: 0,
            streams: (0..config.tiles()).map(|_| Stream::default()).collect(),
            spoil: |_, word| word,
        }
    }
}

/// Words of data that a command moves.
fn data(command: &[u32]) -> u64 {
    match opcode(command[0]) {
        code if code == Opcode::Atomic as u8 || PORTALS.takes(code) => 0,
        // A barrier has no length.
        code if MPE.takes(code) => command.get(2).copied().unwrap_or(0).into(),
        _ => u64::from(command[3] >> 16) * u64::from(command[3] & 0xffff),
    }
}

impl FabricDevice for GoldenDevice {
    fn config(&self) -> &Config {
        &self.config
    }

    fn cycles(&self) -> u64 {
        self.cycle
    }

    fn cycle(&mut self) {
        for tile in 0..self.streams.len() {
            let stream = &mut self.streams[tile];
            if let Some((word, last)) = stream.waiting.pop_front() {
                stream.taken.push(word);
                if last {
                    stream.accepted += 1;
                    stream.last_accepted = self.cycle;
                    let command = std::mem::take(&mut stream.taken);
                    stream.free = stream.free.max(self.cycle) + FRONT + data(&command);
                    stream.commands.push_back((stream.free + WAY, command));
                }
            }
            while self.streams[tile]
                .commands
                .front()
                .is_some_and(|(due, _)| *due <= self.cycle + 1)
            {
                let (_, command) = self.streams[tile].commands.pop_front().expect("one is due");
                self.fabric.command(tile, &command);
            }
        }
        self.cycle += 1;
    }

    fn command(&mut self, tile: usize, descriptor: &[u32]) {
        let last = descriptor.len() - 1;
        let words = descriptor.iter().enumerate().map(|(at, &word)| (word, at == last));
        self.streams[tile].waiting.extend(words);
    }

    fn accepted(&self, tile: usize) -> (u64, u64) {
        (self.streams[tile].accepted, self.streams[tile].last_accepted)
    }

    fn fired(&mut self, tile: usize) -> u64 {
        self.fabric.fired(tile)
    }

    fn host_fired(&mut self) -> u64 {
        self.fabric.fired(self.config.tiles())
    }

    fn beside(&mut self) -> Option<&mut dyn BesideTiles> {
        None
    }

    fn write(&mut self, address: u32, word: u32) -> Result<(), TransportError> {
        (0..ACCESS).for_each(|_| self.cycle());
        self.fabric.write(self.config.tiles(), address, word);
        Ok(())
    }

    fn read(&mut self, address: u32) -> Result<u32, TransportError> {
        (0..ACCESS).for_each(|_| self.cycle());
        Ok((self.spoil)(address, self.fabric.read(self.config.tiles(), address)))
    }
}

impl Transport for GoldenDevice {
    fn config(&self) -> &Config {
        &self.config
    }

    fn read(&mut self, address: u32) -> Result<u32, TransportError> {
        FabricDevice::read(self, address)
    }

    fn write(&mut self, address: u32, value: u32) -> Result<(), TransportError> {
        FabricDevice::write(self, address, value)
    }

    fn cycles(&self) -> u64 {
        self.cycle
    }

    fn wait(&mut self, cycles: u64) {
        (0..cycles).for_each(|_| FabricDevice::cycle(self));
    }

    fn interrupt(&mut self) -> bool {
        false
    }
}

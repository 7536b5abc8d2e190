//! A board that runs as compiled Verilog: bytes at the pins of its UART.

use crate::{Input, Library, Model, Output, SimError};
use portico::serial::{Board, Line, LineError};
use portico_spec::uart::{LINE_BITS as BITS, PAUSE_BITS};
use std::{collections::VecDeque, time::Duration};

/// Clock cycles of a bit of the line: as few as the hardware takes, since a simulation pays for each.
pub const BIT_CYCLES: u64 = 4;
/// Cycles of reset at the pin; the board lengthens it.
const RESET_CYCLES: u64 = 4;
/// Cycles from then on in which the board is in reset and clears its tables.
const START_CYCLES: u64 = 256 + portico_spec::ni::INITIALISATION_CYCLES as u64 + 16;
/// Bits of a byte on the line: start, 8 of data, stop.
const LINE_BITS: u64 = BITS as u64;
/// Clock that time is told by, in Hz.
const CLOCK: u64 = 50_000_000;
/// Cycles after which no answer is expected in this exchange: a frame's accesses take less, the line's pause is longer.
const ANSWER_CYCLES: u64 = 4000;
const _: () = assert!(ANSWER_CYCLES < BIT_CYCLES * PAUSE_BITS as u64);

/// A board in simulation: what a host sends goes in bit by bit, and what comes back is collected.
pub struct SimulatedBoard {
    model: Model,
    bit_cycles: u64,
    rx: Input,
    tx: Output,
    led: Output,
    sending: VecDeque<u8>,
    /// The byte under way to the board with its start and stop bits, and cycles since it began.
    out: Option<(u16, u64)>,
    /// The byte under way from it, and cycles since its start bit was seen.
    back: Option<(u16, u64)>,
    received: VecDeque<u8>,
    /// All that a host has sent is done with, and a pause is over.
    rests: bool,
}

impl SimulatedBoard {
    /// A new board of `library`, which is a top `board`; it is reset and initialised. Its line is as fast as the hardware takes.
    ///
    /// # Errors
    /// The library has not the ports of a board.
    pub fn new(library: &Library) -> Result<Self, SimError> {
        Self::with_bit_cycles(library, BIT_CYCLES)
    }

    /// As [`SimulatedBoard::new`], with so many clock cycles a bit of the line, [`BIT_CYCLES`] or more.
    ///
    /// # Errors
    /// As [`SimulatedBoard::new`].
    pub fn with_bit_cycles(library: &Library, bit_cycles: u64) -> Result<Self, SimError> {
        let mut model = library.model();
        let pins = model.input("bit_cycles")?;
        let mut board = Self {
            bit_cycles,
            rx: model.input("uart_rx")?,
            tx: model.output("uart_tx")?,
            led: model.output("led")?,
            sending: VecDeque::new(),
            out: None,
            back: None,
            received: VecDeque::new(),
            rests: true,
            model: {
                model.set(pins, bit_cycles);
                model
            },
        };
        board.model.set(board.rx, 1);
        board.model.reset(RESET_CYCLES);
        board.run(START_CYCLES);
        Ok(board)
    }

    /// Cycles since the model was made.
    pub fn cycles(&self) -> u64 {
        self.model.cycle()
    }

    /// The LEDs, a bit each.
    pub fn led(&mut self) -> u8 {
        self.model.settle();
        self.model.get(self.led) as u8
    }

    /// The model itself, for waveforms.
    pub fn model(&mut self) -> &mut Model {
        &mut self.model
    }

    /// Queues bytes for the line.
    pub fn send(&mut self, bytes: &[u8]) {
        self.rests &= bytes.is_empty();
        self.sending.extend(bytes);
    }

    /// Whether bytes are still on their way to the board.
    pub fn is_sending(&self) -> bool {
        self.out.is_some() || !self.sending.is_empty()
    }

    /// What has come back since the last call.
    pub fn receive(&mut self) -> Vec<u8> {
        self.received.drain(..).collect()
    }

    /// Lets time pass.
    pub fn run(&mut self, cycles: u64) {
        (0..cycles).for_each(|_| self.cycle());
    }

    /// One cycle: a level to the board, and one from it.
    pub fn cycle(&mut self) {
        if self.out.is_none() {
            let next = self.sending.pop_front();
            self.out = next.map(|byte| (1 << (LINE_BITS - 1) | u16::from(byte) << 1, 0));
        }
        let level = self
            .out
            .map_or(1, |(bits, cycles)| u64::from(bits >> (cycles / self.bit_cycles) & 1));
        self.model.set(self.rx, level);
        self.model.settle();
        let high = self.model.get(self.tx) == 1;
        self.model.tick();
        self.out = self
            .out
            .map(|(bits, cycles)| (bits, cycles + 1))
            .filter(|&(_, cycles)| cycles < LINE_BITS * self.bit_cycles);
        self.back = match self.back {
            None => (!high).then_some((0, 1)),
            Some((bits, cycles)) => {
                // Each bit is read once, in its middle.
                let reads = cycles % self.bit_cycles == self.bit_cycles / 2;
                let bits = bits | u16::from(reads && high) << (cycles / self.bit_cycles);
                Some((bits, cycles + 1))
            }
        };
        if let Some((bits, cycles)) = self.back {
            if cycles == LINE_BITS * self.bit_cycles - 1 {
                self.received.push_back((bits >> 1) as u8);
                self.back = None;
            }
        }
    }
}

/// The host's end of the line: what it sends and waits for lets time pass on the board.
impl Line for SimulatedBoard {
    fn baud(&self) -> u32 {
        (CLOCK / self.bit_cycles) as u32
    }

    fn send(&mut self, bytes: &[u8]) -> Result<(), LineError> {
        SimulatedBoard::send(self, bytes);
        while self.is_sending() {
            self.cycle();
        }
        Ok(())
    }

    fn receive(&mut self, bytes: &mut [u8], limit: Duration) -> Result<usize, LineError> {
        let end = self.cycles() + cycles_of(limit);
        while self.received.is_empty() && self.cycles() < end {
            self.cycle();
        }
        let count = self.received.len().min(bytes.len());
        for (place, byte) in bytes.iter_mut().zip(self.received.drain(..count)) {
            *place = byte;
        }
        Ok(count)
    }

    fn now(&self) -> Duration {
        Duration::from_nanos(self.cycles() * (1_000_000_000 / CLOCK))
    }

    fn sleep(&mut self, time: Duration) {
        self.run(cycles_of(time));
    }
}

/// The board's end, for hosts that are programs of their own.
impl Board for SimulatedBoard {
    fn exchange(&mut self, bytes: &[u8]) -> Vec<u8> {
        SimulatedBoard::send(self, bytes);
        if self.rests {
            return self.receive();
        }
        let mut quiet = 0;
        while self.is_sending()
            || quiet < ANSWER_CYCLES && self.received.is_empty()
            || quiet < 2 * LINE_BITS * self.bit_cycles
        {
            let before = self.received.len();
            self.cycle();
            quiet = match self.is_sending() || self.received.len() > before {
                true => 0,
                false => quiet + 1,
            };
        }
        self.receive()
    }

    fn pause(&mut self) {
        // Time is not spent on a board to which nobody talks.
        if !self.rests {
            self.run(self.bit_cycles * (PAUSE_BITS as u64 + LINE_BITS));
            self.rests = true;
        }
    }
}

fn cycles_of(time: Duration) -> u64 {
    (time.as_nanos() * u128::from(CLOCK) / 1_000_000_000) as u64
}

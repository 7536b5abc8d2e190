use crate::bus::{MemoryReadIn, MemoryReadOut, RegisterFetchOut};
use portico_spec::ni::{packet::OFFSET_WIDTH, registers::INDEX_WIDTH};
use portico_verilog::prelude::*;

/// Width of the count of open reads: more than any memory takes at once.
const OPEN_WIDTH: usize = 10;

/// Parts the DMA's reads between the memory and the registers, and brings the answers back in order.
///
/// Reads of words of `W` bits.
///
/// | | |
/// | --- | --- |
/// | latency | that of the memory; that of the register bus |
/// | throughput | one read of the memory a cycle; one of a register after the other; a change between them waits for all answers |
/// | state | the open reads, and whether an answer is held |
#[derive(LogicBlock, Default)]
pub struct ReadSplitter<const W: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Reads of the memory and of registers; the words come back in the order of the reads.
    pub reader: MemoryReadIn<W>,
    /// Reads of the memory.
    pub memory: MemoryReadOut<W>,
    /// Reads of registers, one at a time.
    pub fetch: RegisterFetchOut,
    open: DFF<Bits<OPEN_WIDTH>>,
    /// A register's value is on its way.
    fetching: DFF<Bit>,
    is_register: Signal<Local, Bit>,
    idle: Signal<Local, Bit>,
    asks: Signal<Local, Bit>,
    fetches: Signal<Local, Bit>,
    register_at: Constant<Bits<OFFSET_WIDTH>>,
}

impl<const W: usize> ReadSplitter<W> {
    /// Addresses with the bit `register_bit` are registers.
    pub fn new(register_bit: usize) -> Self {
        Self {
            register_at: Constant::new(bits(register_bit as u64)),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize> Logic for ReadSplitter<W> {
    fn update(&mut self) {
        dff_setup!(self, clk, open, fetching);
        self.is_register.next = self.reader.address.val().get_bit(self.register_at.val().index());
        self.idle.next = self.open.q.val() == 0;
        self.asks.next = self.reader.valid.val() & !self.is_register.val() & !self.fetching.q.val();
        self.fetches.next = self.reader.valid.val() & self.is_register.val() & self.idle.val() & !self.fetching.q.val();

        self.memory.valid.next = self.asks.val();
        self.memory.address.next = self.reader.address.val();
        self.fetch.valid.next = self.fetches.val();
        self.fetch.index.next = bit_cast::<INDEX_WIDTH, OFFSET_WIDTH>(self.reader.address.val());
        self.reader.ready.next = self.memory.ready.val() & !self.fetching.q.val();
        if self.is_register.val() {
            self.reader.ready.next = self.fetches.val() & self.fetch.ready.val();
        }

        if self.asks.val() & self.memory.ready.val() & !self.memory.data_valid.val() {
            self.open.d.next = self.open.q.val() + 1;
        }
        if !(self.asks.val() & self.memory.ready.val()) & self.memory.data_valid.val() {
            self.open.d.next = self.open.q.val() - 1;
        }
        if self.fetches.val() & self.fetch.ready.val() {
            self.fetching.d.next = true;
        }
        if self.fetch.data_valid.val() {
            self.fetching.d.next = false;
        }
        self.reader.data_valid.next = self.memory.data_valid.val() | self.fetch.data_valid.val();
        self.reader.data.next = self.memory.data.val();
        if self.fetching.q.val() {
            self.reader.data.next = bit_cast::<W, 32>(self.fetch.data.val());
        }
        if self.rst.val() {
            self.open.d.next = 0.into();
            self.fetching.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock, clocked, reset, rng, settle};
    use rand::Rng;
    use std::collections::VecDeque;

    clocked!([const W: usize] ReadSplitter<W>);

    const REGISTER_BIT: usize = 17;

    #[test]
    fn answers_come_in_the_order_of_the_requests() {
        for latency in [1, 2, 7] {
            let mut rng = rng(0x5911 + latency);
            let mut dut = reset(ReadSplitter::<32>::new(REGISTER_BIT));
            let (mut memory, mut wanted) = (VecDeque::new(), VecDeque::new());
            let (mut request, mut fetched, mut answered, mut registers) = (None, None::<(u64, u64)>, 0, 0);
            for cycle in 0..4_000u64 {
                if request.is_none() && rng.gen_bool(0.8) {
                    let bit = u64::from(rng.gen_bool(0.3)) << REGISTER_BIT;
                    request = Some(rng.gen_range(0..1u64 << 16) | bit);
                }
                dut.reader.valid.next = request.is_some();
                dut.reader.address.next = request.unwrap_or_default().into();
                dut.memory.ready.next = rng.gen_bool(0.7);
                dut.fetch.ready.next = rng.gen_bool(0.7);
                let due = memory.front().is_some_and(|&(at, _)| at <= cycle);
                dut.memory.data_valid.next = due;
                dut.memory.data.next = if due { memory.pop_front().unwrap().1 } else { 0u64 }.into();
                let told = fetched.take_if(|(at, _)| *at == cycle);
                dut.fetch.data_valid.next = told.is_some();
                dut.fetch.data.next = told.unwrap_or_default().1.into();
                settle(&mut dut);
                if dut.reader.data_valid.val() {
                    assert_eq!(
                        Some(dut.reader.data.val().to_u64()),
                        wanted.pop_front(),
                        "cycle {cycle}"
                    );
                    answered += 1;
                }
                if dut.memory.valid.val() && dut.memory.ready.val() {
                    let address = dut.memory.address.val().to_u64();
                    assert_eq!(address >> REGISTER_BIT & 1, 0);
                    memory.push_back((cycle + latency, address + 1));
                }
                if dut.fetch.valid.val() && dut.fetch.ready.val() {
                    assert!(fetched.is_none(), "one after the other");
                    fetched = Some((cycle + latency + 2, dut.fetch.index.val().to_u64() * 2));
                    registers += 1;
                }
                if dut.reader.valid.val() && dut.reader.ready.val() {
                    let address = request.take().unwrap();
                    let is_register = address >> REGISTER_BIT & 1 == 1;
                    wanted.push_back(if is_register {
                        address % (1 << 16) * 2
                    } else {
                        address + 1
                    });
                }
                clock(&mut dut);
            }
            assert!(
                answered > 500 && registers > 80,
                "{answered} answers, {registers} of registers"
            );
        }
    }
}

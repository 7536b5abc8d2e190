use crate::{dma::ports::ArgumentIn, prim::LutRam};
use portico_spec::ni::{instruction::REGISTER_WIDTH, CONTEXT_WIDTH};
use portico_verilog::prelude::*;

const ADDRESS_WIDTH: usize = CONTEXT_WIDTH + REGISTER_WIDTH;

/// Registers of the micro-cores: two read ports, one write port.
///
/// Registers by context.
///
/// | | |
/// | --- | --- |
/// | latency | read: combinational; write: readable in the next cycle |
/// | throughput | two reads and one write a cycle; an argument goes before an instruction's own write |
/// | state | 16 registers of 32 bits for each of 16 contexts, twice, in LUT-RAM; undefined until written |
#[derive(LogicBlock, Default)]
pub struct RegisterFile {
    pub clk: Signal<In, Clock>,
    /// Always taken; the instruction's write waits.
    pub argument: ArgumentIn,
    /// The context whose registers are read and written by instructions.
    pub current: Signal<In, Bits<CONTEXT_WIDTH>>,
    pub a_register: Signal<In, Bits<REGISTER_WIDTH>>,
    pub b_register: Signal<In, Bits<REGISTER_WIDTH>>,
    /// Writes register a; not while an argument comes.
    pub write: Signal<In, Bit>,
    pub write_data: Signal<In, Bits<32>>,
    pub a: Signal<Out, Bits<32>>,
    pub b: Signal<Out, Bits<32>>,
    a_copy: LutRam<32, ADDRESS_WIDTH>,
    b_copy: LutRam<32, ADDRESS_WIDTH>,
    bank: Signal<Local, Bits<ADDRESS_WIDTH>>,
    a_address: Signal<Local, Bits<ADDRESS_WIDTH>>,
    written: Signal<Local, Bit>,
    write_address: Signal<Local, Bits<ADDRESS_WIDTH>>,
    data: Signal<Local, Bits<32>>,
}

#[kernel]
impl Logic for RegisterFile {
    fn update(&mut self) {
        wire!(self => a_copy, b_copy: clk);
        self.bank.next = bit_cast::<ADDRESS_WIDTH, CONTEXT_WIDTH>(self.current.val()) << bits::<4>(REGISTER_WIDTH);
        self.a_address.next = self.bank.val() | bit_cast::<ADDRESS_WIDTH, REGISTER_WIDTH>(self.a_register.val());
        self.a_copy.read_address.next = self.a_address.val();
        self.b_copy.read_address.next =
            self.bank.val() | bit_cast::<ADDRESS_WIDTH, REGISTER_WIDTH>(self.b_register.val());
        self.a.next = self.a_copy.read_data.val();
        self.b.next = self.b_copy.read_data.val();

        self.written.next = self.write.val() | self.argument.enable.val();
        self.write_address.next = self.a_address.val();
        self.data.next = self.write_data.val();
        if self.argument.enable.val() {
            self.write_address.next = (bit_cast::<ADDRESS_WIDTH, CONTEXT_WIDTH>(self.argument.context.val())
                << bits::<4>(REGISTER_WIDTH))
                | bit_cast::<ADDRESS_WIDTH, 4>(self.argument.register.val());
            self.data.next = self.argument.data.val();
        }
        self.a_copy.write_enable.next = self.written.val();
        self.a_copy.write_address.next = self.write_address.val();
        self.a_copy.write_data.next = self.data.val();
        self.b_copy.write_enable.next = self.written.val();
        self.b_copy.write_address.next = self.write_address.val();
        self.b_copy.write_data.next = self.data.val();
    }
}

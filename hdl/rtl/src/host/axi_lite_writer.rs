use super::{
    address_map::{AddressMap, ADDRESS_WIDTH},
    AxiLiteWriteIn,
};
use crate::{
    bus::{MemoryWriteOut, RegisterRequestOut},
    prim::StreamOut,
};
use portico_spec::ni::command::PLACE_WIDTH;
use portico_verilog::prelude::*;

/// The write channels of AXI4-Lite.
///
/// Passes one write at a time to the target that its address selects. Address and data may come in any order.
///
/// | | |
/// | --- | --- |
/// | latency | 2 cycles from address and data, whichever is later, to the response, if the target takes the write at once |
/// | throughput | one write every 2 cycles |
/// | timing | `awready`, `wready` and `bvalid` come straight from flip-flops |
/// | state | one address, one word, one response |
#[derive(LogicBlock, Default)]
pub struct AxiLiteWriter<const W: usize, const B: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Writes of the host.
    pub s_axil: AxiLiteWriteIn,
    /// Writes of the host to the memory of the node, 4 bytes at most.
    pub memory_write: MemoryWriteOut<W, B>,
    /// Writes of registers outside of block COMMAND.
    pub register_write: RegisterRequestOut,
    /// Words of descriptors: the writes to block COMMAND. The word at place 15 is the last of its descriptor.
    pub m_axis_command: StreamOut<32>,
    /// The queue drops the word of `m_axis_command` that it takes in this cycle.
    pub command_refused: Signal<In, Bit>,
    map: AddressMap,
    has_address: DFF<Bit>,
    address: DFF<Bits<ADDRESS_WIDTH>>,
    has_data: DFF<Bit>,
    data: DFF<Bits<32>>,
    strobes: DFF<Bits<4>>,
    answering: DFF<Bit>,
    failed: DFF<Bit>,
    is_partial: Signal<Local, Bit>,
    writing: Signal<Local, Bit>,
    writes_register: Signal<Local, Bit>,
    taken: Signal<Local, Bit>,
}

impl<const W: usize, const B: usize> AxiLiteWriter<W, B> {
    /// For a node with `memory_bytes` of memory; see [`AddressMap::new`].
    pub fn new(memory_bytes: usize) -> Self {
        Self {
            map: AddressMap::new(W, memory_bytes),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize, const B: usize> Logic for AxiLiteWriter<W, B> {
    fn update(&mut self) {
        dff_setup!(self, clk, has_address, address, has_data, data, strobes, answering);
        dff_setup!(self, clk, failed);
        self.s_axil.awready.next = !self.has_address.q.val();
        if !self.has_address.q.val() {
            self.has_address.d.next = self.s_axil.awvalid.val();
            self.address.d.next = self.s_axil.awaddr.val();
        }
        self.s_axil.wready.next = !self.has_data.q.val();
        if !self.has_data.q.val() {
            self.has_data.d.next = self.s_axil.wvalid.val();
            self.data.d.next = self.s_axil.wdata.val();
            self.strobes.d.next = self.s_axil.wstrb.val();
        }

        self.map.address.next = self.address.q.val();
        self.writing.next = self.has_address.q.val() & self.has_data.q.val() & !self.answering.q.val();
        self.is_partial.next = self.strobes.q.val().any() & !self.strobes.q.val().all();

        self.memory_write.valid.next = self.writing.val() & self.map.is_memory.val();
        self.memory_write.address.next = self.map.word.val();
        // Both halves of a wide word offer the data; the lanes choose.
        self.memory_write.data.next = bit_cast::<W, 32>(self.data.q.val()) | field::<W, 32>(self.data.q.val(), W - 32);
        self.memory_write.lanes.next = bit_cast::<B, 4>(self.strobes.q.val());
        if self.map.upper.val() {
            self.memory_write.lanes.next = field::<B, 4>(self.strobes.q.val(), B - 4);
        }

        self.writes_register.next =
            self.writing.val() & self.map.is_register.val() & !self.map.upper.val() & self.strobes.q.val().all();
        self.register_write.valid.next = self.writes_register.val() & !self.map.is_command.val();
        self.register_write.index.next = self.map.index.val();
        self.register_write.data.next = self.data.q.val();
        self.m_axis_command.tvalid.next = self.writes_register.val() & self.map.is_command.val();
        self.m_axis_command.tdata.next = self.data.q.val();
        self.m_axis_command.tlast.next = self.map.index.val().get_bits::<PLACE_WIDTH>(0).all();

        // A write without a target is over at once.
        self.taken.next = self.writing.val();
        if self.map.is_memory.val() {
            self.taken.next = self.writing.val() & self.memory_write.ready.val();
        }
        if self.writes_register.val() {
            self.taken.next = self.register_write.ready.val();
            if self.map.is_command.val() {
                self.taken.next = self.m_axis_command.tready.val();
            }
        }

        self.s_axil.bvalid.next = self.answering.q.val();
        self.s_axil.bresp.next = 0.into();
        if self.failed.q.val() {
            self.s_axil.bresp.next = bits::<2>(super::axi_lite::SLAVE_ERROR);
        }
        if self.s_axil.bready.val() {
            self.answering.d.next = false;
        }
        if self.taken.val() {
            self.has_address.d.next = false;
            self.has_data.d.next = false;
            self.answering.d.next = true;
            self.failed.d.next = (!self.map.is_memory.val() & !self.map.is_register.val())
                | (self.map.is_register.val() & self.is_partial.val())
                | (self.writes_register.val() & self.map.is_command.val() & self.command_refused.val());
        }
        if self.rst.val() {
            self.has_address.d.next = false;
            self.has_data.d.next = false;
            self.answering.d.next = false;
        }
    }
}

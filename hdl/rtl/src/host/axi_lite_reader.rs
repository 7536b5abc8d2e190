use super::{
    address_map::{AddressMap, ADDRESS_WIDTH},
    AxiLiteReadIn,
};
use crate::bus::{MemoryReadOut, RegisterFetchOut};
use portico_verilog::prelude::*;

/// State of a read.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum ReadState {
    Free,
    Asking,
    Waiting,
    Answering,
}

/// The read channels of AXI4-Lite.
///
/// Passes one read at a time to the target that its address selects.
///
/// | | |
/// | --- | --- |
/// | latency | 3 cycles from address to data, if the memory grants at once and answers a cycle later; 2 and those of the register bus |
/// | throughput | one read every 4 cycles |
/// | timing | `arready`, `rvalid` and `rdata` come straight from flip-flops |
/// | state | one address, one word |
#[derive(LogicBlock, Default)]
pub struct AxiLiteReader<const W: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Reads of the host.
    pub s_axil: AxiLiteReadIn,
    /// Reads of the memory of the node for the host, one at a time.
    pub memory_read: MemoryReadOut<W>,
    /// Reads of registers, one at a time.
    pub register_read: RegisterFetchOut,
    map: AddressMap,
    state: DFF<ReadState>,
    address: DFF<Bits<ADDRESS_WIDTH>>,
    data: DFF<Bits<32>>,
    failed: DFF<Bit>,
    asks_register: Signal<Local, Bit>,
}

impl<const W: usize> AxiLiteReader<W> {
    /// For a node with `memory_bytes` of memory; see [`AddressMap::new`].
    pub fn new(memory_bytes: usize) -> Self {
        Self {
            map: AddressMap::new(W, memory_bytes),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize> Logic for AxiLiteReader<W> {
    fn update(&mut self) {
        dff_setup!(self, clk, state, address, data, failed);
        self.map.address.next = self.address.q.val();
        self.asks_register.next = self.map.is_register.val() & !self.map.upper.val();
        self.s_axil.arready.next = false;
        self.memory_read.valid.next = false;
        self.memory_read.address.next = self.map.word.val();
        self.register_read.valid.next = false;
        self.register_read.index.next = self.map.index.val();
        self.s_axil.rvalid.next = false;
        self.s_axil.rdata.next = self.data.q.val();
        self.s_axil.rresp.next = 0.into();
        if self.failed.q.val() {
            self.s_axil.rresp.next = bits::<2>(super::axi_lite::SLAVE_ERROR);
        }
        match self.state.q.val() {
            ReadState::Free => {
                self.s_axil.arready.next = true;
                self.address.d.next = self.s_axil.araddr.val();
                if self.s_axil.arvalid.val() {
                    self.state.d.next = ReadState::Asking;
                }
            }
            ReadState::Asking => {
                self.memory_read.valid.next = self.map.is_memory.val();
                self.register_read.valid.next = self.asks_register.val();
                self.data.d.next = 0.into();
                self.failed.d.next = !self.map.is_memory.val() & !self.map.is_register.val();
                if (self.map.is_memory.val() & self.memory_read.ready.val())
                    | (self.asks_register.val() & self.register_read.ready.val())
                {
                    self.state.d.next = ReadState::Waiting;
                }
                if !self.map.is_memory.val() & !self.asks_register.val() {
                    self.state.d.next = ReadState::Answering;
                }
            }
            ReadState::Waiting => {
                if self.map.is_memory.val() {
                    self.data.d.next = self.memory_read.data.val().get_bits::<32>(0);
                    if self.map.upper.val() {
                        self.data.d.next = self.memory_read.data.val().get_bits::<32>(W - 32);
                    }
                    if self.memory_read.data_valid.val() {
                        self.state.d.next = ReadState::Answering;
                    }
                } else {
                    self.data.d.next = self.register_read.data.val();
                    if self.register_read.data_valid.val() {
                        self.state.d.next = ReadState::Answering;
                    }
                }
            }
            ReadState::Answering => {
                self.s_axil.rvalid.next = true;
                if self.s_axil.rready.val() {
                    self.state.d.next = ReadState::Free;
                }
            }
        }
        if self.rst.val() {
            self.state.d.next = ReadState::Free;
        }
    }
}

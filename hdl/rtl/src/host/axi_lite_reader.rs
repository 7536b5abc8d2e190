//! The read channels of AXI4-Lite.
//!
//! | | |
//! | --- | --- |
//! | latency | 3 cycles from address to data, if memory or register are granted at once and answer a cycle later |
//! | throughput | one read every 4 cycles |
//! | timing | `arready`, `rvalid` and `rdata` come straight from flip-flops |
//! | state | one address, one word |

use super::address_map::{AddressMap, ADDRESS_WIDTH};
use crate::ni::ports::MemoryReadOut;
use portico_spec::ni::registers::INDEX_WIDTH;
use rust_hdl::prelude::*;

/// What becomes of a read.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum ReadState {
    Free,
    Asking,
    Waiting,
    Answering,
}

/// Takes one read at a time to where the address leads.
#[derive(LogicBlock)]
pub struct AxiLiteReader<const W: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    pub araddr: Signal<In, Bits<ADDRESS_WIDTH>>,
    pub arvalid: Signal<In, Bit>,
    pub arready: Signal<Out, Bit>,
    pub rdata: Signal<Out, Bits<32>>,
    pub rresp: Signal<Out, Bits<2>>,
    pub rvalid: Signal<Out, Bit>,
    pub rready: Signal<In, Bit>,
    pub memory_read: MemoryReadOut<W>,
    pub register_read_valid: Signal<Out, Bit>,
    pub register_read_index: Signal<Out, Bits<INDEX_WIDTH>>,
    pub register_read_ready: Signal<In, Bit>,
    /// Valid in the cycle after `register_read_valid` and `register_read_ready`.
    pub register_read_data: Signal<In, Bits<32>>,
    map: AddressMap,
    state: DFF<ReadState>,
    address: DFF<Bits<ADDRESS_WIDTH>>,
    data: DFF<Bits<32>>,
    failed: DFF<Bit>,
    asks_register: Signal<Local, Bit>,
    upper_bit: Constant<Bits<6>>,
    slave_error: Constant<Bits<2>>,
}

impl<const W: usize> AxiLiteReader<W> {
    /// For a node with `memory_bytes` of memory; see [`AddressMap::new`].
    pub fn new(memory_bytes: usize) -> Self {
        Self {
            clk: Default::default(),
            rst: Default::default(),
            araddr: Default::default(),
            arvalid: Default::default(),
            arready: Default::default(),
            rdata: Default::default(),
            rresp: Default::default(),
            rvalid: Default::default(),
            rready: Default::default(),
            memory_read: Default::default(),
            register_read_valid: Default::default(),
            register_read_index: Default::default(),
            register_read_ready: Default::default(),
            register_read_data: Default::default(),
            map: AddressMap::new(W, memory_bytes),
            state: Default::default(),
            address: Default::default(),
            data: Default::default(),
            failed: Default::default(),
            asks_register: Default::default(),
            upper_bit: Constant::new(bits(W as u64 - 32)),
            slave_error: Constant::new(bits(super::axi_lite::SLAVE_ERROR)),
        }
    }
}

impl<const W: usize> Logic for AxiLiteReader<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, state, address, data, failed);
        self.map.address.next = self.address.q.val();
        self.asks_register.next = self.map.is_register.val() & !self.map.upper.val();
        self.arready.next = false;
        self.memory_read.valid.next = false;
        self.memory_read.address.next = self.map.word.val();
        self.register_read_valid.next = false;
        self.register_read_index.next = self.map.index.val();
        self.rvalid.next = false;
        self.rdata.next = self.data.q.val();
        self.rresp.next = 0.into();
        if self.failed.q.val() {
            self.rresp.next = self.slave_error.val();
        }
        match self.state.q.val() {
            ReadState::Free => {
                self.arready.next = true;
                self.address.d.next = self.araddr.val();
                if self.arvalid.val() {
                    self.state.d.next = ReadState::Asking;
                }
            }
            ReadState::Asking => {
                self.memory_read.valid.next = self.map.is_memory.val();
                self.register_read_valid.next = self.asks_register.val();
                self.data.d.next = 0.into();
                self.failed.d.next = !self.map.is_memory.val() & !self.map.is_register.val();
                if (self.map.is_memory.val() & self.memory_read.ready.val())
                    | (self.asks_register.val() & self.register_read_ready.val())
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
                        self.data.d.next = self.memory_read.data.val().get_bits::<32>(self.upper_bit.val().index());
                    }
                    if self.memory_read.data_valid.val() {
                        self.state.d.next = ReadState::Answering;
                    }
                } else {
                    self.data.d.next = self.register_read_data.val();
                    self.state.d.next = ReadState::Answering;
                }
            }
            ReadState::Answering => {
                self.rvalid.next = true;
                if self.rready.val() {
                    self.state.d.next = ReadState::Free;
                }
            }
        }
        if self.rst.val() {
            self.state.d.next = ReadState::Free;
        }
    }
}

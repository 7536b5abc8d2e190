//! A host and external memory with nothing between: the two edges of a fabric in one small top.

use portico_hdl::{
    bus::{MemoryReadOut, MemoryWriteOut},
    host::{AxiLiteIn, AxiLiteSlave, AxiMemory, AxiOut},
    prim::{LutRam, StreamOut},
};
use portico_spec::{
    flit::NODE_WIDTH,
    ni::{page::BASE_WIDTH, registers::BASE_BYTES},
};
use rust_hdl::prelude::*;

/// Address bits of the scratch registers, of block 0.
const SCRATCH_WIDTH: usize = 4;

/// Memory accesses of `s_axil` go out through `m_axi`, descriptors through `m_axis_command`; register writes reach the page
/// table and scratch registers.
#[derive(LogicBlock)]
pub struct Bridge<const W: usize, const B: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub s_axil: AxiLiteIn,
    pub m_axi: AxiOut<W, B, BASE_WIDTH>,
    pub m_axis_command: StreamOut<32>,
    pub fault: Signal<Out, Bit>,
    slave: AxiLiteSlave<W, B>,
    memory: AxiMemory<W, B, BASE_WIDTH>,
    scratch: LutRam<Bits<32>, SCRATCH_WIDTH>,
    value: DFF<Bits<32>>,
    initialising: DFF<Bit>,
    sweep: DFF<Bits<NODE_WIDTH>>,
    block_at: Constant<Bits<4>>,
}

impl<const W: usize, const B: usize> Default for Bridge<W, B> {
    fn default() -> Self {
        Self {
            clk: Default::default(),
            rst: Default::default(),
            s_axil: Default::default(),
            m_axi: Default::default(),
            m_axis_command: Default::default(),
            fault: Default::default(),
            slave: AxiLiteSlave::new(BASE_BYTES),
            memory: AxiMemory::new(),
            scratch: LutRam::new(1 << SCRATCH_WIDTH),
            value: Default::default(),
            initialising: Default::default(),
            sweep: Default::default(),
            block_at: Constant::new(bits(portico_spec::ni::registers::BLOCK_OFFSET as u64)),
        }
    }
}

impl<const W: usize, const B: usize> Logic for Bridge<W, B> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, value, initialising, sweep);
        if self.sweep.q.val().all() {
            self.initialising.d.next = false;
        }
        self.sweep.d.next = self.sweep.q.val() + 1;

        self.slave.clk.next = self.clk.val();
        self.slave.rst.next = self.rst.val();
        AxiLiteIn::link(&mut self.s_axil, &mut self.slave.s_axil);
        StreamOut::<32>::link(&mut self.m_axis_command, &mut self.slave.m_axis_command);
        self.slave.command_refused.next = false;
        MemoryWriteOut::<W, B>::join(&mut self.slave.memory_write, &mut self.memory.memory_write);
        MemoryReadOut::<W>::join(&mut self.slave.memory_read, &mut self.memory.memory_read[0]);
        self.slave.register_write.ready.next = !self.initialising.q.val();
        self.slave.register_read.ready.next = true;
        self.slave.register_read.data.next = self.value.q.val();
        self.slave.register_read.data_valid.next = true;

        self.scratch.clk.next = self.clk.val();
        self.scratch.write_enable.next = self.slave.register_write.valid.val()
            & !self.initialising.q.val()
            & !self
                .slave
                .register_write
                .index
                .val()
                .get_bits::<4>(self.block_at.val().index())
                .any();
        self.scratch.write_address.next = self.slave.register_write.index.val().get_bits::<SCRATCH_WIDTH>(0);
        self.scratch.write_data.next = self.slave.register_write.data.val();
        self.scratch.read_address.next = self.slave.register_read.index.val().get_bits::<SCRATCH_WIDTH>(0);
        self.value.d.next = self.scratch.read_data.val();

        self.memory.clk.next = self.clk.val();
        self.memory.rst.next = self.rst.val();
        self.memory.registers.enable.next = self.slave.register_write.valid.val() & !self.initialising.q.val();
        self.memory.registers.index.next = self.slave.register_write.index.val();
        self.memory.registers.data.next = self.slave.register_write.data.val();
        self.memory.sweep.active.next = self.initialising.q.val();
        self.memory.sweep.place.next = self.sweep.q.val();
        self.memory.memory_read[1].valid.next = false;
        self.memory.memory_read[1].address.next = 0.into();
        AxiOut::<W, B, BASE_WIDTH>::link(&mut self.m_axi, &mut self.memory.m_axi);
        self.fault.next = self.memory.fault.val();
        if self.rst.val() {
            self.initialising.d.next = true;
            self.sweep.d.next = 0.into();
        }
    }
}

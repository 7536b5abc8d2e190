use crate::{
    fabric::Fabric,
    host::uart::{UartBridge, BIT_CYCLES_WIDTH},
};
use portico_spec::{ni::page::BASE_WIDTH, Config};
use portico_verilog::prelude::*;

/// LEDs of a board.
pub const LEDS: usize = 4;
/// The clock's LED changes every 2^24 cycles; what happens in a cycle is shown for 2^22.
const LIFE_WIDTH: usize = 25;
const SHOWN_WIDTH: usize = 23;
/// Cycles of reset after the last cause of it.
const RESET_WIDTH: usize = 8;

/// The core of an FPGA board: a fabric, with a UART bridge at its host's port.
///
/// A fabric of `W`-bit flits with `B` bytes, and router FIFOs of up to 2^`A` flits, without memory nodes. Nobody is at the
/// ports, the command streams and the streams of its tiles.
///
/// | LED | what it shows |
/// | --- | --- |
/// | 0 | blinks: the clock runs |
/// | 1 | an access of the host, for 2^22 cycles |
/// | 2 | an error, until `rst`: a byte or frame that the line spoiled, an access that was refused, a packet for a node that does not exist |
/// | 3 | an event of the host node interrupts |
///
/// | | |
/// | --- | --- |
/// | latency | see [`UartBridge`] and [`Fabric`] |
/// | after reset | 256 cycles of reset behind the end of `rst`, then as [`Fabric`] |
#[derive(LogicBlock, Default)]
pub struct Board<const W: usize, const B: usize, const A: usize> {
    /// Every register changes at its rising edge.
    pub clk: Signal<In, Clock>,
    /// Active high, asynchronous: a button, or a clock generator that is not ready.
    pub rst: Signal<In, Bit>,
    /// Clock cycles of a bit of the line, 4 or more.
    pub bit_cycles: Signal<In, Bits<BIT_CYCLES_WIDTH>>,
    /// From the host.
    pub uart_rx: Signal<In, Bit>,
    /// To the host.
    pub uart_tx: Signal<Out, Bit>,
    /// Active high.
    pub led: Signal<Out, Bits<LEDS>>,
    /// Without memories, it makes no difference how wide their addresses are.
    fabric: Fabric<W, B, A, BASE_WIDTH>,
    bridge: UartBridge,
    /// Two flip-flops between `rst` and all else.
    asked: DFF<Bit>,
    asks: DFF<Bit>,
    /// Counts up to its end, and stays.
    released: DFF<Bits<RESET_WIDTH>>,
    resets: DFF<Bit>,
    fabric_resets: DFF<Bit>,
    life: DFF<Bits<LIFE_WIDTH>>,
    shown: DFF<Bits<SHOWN_WIDTH>>,
    error: DFF<Bit>,
    life_bit: Signal<Local, Bits<1>>,
    shown_bit: Signal<Local, Bits<1>>,
    error_bit: Signal<Local, Bits<1>>,
    interrupt_bit: Signal<Local, Bits<1>>,
    _tiles: usize,
    /// Tiles with a port, and tiles with streams.
    _ported: usize,
    _streamed: usize,
}

impl<const W: usize, const B: usize, const A: usize> Board<W, B, A> {
    /// A board with the fabric that `config` describes, as [`Fabric::new`] takes it.
    ///
    /// # Panics
    /// The fabric has memory nodes: a board has no memory for them.
    pub fn new(config: &Config) -> Self {
        assert!(
            config.memories == 0,
            "board: memories = {}, allowed: 0",
            config.memories
        );
        Self {
            fabric: Fabric::new(config),
            _tiles: config.tiles(),
            _ported: if config.tile_ports { config.tiles() } else { 0 },
            _streamed: if config.streams { config.tiles() } else { 0 },
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize, const B: usize, const A: usize> Logic for Board<W, B, A> {
    fn update(&mut self) {
        wire!(self => fabric, bridge: clk);
        dff_setup!(
            self,
            clk,
            asked,
            asks,
            released,
            resets,
            fabric_resets,
            life,
            shown,
            error
        );
        self.asked.d.next = self.rst.val();
        self.asks.d.next = self.asked.q.val();
        if !self.released.q.val().all() {
            self.released.d.next = self.released.q.val() + 1;
        }
        if self.asks.q.val() {
            self.released.d.next = 0.into();
        }
        self.resets.d.next = !self.released.q.val().all();
        self.bridge.rst.next = self.resets.q.val();
        self.fabric_resets.d.next = self.resets.q.val() | self.bridge.fabric_reset.val();
        self.fabric.rst.next = self.fabric_resets.q.val();

        self.bridge.bit_cycles.next = self.bit_cycles.val();
        self.bridge.rx.next = self.uart_rx.val();
        self.uart_tx.next = self.bridge.tx.val();
        self.bridge.irq.next = self.fabric.host.irq.val();
        wire!(bridge.m_axil <=> fabric.s_axil);
        for i in 0..self._tiles {
            self.fabric.s_axis_command[i].tdata.next = 0.into();
            self.fabric.s_axis_command[i].tlast.next = false;
            self.fabric.s_axis_command[i].tvalid.next = false;
        }
        for i in 0..self._ported {
            self.fabric.s_axil_tile[i].write_.awaddr.next = 0.into();
            self.fabric.s_axil_tile[i].write_.awprot.next = 0.into();
            self.fabric.s_axil_tile[i].write_.awvalid.next = false;
            self.fabric.s_axil_tile[i].write_.wdata.next = 0.into();
            self.fabric.s_axil_tile[i].write_.wstrb.next = 0.into();
            self.fabric.s_axil_tile[i].write_.wvalid.next = false;
            self.fabric.s_axil_tile[i].write_.bready.next = false;
            self.fabric.s_axil_tile[i].read_.araddr.next = 0.into();
            self.fabric.s_axil_tile[i].read_.arprot.next = 0.into();
            self.fabric.s_axil_tile[i].read_.arvalid.next = false;
            self.fabric.s_axil_tile[i].read_.rready.next = false;
        }
        for i in 0..self._streamed {
            self.fabric.m_axis_stream[i].tready.next = false;
            self.fabric.s_axis_stream[i].tdata.next = 0.into();
            self.fabric.s_axis_stream[i].tlast.next = false;
            self.fabric.s_axis_stream[i].tvalid.next = false;
        }
        self.fabric.monitor.tile.next = 0.into();
        self.fabric.monitor.link.next = 0.into();
        self.fabric.monitor.stalls.next = false;

        self.life.d.next = self.life.q.val() + 1;
        self.life_bit.next = self.life.q.val().get_bits::<1>(LIFE_WIDTH - 1);
        if self.shown.q.val().get_bit(SHOWN_WIDTH - 1) {
            self.shown.d.next = self.shown.q.val() + 1;
        }
        if self.bridge.active.val() {
            self.shown.d.next = bits::<SHOWN_WIDTH>(1 << (SHOWN_WIDTH - 1));
        }
        self.shown_bit.next = self.shown.q.val().get_bits::<1>(SHOWN_WIDTH - 1);
        self.error.d.next = self.error.q.val()
            | self.bridge.error.val()
            | self.fabric.data_dropped.packets.val().any()
            | self.fabric.control_dropped.packets.val().any();
        self.error_bit.next = self.error.q.val().into();
        self.interrupt_bit.next = self.fabric.host.irq.val().into();
        self.led.next = bit_cast::<LEDS, 1>(self.life_bit.val())
            | field::<LEDS, 1>(self.shown_bit.val(), 1)
            | field::<LEDS, 1>(self.error_bit.val(), 2)
            | field::<LEDS, 1>(self.interrupt_bit.val(), 3);
        if self.resets.q.val() {
            self.life.d.next = 0.into();
            self.shown.d.next = 0.into();
            self.error.d.next = false;
        }
    }
}

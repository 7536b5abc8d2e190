//! What a network interface says of itself.
//!
//! | | |
//! | --- | --- |
//! | latency | a register is read a cycle after its index |
//! | state | 32 flip-flops |

use super::{ports::RegisterReadIn, Page};
use portico_spec::{
    flit::NODE_WIDTH,
    ni::{
        event::EVENTS,
        registers::{Block as Registers, ControlRegister},
    },
};
use rust_hdl::prelude::*;

/// Bits that number them.
const PLACE_WIDTH: usize = 3;

type Place = Constant<Bits<PLACE_WIDTH>>;

/// The registers of block CONTROL; all are read-only.
#[derive(LogicBlock)]
pub struct ControlRegisters {
    pub clk: Signal<In, Clock>,
    pub initialising: Signal<In, Bit>,
    pub node: Signal<In, Bits<NODE_WIDTH>>,
    pub pending: Signal<In, Bits<EVENTS>>,
    pub register_read: RegisterReadIn,
    read_page: Page,
    shown: DFF<Bits<32>>,
    place: Signal<Local, Bits<PLACE_WIDTH>>,
    status: Signal<Local, Bits<1>>,
    identity: Constant<Bits<32>>,
    tiles: Constant<Bits<32>>,
    memory_bytes: Constant<Bits<32>>,
    high_at: Constant<Bits<6>>,
    identity_place: Place,
    node_place: Place,
    tiles_place: Place,
    memory_place: Place,
    status_place: Place,
    pending_low_place: Place,
    pending_high_place: Place,
}

impl ControlRegisters {
    /// Registers with these constants.
    pub fn new(identity: u32, tiles: u32, memory_bytes: u32) -> Self {
        let place = |place: ControlRegister| Constant::new(bits(place as u64));
        let constant = |value: u32| Constant::new(bits(value.into()));
        Self {
            clk: Default::default(),
            initialising: Default::default(),
            node: Default::default(),
            pending: Default::default(),
            register_read: Default::default(),
            read_page: Page::new(Registers::Control, PLACE_WIDTH),
            shown: Default::default(),
            place: Default::default(),
            status: Default::default(),
            identity: constant(identity),
            tiles: constant(tiles),
            memory_bytes: constant(memory_bytes),
            high_at: Constant::new(bits(32)),
            identity_place: place(ControlRegister::Id),
            node_place: place(ControlRegister::Node),
            tiles_place: place(ControlRegister::Tiles),
            memory_place: place(ControlRegister::Memory),
            status_place: place(ControlRegister::Status),
            pending_low_place: place(ControlRegister::InterruptLow),
            pending_high_place: place(ControlRegister::InterruptHigh),
        }
    }
}

impl Logic for ControlRegisters {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, shown);
        self.read_page.index.next = self.register_read.index.val();
        self.place.next = self.register_read.index.val().get_bits::<PLACE_WIDTH>(0);
        self.status.next = self.initialising.val().into();
        self.shown.d.next = 0.into();
        if self.read_page.hit.val() {
            if self.place.val() == self.identity_place.val() {
                self.shown.d.next = self.identity.val();
            }
            if self.place.val() == self.node_place.val() {
                self.shown.d.next = bit_cast::<32, NODE_WIDTH>(self.node.val());
            }
            if self.place.val() == self.tiles_place.val() {
                self.shown.d.next = self.tiles.val();
            }
            if self.place.val() == self.memory_place.val() {
                self.shown.d.next = self.memory_bytes.val();
            }
            if self.place.val() == self.status_place.val() {
                self.shown.d.next = bit_cast::<32, 1>(self.status.val());
            }
            if self.place.val() == self.pending_low_place.val() {
                self.shown.d.next = self.pending.val().get_bits::<32>(0);
            }
            if self.place.val() == self.pending_high_place.val() {
                self.shown.d.next = self.pending.val().get_bits::<32>(self.high_at.val().index());
            }
        }
        self.register_read.data.next = self.shown.q.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock_edge, emitted};

    #[test]
    fn every_register_says_what_it_is_to() {
        let mut dut = ControlRegisters::new(0x9021_0001, 0x0004_0008, 65536);
        dut.connect_all();
        dut.node.next = 0x1a5u64.into();
        dut.pending.next = 0x1234_5678_9abc_def0u64.into();
        for initialising in [true, false] {
            dut.initialising.next = initialising;
            let status = u64::from(initialising);
            let all = [
                0x9021_0001,
                0x1a5,
                0x0004_0008,
                65536,
                status,
                0x9abc_def0,
                0x1234_5678,
                0,
            ];
            for index in 0..0x1_0000u64 {
                dut.register_read.index.next = index.into();
                clock_edge!(dut);
                let expected = all.get(index as usize).copied().unwrap_or_default();
                assert_eq!(dut.register_read.data.val(), expected, "register {index:#x}");
            }
        }
    }

    #[test]
    fn emits() {
        emitted("control-registers", &ControlRegisters::new(1, 2, 3));
    }
}

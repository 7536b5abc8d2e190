use crate::bus::{AddressMatch, RegisterReadIn};
use portico_spec::{
    flit::NODE_WIDTH,
    ni::{
        build::Build,
        event::EVENTS,
        registers::{Block as Registers, ControlRegister},
    },
};
use portico_verilog::prelude::*;

/// Bits that number them.
const PLACE_WIDTH: usize = 4;

/// What a network interface says of itself.
///
/// The registers of block CONTROL; all are read-only.
///
/// | | |
/// | --- | --- |
/// | latency | a register is read a cycle after its index |
/// | state | 32 flip-flops |
#[derive(LogicBlock, Default)]
pub struct ControlRegisters {
    pub clk: Signal<In, Clock>,
    pub initialising: Signal<In, Bit>,
    /// This node.
    pub node: Signal<In, Bits<NODE_WIDTH>>,
    /// One bit an event: it has fired, and is to interrupt.
    pub pending: Signal<In, Bits<EVENTS>>,
    /// Reads of registers; those of block CONTROL are answered here, a cycle after the index.
    pub register_read: RegisterReadIn,
    read_match: AddressMatch<{ Registers::Control as usize }, PLACE_WIDTH>,
    shown: DFF<Bits<32>>,
    place: Signal<Local, Bits<PLACE_WIDTH>>,
    status: Signal<Local, Bits<1>>,
    identity: Constant<Bits<32>>,
    tiles: Constant<Bits<32>>,
    memory_bytes: Constant<Bits<32>>,
    build: Constant<Bits<32>>,
    engines: Constant<Bits<32>>,
}

impl ControlRegisters {
    /// Registers with these constants, for a node that is built so.
    pub fn new(identity: u32, tiles: u32, memory_bytes: u32, build: &Build) -> Self {
        let constant = |value: u32| Constant::new(bits(value.into()));
        Self {
            identity: constant(identity),
            tiles: constant(tiles),
            memory_bytes: constant(memory_bytes),
            build: constant(build.register()),
            engines: constant(build.engines_register()),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for ControlRegisters {
    fn update(&mut self) {
        dff_setup!(self, clk, shown);
        self.read_match.index.next = self.register_read.index.val();
        self.place.next = self.register_read.index.val().get_bits::<PLACE_WIDTH>(0);
        self.status.next = self.initialising.val().into();
        self.shown.d.next = 0.into();
        if self.read_match.hit.val() {
            if self.place.val() == bits::<PLACE_WIDTH>(ControlRegister::Id as u64) {
                self.shown.d.next = self.identity.val();
            }
            if self.place.val() == bits::<PLACE_WIDTH>(ControlRegister::Node as u64) {
                self.shown.d.next = bit_cast::<32, NODE_WIDTH>(self.node.val());
            }
            if self.place.val() == bits::<PLACE_WIDTH>(ControlRegister::Tiles as u64) {
                self.shown.d.next = self.tiles.val();
            }
            if self.place.val() == bits::<PLACE_WIDTH>(ControlRegister::Memory as u64) {
                self.shown.d.next = self.memory_bytes.val();
            }
            if self.place.val() == bits::<PLACE_WIDTH>(ControlRegister::Status as u64) {
                self.shown.d.next = bit_cast::<32, 1>(self.status.val());
            }
            if self.place.val() == bits::<PLACE_WIDTH>(ControlRegister::InterruptLow as u64) {
                self.shown.d.next = self.pending.val().get_bits::<32>(0);
            }
            if self.place.val() == bits::<PLACE_WIDTH>(ControlRegister::InterruptHigh as u64) {
                self.shown.d.next = self.pending.val().get_bits::<32>(32);
            }
            if self.place.val() == bits::<PLACE_WIDTH>(ControlRegister::Build as u64) {
                self.shown.d.next = self.build.val();
            }
            if self.place.val() == bits::<PLACE_WIDTH>(ControlRegister::BuildEngines as u64) {
                self.shown.d.next = self.engines.val();
            }
        }
        self.register_read.data.next = self.shown.q.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::clock_edge;

    #[test]
    fn every_register_says_what_it_is_to() {
        let mut dut = ControlRegisters::new(0x9021_0001, 0x0004_0008, 65536, &Build::FULL);
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
                0x1fc7_ee88,
                0x40_c77f,
            ];
            for index in 0..0x1_0000u64 {
                dut.register_read.index.next = index.into();
                clock_edge!(dut);
                let expected = all.get(index as usize).copied().unwrap_or_default();
                assert_eq!(dut.register_read.data.val(), expected, "register {index:#x}");
            }
        }
    }
}

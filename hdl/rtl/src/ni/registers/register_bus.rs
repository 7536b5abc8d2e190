use crate::bus::RegisterWriteOut;
use portico_spec::ni::registers::{Block as Registers, BLOCK_OFFSET, BLOCK_WIDTH, INDEX_WIDTH};
use portico_verilog::prelude::*;

/// A write that can wait, as the bus sees it.
#[derive(Clone, Debug, Default, Documented, LogicInterface)]
pub struct RegisterRequestIn {
    pub valid: Signal<In, Bit>,
    pub index: Signal<In, Bits<INDEX_WIDTH>>,
    pub data: Signal<In, Bits<32>>,
    pub ready: Signal<Out, Bit>,
}

/// A read, as the bus sees it: `data` belongs to the read that was taken a cycle before.
#[derive(Clone, Debug, Default, Documented, LogicInterface)]
#[join = "RegisterFetchOut"]
pub struct RegisterFetchIn {
    pub valid: Signal<In, Bit>,
    pub index: Signal<In, Bits<INDEX_WIDTH>>,
    pub ready: Signal<Out, Bit>,
    pub data: Signal<Out, Bits<32>>,
}

/// A read, as its reader sees it.
#[derive(Clone, Debug, Default, Documented, LogicInterface)]
#[join = "RegisterFetchIn"]
pub struct RegisterFetchOut {
    pub valid: Signal<Out, Bit>,
    pub index: Signal<Out, Bits<INDEX_WIDTH>>,
    pub ready: Signal<In, Bit>,
    pub data: Signal<In, Bits<32>>,
}

/// The register bus: writes of the network and of the local port come together, reads of the DMA and of the local port.
///
/// Two writers and two readers on one bus.
///
/// | | |
/// | --- | --- |
/// | latency | writes: the cycle in which they are taken; reads: a cycle after they are taken |
/// | throughput | one write and one read a cycle |
/// | order | the network's writes and the DMA's reads go first |
/// | state | 2 flip-flops |
#[derive(LogicBlock, Default)]
pub struct RegisterBus {
    pub network_write: RegisterRequestIn,
    pub local_write: RegisterRequestIn,
    pub dma_read: RegisterFetchIn,
    pub local_read: RegisterFetchIn,
    /// The block RELEASE takes a write: the only one that may wait, and for the control plane alone.
    pub release_ready: Signal<In, Bit>,
    /// The write of this cycle, for every block.
    pub write: RegisterWriteOut,
    /// The read of this cycle, for every block.
    pub read_index: Signal<Out, Bits<INDEX_WIDTH>>,
    /// What the blocks answer to the read of the cycle before.
    pub read_data: Signal<In, Bits<32>>,
    network_may: Signal<Local, Bit>,
    local_may: Signal<Local, Bit>,
}

#[kernel]
impl Logic for RegisterBus {
    fn update(&mut self) {
        self.network_may.next = self.release_ready.val()
            | (self.network_write.index.val().get_bits::<BLOCK_WIDTH>(BLOCK_OFFSET)
                != bits::<BLOCK_WIDTH>(Registers::Release as u64));
        self.local_may.next = !self.network_write.valid.val()
            & (self.release_ready.val()
                | (self.local_write.index.val().get_bits::<BLOCK_WIDTH>(BLOCK_OFFSET)
                    != bits::<BLOCK_WIDTH>(Registers::Release as u64)));
        self.network_write.ready.next = self.network_may.val();
        self.local_write.ready.next = self.local_may.val();
        self.write.enable.next = (self.network_write.valid.val() & self.network_may.val())
            | (self.local_write.valid.val() & self.local_may.val());
        wire!(local_write => write: index, data);
        if self.network_write.valid.val() {
            wire!(network_write => write: index, data);
        }

        self.dma_read.ready.next = true;
        self.local_read.ready.next = !self.dma_read.valid.val();
        self.read_index.next = self.local_read.index.val();
        if self.dma_read.valid.val() {
            self.read_index.next = self.dma_read.index.val();
        }
        self.dma_read.data.next = self.read_data.val();
        self.local_read.data.next = self.read_data.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{rng, settle};
    use rand::Rng;

    #[test]
    fn the_network_and_the_dma_go_first_and_only_a_release_waits() {
        let mut rng = rng(0xb05);
        let mut dut = RegisterBus::default();
        dut.connect_all();
        let (mut waited, mut held) = (0, 0);
        for _ in 0..2_000 {
            let mut word = || {
                (
                    rng.gen_bool(0.5),
                    rng.gen_range(0..1u64 << INDEX_WIDTH),
                    u64::from(rng.gen::<u32>()),
                )
            };
            let (network, local, dma, reader) = (word(), word(), word(), word());
            let room = rng.gen_bool(0.5);
            for (port, (valid, index, data)) in [(&mut dut.network_write, network), (&mut dut.local_write, local)] {
                port.valid.next = valid;
                port.index.next = index.into();
                port.data.next = data.into();
            }
            for (port, (valid, index, _)) in [(&mut dut.dma_read, dma), (&mut dut.local_read, reader)] {
                port.valid.next = valid;
                port.index.next = index.into();
            }
            dut.release_ready.next = room;
            dut.read_data.next = dma.2.into();
            settle(&mut dut);

            let may = |index: u64| room || index >> BLOCK_OFFSET != Registers::Release as u64;
            let taken = match (network, local) {
                ((true, index, data), _) => may(index).then_some((index, data)),
                (_, (true, index, data)) => may(index).then_some((index, data)),
                _ => None,
            };
            let seen = dut
                .write
                .enable
                .val()
                .then(|| (dut.write.index.val().to_u64(), dut.write.data.val().to_u64()));
            assert_eq!(seen, taken);
            assert_eq!(network.0 && dut.network_write.ready.val(), network.0 && may(network.1));
            assert_eq!(
                local.0 && dut.local_write.ready.val(),
                local.0 && !network.0 && may(local.1)
            );
            held += usize::from(network.0 && !may(network.1));
            let read = if dma.0 { dma.1 } else { reader.1 };
            assert_eq!(dut.read_index.val().to_u64(), read);
            assert!(dut.dma_read.ready.val());
            assert_eq!(dut.local_read.ready.val(), !dma.0);
            waited += usize::from(reader.0 && dma.0);
            assert_eq!(dut.local_read.data.val().to_u64(), dma.2);
        }
        assert!(waited > 100 && held > 10);
    }
}

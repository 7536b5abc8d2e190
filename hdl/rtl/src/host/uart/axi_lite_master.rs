use crate::host::{address_map::ADDRESS_WIDTH, AxiLiteOut};
use portico_verilog::prelude::*;

/// One read or write of 32 bits at a time.
///
/// | | |
/// | --- | --- |
/// | latency | an access is on the bus a cycle after it is asked for; it is over a cycle after its response |
/// | throughput | one access under way |
/// | timing | every output of the bus comes straight from a flip-flop |
/// | state | 90 flip-flops |
#[derive(LogicBlock, Default)]
pub struct AxiLiteMaster {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: the master forgets the access under way. Reset the slave together with it.
    pub rst: Signal<In, Bit>,
    /// Asks for a read, while not `busy`.
    pub read: Signal<In, Bit>,
    /// Asks for a write, while not `busy`; never together with `read`.
    pub write: Signal<In, Bit>,
    /// Byte address of the word, in the cycle in which the access is asked for.
    pub address: Signal<In, Bits<ADDRESS_WIDTH>>,
    /// Value to write, in the cycle in which the write is asked for.
    pub write_data: Signal<In, Bits<32>>,
    /// An access is under way.
    pub busy: Signal<Out, Bit>,
    /// High for a cycle: it is over.
    pub done: Signal<Out, Bit>,
    /// The last access was refused; stays until the next access is over.
    pub refused: Signal<Out, Bit>,
    /// The value that the last read gave; stays until the next access is over.
    pub read_data: Signal<Out, Bits<32>>,
    /// The accesses on the bus, of whole words.
    pub m_axil: AxiLiteOut,
    place: DFF<Bits<ADDRESS_WIDTH>>,
    data: DFF<Bits<32>>,
    word: DFF<Bits<32>>,
    offers_address: DFF<Bit>,
    offers_data: DFF<Bit>,
    asks: DFF<Bit>,
    waits: DFF<Bit>,
    over: DFF<Bit>,
    fails: DFF<Bit>,
}

#[kernel]
impl Logic for AxiLiteMaster {
    fn update(&mut self) {
        dff_setup!(self, clk, place, data, word, offers_address, offers_data, asks, waits);
        dff_setup!(self, clk, over, fails);
        self.busy.next = self.waits.q.val();
        self.done.next = self.over.q.val();
        self.refused.next = self.fails.q.val();
        self.read_data.next = self.word.q.val();
        self.m_axil.write_.awaddr.next = self.place.q.val();
        self.m_axil.read_.araddr.next = self.place.q.val();
        self.m_axil.write_.awprot.next = 0.into();
        self.m_axil.read_.arprot.next = 0.into();
        self.m_axil.write_.wdata.next = self.data.q.val();
        self.m_axil.write_.wstrb.next = !bits::<4>(0);
        self.m_axil.write_.awvalid.next = self.offers_address.q.val();
        self.m_axil.write_.wvalid.next = self.offers_data.q.val();
        self.m_axil.read_.arvalid.next = self.asks.q.val();
        self.m_axil.write_.bready.next = self.waits.q.val();
        self.m_axil.read_.rready.next = self.waits.q.val();
        if self.m_axil.write_.awready.val() {
            self.offers_address.d.next = false;
        }
        if self.m_axil.write_.wready.val() {
            self.offers_data.d.next = false;
        }
        if self.m_axil.read_.arready.val() {
            self.asks.d.next = false;
        }
        self.over.d.next = false;
        if self.waits.q.val() {
            if self.m_axil.write_.bvalid.val() | self.m_axil.read_.rvalid.val() {
                self.waits.d.next = false;
                self.over.d.next = true;
                self.fails.d.next = (self.m_axil.write_.bvalid.val() & self.m_axil.write_.bresp.val().any())
                    | (self.m_axil.read_.rvalid.val() & self.m_axil.read_.rresp.val().any());
                self.word.d.next = self.m_axil.read_.rdata.val();
            }
        } else if self.read.val() | self.write.val() {
            self.waits.d.next = true;
            self.place.d.next = self.address.val();
            self.data.d.next = self.write_data.val();
            self.asks.d.next = self.read.val();
            self.offers_address.d.next = self.write.val();
            self.offers_data.d.next = self.write.val();
        }
        if self.rst.val() {
            self.offers_address.d.next = false;
            self.offers_data.d.next = false;
            self.asks.d.next = false;
            self.waits.d.next = false;
            self.over.d.next = false;
        }
    }
}

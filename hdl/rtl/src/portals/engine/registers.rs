use super::{data_door::MOST_RANKS, RankWriteOut, TableAccessOut, ITEM_WIDTH};
use crate::bus::{AddressMatch, RegisterAccessIn};
use portico_spec::{
    flit::NODE_WIDTH,
    ni::registers::{Block as Registers, PortalsRegister, PORTALS_FIELD_WIDTH},
    portals::engine::{item, RANK_PRESENT_OFFSET, RANK_WIDTH, USER_WIDTH},
};
use portico_verilog::prelude::*;

/// Bits that number the registers of all rows.
const REGISTERS_WIDTH: usize = PORTALS_FIELD_WIDTH + ITEM_WIDTH;
/// Numbers of requests that were refused: by their cause.
const CAUSES: usize = 3;

/// The registers of block Portals: ranks, settings and status here, the others at the owners of their tables.
///
/// | | |
/// | --- | --- |
/// | latency | an access reaches the owners at once; the answer stands 3 cycles after a read, until the next |
/// | state | which ranks have nodes, settings, three counters |
#[derive(LogicBlock, Default)]
pub struct PortalsRegisters {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: no rank has a node, and nothing is taken.
    pub rst: Signal<In, Bit>,
    /// Accesses to registers; those of block Portals take effect here.
    pub register: RegisterAccessIn,
    /// Accesses for the owners of tables.
    pub access: TableAccessOut,
    /// Answers of the owners, ORed; 0 for registers that are not theirs.
    pub owners: Signal<In, Bits<32>>,
    /// Rows of the rank map, for the copies in other blocks.
    pub rank_write: RankWriteOut,
    /// One bit a rank: it has a node.
    pub present: Signal<Out, Bits<MOST_RANKS>>,
    /// Moves are sent and requests are taken.
    pub enabled: Signal<Out, Bit>,
    /// The tile's user.
    pub user: Signal<Out, Bits<USER_WIDTH>>,
    /// The tile's own rank.
    pub own_rank: Signal<Out, Bits<RANK_WIDTH>>,
    /// One bit a cause, for a cycle: a request is refused.
    pub refusals: Signal<In, Bits<CAUSES>>,
    is_own: AddressMatch<{ Registers::Portals as usize }, REGISTERS_WIDTH>,
    known: DFF<Bits<MOST_RANKS>>,
    enable: DFF<Bit>,
    own_user: DFF<Bits<USER_WIDTH>>,
    rank: DFF<Bits<RANK_WIDTH>>,
    counts: [DFF<Bits<32>>; CAUSES],
    value: DFF<Bits<32>>,
    /// The last read was of block Portals: what the owners show is its answer.
    owned: DFF<Bit>,
    number: Signal<Local, Bits<PORTALS_FIELD_WIDTH>>,
    place: Signal<Local, Bits<ITEM_WIDTH>>,
    writes: Signal<Local, Bit>,
    reads: Signal<Local, Bit>,
    is_setting: Signal<Local, Bit>,
    is_status: Signal<Local, Bit>,
    chosen: Signal<Local, Bits<MOST_RANKS>>,
    built: Constant<Bits<MOST_RANKS>>,
    ranks: Constant<Bits<ITEM_WIDTH>>,
}

impl PortalsRegisters {
    /// For `ranks` ranks.
    pub fn new(ranks: usize) -> Self {
        Self {
            built: Constant::new(bits(u64::MAX >> (MOST_RANKS - ranks))),
            ranks: Constant::new(bits(ranks as u64)),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for PortalsRegisters {
    fn update(&mut self) {
        dff_setup!(self, clk, known, enable, own_user, rank, value, owned);
        self.is_own.index.next = self.register.index.val();
        self.number.next = self.register.index.val().get_bits::<PORTALS_FIELD_WIDTH>(0);
        self.place.next = self.register.index.val().get_bits::<ITEM_WIDTH>(PORTALS_FIELD_WIDTH);
        self.writes.next = self.register.write.val() & self.is_own.hit.val();
        self.reads.next = self.register.read.val() & self.is_own.hit.val();
        self.access.write.next = self.writes.val();
        self.access.read.next = self.reads.val();
        self.access.number.next = self.number.val();
        self.access.item.next = self.place.val();
        self.access.data.next = self.register.data.val();

        // Ranks.
        self.rank_write.enable.next = self.writes.val()
            & (self.number.val() == bits::<PORTALS_FIELD_WIDTH>(PortalsRegister::Rank as u64))
            & (self.place.val() < self.ranks.val());
        self.rank_write.rank.next = self.place.val().get_bits::<RANK_WIDTH>(0);
        self.rank_write.node.next = self.register.data.val().get_bits::<NODE_WIDTH>(0);
        self.chosen.next = bits::<MOST_RANKS>(1) << self.place.val().get_bits::<RANK_WIDTH>(0);
        if self.rank_write.enable.val() {
            self.known.d.next = self.known.q.val() & !self.chosen.val() & self.built.val();
            if self.register.data.val().get_bit(RANK_PRESENT_OFFSET) {
                self.known.d.next = (self.known.q.val() | self.chosen.val()) & self.built.val();
            }
        }
        self.present.next = self.known.q.val();

        // Settings.
        self.is_setting.next =
            self.writes.val() & (self.number.val() == bits::<PORTALS_FIELD_WIDTH>(PortalsRegister::Setting as u64));
        if self.is_setting.val() & (self.place.val() == bits::<ITEM_WIDTH>(item::USER as u64)) {
            self.own_user.d.next = self.register.data.val().get_bits::<USER_WIDTH>(0);
        }
        if self.is_setting.val() & (self.place.val() == bits::<ITEM_WIDTH>(item::ENABLE as u64)) {
            self.enable.d.next = self.register.data.val().get_bit(0);
        }
        if self.is_setting.val() & (self.place.val() == bits::<ITEM_WIDTH>(item::RANK as u64)) {
            self.rank.d.next = self.register.data.val().get_bits::<RANK_WIDTH>(0);
        }
        self.enabled.next = self.enable.q.val();
        self.user.next = self.own_user.q.val();
        self.own_rank.next = self.rank.q.val();

        // Status. A write of whatever value clears a counter.
        self.is_status.next = self.number.val() == bits::<PORTALS_FIELD_WIDTH>(PortalsRegister::Status as u64);
        if self.register.read.val() {
            self.value.d.next = 0.into();
            self.owned.d.next = self.is_own.hit.val();
        }
        for i in 0..CAUSES {
            self.counts[i].clock.next = self.clk.val();
            self.counts[i].d.next = self.counts[i].q.val();
            if self.refusals.val().get_bit(i) {
                self.counts[i].d.next = self.counts[i].q.val() + 1;
            }
            if self.is_status.val() & (self.place.val() == bits::<ITEM_WIDTH>(i as u64)) {
                if self.writes.val() {
                    self.counts[i].d.next = 0.into();
                }
                if self.reads.val() {
                    self.value.d.next = self.counts[i].q.val();
                }
            }
            if self.rst.val() {
                self.counts[i].d.next = 0.into();
            }
        }
        self.register.answer.next = self.value.q.val();
        if self.owned.q.val() {
            self.register.answer.next = self.value.q.val() | self.owners.val();
        }
        if self.rst.val() {
            self.owned.d.next = false;
            self.known.d.next = 0.into();
            self.enable.d.next = false;
            self.own_user.d.next = 0.into();
            self.rank.d.next = 0.into();
            self.value.d.next = 0.into();
        }
    }
}

//! Which input goes first where two want the same output: one decision for the whole router, a cycle ahead of its use.
//!
//! | | |
//! | --- | --- |
//! | latency | 1 cycle from the state of the FIFOs to the preferences |
//! | fairness | every input holds the token within 16 turns of it, and keeps it until its flit has gone |
//! | state | a 4-bit counter, one flip-flop an input and one a preference |
//!
//! A token goes round the sides, and every fourth round to the tile too. Who holds it goes first; it stays while its
//! holder waits, so nobody starves. Among the others a FIFO that is full or nearly so goes before one that is not: behind it
//! waits a link, behind the other only itself. Then the ring decides, from the token on; the tile's own packets come last,
//! except before sides that have nothing urgent. Nearly full FIFOs going first is what lets a mesh accept more at saturation
//! (`portico bench noc`); the preferences are shared by all outputs, which saves logic, and their flip-flops keep the
//! decision out of the path from FIFO to link.

use super::PORTS;
use rust_hdl::prelude::*;

/// The preferences, as the outputs use them.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct Preferences {
    pub south_before_east: Bit,
    pub south_before_west: Bit,
    pub west_before_east: Bit,
    pub south_before_north: Bit,
    /// At the north and the south output: what turns in from the row before what goes straight on.
    pub turning_to_north: Bit,
    pub turning_to_south: Bit,
    /// At the local output: east and west before north and south.
    pub row_before_column: Bit,
    /// The tile's own packets before all others, by output.
    pub local_to_local: Bit,
    pub local_to_north: Bit,
    pub local_to_east: Bit,
    pub local_to_south: Bit,
    pub local_to_west: Bit,
}

/// Decides between input `i` and input `j` of the ring north, east, south, west.
#[derive(LogicBlock)]
pub struct Tie {
    pub token: Signal<In, Bits<2>>,
    pub i_busy: Signal<In, Bit>,
    pub j_busy: Signal<In, Bit>,
    pub i_first: Signal<Out, Bit>,
    i: Constant<Bits<2>>,
    j: Constant<Bits<2>>,
    i_behind: Signal<Local, Bits<2>>,
    j_behind: Signal<Local, Bits<2>>,
}

impl Tie {
    /// Between the inputs with these places in the ring.
    pub fn new(i: u64, j: u64) -> Self {
        Self {
            token: Default::default(),
            i_busy: Default::default(),
            j_busy: Default::default(),
            i_first: Default::default(),
            i: Constant::new(i.into()),
            j: Constant::new(j.into()),
            i_behind: Default::default(),
            j_behind: Default::default(),
        }
    }
}

impl Logic for Tie {
    #[hdl_gen]
    fn update(&mut self) {
        self.i_behind.next = self.i.val() - self.token.val();
        self.j_behind.next = self.j.val() - self.token.val();
        self.i_first.next = self.i_behind.val() < self.j_behind.val();
        if self.i_busy.val() ^ self.j_busy.val() {
            self.i_first.next = self.i_busy.val();
        }
        if self.token.val() == self.j.val() {
            self.i_first.next = false;
        }
        if self.token.val() == self.i.val() {
            self.i_first.next = true;
        }
    }
}

/// The preferences of one router. Bits of `present`, `taken` and `busy`: local, north, east, south, west.
#[derive(LogicBlock)]
pub struct Priority {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    pub present: Signal<In, Bits<PORTS>>,
    pub taken: Signal<In, Bits<PORTS>>,
    pub busy: Signal<In, Bits<PORTS>>,
    /// Straight from flip-flops.
    pub prefer: Signal<Out, Preferences>,
    turn: DFF<Bits<4>>,
    waits: DFF<Bits<PORTS>>,
    decided: DFF<Preferences>,
    east_before_south: Tie,
    west_before_south: Tie,
    west_before_east: Tie,
    south_before_north: Tie,
    token: Signal<Local, Bits<2>>,
    local_turn: Signal<Local, Bit>,
    ring_waits: Signal<Local, Bits<4>>,
    holder_waits: Signal<Local, Bit>,
    north_busy: Signal<Local, Bit>,
    south_busy: Signal<Local, Bit>,
    row_busy: Signal<Local, Bit>,
}

/// Places in the ring.
const NORTH: u64 = 0;
const EAST: u64 = 1;
const SOUTH: u64 = 2;
const WEST: u64 = 3;

impl Default for Priority {
    fn default() -> Self {
        Self {
            clk: Default::default(),
            rst: Default::default(),
            present: Default::default(),
            taken: Default::default(),
            busy: Default::default(),
            prefer: Default::default(),
            turn: Default::default(),
            waits: Default::default(),
            decided: Default::default(),
            east_before_south: Tie::new(EAST, SOUTH),
            west_before_south: Tie::new(WEST, SOUTH),
            west_before_east: Tie::new(WEST, EAST),
            south_before_north: Tie::new(SOUTH, NORTH),
            token: Default::default(),
            local_turn: Default::default(),
            ring_waits: Default::default(),
            holder_waits: Default::default(),
            north_busy: Default::default(),
            south_busy: Default::default(),
            row_busy: Default::default(),
        }
    }
}

impl Logic for Priority {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, turn);
        self.waits.clock.next = self.clk.val();
        self.decided.clock.next = self.clk.val();
        self.token.next = self.turn.q.val().get_bits::<2>(0);
        self.local_turn.next = self.turn.q.val().all();
        self.north_busy.next = self.busy.val().get_bit(1);
        self.south_busy.next = self.busy.val().get_bit(3);
        self.row_busy.next = self.busy.val().get_bit(2) | self.busy.val().get_bit(4);

        self.waits.d.next = self.present.val() & !self.taken.val();
        // The ring starts at the north, which is bit 1.
        self.ring_waits.next = self.waits.q.val().get_bits::<4>(1);
        self.holder_waits.next = self.ring_waits.val().get_bit(self.token.val().index());
        if self.local_turn.val() {
            self.holder_waits.next = self.waits.q.val().get_bit(0);
        }
        if !self.holder_waits.val() {
            self.turn.d.next = self.turn.q.val() + 1;
        }

        self.east_before_south.token.next = self.token.val();
        self.east_before_south.i_busy.next = self.busy.val().get_bit(2);
        self.east_before_south.j_busy.next = self.busy.val().get_bit(3);
        self.west_before_south.token.next = self.token.val();
        self.west_before_south.i_busy.next = self.busy.val().get_bit(4);
        self.west_before_south.j_busy.next = self.busy.val().get_bit(3);
        self.west_before_east.token.next = self.token.val();
        self.west_before_east.i_busy.next = self.busy.val().get_bit(4);
        self.west_before_east.j_busy.next = self.busy.val().get_bit(2);
        self.south_before_north.token.next = self.token.val();
        self.south_before_north.i_busy.next = self.busy.val().get_bit(3);
        self.south_before_north.j_busy.next = self.busy.val().get_bit(1);

        self.decided.d.next.south_before_east = !self.east_before_south.i_first.val();
        self.decided.d.next.south_before_west = !self.west_before_south.i_first.val();
        self.decided.d.next.west_before_east = self.west_before_east.i_first.val();
        self.decided.d.next.south_before_north = self.south_before_north.i_first.val();
        // The holder's side of the ring wins; a tie goes to the row if that is urgent and the column is not.
        self.decided.d.next.turning_to_north =
            self.token.val().get_bit(0) | (!self.token.val().get_bit(1) & self.row_busy.val() & !self.south_busy.val());
        self.decided.d.next.turning_to_south =
            self.token.val().get_bit(0) | (self.token.val().get_bit(1) & self.row_busy.val() & !self.north_busy.val());
        self.decided.d.next.row_before_column = self.token.val().get_bit(0);
        self.decided.d.next.local_to_local = self.local_turn.val();
        self.decided.d.next.local_to_north =
            self.local_turn.val() | ((self.token.val() == 0) & !self.south_busy.val() & !self.row_busy.val());
        self.decided.d.next.local_to_south =
            self.local_turn.val() | ((self.token.val() == 2) & !self.north_busy.val() & !self.row_busy.val());
        self.decided.d.next.local_to_east = self.local_turn.val()
            | (!self.token.val().get_bit(1) & !self.busy.val().get_bit(4) & !self.south_busy.val());
        self.decided.d.next.local_to_west = self.local_turn.val()
            | ((self.token.val().get_bit(0) == self.token.val().get_bit(1))
                & !self.busy.val().get_bit(2)
                & !self.south_busy.val());
        self.prefer.next = self.decided.q.val();
        if self.rst.val() {
            self.turn.d.next = 0.into();
        }
    }
}

//! Choices: defaults, priorities, locals that change on the way, resets in loops, and what is settled at elaboration.

use super::Header;
use rust_hdl::prelude::*;

/// What a [`Choices`] does next.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum Action {
    Wait,
    Load,
    Add,
    Drop,
}

/// Choices within choices, a priority by a loop, bits set one by one, a local that is read between its writes, resets in a loop.
#[derive(LogicBlock, Default)]
pub struct Choices {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub action: Signal<In, Action>,
    pub urgent: Signal<In, Bit>,
    pub request: Signal<In, Bits<4>>,
    pub data: Signal<In, Bits<4>>,
    pub answer: Signal<Out, Action>,
    pub wanted: Signal<Out, Bits<4>>,
    pub served: Signal<Out, Bits<6>>,
    pub grant: Signal<Out, Bits<4>>,
    pub busy: Signal<Out, Bit>,
    pub parity: Signal<Out, Bit>,
    pub level: Signal<Out, Bits<2>>,
    pub total: Signal<Out, Bits<4>>,
    lane: [DFF<Bits<4>>; 2],
    turn: DFF<Bit>,
    found: Signal<Local, Bit>,
    mixed: Signal<Local, Bits<4>>,
}

impl Logic for Choices {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, turn);
        self.grant.next = bits::<4>(0);
        self.found.next = false;
        for i in 0..4 {
            if self.request.val().get_bit(i) && !self.found.val() {
                self.grant.next = self.grant.val().replace_bit(i, true);
                self.found.next = true;
            }
        }
        self.wanted.next = bits::<4>(0);
        self.served.next = bits::<6>(0);
        for i in 0..4 {
            self.wanted.next = self
                .wanted
                .val()
                .replace_bit(i, self.request.val().get_bit(i) & !self.urgent.val());
            self.served.next = self.served.val().replace_bit(
                i + 1,
                self.grant.val().get_bit(i) & self.data.val().any() & !self.urgent.val(),
            );
        }
        self.busy.next = self.found.val() || self.urgent.val();
        self.answer.next = Action::Drop;
        if self.urgent.val() {
            self.answer.next = Action::Load;
        } else if self.found.val() {
            self.answer.next = Action::Add;
        }
        self.mixed.next = self.data.val();
        self.parity.next = self.mixed.val().xor();
        if self.urgent.val() {
            self.mixed.next = self.mixed.val() ^ self.grant.val();
        }
        self.total.next = self.mixed.val() + self.lane[0].q.val() - self.lane[1].q.val();
        if self.urgent.val() {
            self.level.next = bits::<2>(3);
        } else if self.turn.q.val() {
            self.level.next = bits::<2>(2);
        } else {
            self.level.next = self.request.val().get_bits::<2>(1);
        }
        for i in 0..2 {
            self.lane[i].clock.next = self.clk.val();
            self.lane[i].d.next = self.lane[i].q.val();
            match self.action.val() {
                Action::Wait => {}
                Action::Load => self.lane[i].d.next = self.data.val(),
                Action::Add => {
                    if self.urgent.val() {
                    } else {
                        self.lane[i].d.next = self.lane[i].q.val() + 1;
                    }
                }
                _ => self.turn.d.next = !self.turn.q.val(),
            }
            if self.rst.val() {
                self.lane[i].d.next = bits::<4>(5);
            }
        }
        if self.rst.val() {
            self.turn.d.next = true;
        }
    }
}

/// Everything that a kernel settles by itself: locals, records and choices that are constant.
#[derive(LogicBlock)]
pub struct Settled {
    pub a: Signal<In, Bits<8>>,
    pub masked: Signal<Out, Bits<8>>,
    pub header: Signal<Out, Header>,
    pub flag: Signal<Out, Bit>,
    pub marked: Signal<Out, Bits<8>>,
    pub level: Signal<Out, Bits<4>>,
    width: Constant<Bits<4>>,
    mask: Signal<Local, Bits<8>>,
    enabled: Signal<Local, Bit>,
}

impl Default for Settled {
    fn default() -> Self {
        Settled {
            a: Default::default(),
            masked: Default::default(),
            header: Default::default(),
            flag: Default::default(),
            marked: Default::default(),
            level: Default::default(),
            width: Constant::new(bits(6)),
            mask: Default::default(),
            enabled: Default::default(),
        }
    }
}

impl Logic for Settled {
    #[hdl_gen]
    fn update(&mut self) {
        self.mask.next = bits::<8>(0);
        for i in 0..8 {
            if self.width.val() > bits::<4>(3) && i < 5 {
                self.mask.next = self.mask.val().replace_bit(i, true);
            }
        }
        self.masked.next = self.a.val() & self.mask.val();
        self.header.next.destination = bits::<9>(300);
        self.header.next.tag = bit_cast::<8, 4>(self.width.val());
        self.header.next.last = self.mask.val().any();
        self.enabled.next = self.mask.val().get_bit(0);
        self.flag.next = false;
        self.level.next = self.width.val();
        if self.enabled.val() {
            self.flag.next = true;
        } else {
            self.level.next = bits::<4>(0);
        }
        self.marked.next = bits::<8>(0);
        self.marked.next = self.marked.val().replace_bit(self.width.val().index(), true);
    }
}

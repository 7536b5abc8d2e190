use portico_verilog::prelude::*;

/// A flit on its way to its place, with what it brings about.
///
/// Keeps what the parser made of a flit of `W` bits until it is done.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle |
/// | throughput | one flit a cycle; a cycle more after an atomic |
/// | state | the flit, and what it is |
#[derive(LogicBlock, Default)]
pub struct Delivery<const W: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// The flit of the parser, and what it is, are taken; only while `free`.
    pub take: Signal<In, Bit>,
    /// The flit in hand.
    pub next_word: Signal<In, Bits<W>>,
    /// The flit in hand is the tail of its packet.
    pub next_last: Signal<In, Bit>,
    /// The flit in hand is a word of payload.
    pub next_carries: Signal<In, Bit>,
    /// A packet of a transfer ends with the flit in hand.
    pub next_closes: Signal<In, Bit>,
    /// The word in front of a message is due.
    pub next_front: Signal<In, Bit>,
    /// An atomic is all there.
    pub next_atomic: Signal<In, Bit>,
    /// The lower word of an atomic's pair is due, after the upper one.
    pub next_lower: Signal<In, Bit>,
    /// A packet ends where its kind does not allow it, or is of no known kind.
    pub next_malformed: Signal<In, Bit>,
    /// The atomic unit has the memory and the answers for itself.
    pub atomic_works: Signal<In, Bit>,
    /// There is room for all that the end of a packet may bring about; stays so until one ends.
    pub may_end: Signal<In, Bit>,
    /// The word of payload can go where it goes, now.
    pub passes: Signal<In, Bit>,
    /// The word in front of a message can go to the memory, now.
    pub front_passes: Signal<In, Bit>,
    /// The atomic unit needs the flit no more.
    pub atomic_leaves: Signal<In, Bit>,
    /// The next flit can be taken.
    pub free: Signal<Out, Bit>,
    /// The flit in delivery.
    pub word: Signal<Out, Bits<W>>,
    /// The flit is the tail of its packet.
    pub last: Signal<Out, Bit>,
    /// What is there may write to its row when it leaves.
    pub may_write: Signal<Out, Bit>,
    /// There is a word of payload.
    pub carries: Signal<Out, Bit>,
    /// There is the word in front of a message.
    pub front: Signal<Out, Bit>,
    /// There is an atomic; it stays until `atomic_leaves`.
    pub atomic: Signal<Out, Bit>,
    /// There is the lower word of an atomic's pair; it stays until `atomic_leaves`.
    pub lower: Signal<Out, Bit>,
    /// The word of payload waits for nothing but `passes`.
    pub offered: Signal<Out, Bit>,
    /// The word in front of a message waits for nothing but `front_passes`.
    pub front_offered: Signal<Out, Bit>,
    /// In this cycle a word of payload goes, written or refused.
    pub payload: Signal<Out, Bit>,
    /// In this cycle a packet of a transfer ends.
    pub closes: Signal<Out, Bit>,
    /// In this cycle a message ends, written or refused.
    pub message_closes: Signal<Out, Bit>,
    /// In this cycle something malformed leaves.
    pub malformed: Signal<Out, Bit>,
    held_word: DFF<Bits<W>>,
    held_last: DFF<Bit>,
    has_payload: DFF<Bit>,
    has_end: DFF<Bit>,
    has_front: DFF<Bit>,
    has_atomic: DFF<Bit>,
    has_lower: DFF<Bit>,
    has_fault: DFF<Bit>,
    /// All that it waits for is there; an atomic leaves.
    goes: Signal<Local, Bit>,
    leaves: Signal<Local, Bit>,
    is_atomic: Signal<Local, Bit>,
    occupied: Signal<Local, Bit>,
}

#[kernel]
impl<const W: usize> Logic for Delivery<W> {
    fn update(&mut self) {
        dff_setup!(self, clk, held_word, held_last, has_payload, has_end, has_front);
        dff_setup!(self, clk, has_atomic, has_lower);
        dff_setup!(self, clk, has_fault);
        self.is_atomic.next = self.has_atomic.q.val() | self.has_lower.q.val();
        self.occupied.next = self.has_payload.q.val()
            | self.has_end.q.val()
            | self.has_front.q.val()
            | self.is_atomic.val()
            | self.has_fault.q.val();
        self.offered.next =
            self.has_payload.q.val() & !self.atomic_works.val() & (self.may_end.val() | !self.has_end.q.val());
        self.front_offered.next = self.has_front.q.val() & !self.atomic_works.val() & self.may_end.val();
        self.goes.next = !self.atomic_works.val()
            & (self.passes.val() | !self.has_payload.q.val())
            & (self.may_end.val() | !self.has_end.q.val())
            & ((self.may_end.val() & self.front_passes.val()) | !self.has_front.q.val());
        self.leaves.next = self.is_atomic.val() & self.atomic_leaves.val();
        // Whether an atomic leaves is known late: nothing comes in its place in the same cycle.
        self.free.next = (self.goes.val() & !self.is_atomic.val()) | !self.occupied.val();
        self.payload.next = self.has_payload.q.val() & self.goes.val();
        self.closes.next = self.has_end.q.val() & self.goes.val();
        self.message_closes.next = self.has_front.q.val() & self.goes.val();
        self.malformed.next = self.has_fault.q.val() & self.goes.val();
        self.word.next = self.held_word.q.val();
        self.last.next = self.held_last.q.val();
        self.may_write.next = self.has_payload.q.val() | self.has_end.q.val() | self.has_front.q.val();
        self.carries.next = self.has_payload.q.val();
        self.front.next = self.has_front.q.val();
        self.atomic.next = self.has_atomic.q.val();
        self.lower.next = self.has_lower.q.val();

        if self.free.val() {
            self.held_word.d.next = self.next_word.val();
            self.held_last.d.next = self.next_last.val();
            self.has_payload.d.next = self.take.val() & self.next_carries.val();
            self.has_end.d.next = self.take.val() & self.next_closes.val();
            self.has_front.d.next = self.take.val() & self.next_front.val();
            self.has_atomic.d.next = self.take.val() & self.next_atomic.val();
            self.has_lower.d.next = self.take.val() & self.next_lower.val();
            self.has_fault.d.next = self.take.val() & self.next_malformed.val();
        }
        if self.leaves.val() {
            self.has_atomic.d.next = false;
            self.has_lower.d.next = false;
        }
        if self.rst.val() {
            self.has_payload.d.next = false;
            self.has_end.d.next = false;
            self.has_front.d.next = false;
            self.has_atomic.d.next = false;
            self.has_lower.d.next = false;
            self.has_fault.d.next = false;
        }
    }
}

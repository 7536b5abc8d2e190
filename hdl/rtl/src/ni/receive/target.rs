use super::PLACE_WIDTH;
use portico_spec::ni::packet::OFFSET_WIDTH;
use portico_verilog::prelude::*;

/// The word that a place in a window stands for.
///
/// Turns places into addresses, and says what is there.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle |
/// | throughput | one place a cycle |
/// | state | an address, and what is there |
#[derive(LogicBlock, Default)]
pub struct Target {
    pub clk: Signal<In, Clock>,
    /// The place counts from the next cycle on; else what was there stays.
    pub take: Signal<In, Bit>,
    /// First word of the window, as an address in words.
    pub base: Signal<In, Bits<PLACE_WIDTH>>,
    /// Words of the window.
    pub size: Signal<In, Bits<PLACE_WIDTH>>,
    /// Place in the window, in words from the base.
    pub position: Signal<In, Bits<PLACE_WIDTH>>,
    /// `position` is an address; there is no window, and no size.
    pub absolute: Signal<In, Bit>,
    /// Address of the word, of the memory or of a register; in words.
    pub address: Signal<Out, Bits<OFFSET_WIDTH>>,
    /// Within the window, a word of the memory.
    pub in_memory: Signal<Out, Bit>,
    /// Within the window, a register.
    pub is_device: Signal<Out, Bit>,
    start: Signal<Local, Bits<PLACE_WIDTH>>,
    sum: Signal<Local, Bits<PLACE_WIDTH>>,
    is_inside: Signal<Local, Bit>,
    above: Signal<Local, Bits<2>>,
    held_address: DFF<Bits<OFFSET_WIDTH>>,
    held_in_memory: DFF<Bit>,
    held_is_device: DFF<Bit>,
    memory_words: Constant<Bits<PLACE_WIDTH>>,
    device_at: Constant<Bits<5>>,
}

impl Target {
    /// A memory of `memory_words` words, 1 to 2^22; addresses with bit `register_bit` set, 0 to 21, are registers. Panics
    /// outside that.
    pub fn new(memory_words: u64, register_bit: usize) -> Self {
        let most = 1u64 << OFFSET_WIDTH;
        assert!(
            (1..=most).contains(&memory_words),
            "target: memory_words = {memory_words}, allowed: 1 to {most}"
        );
        assert!(
            register_bit < OFFSET_WIDTH,
            "target: register_bit = {register_bit}, allowed: 0 to {}",
            OFFSET_WIDTH - 1
        );
        Self {
            memory_words: Constant::new(bits(memory_words)),
            device_at: Constant::new(bits(register_bit as u64)),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for Target {
    fn update(&mut self) {
        dff_setup!(self, clk, held_address, held_in_memory, held_is_device);
        self.start.next = self.base.val();
        if self.absolute.val() {
            self.start.next = 0.into();
        }
        // Base and a position that is not beyond all windows have too few bits for the sum to wrap.
        self.sum.next = self.start.val() + self.position.val();
        self.above.next = self.sum.val().get_bits::<2>(OFFSET_WIDTH);
        self.is_inside.next = !self.position.val().get_bit(PLACE_WIDTH - 1)
            & (self.absolute.val() | (self.position.val() < self.size.val()));
        if self.take.val() {
            self.held_address.d.next = self.sum.val().get_bits::<OFFSET_WIDTH>(0);
            self.held_is_device.d.next =
                self.is_inside.val() & self.sum.val().get_bit(self.device_at.val().index()) & !self.above.val().any();
            self.held_in_memory.d.next = self.is_inside.val()
                & !self.sum.val().get_bit(self.device_at.val().index())
                & (self.sum.val() < self.memory_words.val());
        }
        self.address.next = self.held_address.q.val();
        self.in_memory.next = self.held_in_memory.q.val();
        self.is_device.next = self.held_is_device.q.val();
    }
}

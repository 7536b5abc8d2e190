//! Windows: what a tag of a target stands for.

use portico_spec::ni::{
    event::EVENT_WIDTH,
    packet::{MAX_MESSAGE_WORDS, ROW_OFFSET, ROW_WIDTH, STRIDE_OFFSET, STRIDE_WIDTH},
    registers::TagRegister,
    window::{
        Mode, EVENT_ENABLE_OFFSET, EVENT_OFFSET, MODE_OFFSET, MODE_WIDTH, SLOTS_OFFSET, SLOTS_WIDTH, SLOT_WORDS_OFFSET,
        SLOT_WORDS_WIDTH,
    },
    ErrorCode,
};

use super::bits::{bit, field};

/// One window.
#[derive(Clone, Debug, Default)]
pub struct Window {
    base: u32,
    size: u32,
    control: u32,
    /// Where the next word of a stream goes; of a queue, messages ever written, in 16 bits.
    pointer: u32,
    /// Words of the pointer's row that are written.
    column: u32,
    geometry: u32,
    ends: u16,
    /// Of a stream: the first refusal since its last end of transfer.
    fault: Option<ErrorCode>,
    released: u16,
}

impl Window {
    /// The window that is open after reset, over `words` words.
    pub fn system(words: u32) -> Window {
        Window {
            size: words,
            control: (Mode::Window as u32) << MODE_OFFSET,
            ..Window::default()
        }
    }

    fn mode(&self) -> u32 {
        field(self.control, MODE_OFFSET, MODE_WIDTH)
    }

    /// Checks that it is in this mode.
    ///
    /// # Errors
    /// `UnknownWindow` if it is off, `WrongWindow` if it is in another mode.
    pub fn expect(&self, mode: Mode) -> Result<(), ErrorCode> {
        match self.mode() {
            m if m == mode as u32 => Ok(()),
            m if m == Mode::Off as u32 => Err(ErrorCode::UnknownWindow),
            _ => Err(ErrorCode::WrongWindow),
        }
    }

    /// The address of `words` words at `offset`.
    ///
    /// # Errors
    /// `OutOfWindow` if one of them is not inside.
    pub fn address(&self, offset: u64, words: u64) -> Result<u32, ErrorCode> {
        if offset + words > u64::from(self.size) {
            return Err(ErrorCode::OutOfWindow);
        }
        Ok(self.base.wrapping_add(offset as u32))
    }

    /// Why words of a stream were refused since its last end of transfer.
    pub fn fault(&self) -> Option<ErrorCode> {
        self.fault
    }

    /// Notes why words of a stream were refused: the end of their transfer will say so.
    pub fn set_fault(&mut self, fault: Option<ErrorCode>) {
        self.fault = fault;
    }

    /// Ends of transfers that were counted.
    pub fn ends(&self) -> u16 {
        self.ends
    }

    /// Ends a transfer, after `ends` of them. It counts if it `is_right`.
    pub fn end(&mut self, ends: u16, is_right: bool) {
        self.ends = ends.wrapping_add(u16::from(is_right));
    }

    /// The event that ends of transfers and messages count in.
    pub fn event(&self) -> Option<u32> {
        bit(self.control, EVENT_ENABLE_OFFSET).then(|| field(self.control, EVENT_OFFSET, EVENT_WIDTH))
    }

    /// The address of the next word of a stream. The pointer moves on, along rows if the window has any.
    ///
    /// # Errors
    /// `OutOfWindow` behind the last word.
    pub fn advance(&mut self) -> Result<u32, ErrorCode> {
        let address = self.address(u64::from(self.pointer), 1);
        let row = field(self.geometry, ROW_OFFSET, ROW_WIDTH);
        let mut step = 1;
        if row > 0 {
            self.column += 1;
            if self.column == row {
                self.column = 0;
                step = field(self.geometry, STRIDE_OFFSET, STRIDE_WIDTH).wrapping_sub(row - 1);
            }
        }
        self.pointer = self.pointer.wrapping_add(step);
        address
    }

    fn written(&self) -> u16 {
        self.pointer as u16
    }

    fn slots(&self) -> u32 {
        1 << field(self.control, SLOTS_OFFSET, SLOTS_WIDTH)
    }

    /// The offset of the slot of the message of this number.
    fn slot(&self, message: u16) -> u64 {
        let slot_words = field(self.control, SLOT_WORDS_OFFSET, SLOT_WORDS_WIDTH);
        u64::from(u32::from(message) % self.slots()) << slot_words
    }

    /// Whether no slot is free.
    pub fn is_full(&self) -> bool {
        u32::from(self.written().wrapping_sub(self.released)) >= self.slots()
    }

    /// Most words of a message.
    pub fn most_words(&self) -> usize {
        let slot_words = 1 << field(self.control, SLOT_WORDS_OFFSET, SLOT_WORDS_WIDTH);
        MAX_MESSAGE_WORDS.min(slot_words - 1)
    }

    /// The address of a word of the next slot; word 0 stands in front of the message.
    ///
    /// # Errors
    /// `OutOfWindow`.
    pub fn slot_word(&self, word: u64) -> Result<u32, ErrorCode> {
        self.address(self.slot(self.written()) + word, 1)
    }

    /// Counts the message that is now in the next slot.
    pub fn enqueue(&mut self) {
        self.pointer = u32::from(self.written().wrapping_add(1));
    }

    /// Releases the oldest message. Returns the address of its slot, if there is a message.
    pub fn release(&mut self) -> Option<u32> {
        if self.written() == self.released || self.mode() != Mode::Queue as u32 {
            return None;
        }
        let address = self.address(self.slot(self.released), 1).ok();
        self.released = self.released.wrapping_add(1);
        address
    }

    /// A register as software reads it.
    pub fn read(&self, register: TagRegister) -> u32 {
        match register {
            TagRegister::Pointer => self.pointer,
            TagRegister::Ends => u32::from(self.ends),
            TagRegister::Released => u32::from(self.released),
            TagRegister::Base | TagRegister::Size | TagRegister::Control | TagRegister::Geometry => 0,
        }
    }

    /// Writes a register.
    pub fn write(&mut self, register: TagRegister, data: u32) {
        match register {
            TagRegister::Base => self.base = data,
            TagRegister::Size => self.size = data,
            TagRegister::Control => self.control = data,
            TagRegister::Pointer => {
                self.pointer = data;
                self.column = 0;
            }
            TagRegister::Geometry => self.geometry = data,
            TagRegister::Ends => {
                self.ends = 0;
                self.fault = None;
            }
            TagRegister::Released => self.released = data as u16,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_fills_rows_and_stops_at_the_end_of_its_window() {
        let mut window = Window::default();
        window.write(TagRegister::Base, 100);
        window.write(TagRegister::Size, 7);
        window.write(TagRegister::Control, Mode::Pointer as u32);
        window.write(TagRegister::Geometry, 2 | 5 << STRIDE_OFFSET);
        let addresses: Vec<_> = (0..5).map(|_| window.advance()).collect();
        let outside = Err(ErrorCode::OutOfWindow);
        assert_eq!(addresses, [Ok(100), Ok(101), Ok(105), Ok(106), outside]);
    }

    #[test]
    fn a_ring_is_full_until_released_and_counts_on_over_the_wrap() {
        let mut window = Window::default();
        window.write(TagRegister::Size, 8);
        window.write(
            TagRegister::Control,
            Mode::Queue as u32 | 2 << SLOT_WORDS_OFFSET | 1 << SLOTS_OFFSET,
        );
        assert_eq!(window.most_words(), 3);
        assert_eq!(window.release(), None);
        for message in 0..70_000u32 {
            assert!(!window.is_full());
            assert_eq!(window.slot_word(3), Ok(message % 2 * 4 + 3));
            window.enqueue();
            assert_eq!(window.read(TagRegister::Pointer), (message + 1) & 0xffff);
            if message > 0 {
                assert!(window.is_full());
                assert_eq!(window.release(), Some((message - 1) % 2 * 4));
            }
        }
    }
}

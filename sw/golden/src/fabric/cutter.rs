//! What a program sends, cut into packets.
//!
//! Words and rows go into the packet that is open. A row cuts it where it must: rows that touch fill packets, rows with
//! gaps go whole, as many as fit, and a row longer than a packet goes in packets of its own.

use portico_spec::ni::{
    instruction::IDLE_INSTRUCTIONS,
    packet::{Rows, OFFSET_WIDTH},
    ErrorCode,
};

use super::packet::Place;

/// What bounds the packets of a program.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// The words have places at the target: offsets advance and are checked.
    pub placed: bool,
    /// The first packet ends the transfer.
    pub single: bool,
    /// Most words of a packet.
    pub maximum: u64,
    /// Words of the remote segment.
    pub segment: u64,
    /// Words of the local memory.
    pub memory: u64,
    /// The error of a read beyond the local memory.
    pub beyond_memory: ErrorCode,
}

/// A packet, closed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// Where the words go.
    pub place: Place,
    /// The payload.
    pub words: Vec<u64>,
    /// It ends the transfer.
    pub last: bool,
}

/// Where words come from and packets go.
pub trait Outlet {
    /// The word at this address of the local memory.
    fn read(&self, address: u64) -> u64;
    /// Sends a packet.
    fn send(&mut self, packet: Cut);
}

/// A packet under construction.
#[derive(Clone, Debug)]
struct Open {
    offset: u64,
    words: Vec<u64>,
    /// Whole rows with gaps between them.
    rows: u64,
    /// It takes nothing but further whole rows.
    sealed: bool,
    /// Instructions without payload since it was opened.
    idle: usize,
}

/// Cuts what one program sends.
#[derive(Clone, Debug)]
pub struct Cutter {
    bounds: Bounds,
    /// Where the next row or word goes.
    offset: u64,
    row: u64,
    stride: u64,
    open: Option<Open>,
    ended: bool,
}

impl Cutter {
    /// Begins at `offset`, with rows of this shape.
    pub fn new(bounds: Bounds, offset: u64, rows: Rows) -> Cutter {
        Cutter {
            bounds,
            offset,
            row: u64::from(rows.row),
            stride: u64::from(rows.stride),
            open: None,
            ended: false,
        }
    }

    /// Where the next row or word goes. After an error: where the piece would have gone that was refused.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Whether the end of the transfer has been sent.
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// Whether rows have words. A row without words is no row: it does nothing.
    pub fn has_row(&self) -> bool {
        self.row > 0
    }

    /// Goes on at another offset. All offsets beyond the address space are alike.
    pub fn go_to(&mut self, offset: u32, at: &mut impl Outlet) {
        self.close(false, at);
        self.offset = u64::from(offset).min(1 << OFFSET_WIDTH);
    }

    /// Changes the shape of rows. A packet of whole rows is closed: it has one shape.
    pub fn reshape(&mut self, rows: Rows, at: &mut impl Outlet) {
        if self.is_sealed() {
            self.close(false, at);
        }
        (self.row, self.stride) = (u64::from(rows.row), u64::from(rows.stride));
    }

    /// Sends a word of the program's own.
    ///
    /// # Errors
    /// `OutOfSegment`, `Ended`.
    pub fn word(&mut self, word: u32, at: &mut impl Outlet) -> Result<(), ErrorCode> {
        if self.room() == 0 || self.is_sealed() {
            self.close(false, at);
        }
        self.check_remote(self.offset, 1)?;
        self.packet(self.offset).words.push(word.into());
        self.offset += u64::from(self.bounds.placed);
        Ok(())
    }

    /// Sends the row at `local`. What comes before a piece that is refused has been sent.
    ///
    /// # Errors
    /// [`Bounds::beyond_memory`], `OutOfSegment`, `Ended`.
    pub fn row(&mut self, local: u64, at: &mut impl Outlet) -> Result<(), ErrorCode> {
        let has_gaps = self.bounds.placed && self.row != self.stride;
        let goes_whole = has_gaps && self.row <= self.bounds.maximum;
        let first = self.offset;
        let mut done = 0;
        while done < self.row {
            let room = self.room();
            let joins = self.open.as_ref().is_none_or(|open| match (has_gaps, goes_whole) {
                (false, _) => !open.sealed && room > 0,
                (true, true) => open.rows > 0 && self.row <= room,
                (true, false) => done > 0 && room > 0,
            });
            if !joins {
                self.close(false, at);
            }
            let words = self.room().min(self.row - done);
            let from = local + done;
            self.offset = first + done;
            if from + words > self.bounds.memory {
                return Err(self.bounds.beyond_memory);
            }
            self.check_remote(self.offset, words)?;
            let ends_row = done + words == self.row;
            let open = self.packet(first + done);
            open.words.extend((from..from + words).map(|address| at.read(address)));
            open.rows += u64::from(goes_whole);
            open.sealed = has_gaps && ends_row;
            done += words;
        }
        self.offset = first + if self.bounds.placed { self.stride } else { 0 };
        Ok(())
    }

    /// Counts an instruction without payload.
    pub fn idle(&mut self) {
        if let Some(open) = &mut self.open {
            open.idle += 1;
        }
    }

    /// Closes the packet that is open if it has waited for too many instructions without payload.
    pub fn close_if_idle(&mut self, at: &mut impl Outlet) {
        if self.open.as_ref().is_some_and(|open| open.idle == IDLE_INSTRUCTIONS) {
            self.close(false, at);
        }
    }

    /// Ends the transfer, with an empty packet if none is open.
    pub fn end(&mut self, at: &mut impl Outlet) {
        self.packet(self.offset);
        self.close(true, at);
    }

    /// Closes the packet that is open, if one is.
    pub fn close(&mut self, last: bool, at: &mut impl Outlet) {
        let Some(Open {
            offset, words, rows, ..
        }) = self.open.take()
        else {
            return;
        };
        let shape = Rows {
            row: self.row as u16,
            stride: self.stride as u16,
        };
        let place = Place {
            first: offset,
            rows: (rows > 1).then_some(shape),
        };
        at.send(Cut { place, words, last });
        self.ended |= last || self.bounds.single;
    }

    /// The packet that is open; else a new one from `offset` on.
    fn packet(&mut self, offset: u64) -> &mut Open {
        self.open.get_or_insert_with(|| Open {
            offset,
            words: Vec::new(),
            rows: 0,
            sealed: false,
            idle: 0,
        })
    }

    fn is_sealed(&self) -> bool {
        self.open.as_ref().is_some_and(|open| open.sealed)
    }

    fn room(&self) -> u64 {
        self.bounds.maximum - self.open.as_ref().map_or(0, |open| open.words.len() as u64)
    }

    fn check_remote(&self, offset: u64, words: u64) -> Result<(), ErrorCode> {
        let bound = self.bounds.segment.min(1 << OFFSET_WIDTH);
        if self.bounds.placed && offset + words > bound {
            return Err(ErrorCode::OutOfSegment);
        }
        if self.ended {
            return Err(ErrorCode::Ended);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words are their addresses.
    #[derive(Default)]
    struct Sent(Vec<Cut>);

    impl Outlet for Sent {
        fn read(&self, address: u64) -> u64 {
            address
        }

        fn send(&mut self, packet: Cut) {
            self.0.push(packet);
        }
    }

    fn bounds(maximum: u64) -> Bounds {
        Bounds {
            placed: true,
            single: false,
            maximum,
            segment: 1000,
            memory: 1000,
            beyond_memory: ErrorCode::OutOfMemory,
        }
    }

    /// Offset, rows, words and `last` of the packets of so many rows.
    fn packets(maximum: u64, rows: Rows, count: u64) -> Vec<(u64, Option<Rows>, usize, bool)> {
        let mut sent = Sent::default();
        let mut cutter = Cutter::new(bounds(maximum), 0, rows);
        for row in 0..count {
            cutter.row(row * 100, &mut sent).unwrap();
        }
        cutter.end(&mut sent);
        let packets = sent.0.into_iter();
        packets
            .map(|Cut { place, words, last }| (place.first, place.rows, words.len(), last))
            .collect()
    }

    #[test]
    fn rows_with_gaps_go_whole() {
        let rows = Rows { row: 8, stride: 16 };
        assert_eq!(
            packets(20, rows, 4),
            [(0, Some(rows), 16, false), (32, Some(rows), 16, true)]
        );
    }

    #[test]
    fn rows_that_touch_fill_packets_and_long_ones_go_alone() {
        let rows = Rows { row: 8, stride: 8 };
        assert_eq!(packets(20, rows, 3), [(0, None, 20, false), (20, None, 4, true)]);
        let rows = Rows { row: 8, stride: 9 };
        assert_eq!(
            packets(5, rows, 2),
            [
                (0, None, 5, false),
                (5, None, 3, false),
                (9, None, 5, false),
                (14, None, 3, true)
            ]
        );
    }

    #[test]
    fn an_idle_packet_is_closed_once() {
        let mut sent = Sent::default();
        let mut cutter = Cutter::new(bounds(64), 0, Rows { row: 1, stride: 1 });
        cutter.word(1, &mut sent).unwrap();
        for instruction in 0..2 * IDLE_INSTRUCTIONS {
            cutter.close_if_idle(&mut sent);
            assert_eq!(sent.0.len(), usize::from(instruction >= IDLE_INSTRUCTIONS));
            cutter.idle();
        }
    }

    #[test]
    fn what_comes_before_a_refused_piece_is_sent() {
        let mut sent = Sent::default();
        let mut cutter = Cutter::new(bounds(64), 0, Rows { row: 100, stride: 100 });
        assert_eq!(cutter.row(901, &mut sent), Err(ErrorCode::OutOfMemory));
        assert_eq!((cutter.offset(), sent.0.len()), (64, 1));
        cutter.end(&mut sent);
        assert_eq!(cutter.word(1, &mut sent), Err(ErrorCode::Ended));
    }
}

use super::*;
use portico_spec::uart::crc;
use std::collections::BTreeMap;

/// Bytes of the host's space.
const LIMIT: u32 = 0x1000;
/// The bus refuses this address.
const REFUSED: u32 = 0x40;

/// Words, and all that was done to them.
#[derive(Default)]
struct Words {
    words: BTreeMap<u32, u32>,
    log: Vec<String>,
    interrupt: bool,
}

impl Bus for Words {
    fn read(&mut self, address: u32) -> Result<u32, Refused> {
        self.log.push(format!("read {address:#x}"));
        match address {
            REFUSED => Err(Refused),
            _ => Ok(self.words.get(&address).copied().unwrap_or(0)),
        }
    }

    fn write(&mut self, address: u32, value: u32) -> Result<(), Refused> {
        self.log.push(format!("write {address:#x} {value:#x}"));
        match address {
            REFUSED => Err(Refused),
            _ => {
                self.words.insert(address, value);
                Ok(())
            }
        }
    }

    fn reset(&mut self) {
        self.log.push("reset".into());
        self.words.clear();
    }

    fn interrupt(&mut self) -> bool {
        self.interrupt
    }
}

fn bridge() -> Bridge<Words> {
    Bridge::new(Words::default(), LIMIT)
}

/// The bytes with their CRC behind.
fn framed(bytes: &[u8]) -> Vec<u8> {
    [bytes, &crc(bytes).to_be_bytes()].concat()
}

/// Feeds a frame; gives the answer without its CRC, which must be right.
fn ask(bridge: &mut Bridge<Words>, bytes: &[u8]) -> Vec<u8> {
    let mut answer = bridge.feed(&framed(bytes));
    let found = answer.split_off(answer.len() - 4);
    assert_eq!(found, crc(&answer).to_be_bytes());
    answer
}

fn log(bridge: &mut Bridge<Words>) -> Vec<String> {
    std::mem::take(&mut bridge.bus().log)
}

const HELLO: [u8; 7] = [0xa2, 1, 0, 0, 0, 0, 0];
const LEAVE: [u8; 7] = [0xa4, 2, 0, 0, 0, 0, 0];

#[test]
fn frames_read_and_write_words() {
    let mut bridge = bridge();
    let write = [0xa1, 9, 2, 0, 0, 0, 4, 1, 2, 3, 4, 5, 6, 7, 8];
    assert_eq!(ask(&mut bridge, &write), [0x51, 9, 0, 2]);
    assert_eq!(log(&mut bridge), ["write 0x10 0x1020304", "write 0x14 0x5060708"]);
    let read = [0xa0, 10, 2, 0, 0, 0, 5];
    assert_eq!(ask(&mut bridge, &read), [0x50, 10, 0, 2, 5, 6, 7, 8, 0, 0, 0, 0]);
    assert_eq!(log(&mut bridge), ["read 0x14", "read 0x18"]);
}

#[test]
fn a_repeated_request_is_answered_and_not_done() {
    let mut bridge = bridge();
    let write = [0xa1, 9, 1, 0, 0, 0, 4, 1, 2, 3, 4];
    for _ in 0..3 {
        assert_eq!(ask(&mut bridge, &write), [0x51, 9, 0, 1]);
    }
    assert_eq!(log(&mut bridge).len(), 1);
    let read = [0xa0, 10, 1, 0, 0, 0, 4];
    assert_eq!(ask(&mut bridge, &read), [0x50, 10, 0, 1, 1, 2, 3, 4]);
    // The answer has the words of then, and the interrupt of now.
    bridge.bus().words.insert(0x10, 0xff);
    bridge.bus().interrupt = true;
    assert_eq!(ask(&mut bridge, &read), [0x50, 10, 0x80, 1, 1, 2, 3, 4]);
    assert_eq!(log(&mut bridge).len(), 1);
    let reset = [0xa3, 11, 0, 0, 0, 0, 0];
    for _ in 0..2 {
        assert_eq!(ask(&mut bridge, &reset), [0x53, 11, 0x80, 0]);
    }
    assert_eq!(log(&mut bridge), ["reset"]);
    // An earlier number is new again.
    assert_eq!(ask(&mut bridge, &write), [0x51, 9, 0x80, 1]);
    assert_eq!(log(&mut bridge).len(), 1);
}

#[test]
fn any_sequence_number_is_new_after_hello() {
    let mut bridge = bridge();
    let write = [0xa1, 1, 1, 0, 0, 0, 4, 1, 2, 3, 4];
    for _ in 0..2 {
        assert_eq!(ask(&mut bridge, &write)[..2], [0x51, 1]);
        assert_eq!(ask(&mut bridge, &HELLO), [0x52, 1, 0x40, 64]);
    }
    assert_eq!(ask(&mut bridge, &HELLO), [0x52, 1, 0x40, 64]);
    assert_eq!(ask(&mut bridge, &write), [0x51, 1, 0x40, 1]);
    assert_eq!(log(&mut bridge).len(), 3);
}

#[test]
fn a_length_that_is_not_allowed_does_nothing() {
    let mut bridge = bridge();
    let long = [&[0xa1, 3, 65, 0, 0, 0, 0][..], &[0xee; 4 * 65]].concat();
    assert_eq!(ask(&mut bridge, &long), [0x51, 3, 4, 0]);
    assert_eq!(ask(&mut bridge, &[0xa1, 4, 0, 0, 0, 0, 0]), [0x51, 4, 4, 0]);
    assert_eq!(ask(&mut bridge, &[0xa0, 5, 65, 0, 0, 0, 0]), [0x50, 5, 4, 0]);
    assert_eq!(log(&mut bridge), [""; 0]);
    assert_eq!(ask(&mut bridge, &[0xa0, 6, 0, 0, 0, 0, 0]), [0x50, 6, 0, 0]);
    assert_eq!(log(&mut bridge), [""; 0]);
    let most = [0xa0, 7, 64, 0, 0, 0, 0x20];
    assert_eq!(ask(&mut bridge, &most)[..4], [0x50, 7, 0, 64]);
    assert_eq!(log(&mut bridge).len(), 64);
}

#[test]
fn the_first_word_that_is_refused_ends_the_request() {
    let mut bridge = bridge();
    let write = [0xa1, 1, 3, 0, 0, 0, 0x0f, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3];
    assert_eq!(ask(&mut bridge, &write), [0x51, 1, 2, 1]);
    assert_eq!(log(&mut bridge), ["write 0x3c 0x1", "write 0x40 0x2"]);
    assert_eq!(
        ask(&mut bridge, &[0xa0, 2, 3, 0, 0, 0, 0x0f]),
        [0x50, 2, 2, 1, 0, 0, 0, 1]
    );
    assert_eq!(log(&mut bridge), ["read 0x3c", "read 0x40"]);
    // Nobody is asked beyond the host's space, nor where 4 times the number would be within it again.
    assert_eq!(
        ask(&mut bridge, &[0xa0, 3, 2, 0, 0, 3, 0xff]),
        [0x50, 3, 3, 1, 0, 0, 0, 0]
    );
    assert_eq!(ask(&mut bridge, &[0xa0, 4, 1, 0x40, 0, 0, 0]), [0x50, 4, 3, 0]);
    assert_eq!(ask(&mut bridge, &[0xa1, 5, 1, 0, 0, 4, 0, 1, 2, 3, 4]), [0x51, 5, 3, 0]);
    assert_eq!(log(&mut bridge), ["read 0xffc"]);
}

#[test]
fn a_frame_with_a_wrong_crc_is_dropped() {
    let mut bridge = bridge();
    // A session, since the rest of a dropped frame may begin with a byte of UARTBone.
    ask(&mut bridge, &HELLO);
    let good = framed(&[0xa1, 9, 1, 0, 0, 0, 4, 1, 2, 3, 4]);
    for bit in 0..8 * good.len() {
        let mut bad = good.clone();
        bad[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(bridge.feed(&bad), [0; 0], "bit {bit}");
        bridge.pause();
    }
    assert_eq!(log(&mut bridge), [""; 0]);
    assert_eq!(bridge.feed(&good).len(), 8);
}

/// A write whose code is lost, with the image of a frame among its words: as traffic that was recorded has it.
#[test]
fn data_are_not_taken_for_a_frame() {
    let mut bridge = bridge();
    ask(&mut bridge, &HELLO);
    let image = framed(&[0xa1, 9, 1, 0, 0, 0, 4, 1, 2, 3, 4]);
    let mut write = vec![0xa1, 7, 4, 0, 0, 0, 8];
    write.extend(&image);
    write.push(0);
    let write = framed(&write);
    assert_eq!(bridge.feed(&write[1..]), [0; 0]);
    assert_eq!(log(&mut bridge), [""; 0]);
    bridge.pause();
    assert_eq!(bridge.feed(&write).len(), 8);
    assert_eq!(log(&mut bridge).len(), 4);
}

#[test]
fn a_pause_ends_what_was_cut_short() {
    let mut bridge = bridge();
    let read = framed(&[0xa0, 1, 1, 0, 0, 0, 4]);
    bridge.feed(&read[..9]);
    bridge.pause();
    assert_eq!(bridge.feed(&read).len(), 12);
    // Without the pause the second goes into the first.
    bridge.feed(&read[..9]);
    assert_eq!(bridge.feed(&read), [0; 0]);
    bridge.pause();
    // Words that have come are written, and the rest of the command is forgotten.
    bridge.feed(&[1, 2, 0, 0, 0, 4, 1, 2, 3, 4, 5, 6]);
    bridge.pause();
    assert_eq!(ask(&mut bridge, &[0xa0, 2, 1, 0, 0, 0, 4]), [0x50, 2, 0, 1, 1, 2, 3, 4]);
    assert_eq!(log(&mut bridge), ["read 0x10", "write 0x10 0x1020304", "read 0x10"]);
}

#[test]
fn uartbone_writes_and_reads_words() {
    let mut bridge = bridge();
    assert_eq!(bridge.feed(&[1, 2, 0, 0, 0, 4, 1, 2, 3, 4, 5, 6, 7]), [0; 0]);
    assert_eq!(log(&mut bridge), ["write 0x10 0x1020304"], "word by word");
    assert_eq!(bridge.feed(&[8]), [0; 0]);
    assert_eq!(bridge.feed(&[2, 2, 0, 0, 0, 4]), [1, 2, 3, 4, 5, 6, 7, 8]);
    assert_eq!(log(&mut bridge), ["write 0x14 0x5060708", "read 0x10", "read 0x14"]);
    bridge.feed(&[3, 2, 0, 0, 0, 8, 0, 0, 0, 1, 0, 0, 0, 2]);
    assert_eq!(bridge.feed(&[4, 2, 0, 0, 0, 8]), [0, 0, 0, 2, 0, 0, 0, 2]);
    assert_eq!(
        log(&mut bridge),
        ["write 0x20 0x1", "write 0x20 0x2", "read 0x20", "read 0x20"]
    );
    assert_eq!(bridge.feed(&[2, 0, 0, 0, 0, 0x80]).len(), 4 * 256);
    assert_eq!(log(&mut bridge).last().unwrap(), "read 0x5fc");
}

#[test]
fn uartbone_cannot_tell_of_what_is_refused() {
    let mut bridge = bridge();
    bridge.feed(&[1, 2, 0, 0, 0, 0x10, 0, 0, 0, 1, 0, 0, 0, 2]);
    assert_eq!(log(&mut bridge), ["write 0x40 0x1", "write 0x44 0x2"]);
    assert_eq!(
        bridge.feed(&[2, 2, 0, 0, 0, 0x10]),
        [0xff, 0xff, 0xff, 0xff, 0, 0, 0, 2]
    );
    assert_eq!(log(&mut bridge), ["read 0x40", "read 0x44"]);
    bridge.feed(&[1, 1, 0, 0, 4, 0, 0, 0, 0, 1]);
    assert_eq!(bridge.feed(&[2, 1, 0, 0, 4, 0]), [0xff; 4]);
    assert_eq!(log(&mut bridge), [""; 0]);
}

#[test]
fn a_session_takes_frames_alone() {
    let mut bridge = bridge();
    // Bytes that begin nothing are skipped.
    assert_eq!(bridge.feed(&[0, 5, 0x9f, 0xa5, 0xff]), [0; 0]);
    assert_eq!(bridge.feed(&[2, 1, 0, 0, 0, 4]).len(), 4);
    assert!(!bridge.is_in_session());
    assert_eq!(ask(&mut bridge, &HELLO), [0x52, 1, 0x40, 64]);
    assert!(bridge.is_in_session());
    assert_eq!(bridge.feed(&[2, 1, 0, 0, 0, 4]), [0; 0]);
    bridge.pause();
    assert_eq!(ask(&mut bridge, &[0xa0, 2, 0, 0, 0, 0, 0]), [0x50, 2, 0x40, 0]);
    // LEAVE has another number than the last request, and is repeated as any other.
    for _ in 0..2 {
        assert_eq!(ask(&mut bridge, &[0xa4, 3, 0, 0, 0, 0, 0]), [0x54, 3, 0, 0]);
    }
    assert_eq!(bridge.feed(&[2, 1, 0, 0, 0, 4]).len(), 4);
    // Frames are taken without a session, too.
    assert_eq!(ask(&mut bridge, &LEAVE), [0x54, 2, 0, 0]);
    assert_eq!(log(&mut bridge), ["read 0x10", "read 0x10"]);
}

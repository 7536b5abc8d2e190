//! Requests and answers as values, and the bytes that they are on the line.

use super::{
    crc, Code, Status, ANSWER, ANSWER_BYTES, CRC_BYTES, FRAME_WORDS, INTERRUPT_BIT, REQUEST_BYTES, SESSION_BIT,
    STATUS_WIDTH,
};

/// What a host sends to the bridge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// What is asked for.
    pub code: Code,
    /// Its sequence number.
    pub sequence: u8,
    /// Words to read or to write. A WRITE has as many [`words`](Request::words).
    pub length: u8,
    /// Number of the first word: its byte address by 4.
    pub address: u32,
    /// Words to write; empty but for WRITE.
    pub words: Vec<u32>,
}

/// What the bridge answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The code of the request.
    pub code: Code,
    /// The sequence number of the request.
    pub sequence: u8,
    /// How the request ended.
    pub status: Status,
    /// Whether the host node interrupted while the answer went out.
    pub interrupt: bool,
    /// Whether the bridge was in a session.
    pub session: bool,
    /// Words read or written; of HELLO [`FRAME_WORDS`]. An answer to READ has as many [`words`](Answer::words).
    pub length: u8,
    /// Words read; empty but for READ.
    pub words: Vec<u32>,
}

/// What bytes begin with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decoded<T> {
    /// A frame, and the number of its bytes.
    Frame(T, usize),
    /// The beginning of a frame.
    Partial,
    /// No frame: its code or its CRC is wrong.
    Wrong,
}

impl Request {
    /// A request without words: HELLO, RESET or LEAVE.
    pub fn new(code: Code, sequence: u8) -> Request {
        Request {
            code,
            sequence,
            length: 0,
            address: 0,
            words: vec![],
        }
    }

    /// A request to read `length` words from word `address` on.
    ///
    /// # Panics
    /// If `length` does not fit into a byte.
    pub fn read(sequence: u8, address: u32, length: usize) -> Request {
        Request {
            length: u8::try_from(length).expect("a byte holds the length"),
            address,
            ..Request::new(Code::Read, sequence)
        }
    }

    /// A request to write `words` from word `address` on.
    ///
    /// # Panics
    /// If the number of words does not fit into a byte.
    pub fn write(sequence: u8, address: u32, words: &[u32]) -> Request {
        Request {
            length: u8::try_from(words.len()).expect("a byte holds the length"),
            address,
            words: words.to_vec(),
            ..Request::new(Code::Write, sequence)
        }
    }

    /// Whether the length is one that the code may have.
    pub fn is_length_allowed(&self) -> bool {
        let least = match self.code {
            Code::Read => 0,
            Code::Write => 1,
            Code::Hello | Code::Reset | Code::Leave => return self.length == 0,
        };
        (least..=FRAME_WORDS).contains(&usize::from(self.length))
    }

    /// Its bytes, the CRC last.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = vec![self.code as u8, self.sequence, self.length];
        bytes.extend(self.address.to_be_bytes());
        close(bytes, &self.words)
    }

    /// The request that `bytes` begin with. A WRITE whose length is not allowed has all its words nevertheless.
    pub fn decode(bytes: &[u8]) -> Decoded<Request> {
        let Some(&first) = bytes.first() else {
            return Decoded::Partial;
        };
        let Some(code) = Code::from_byte(first) else {
            return Decoded::Wrong;
        };
        let (Some(&[_, sequence, length]), Some(&address)) =
            (bytes.first_chunk(), bytes[..].get(3..).and_then(<[u8]>::first_chunk))
        else {
            return Decoded::Partial;
        };
        let words = if code == Code::Write { length.into() } else { 0 };
        opened(bytes, REQUEST_BYTES, words).map(|words| Request {
            code,
            sequence,
            length,
            address: u32::from_be_bytes(address),
            words,
        })
    }
}

impl Answer {
    /// Its bytes, the CRC last.
    pub fn encode(&self) -> Vec<u8> {
        let status =
            self.status as u8 | u8::from(self.interrupt) << INTERRUPT_BIT | u8::from(self.session) << SESSION_BIT;
        let bytes = vec![self.code as u8 ^ ANSWER, self.sequence, status, self.length];
        close(bytes, &self.words)
    }

    /// The answer that `bytes` begin with.
    pub fn decode(bytes: &[u8]) -> Decoded<Answer> {
        let Some(&first) = bytes.first() else {
            return Decoded::Partial;
        };
        let Some(code) = Code::from_byte(first ^ ANSWER) else {
            return Decoded::Wrong;
        };
        let Some(&[_, sequence, status, length]) = bytes.first_chunk::<ANSWER_BYTES>() else {
            return Decoded::Partial;
        };
        let Some(ended) = Status::from_bits(status & ((1 << STATUS_WIDTH) - 1)) else {
            return Decoded::Wrong;
        };
        let words = if code == Code::Read { length.into() } else { 0 };
        opened(bytes, ANSWER_BYTES, words).map(|words| Answer {
            code,
            sequence,
            status: ended,
            interrupt: status >> INTERRUPT_BIT & 1 == 1,
            session: status >> SESSION_BIT & 1 == 1,
            length,
            words,
        })
    }
}

impl<T> Decoded<T> {
    fn map<U>(self, to: impl FnOnce(T) -> U) -> Decoded<U> {
        match self {
            Decoded::Frame(frame, bytes) => Decoded::Frame(to(frame), bytes),
            Decoded::Partial => Decoded::Partial,
            Decoded::Wrong => Decoded::Wrong,
        }
    }
}

/// The head of a frame, its words, and the CRC over both.
fn close(mut bytes: Vec<u8>, words: &[u32]) -> Vec<u8> {
    bytes.extend(words.iter().flat_map(|word| word.to_be_bytes()));
    let crc = crc(&bytes);
    bytes.extend(crc.to_be_bytes());
    bytes
}

/// The words between a head of `head` bytes and the CRC, if that is right.
fn opened(bytes: &[u8], head: usize, words: usize) -> Decoded<Vec<u32>> {
    let end = head + 4 * words;
    let Some(&found) = bytes.get(end..).and_then(<[u8]>::first_chunk) else {
        return Decoded::Partial;
    };
    if u32::from_be_bytes(found) != crc(&bytes[..end]) {
        return Decoded::Wrong;
    }
    let (words, _) = bytes[head..end].as_chunks();
    let words = words.iter().map(|&word| u32::from_be_bytes(word)).collect();
    Decoded::Frame(words, end + CRC_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn requests() -> impl Strategy<Value = Request> {
        let code = prop::sample::select(Code::ALL.to_vec());
        let words = prop::collection::vec(any::<u32>(), 0..256);
        (code, any::<u8>(), any::<u8>(), any::<u32>(), words).prop_map(|(code, sequence, length, address, words)| {
            match code {
                Code::Write => Request::write(sequence, address, &words),
                code => Request {
                    length,
                    address,
                    ..Request::new(code, sequence)
                },
            }
        })
    }

    fn answers() -> impl Strategy<Value = Answer> {
        let code = prop::sample::select(Code::ALL.to_vec());
        let status = prop::sample::select(Status::ALL.to_vec());
        let words = prop::collection::vec(any::<u32>(), 0..256);
        (code, any::<u8>(), status, any::<[bool; 2]>(), words).prop_map(
            |(code, sequence, status, [interrupt, session], words)| Answer {
                code,
                sequence,
                status,
                interrupt,
                session,
                length: words.len() as u8,
                words: if code == Code::Read { words } else { vec![] },
            },
        )
    }

    /// The frame is found in its bytes and whatever follows, and nothing in a part of them or in wrong ones.
    fn check<T: Clone + std::fmt::Debug + PartialEq>(
        frame: T,
        bytes: &[u8],
        at: prop::sample::Index,
        decode: fn(&[u8]) -> Decoded<T>,
    ) -> Result<(), TestCaseError> {
        let followed = [bytes, &[0x5a, 0xa0]].concat();
        prop_assert_eq!(decode(&followed), Decoded::Frame(frame, bytes.len()));
        let at = at.index(bytes.len());
        prop_assert_eq!(decode(&bytes[..at]), Decoded::Partial);
        let mut wrong = followed;
        wrong[at] ^= 0x10;
        prop_assert!(!matches!(decode(&wrong), Decoded::Frame(..)));
        Ok(())
    }

    proptest! {
        #[test]
        fn a_request_comes_out_as_it_went_in(request in requests(), at: prop::sample::Index) {
            check(request.clone(), &request.encode(), at, Request::decode)?;
        }

        #[test]
        fn an_answer_comes_out_as_it_went_in(answer in answers(), at: prop::sample::Index) {
            check(answer.clone(), &answer.encode(), at, Answer::decode)?;
        }
    }

    #[test]
    fn frames_have_the_bytes_of_the_contract() {
        let request = Request::write(7, 0x0102_0304, &[0xaabb_ccdd]).encode();
        assert_eq!(request[..11], [0xa1, 7, 1, 1, 2, 3, 4, 0xaa, 0xbb, 0xcc, 0xdd]);
        assert_eq!(request[11..], crc(&request[..11]).to_be_bytes());
        let answer = Answer {
            code: Code::Read,
            sequence: 9,
            status: Status::SlaveError,
            interrupt: true,
            session: true,
            length: 1,
            words: vec![0x0102_0304],
        };
        assert_eq!(answer.encode()[..8], [0x50, 9, 0xc2, 1, 1, 2, 3, 4]);
    }

    #[test]
    fn lengths_are_those_of_the_contract() {
        for length in 0..=255 {
            let allowed = Code::ALL.map(|code| {
                let request = Request {
                    length,
                    ..Request::new(code, 0)
                };
                request.is_length_allowed()
            });
            let none = length == 0;
            assert_eq!(
                allowed,
                [length <= 64, (1..=64).contains(&length), none, none, none],
                "{length}"
            );
        }
    }
}

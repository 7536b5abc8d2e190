//! The UART bridge of a board: bytes from a host in, bytes to it out, and a bus of 32 bits behind.
//!
//! The frames are those of [`portico_spec::uart`]. The bridge has no clock: whoever gives it bytes tells it of a
//! [pause](Bridge::pause), too.
//!
//! ```
//! use portico_golden::bridge::{Bridge, Bus, Refused};
//! use portico_spec::uart::{Answer, Code, Decoded, Request};
//!
//! /// A memory of four words.
//! struct Memory([u32; 4]);
//!
//! impl Bus for Memory {
//!     fn read(&mut self, address: u32) -> Result<u32, Refused> {
//!         self.0.get(address as usize / 4).copied().ok_or(Refused)
//!     }
//!
//!     fn write(&mut self, address: u32, value: u32) -> Result<(), Refused> {
//!         *self.0.get_mut(address as usize / 4).ok_or(Refused)? = value;
//!         Ok(())
//!     }
//!
//!     fn reset(&mut self) {}
//!
//!     fn interrupt(&mut self) -> bool {
//!         false
//!     }
//! }
//!
//! let mut bridge = Bridge::new(Memory([0; 4]), 1 << 20);
//! bridge.feed(&Request::new(Code::Hello, 1).encode());
//! bridge.feed(&Request::write(2, 1, &[7]).encode());
//! let answer = bridge.feed(&Request::read(3, 0, 2).encode());
//! let Decoded::Frame(Answer { words, .. }, _) = Answer::decode(&answer) else { unreachable!() };
//! assert_eq!(words, [0, 7]);
//! ```

use portico_spec::uart::{Answer, Bone, Code, Decoded, Request, Status, FRAME_WORDS};
use thiserror::Error;

/// The bus refused an access (SLVERR of AXI4-Lite).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the bus refused the access")]
pub struct Refused;

/// What is behind the bridge: the port of a fabric's host node.
pub trait Bus {
    /// Reads 32 bits at a byte address.
    ///
    /// # Errors
    /// The bus refuses it.
    fn read(&mut self, address: u32) -> Result<u32, Refused>;

    /// Writes 32 bits at a byte address.
    ///
    /// # Errors
    /// The bus refuses it.
    fn write(&mut self, address: u32, value: u32) -> Result<(), Refused>;

    /// Resets all that is behind the bridge.
    fn reset(&mut self);

    /// Whether the host node interrupts.
    fn interrupt(&mut self) -> bool;
}

/// Bytes of a UARTBone command before its words: code, length, address.
const BONE_BYTES: usize = 6;
/// Words of a UARTBone command whose length is 0.
const BONE_WORDS: usize = 256;
/// What UARTBone answers to a read that the bus refuses.
const BONE_REFUSED: u32 = 0xffff_ffff;

/// The bridge.
#[derive(Clone, Debug)]
pub struct Bridge<B> {
    bus: B,
    /// Bytes of the host's space, behind which the bus is not asked.
    limit: u64,
    /// From HELLO to LEAVE.
    session: bool,
    /// In a session a byte came that begins no frame, or a wrong CRC: what follows is dropped up to a pause.
    lost: bool,
    /// Bytes of a request that has begun.
    begun: Vec<u8>,
    /// A UARTBone write, whose words are still to come.
    writing: Option<BoneWrite>,
    /// The last request that was done. HELLO makes any sequence number new, and leaves none.
    last: Option<Answer>,
}

#[derive(Clone, Copy, Debug)]
struct BoneWrite {
    address: u32,
    left: usize,
    fixed: bool,
}

impl<B: Bus> Bridge<B> {
    /// A bridge after its reset. The host's space has `limit` bytes.
    pub fn new(bus: B, limit: u32) -> Bridge<B> {
        Bridge {
            bus,
            limit: limit.into(),
            session: false,
            lost: false,
            begun: vec![],
            writing: None,
            last: None,
        }
    }

    /// What is behind the bridge.
    pub fn bus(&mut self) -> &mut B {
        &mut self.bus
    }

    /// Whether the bridge is between HELLO and LEAVE, where it takes frames alone.
    pub fn is_in_session(&self) -> bool {
        self.session
    }

    /// Takes bytes from the host; gives what goes back to it.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<u8> {
        bytes.iter().flat_map(|&byte| self.take(byte)).collect()
    }

    /// The line was silent for [`PAUSE_BITS`](portico_spec::uart::PAUSE_BITS): a request that has begun is forgotten.
    pub fn pause(&mut self) {
        self.lost = false;
        self.begun.clear();
        self.writing = None;
    }

    fn take(&mut self, byte: u8) -> Vec<u8> {
        if self.lost {
            return vec![];
        }
        self.begun.push(byte);
        if let Some(write) = self.writing {
            self.go_on_writing(write);
            return vec![];
        }
        if let Some(bone) = Bone::from_byte(self.begun[0]).filter(|_| !self.session) {
            return self.take_bone(bone);
        }
        match Request::decode(&self.begun) {
            Decoded::Partial => vec![],
            Decoded::Wrong => {
                self.lost = self.session;
                self.begun.clear();
                vec![]
            }
            Decoded::Frame(request, _) => {
                self.begun.clear();
                self.answer(&request).encode()
            }
        }
    }

    fn answer(&mut self, request: &Request) -> Answer {
        let repeated = self.last.take().filter(|last| last.sequence == request.sequence);
        let mut answer = match repeated {
            Some(last) if request.code != Code::Hello => last,
            _ => self.execute(request),
        };
        self.last = (request.code != Code::Hello).then(|| answer.clone());
        answer.interrupt = self.bus.interrupt();
        answer.session = self.session;
        answer
    }

    fn execute(&mut self, request: &Request) -> Answer {
        let mut answer = Answer {
            code: request.code,
            sequence: request.sequence,
            status: Status::Okay,
            interrupt: false,
            session: false,
            length: 0,
            words: vec![],
        };
        if !request.is_length_allowed() {
            answer.status = Status::Length;
            return answer;
        }
        let addresses = (u64::from(request.address)..).map(|word| 4 * word);
        match request.code {
            Code::Read => {
                let words: Result<(), Status> = addresses.take(request.length.into()).try_for_each(|address| {
                    answer.words.push(self.read(address)?);
                    Ok(())
                });
                answer.length = answer.words.len() as u8;
                answer.status = words.err().unwrap_or(Status::Okay);
            }
            Code::Write => {
                let words: Result<(), Status> = addresses.zip(&request.words).try_for_each(|(address, &word)| {
                    self.write(address, word)?;
                    answer.length += 1;
                    Ok(())
                });
                answer.status = words.err().unwrap_or(Status::Okay);
            }
            Code::Hello => {
                self.session = true;
                answer.length = FRAME_WORDS as u8;
            }
            Code::Reset => self.bus.reset(),
            Code::Leave => self.session = false,
        }
        answer
    }

    fn take_bone(&mut self, bone: Bone) -> Vec<u8> {
        let Some(&[_, length, a, b, c, d]) = self.begun.first_chunk::<BONE_BYTES>() else {
            return vec![];
        };
        self.begun.clear();
        let address = u32::from_be_bytes([a, b, c, d]);
        let left = if length == 0 { BONE_WORDS } else { length.into() };
        let fixed = matches!(bone, Bone::WriteFixed | Bone::ReadFixed);
        if matches!(bone, Bone::Write | Bone::WriteFixed) {
            self.writing = Some(BoneWrite { address, left, fixed });
            return vec![];
        }
        let addresses = (0..left as u32).map(|number| address.wrapping_add(if fixed { 0 } else { number }));
        let words = addresses.map(|address| self.read(4 * u64::from(address)).unwrap_or(BONE_REFUSED));
        words.flat_map(u32::to_be_bytes).collect()
    }

    fn go_on_writing(&mut self, write: BoneWrite) {
        let Some(&word) = self.begun.first_chunk() else {
            return;
        };
        self.begun.clear();
        // UARTBone has no answer that could tell of a refused write.
        let _ = self.write(4 * u64::from(write.address), u32::from_be_bytes(word));
        let next = BoneWrite {
            address: write.address.wrapping_add(u32::from(!write.fixed)),
            left: write.left - 1,
            ..write
        };
        self.writing = (next.left > 0).then_some(next);
    }

    fn read(&mut self, address: u64) -> Result<u32, Status> {
        let address = self.check(address)?;
        self.bus.read(address).map_err(|Refused| Status::SlaveError)
    }

    fn write(&mut self, address: u64, word: u32) -> Result<(), Status> {
        let address = self.check(address)?;
        self.bus.write(address, word).map_err(|Refused| Status::SlaveError)
    }

    fn check(&self, address: u64) -> Result<u32, Status> {
        match address < self.limit {
            true => Ok(address as u32),
            false => Err(Status::DecodeError),
        }
    }
}

#[cfg(test)]
mod tests;

//! The UART bridge of a board, from the host's side.
//!
//! A [`SerialTransport`] performs accesses by requests and answers; [`portico_spec::uart`] describes them. It repeats a request
//! without a valid answer, and the bridge carries out a repeated request only once. So bytes that the line loses, doubles or
//! changes cost only time.
//!
//! | type | is |
//! | --- | --- |
//! | [`SerialTransport`] | a transport over a line |
//! | [`Line`] | carries bytes both ways |
//! | [`PortLine`] | a line through a serial port of this computer |
//! | [`Terminal`] | a pseudo-terminal behind which a [`Board`] answers, to try all this without hardware |
//!
//! ```no_run
//! use portico::{serial::{Options, PortLine, DEFAULT_BAUD}, Config, Fabric, SerialTransport};
//!
//! let config = Config { edge_nodes: 1, ..Config::default() };
//! let line = PortLine::open("/dev/ttyUSB0", DEFAULT_BAUD).map_err(portico::TransportError::from)?;
//! let mut fabric = Fabric::open(SerialTransport::open(line, &config, Options::default())?)?;
//! fabric.write(5, 0x100, &[1, 2, 3, 4])?;
//! # Ok::<(), portico::Error>(())
//! ```

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use portico_spec::{
    ni::registers::SPACE_BYTES,
    uart::{
        Answer, Bone, Code, Decoded, Request, Status, ANSWER_BYTES, CRC_BYTES, FRAME_WORDS, LINE_BITS, PATIENCE_CYCLES,
        PAUSE_BITS,
    },
    Config,
};

use crate::{Error, Transport, TransportError};

#[cfg(unix)]
pub use self::terminal::{Board, Terminal};
pub use self::{
    line::{Line, LineError},
    port::PortLine,
};
pub use portico_spec::uart::DEFAULT_BAUD;

mod line;
mod port;
#[cfg(unix)]
mod terminal;

/// Cycles that each word of an access counts. Even at 10 Mbaud a word takes 200 cycles of 50 MHz on the line.
pub const CYCLES_PER_ACCESS: u64 = 100;

/// How a [`SerialTransport`] works.
#[derive(Clone, Debug)]
pub struct Options {
    /// How often a request without a valid answer is repeated.
    pub retries: usize,
    /// How long a request waits for its answer, beside the time that both take on the line. It is at least twice the pause
    /// after which the bridge forgets a request that was cut short.
    pub timeout: Duration,
    /// Clock of the fabric in hertz.
    pub clock: f64,
    /// Whether the fabric is reset first.
    pub reset: bool,
    /// How late an answer to an earlier program may come. The session begins after this time.
    pub latest: Duration,
    /// Sequence number of HELLO. With a number above 4, a HELLO without its code, which the line may lose, does not begin like a
    /// command of UARTBone.
    pub number: u8,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            retries: 8,
            timeout: Duration::from_millis(250),
            clock: 50e6,
            reset: true,
            // Adapters hold bytes back for 16 ms.
            latest: Duration::from_millis(50),
            number: any_number(),
        }
    }
}

/// Accesses through the UART bridge of a board.
///
/// [`cycles`](Transport::cycles) does not measure time: every word counts [`CYCLES_PER_ACCESS`], and `wait` what it is
/// asked for. The driver's time-outs therefore count accesses, not time: the fabric has had more cycles than counted.
///
/// Dropping it ends the session, so that the bridge takes UARTBone again.
#[derive(Debug)]
pub struct SerialTransport<L: Line> {
    line: L,
    config: Config,
    options: Options,
    sequence: u8,
    cycles: u64,
    repeated: u64,
    /// Whether the last request was answered.
    answered: bool,
}

impl<L: Line> SerialTransport<L> {
    /// Begins a session with the bridge, resets the fabric unless the options say otherwise, and checks that the fabric is
    /// the configured one.
    ///
    /// # Errors
    /// As [`SerialTransport::connect`] and [`verify`](crate::verify).
    pub fn open(line: L, config: &Config, options: Options) -> Result<SerialTransport<L>, Error> {
        let mut transport = SerialTransport::connect(line, config, options)?;
        crate::verify(&mut transport)?;
        Ok(transport)
    }

    /// As [`SerialTransport::open`], without the check: for a device that is not a fabric, or does not identify itself.
    ///
    /// # Errors
    /// [`TransportError::Line`] and [`TransportError::NoAnswer`].
    pub fn connect(line: L, config: &Config, options: Options) -> Result<SerialTransport<L>, TransportError> {
        let mut transport = SerialTransport {
            line,
            config: config.clone(),
            sequence: options.number.wrapping_sub(1),
            options,
            cycles: 0,
            repeated: 0,
            answered: false,
        };
        // An earlier program may have left an incomplete request in the bridge, and answers on their way.
        let late = transport.pause() * 2;
        transport.line.sleep(late.max(transport.options.latest));
        transport.discard()?;
        transport.ask(Request::new(Code::Hello, 0))?;
        if transport.options.reset {
            transport.ask(Request::new(Code::Reset, 0))?;
        }
        Ok(transport)
    }

    /// The line that carries the bytes.
    pub fn line(&mut self) -> &mut L {
        &mut self.line
    }

    /// Number of requests that were repeated because they got no valid answer.
    pub fn repeated(&self) -> u64 {
        self.repeated
    }

    /// The time in which the bridge forgets a request that was cut short.
    fn pause(&self) -> Duration {
        bit_times(PAUSE_BITS, self.line.baud())
    }

    /// Drops the bytes that have come, for a limited time: a faulty line may never stop sending.
    fn discard(&mut self) -> Result<(), TransportError> {
        let mut bytes = [0; 256];
        for _ in 0..256 {
            if self.line.receive(&mut bytes, Duration::ZERO)? == 0 {
                break;
            }
        }
        Ok(())
    }

    /// Sends a request, with the next sequence number, until it is answered.
    fn ask(&mut self, mut request: Request) -> Result<Answer, TransportError> {
        self.sequence = self.sequence.wrapping_add(1);
        request.sequence = self.sequence;
        self.answered = false;
        let bytes = request.encode();
        for attempt in 0..=self.options.retries {
            if attempt > 0 {
                self.repeated += 1;
                tracing::debug!(?request.code, request.sequence, attempt, "no answer, repeated");
            }
            self.line.send(&bytes)?;
            if let Some(answer) = self.answer(&request, bytes.len())? {
                self.answered = true;
                // LEAVE is answered behind the end of the session.
                if !answer.session && request.code != Code::Leave {
                    return Err(TransportError::BoardReset);
                }
                return Ok(answer);
            }
        }
        Err(TransportError::NoAnswer {
            requests: self.options.retries + 1,
            baud: self.line.baud(),
        })
    }

    /// Waits for the answer to a request of this number of bytes. After the time-out no answer can come, because the bridge has
    /// discarded its part of the request.
    fn answer(&mut self, request: &Request, sent: usize) -> Result<Option<Answer>, TransportError> {
        let words = if request.code == Code::Read {
            request.length.into()
        } else {
            0
        };
        let bytes = sent + ANSWER_BYTES + 4 * words + CRC_BYTES;
        let transfer = bit_times(bytes * LINE_BITS, self.line.baud());
        let deadline = self.line.now() + transfer + self.options.timeout.max(self.pause() * 2);
        let mut received: Vec<u8> = vec![];
        let mut bytes = [0; 512];
        loop {
            let left = deadline.saturating_sub(self.line.now());
            let count = self.line.receive(&mut bytes, left)?;
            received.extend(&bytes[..count]);
            if let Some(answer) = find(&mut received, request) {
                return Ok(Some(answer));
            }
            // Stops even if bytes still come: a faulty line may never stop sending.
            if left.is_zero() {
                return Ok(None);
            }
        }
    }

    /// Sends a request of words, the first of which is at `address`; counts its cycles.
    fn transfer(&mut self, address: u32, request: Request) -> Result<Vec<u32>, TransportError> {
        let limit = SPACE_BYTES as u32;
        if address >= limit || !address.is_multiple_of(4) {
            return Err(TransportError::Address { address, limit });
        }
        let words = u64::from(request.length).max(1);
        self.cycles += CYCLES_PER_ACCESS * words;
        let answer = self.ask(request)?;
        let address = address + 4 * u32::from(answer.length);
        match answer.status {
            Status::Okay => Ok(answer.words),
            Status::SlaveError => Err(TransportError::slave_error(address)),
            Status::DecodeError => Err(TransportError::Address { address, limit }),
            Status::Silent => Err(TransportError::Silent {
                address,
                cycles: PATIENCE_CYCLES as u64,
            }),
            Status::Length => Err(TransportError::Failed(
                "the bridge refuses the length of a frame: it has another version of the protocol".to_owned(),
            )),
        }
    }
}

/// A random number in the upper half. Another program hardly begins with the same one, so its late answers do not match.
fn any_number() -> u8 {
    let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let first = (time.subsec_micros() ^ std::process::id()) as u8;
    let mut numbers = (0..=u8::MAX).map(|step| 0x80 | first.wrapping_add(step));
    let found = numbers.find(|&number| !hides_a_command(number));
    found.expect("the check bytes of most numbers are no commands")
}

/// Whether a HELLO of this number, without its first bytes, has a byte with which a command of UARTBone begins.
fn hides_a_command(number: u8) -> bool {
    let hello = Request::new(Code::Hello, number).encode();
    hello[1..].iter().any(|&byte| Bone::from_byte(byte).is_some())
}

/// The time of so many bits.
fn bit_times(bits: usize, baud: u32) -> Duration {
    Duration::from_secs_f64(bits as f64 / f64::from(baud.max(1)))
}

/// The answer to `request` among the bytes that have come. Drops bytes that cannot belong to an answer.
fn find(received: &mut Vec<u8>, request: &Request) -> Option<Answer> {
    let mut at = 0;
    let found = loop {
        match Answer::decode(&received[at..]) {
            Decoded::Frame(answer, _) if answers(&answer, request) => break Some(answer),
            Decoded::Partial if may_answer(&received[at..], request) => break None,
            _ => at += 1,
        }
    };
    received.drain(..at);
    found
}

/// Whether bytes can begin an answer to this request. Without this check, a wrong, longer answer would hide the right one behind
/// it until the time-out.
fn may_answer(bytes: &[u8], request: &Request) -> bool {
    let most = match request.code {
        Code::Hello => FRAME_WORDS as u8,
        _ => request.length,
    };
    bytes.get(1).is_none_or(|&sequence| sequence == request.sequence)
        && bytes.get(3).is_none_or(|&length| length <= most)
        && bytes
            .first()
            .is_none_or(|&code| code == request.code as u8 ^ portico_spec::uart::ANSWER)
}

/// Whether this is an answer to the request. An answer of another version of the protocol is not.
fn answers(answer: &Answer, request: &Request) -> bool {
    let length = match request.code {
        Code::Hello => FRAME_WORDS as u8,
        _ => request.length,
    };
    let whole = match answer.status {
        Status::Okay => answer.length == length,
        _ => answer.length < length.max(1),
    };
    (answer.code, answer.sequence, whole) == (request.code, request.sequence, true)
}

impl<L: Line> Transport for SerialTransport<L> {
    fn config(&self) -> &Config {
        &self.config
    }

    fn read(&mut self, address: u32) -> Result<u32, TransportError> {
        let mut word = [0];
        self.read_block(address, &mut word)?;
        Ok(word[0])
    }

    fn write(&mut self, address: u32, value: u32) -> Result<(), TransportError> {
        self.write_block(address, &[value])
    }

    fn read_block(&mut self, address: u32, words: &mut [u32]) -> Result<(), TransportError> {
        for (at, words) in (address..).step_by(4 * FRAME_WORDS).zip(words.chunks_mut(FRAME_WORDS)) {
            words.copy_from_slice(&self.transfer(at, Request::read(0, at / 4, words.len()))?);
        }
        Ok(())
    }

    fn write_block(&mut self, address: u32, words: &[u32]) -> Result<(), TransportError> {
        for (at, words) in (address..).step_by(4 * FRAME_WORDS).zip(words.chunks(FRAME_WORDS)) {
            self.transfer(at, Request::write(0, at / 4, words))?;
        }
        Ok(())
    }

    fn cycles(&self) -> u64 {
        self.cycles
    }

    /// Sleeps as long as the fabric's clock takes for so many cycles.
    fn wait(&mut self, cycles: u64) {
        self.cycles += cycles;
        self.line
            .sleep(Duration::from_secs_f64(cycles as f64 / self.options.clock));
    }

    /// Asks the bridge. A line that fails shows no interrupt; the next access tells why.
    fn interrupt(&mut self) -> bool {
        self.cycles += CYCLES_PER_ACCESS;
        match self.ask(Request::read(0, 0, 0)) {
            Ok(answer) => answer.interrupt,
            Err(error) => {
                tracing::warn!(%error, "cannot ask for the interrupt");
                false
            }
        }
    }
}

impl<L: Line> Drop for SerialTransport<L> {
    fn drop(&mut self) {
        tracing::info!(repeated = self.repeated, "session over");
        // Best effort: the next session begins with HELLO in any case. A bridge that has not answered is not
        // waited for.
        self.options.retries = 0;
        if self.answered {
            let _ = self.ask(Request::new(Code::Leave, 0));
        }
    }
}

#[cfg(test)]
mod tests;

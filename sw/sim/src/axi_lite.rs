//! The master of an AXI4-Lite port of a fabric: accesses that wait, one under way, and their answers.

use crate::{Input, Model, Output, SimError};
use portico::TransportError;
use std::collections::VecDeque;

/// An access of 32 bits at a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Reads a word.
    Read {
        /// Its byte address.
        address: u32,
    },
    /// Writes bytes of a word; address and data are offered together.
    Write {
        /// Its byte address.
        address: u32,
        /// The word.
        value: u32,
        /// One bit a byte that is written, bit 0 for bits 7 to 0.
        strobes: u8,
    },
}

impl Access {
    /// Writes a whole word.
    pub fn write(address: u32, value: u32) -> Access {
        let strobes = 0xf;
        Access::Write {
            address,
            value,
            strobes,
        }
    }

    /// Its byte address.
    pub fn address(self) -> u32 {
        match self {
            Access::Read { address } | Access::Write { address, .. } => address,
        }
    }
}

/// What an access ends with: the word of a read, 0 of a write.
pub type Answer = Result<u32, TransportError>;

/// A port with its master: names as in AMBA AXI4-Lite (ARM IHI 0022). It takes every response at once.
pub(crate) struct AxiLitePort {
    awaddr: Input,
    awvalid: Input,
    awready: Output,
    wdata: Input,
    wstrb: Input,
    wvalid: Input,
    wready: Output,
    bresp: Output,
    bvalid: Output,
    bready: Input,
    araddr: Input,
    arvalid: Input,
    arready: Output,
    rdata: Output,
    rresp: Output,
    rvalid: Output,
    rready: Input,
    /// The first is under way.
    waiting: VecDeque<Access>,
    answers: VecDeque<Answer>,
}

/// What passes at a port in a cycle.
pub(crate) struct Passing {
    address: bool,
    data: bool,
    answer: Option<Answer>,
}

impl AxiLitePort {
    /// The port whose names begin with `prefix`.
    ///
    /// # Errors
    /// A port is missing.
    pub fn find(model: &Model, prefix: &str) -> Result<Self, SimError> {
        let input = |name: &str| model.input(&format!("{prefix}_{name}"));
        let output = |name: &str| model.output(&format!("{prefix}_{name}"));
        Ok(Self {
            awaddr: input("awaddr")?,
            awvalid: input("awvalid")?,
            awready: output("awready")?,
            wdata: input("wdata")?,
            wstrb: input("wstrb")?,
            wvalid: input("wvalid")?,
            wready: output("wready")?,
            bresp: output("bresp")?,
            bvalid: output("bvalid")?,
            bready: input("bready")?,
            araddr: input("araddr")?,
            arvalid: input("arvalid")?,
            arready: output("arready")?,
            rdata: output("rdata")?,
            rresp: output("rresp")?,
            rvalid: output("rvalid")?,
            rready: input("rready")?,
            waiting: VecDeque::new(),
            answers: VecDeque::new(),
        })
    }

    /// Forgets all accesses.
    pub fn reset(&mut self, model: &mut Model) {
        self.waiting.clear();
        self.answers.clear();
        for input in [self.awvalid, self.wvalid, self.arvalid] {
            model.set(input, 0);
        }
        for input in [self.bready, self.rready] {
            model.set(input, 1);
        }
    }

    /// Puts an access behind those that wait.
    pub fn ask(&mut self, model: &mut Model, access: Access) {
        self.waiting.push_back(access);
        if self.waiting.len() == 1 {
            self.offer(model);
        }
    }

    /// Whether an access is not answered.
    pub fn is_asking(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// The oldest answer.
    pub fn answer(&mut self) -> Option<Answer> {
        self.answers.pop_front()
    }

    /// The latest answer.
    pub fn last_answer(&mut self) -> Option<Answer> {
        self.answers.pop_back()
    }

    /// What passes in this cycle, which has settled.
    pub fn passing(&self, model: &Model) -> Passing {
        let is_high = |output: Output| model.get(output) == 1;
        match self.waiting.front() {
            None => Passing {
                address: false,
                data: false,
                answer: None,
            },
            Some(&Access::Read { address }) => Passing {
                address: is_high(self.arready),
                data: false,
                answer: is_high(self.rvalid)
                    .then(|| okay(address, model.get(self.rresp)).map(|()| model.get(self.rdata) as u32)),
            },
            Some(&Access::Write { address, .. }) => Passing {
                address: is_high(self.awready),
                data: is_high(self.wready),
                answer: is_high(self.bvalid).then(|| okay(address, model.get(self.bresp)).map(|()| 0)),
            },
        }
    }

    /// The cycle in which this passed has ended.
    pub fn pass(&mut self, model: &mut Model, passing: Passing) {
        if passing.address {
            model.set(self.awvalid, 0);
            model.set(self.arvalid, 0);
        }
        if passing.data {
            model.set(self.wvalid, 0);
        }
        if let Some(answer) = passing.answer {
            self.waiting.pop_front();
            self.answers.push_back(answer);
            self.offer(model);
        }
    }

    /// Begins the first access that waits.
    fn offer(&self, model: &mut Model) {
        match self.waiting.front() {
            None => (),
            Some(&Access::Read { address }) => {
                model.set(self.araddr, address.into());
                model.set(self.arvalid, 1);
            }
            Some(&Access::Write {
                address,
                value,
                strobes,
            }) => {
                model.set(self.awaddr, address.into());
                model.set(self.awvalid, 1);
                model.set(self.wdata, value.into());
                model.set(self.wstrb, strobes.into());
                model.set(self.wvalid, 1);
            }
        }
    }
}

fn okay(address: u32, response: u64) -> Result<(), TransportError> {
    let name = match response {
        0 => return Ok(()),
        2 => "SLVERR",
        3 => "DECERR",
        _ => "EXOKAY",
    };
    Err(TransportError::Bus {
        address,
        response: name.to_owned(),
    })
}

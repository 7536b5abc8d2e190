//! Records in memories and registers, written and read field by field.

use portico_verilog::prelude::*;

/// What is next for a job.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum Step {
    Wait,
    Send,
    Report,
}

/// A job as the table keeps it; the first field has the lowest bits.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Job {
    pub owner: Bits<4>,
    pub step: Step,
    pub quiet: Bit,
}

/// Two words of any type.
#[derive(LogicBlock, Default)]
pub struct Table<D: Synth> {
    pub clk: Signal<In, Clock>,
    /// Writes `write_data` at `write_address`.
    pub write_enable: Signal<In, Bit>,
    /// Place of the word to write.
    pub write_address: Signal<In, Bits<1>>,
    /// The word to write.
    pub write_data: Signal<In, D>,
    /// Place of the word to read.
    pub read_address: Signal<In, Bits<1>>,
    /// That word, in the same cycle.
    pub read_data: Signal<Out, D>,
    _words: [D; 2],
}

impl<D: Synth> Logic for Table<D> {
    fn update(&mut self) {
        if self.clk.pos_edge() && self.write_enable.val() {
            self._words[self.write_address.val().index()] = self.write_data.val();
        }
        self.read_data.next = self._words[self.read_address.val().index()];
    }

    fn connect(&mut self) {
        self.read_data.connect();
    }

    fn hdl(&self) -> Verilog {
        let high = D::BITS - 1;
        Verilog::Custom(format!(
            "\
reg [{high}:0] words [0:1];

assign read_data = words[read_address];

always @(posedge clk) begin
    if (write_enable) words[write_address] <= write_data;
end
"
        ))
    }

    fn timing(&self) -> Vec<TimingInfo> {
        vec![TimingInfo {
            name: "memory".into(),
            clock: "clk".into(),
            inputs: vec!["write_enable".into(), "write_address".into(), "write_data".into()],
            outputs: vec![],
        }]
    }
}

/// Jobs by place, and the words that they were given.
#[derive(LogicBlock, Default)]
pub struct Desk {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: no job is in hand.
    pub rst: Signal<In, Bit>,
    /// Keeps a job.
    pub keep: Signal<In, Bit>,
    /// Where it is kept, and which is taken next.
    pub place: Signal<In, Bits<1>>,
    /// Owner of the job that is kept.
    pub owner: Signal<In, Bits<4>>,
    /// Its word.
    pub word: Signal<In, Bits<8>>,
    /// The job in hand is to be sent.
    pub sends: Signal<Out, Bit>,
    /// Its owner, or all ones while it waits.
    pub sender: Signal<Out, Bits<4>>,
    /// The word of the job at `place`.
    pub read: Signal<Out, Bits<8>>,
    jobs: Table<Job>,
    given: Table<Bits<8>>,
    hand: DFF<Job>,
}

#[kernel]
impl Logic for Desk {
    fn update(&mut self) {
        wire!(self => jobs, given: clk);
        dff_setup!(self, clk, hand);
        self.jobs.write_enable.next = self.keep.val();
        self.jobs.write_address.next = self.place.val();
        self.jobs.write_data.next.owner = self.owner.val();
        self.jobs.write_data.next.step = Step::Wait;
        self.jobs.write_data.next.quiet = !self.owner.val().any();
        self.jobs.read_address.next = self.place.val();
        self.given.write_enable.next = self.keep.val();
        self.given.write_address.next = self.place.val();
        self.given.write_data.next = self.word.val();
        self.given.read_address.next = self.place.val();
        self.read.next = self.given.read_data.val();

        self.sends.next = false;
        self.sender.next = self.hand.q.val().owner;
        match self.hand.q.val().step {
            Step::Wait => {
                self.hand.d.next = self.jobs.read_data.val();
                self.hand.d.next.step = Step::Send;
                self.sender.next = bits::<4>(15);
            }
            Step::Send => {
                self.sends.next = true;
                self.hand.d.next.step = Step::Report;
            }
            Step::Report => {
                if !self.hand.q.val().quiet {
                    self.hand.d.next.step = Step::Wait;
                }
            }
        }
        if self.rst.val() {
            self.hand.d.next.step = Step::Wait;
        }
    }
}

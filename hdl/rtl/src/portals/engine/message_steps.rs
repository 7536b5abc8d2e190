use portico_verilog::prelude::*;

/// State of the control of messages.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum MessageStep {
    /// Looks for a packet, a command, or a get that is served.
    Idle,
    /// A command has its turn.
    Command,
    /// Waits for the begin of the message at its entry.
    Match,
    /// Passes payload on, or reads it away.
    Payload,
    /// Waits for the end of the message at its entry.
    Close,
    /// Hands over what is to be raised.
    Finish,
}

/// The steps of a turn: of a packet, a command, or a get that is served.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle from what ends a step to the next one; `finishes` and `over` are combinational |
/// | throughput | one turn at a time |
/// | state | the step |
#[derive(LogicBlock, Default)]
pub struct MessageSteps {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Nothing has a turn.
    pub rests: Signal<Out, Bit>,
    /// A get that is served has its turn; only with `rests`, as the two others, and one of them at most.
    pub get_begins: Signal<In, Bit>,
    /// A command has its turn.
    pub command_begins: Signal<In, Bit>,
    /// A packet has its turn.
    pub packet_begins: Signal<In, Bit>,
    /// It is the first of its message; valid with `packet_begins`.
    pub first: Signal<In, Bit>,
    /// It is the last of its message.
    pub last: Signal<In, Bit>,
    /// The message is a get.
    pub get: Signal<In, Bit>,
    /// The message does not fail.
    pub succeeds: Signal<In, Bit>,
    /// The message is complete with this packet, and does not count as in progress.
    pub at_once: Signal<In, Bit>,
    /// The turn is that of a command.
    pub command_goes: Signal<Out, Bit>,
    /// High for a cycle: the turn of the command is over.
    pub command_ends: Signal<In, Bit>,
    /// The message begins at its entry.
    pub meets: Signal<Out, Bit>,
    /// High for a cycle: all of its begin is known.
    pub ends: Signal<In, Bit>,
    /// High for a cycle: the message has met its entry, or has failed.
    pub matched: Signal<Out, Bit>,
    /// Payload of the packet is passed on, or read away.
    pub passes: Signal<Out, Bit>,
    /// All of the payload is; valid with `passes`.
    pub passed: Signal<In, Bit>,
    /// High for a cycle: the packet is over.
    pub packet_ends: Signal<Out, Bit>,
    /// The message ends at its entry.
    pub message_closes: Signal<Out, Bit>,
    /// High for a cycle: the message has ended there.
    pub message_closed: Signal<In, Bit>,
    /// The end of the message, with its event, counts and answer, is handed over; stays until `end_taken`.
    pub finishes: Signal<Out, Bit>,
    /// It is taken in this cycle if `finishes` is high.
    pub end_taken: Signal<In, Bit>,
    /// High for a cycle: the message is over.
    pub over: Signal<Out, Bit>,
    step: DFF<MessageStep>,
}

#[kernel]
impl Logic for MessageSteps {
    fn update(&mut self) {
        dff_setup!(self, clk, step);
        self.rests.next = self.step.q.val() == MessageStep::Idle;
        self.command_goes.next = self.step.q.val() == MessageStep::Command;
        self.meets.next = self.step.q.val() == MessageStep::Match;
        self.passes.next = self.step.q.val() == MessageStep::Payload;
        self.message_closes.next = self.step.q.val() == MessageStep::Close;
        self.matched.next = self.meets.val() & self.ends.val();
        self.packet_ends.next = self.passes.val() & self.passed.val();
        self.finishes.next = false;
        match self.step.q.val() {
            MessageStep::Idle => {
                if self.get_begins.val() {
                    self.step.d.next = MessageStep::Close;
                } else if self.command_begins.val() {
                    self.step.d.next = MessageStep::Command;
                } else if self.packet_begins.val() {
                    self.step.d.next = MessageStep::Payload;
                    if self.first.val() {
                        self.step.d.next = MessageStep::Match;
                    }
                }
            }
            MessageStep::Command => {
                if self.command_ends.val() {
                    self.step.d.next = MessageStep::Idle;
                }
            }
            MessageStep::Match => {
                if self.matched.val() {
                    self.step.d.next = MessageStep::Payload;
                }
            }
            MessageStep::Payload => {
                if self.packet_ends.val() {
                    self.step.d.next = MessageStep::Idle;
                    if self.last.val() {
                        if self.at_once.val() | !self.succeeds.val() {
                            // Most messages need no step of their own for this.
                            self.finishes.next = true;
                            self.step.d.next = MessageStep::Finish;
                        } else if !self.get.val() {
                            // A get ends when its data have left.
                            self.step.d.next = MessageStep::Close;
                        }
                    }
                }
            }
            MessageStep::Close => {
                if self.message_closed.val() {
                    self.step.d.next = MessageStep::Finish;
                }
            }
            MessageStep::Finish => {
                self.finishes.next = true;
            }
        }
        self.over.next = self.finishes.val() & self.end_taken.val();
        if self.over.val() {
            self.step.d.next = MessageStep::Idle;
        }
        if self.rst.val() {
            self.step.d.next = MessageStep::Idle;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock, clocked, reset, settle};

    clocked!([] MessageSteps);

    /// The step that shows; none while nothing has a turn.
    fn shown(dut: &MessageSteps) -> Option<&'static str> {
        let steps = [
            (dut.command_goes.val(), "command"),
            (dut.meets.val(), "match"),
            (dut.passes.val(), "payload"),
            (dut.message_closes.val(), "close"),
        ];
        let held: Vec<_> = steps.into_iter().filter(|(shows, _)| *shows).collect();
        match (dut.rests.val(), held.as_slice()) {
            (true, []) => None,
            (false, [(_, step)]) => Some(*step),
            (false, []) if dut.finishes.val() => Some("finish"),
            other => panic!("{other:?}"),
        }
    }

    /// The steps of a turn that begins with what is set, and how often a message was over. Each step waits a cycle for its end;
    /// what is raised is taken in the first cycle if `free`, else in the second one of its step.
    fn turn(dut: &mut MessageSteps, free: bool) -> (Vec<&'static str>, usize) {
        clock(dut);
        let (mut path, mut overs) = (Vec::new(), 0);
        while let Some(step) = shown(dut) {
            path.push(step);
            for ready in [false, true] {
                for end in [
                    &mut dut.command_ends,
                    &mut dut.ends,
                    &mut dut.passed,
                    &mut dut.message_closed,
                ] {
                    end.next = ready;
                }
                dut.end_taken.next = free || ready && step == "finish";
                settle(dut);
                assert_eq!(shown(dut), Some(step), "{path:?}, ready {ready}");
                assert_eq!(dut.matched.val(), ready && step == "match", "{path:?}");
                assert_eq!(dut.packet_ends.val(), ready && step == "payload", "{path:?}");
                overs += usize::from(dut.over.val());
                clock(dut);
                if shown(dut).is_none() {
                    break;
                }
            }
        }
        (path, overs)
    }

    #[test]
    fn a_turn_has_the_steps_of_what_it_carries_out() {
        let mut dut = reset(MessageSteps::default());
        for case in 0..64u32 {
            let is = |bit: u32| case >> bit & 1 == 1;
            let (first, last, get, succeeds, at_once, free) = (is(0), is(1), is(2), is(3), is(4), is(5));
            dut.first.next = first;
            dut.last.next = last;
            dut.get.next = get;
            dut.succeeds.next = succeeds;
            dut.at_once.next = at_once;
            let mut expected = if first {
                vec!["match", "payload"]
            } else {
                vec!["payload"]
            };
            let ends = last && (at_once || !succeeds || !get);
            if ends && (at_once || !succeeds) {
                expected.extend((!free).then_some("finish"));
            } else if ends {
                expected.extend(["close", "finish"]);
            }
            dut.packet_begins.next = true;
            assert_eq!(turn(&mut dut, free), (expected, usize::from(ends)), "packet {case:#b}");
            dut.packet_begins.next = false;

            dut.get_begins.next = true;
            assert_eq!(turn(&mut dut, free), (vec!["close", "finish"], 1), "get that is served");
            dut.get_begins.next = false;

            dut.command_begins.next = true;
            assert_eq!(turn(&mut dut, free), (vec!["command"], 0));
            dut.command_begins.next = false;
        }
    }
}

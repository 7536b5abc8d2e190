use crate::{
    bus::{CompletionOut, CreditOut, FlitsOut, HeadDecoder},
    prim::{StreamIn, StreamOut},
};
use portico_spec::{
    flit::{KIND_WIDTH, TAG_WIDTH},
    ni::{
        packet::{ControlKind, ERROR_WIDTH, SLOT_WIDTH},
        segment::HANDLE_WIDTH,
        MAILBOX_WIDTH,
    },
    parts::Part,
};
use portico_verilog::prelude::*;

/// Takes the packets of the control plane apart.
///
/// The end of the control plane.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle from a packet's tail to what it says |
/// | throughput | one flit a cycle; `s_axis_tready` is low in the initialisation alone |
/// | state | a flit, and what is known of its packet |
///
/// Nothing here waits: slots, mailboxes and credits take what comes, and the queue of get requests has a place for every
/// request that honest nodes may send. So the `ready` of `completion` and of `m_axis_request` are not looked at. A packet
/// of an unknown kind or of a wrong length is sunk; that of a get request is for the queue to judge. A packet of an
/// engine's kind goes to the engine, which takes every flit, one gate behind the register of the flit.
#[derive(LogicBlock, Default)]
pub struct ControlReceiver {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    pub initialising: Signal<In, Bit>,
    /// Packets of the control plane.
    pub s_axis: StreamIn<32>,
    /// Must be ready in every cycle.
    pub completion: CompletionOut,
    /// High for one cycle: a mail has come.
    pub mail_valid: Signal<Out, Bit>,
    /// Mailbox of the mail; valid with `mail_valid`.
    pub mail_box: Signal<Out, Bits<MAILBOX_WIDTH>>,
    /// The mail, its first word in bits 31:0; valid with `mail_valid`.
    pub mail_data: Signal<Out, Bits<64>>,
    /// Credits of segments that come back.
    pub credit_return: CreditOut,
    /// Get requests from the head on. Must be ready in every cycle.
    pub m_axis_request: StreamOut<32>,
    /// Packets for engines, in the order of their seats.
    pub engine: Vec<FlitsOut<32>>,
    /// High for one cycle, two after the flit at which a packet was found to be wrong.
    pub malformed: Signal<Out, Bit>,
    head: HeadDecoder,
    /// The flit that has come, and whether it is a head.
    has_flit: DFF<Bit>,
    is_head: DFF<Bit>,
    flit: DFF<Bits<32>>,
    is_tail: DFF<Bit>,
    /// The flit that comes next is no head.
    midway: DFF<Bit>,
    tag: DFF<Bits<TAG_WIDTH>>,
    /// What kind its packet is of, worked out before the flit is here: what follows from it takes long.
    is_get: DFF<Bit>,
    is_mail: DFF<Bit>,
    is_credit: DFF<Bit>,
    has_value: DFF<Bit>,
    completes: DFF<Bit>,
    /// An answer is the last of its transaction.
    is_end: DFF<Bit>,
    is_single: DFF<Bit>,
    is_pair: DFF<Bit>,
    is_triple: DFF<Bit>,
    second: DFF<Bit>,
    sinking: DFF<Bit>,
    low: DFF<Bits<32>>,
    wrong: DFF<Bit>,
    arrives: Signal<Local, Bit>,
    begins: Signal<Local, Bit>,
    is_ack: Signal<Local, Bit>,
    is_refusal: Signal<Local, Bit>,
    is_value: Signal<Local, Bit>,
    mails: Signal<Local, Bit>,
    credits: Signal<Local, Bit>,
    first: Signal<Local, Bit>,
    body: Signal<Local, Bit>,
    is_last: Signal<Local, Bit>,
    complete: Signal<Local, Bit>,
    bad: Signal<Local, Bit>,
    value: Signal<Local, Bits<64>>,
    /// The packet is an engine's.
    is_engines: Signal<Local, Bit>,
    is_own: Vec<DFF<Bit>>,
    /// The kind of each engine, if it has one.
    engine_kind: Vec<Constant<Bits<KIND_WIDTH>>>,
    listens: Vec<Constant<Bit>>,
    _engines: usize,
}

impl ControlReceiver {
    /// With a door for each of these engines.
    pub fn new(engines: &[Part]) -> Self {
        let kind = |part: &Part| part.control.first().copied();
        Self {
            engine: engines.iter().map(|_| Default::default()).collect(),
            is_own: engines.iter().map(|_| Default::default()).collect(),
            engine_kind: engines
                .iter()
                .map(|part| Constant::new(bits(kind(part).unwrap_or(0).into())))
                .collect(),
            listens: engines.iter().map(|part| Constant::new(kind(part).is_some())).collect(),
            _engines: engines.len(),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for ControlReceiver {
    fn update(&mut self) {
        dff_setup!(self, clk, has_flit, is_head, flit, is_tail, midway, tag, second, sinking, low, wrong);
        dff_setup!(self, clk, is_get, is_mail, is_credit, has_value, completes, is_end);
        dff_setup!(self, clk, is_single, is_pair, is_triple);
        self.s_axis.tready.next = !self.initialising.val();
        self.arrives.next = self.s_axis.tvalid.val() & !self.initialising.val();
        self.begins.next = self.arrives.val() & !self.midway.q.val();
        self.has_flit.d.next = self.arrives.val();
        self.is_head.d.next = self.begins.val();
        self.flit.d.next = self.s_axis.tdata.val();
        self.is_tail.d.next = self.s_axis.tlast.val();
        self.head.word.next = self.s_axis.tdata.val();
        self.is_ack.next = self.head.kind.val() == bits::<KIND_WIDTH>(ControlKind::Ack as u64);
        self.is_refusal.next = self.head.kind.val() == bits::<KIND_WIDTH>(ControlKind::Refuse as u64);
        self.is_value.next = self.head.kind.val() == bits::<KIND_WIDTH>(ControlKind::Value as u64);
        self.mails.next = self.head.kind.val() == bits::<KIND_WIDTH>(ControlKind::Mail as u64);
        self.credits.next = self.head.kind.val() == bits::<KIND_WIDTH>(ControlKind::Credit as u64);
        if self.arrives.val() {
            self.midway.d.next = !self.s_axis.tlast.val();
        }
        if self.begins.val() {
            self.tag.d.next = self.head.tag.val();
            self.is_end.d.next = self.head.last.val();
            self.is_get.d.next = self.head.kind.val() == bits::<KIND_WIDTH>(ControlKind::Get as u64);
            self.is_mail.d.next = self.mails.val();
            self.is_credit.d.next = self.credits.val();
            self.has_value.d.next = self.is_value.val();
            self.completes.d.next = self.is_ack.val() | self.is_refusal.val() | self.is_value.val();
            self.is_single.d.next = self.is_ack.val() | self.credits.val();
            self.is_pair.d.next = self.is_refusal.val();
            self.is_triple.d.next = self.is_value.val() | self.mails.val();
        }
        self.first.next = self.is_head.q.val();
        self.body.next = self.has_flit.q.val() & !self.is_head.q.val();
        self.is_engines.next = false;
        for i in 0..self._engines {
            self.is_own[i].clock.next = self.clk.val();
            self.is_own[i].d.next = self.is_own[i].q.val();
            if self.begins.val() {
                self.is_own[i].d.next = self.listens[i].val() & (self.head.kind.val() == self.engine_kind[i].val());
            }
            self.is_engines.next = self.is_engines.val() | self.is_own[i].q.val();
            self.engine[i].valid.next = self.has_flit.q.val() & self.is_own[i].q.val();
            self.engine[i].first.next = self.is_head.q.val();
            self.engine[i].last.next = self.is_tail.q.val();
            self.engine[i].data.next = self.flit.q.val();
        }

        // The flit that must be the tail, and whether it is; a tail before it, or none at it, is wrong.
        self.is_last.next = (self.first.val() & self.is_single.q.val())
            | (self.body.val() & self.is_pair.q.val())
            | (self.body.val() & self.is_triple.q.val() & self.second.q.val());
        self.complete.next = self.is_last.val() & self.is_tail.q.val() & !self.sinking.q.val();
        self.bad.next = (self.first.val() | self.body.val())
            & !self.is_get.q.val()
            & !self.is_engines.val()
            & !self.sinking.q.val()
            & ((self.is_last.val() ^ self.is_tail.q.val())
                | !(self.is_single.q.val() | self.is_pair.q.val() | self.is_triple.q.val()));
        self.wrong.d.next = self.bad.val();
        self.malformed.next = self.wrong.q.val();

        if self.first.val() | self.body.val() {
            self.second.d.next = self.body.val() & !self.is_tail.q.val();
            self.sinking.d.next = (self.sinking.q.val() | self.bad.val()) & !self.is_tail.q.val();
            self.low.d.next = self.flit.q.val();
        }

        self.value.next = bit_cast::<64, 32>(self.low.q.val()) | field::<64, 32>(self.flit.q.val(), 32);
        self.completion.valid.next = self.complete.val() & self.completes.q.val();
        self.completion.slot.next = bit_cast::<SLOT_WIDTH, TAG_WIDTH>(self.tag.q.val());
        self.completion.error.next = 0.into();
        if self.is_pair.q.val() {
            self.completion.error.next = bit_cast::<ERROR_WIDTH, 32>(self.flit.q.val());
        }
        self.completion.last.next = self.is_end.q.val();
        self.completion.has_value.next = self.has_value.q.val();
        wire!(self => completion: value);
        self.mail_valid.next = self.complete.val() & self.is_mail.q.val();
        self.mail_box.next = bit_cast::<MAILBOX_WIDTH, TAG_WIDTH>(self.tag.q.val());
        self.mail_data.next = self.value.val();
        self.credit_return.valid.next = self.complete.val() & self.is_credit.q.val();
        self.credit_return.segment.next = bit_cast::<HANDLE_WIDTH, TAG_WIDTH>(self.tag.q.val());
        self.m_axis_request.tvalid.next = self.has_flit.q.val() & self.is_get.q.val();
        self.m_axis_request.tdata.next = self.flit.q.val();
        self.m_axis_request.tlast.next = self.is_tail.q.val();
        if self.rst.val() {
            self.has_flit.d.next = false;
            self.is_head.d.next = false;
            self.midway.d.next = false;
            self.second.d.next = false;
            self.sinking.d.next = false;
            self.wrong.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock, clocked, reset, rng, settle};
    use portico_spec::{parts::PROBE, Flit, Head};
    use rand::{rngs::SmallRng, Rng};

    clocked!([] ControlReceiver);

    /// What a flit leads to, in the cycle after it.
    #[derive(Debug, Default, PartialEq)]
    struct Said {
        /// Slot, error, whether it is the last, value.
        completion: Option<(u64, u64, bool, Option<u64>)>,
        mail: Option<(u64, u64)>,
        credit: Option<u64>,
        request: Option<(u64, bool)>,
        /// For an engine: a flit, and whether it is a head and a tail.
        engine: Option<(u64, bool, bool)>,
    }

    fn said(dut: &ControlReceiver) -> Said {
        let (completion, request) = (&dut.completion, &dut.m_axis_request);
        let value = completion.has_value.val().then(|| completion.value.val().to_u64());
        let (slot, error) = (completion.slot.val().to_u64(), completion.error.val().to_u64());
        let done = (slot, error, completion.last.val(), value);
        let mail = (dut.mail_box.val().to_u64(), dut.mail_data.val().to_u64());
        Said {
            completion: completion.valid.val().then_some(done),
            mail: dut.mail_valid.val().then_some(mail),
            credit: dut
                .credit_return
                .valid
                .val()
                .then(|| dut.credit_return.segment.val().to_u64()),
            request: (request.tvalid.val()).then(|| (request.tdata.val().to_u64(), request.tlast.val())),
            engine: dut.engine.first().and_then(|flits| {
                let flit = (flits.data.val().to_u64(), flits.first.val(), flits.last.val());
                flits.valid.val().then_some(flit)
            }),
        }
    }

    /// A packet, what each of its flits says, and the flit at which it is wrong.
    fn packet(rng: &mut SmallRng, has_engine: bool) -> (Vec<u64>, Vec<Said>, Option<usize>) {
        let (kind, tag, last) = (rng.gen_range(0..8u8), rng.gen::<u8>(), rng.gen());
        let right = match kind {
            0 | 5 => 1,
            1 => 2,
            2 | 3 => 3,
            _ => rng.gen_range(1..=8),
        };
        let length = if rng.gen_bool(0.7) { right } else { rng.gen_range(1..=8) };
        let head = Head {
            kind,
            tag,
            last,
            ..Default::default()
        }
        .encode()
        .unwrap();
        let words: Vec<u64> = (0..length)
            .map(|i| if i == 0 { head.into() } else { rng.gen::<u32>().into() })
            .collect();
        let mut said: Vec<Said> = words.iter().map(|_| Said::default()).collect();
        let wrong = match kind {
            4 => {
                for (i, word) in words.iter().enumerate() {
                    said[i].request = Some((*word, i + 1 == length));
                }
                None
            }
            6 if has_engine => {
                for (i, word) in words.iter().enumerate() {
                    said[i].engine = Some((*word, i == 0, i + 1 == length));
                }
                None
            }
            6 | 7 => Some(0),
            _ if length != right => Some(length.min(right) - 1),
            _ => {
                let tag = u64::from(tag);
                let pair = || words[1] | words[2] << 32;
                let tail = &mut said[right - 1];
                match kind {
                    0 => tail.completion = Some((tag % 32, 0, last, None)),
                    1 => tail.completion = Some((tag % 32, words[1] % 32, last, None)),
                    2 => tail.completion = Some((tag % 32, 0, last, Some(pair()))),
                    3 => tail.mail = Some((tag % 128, pair())),
                    _ => tail.credit = Some(tag),
                }
                None
            }
        };
        (words, said, wrong)
    }

    #[test]
    fn every_flit_says_what_its_packet_means_and_wrong_packets_are_sunk() {
        flits_say_what_they_mean(ControlReceiver::default(), false);
    }

    #[test]
    fn packets_of_an_engine_pass_between_all_others() {
        const ENGINE: Part = Part { control: &[6], ..PROBE };
        flits_say_what_they_mean(ControlReceiver::new(&[ENGINE]), true);
    }

    fn flits_say_what_they_mean(dut: ControlReceiver, has_engine: bool) {
        let mut rng = rng(0xc0e);
        let mut dut = reset(dut);
        let (mut wrongs, mut rights) = (0, [0; 4]);
        let (mut before, mut wrong_before) = (Said::default(), false);
        for _ in 0..3_000 {
            let (words, meanings, wrong) = packet(&mut rng, has_engine);
            for (i, (flit, meaning)) in Flit::packet(&words).zip(meanings).enumerate() {
                while rng.gen_bool(0.2) {
                    dut.s_axis.tvalid.next = false;
                    settle(&mut dut);
                    assert_eq!(said(&dut), std::mem::take(&mut before));
                    clock(&mut dut);
                    assert_eq!(dut.malformed.val(), std::mem::take(&mut wrong_before));
                }
                dut.s_axis.tvalid.next = true;
                dut.s_axis.tdata.next = flit.data.into();
                dut.s_axis.tlast.next = flit.last;
                settle(&mut dut);
                assert!(dut.s_axis.tready.val());
                rights[0] += u32::from(meaning.completion.is_some());
                rights[1] += u32::from(meaning.mail.is_some());
                rights[2] += u32::from(meaning.credit.is_some());
                rights[3] += u32::from(meaning.request.is_some());
                assert_eq!(said(&dut), before, "before flit {i} of {words:x?}");
                clock(&mut dut);
                assert_eq!(dut.malformed.val(), wrong_before, "before flit {i} of {words:x?}");
                (before, wrong_before) = (meaning, wrong == Some(i));
                wrongs += u32::from(wrong == Some(i));
            }
        }
        assert!(
            wrongs > 300 && rights.iter().all(|count| *count > 200),
            "{wrongs} wrong, {rights:?} right"
        );
    }

    #[test]
    fn nothing_is_taken_in_the_initialisation_and_reset_ends_a_packet() {
        let mut dut = reset(ControlReceiver::default());
        let ack = Head {
            tag: 7,
            last: true,
            ..Default::default()
        }
        .encode()
        .unwrap();
        dut.s_axis.tdata.next = u64::from(ack).into();
        dut.s_axis.tvalid.next = true;
        // Not a tail: the packet is sunk until reset ends it.
        clock(&mut dut);
        let mut dut = reset(dut);
        dut.s_axis.tlast.next = true;
        dut.initialising.next = true;
        settle(&mut dut);
        assert!(!dut.s_axis.tready.val());
        assert_eq!(said(&dut), Said::default());
        clock(&mut dut);
        assert_eq!(said(&dut), Said::default());
        dut.initialising.next = false;
        clock(&mut dut);
        assert_eq!(said(&dut).completion, Some((7, 0, true, None)));
    }
}

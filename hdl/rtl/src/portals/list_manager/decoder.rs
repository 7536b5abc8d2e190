use super::{
    command_reader::BEATS_WIDTH,
    fields::RESOLUTION_WIDTH,
    ports::{PlanOut, LIST_BITS},
};
use portico_spec::portals::list::{
    List, Opcode, Status, ADVANCES, CODE_WIDTH, DETACHES, LEAVES_HEADER, LIST_WIDTH, REMOVES,
};
use portico_verilog::prelude::*;

/// Decodes a command and finds its errors.
///
/// Checks a command by its opcode, its list and its length in beats.
///
/// | | |
/// | --- | --- |
/// | latency | 0: logic alone |
#[derive(LogicBlock, Default)]
pub struct Decoder {
    /// Opcode of the command.
    pub opcode: Signal<In, Bits<CODE_WIDTH>>,
    /// The list that the command names, which may not exist.
    pub list: Signal<In, Bits<LIST_WIDTH>>,
    /// Its entry is used once.
    pub once: Signal<In, Bit>,
    /// Flags of a resolution, as in [`super::Fields`].
    pub resolution: Signal<In, Bits<RESOLUTION_WIDTH>>,
    /// A hit is held.
    pub held: Signal<In, Bit>,
    /// Beats of the command, 6 if there are more than 5.
    pub length: Signal<In, Bits<BEATS_WIDTH>>,
    /// The decoded command.
    pub plan: PlanOut,
    /// The list that its entry or header is appended to.
    pub new_list: Signal<Out, Bits<LIST_BITS>>,
    short_list: Signal<Local, Bits<LIST_BITS>>,
    known: Signal<Local, Bit>,
    right_list: Signal<Local, Bit>,
    wanted: Signal<Local, Bits<BEATS_WIDTH>>,
    is_append: Signal<Local, Bit>,
    is_append_search: Signal<Local, Bit>,
    is_search: Signal<Local, Bit>,
    is_search_delete: Signal<Local, Bit>,
    is_probe: Signal<Local, Bit>,
    is_consume: Signal<Local, Bit>,
    is_deliver: Signal<Local, Bit>,
    is_delete: Signal<Local, Bit>,
    is_read: Signal<Local, Bit>,
    is_set_offset: Signal<Local, Bit>,
    is_status: Signal<Local, Bit>,
    is_search_hold: Signal<Local, Bit>,
    is_append_hold: Signal<Local, Bit>,
    is_consume_hold: Signal<Local, Bit>,
    is_resolve: Signal<Local, Bit>,
    is_release: Signal<Local, Bit>,
}

#[kernel]
impl Logic for Decoder {
    fn update(&mut self) {
        self.short_list.next = self.list.val().get_bits::<LIST_BITS>(0);
        self.is_append.next = self.opcode.val() == bits::<CODE_WIDTH>(Opcode::Append as u64);
        self.is_append_search.next = self.opcode.val() == bits::<CODE_WIDTH>(Opcode::AppendSearch as u64);
        self.is_search.next = self.opcode.val() == bits::<CODE_WIDTH>(Opcode::Search as u64);
        self.is_search_delete.next = self.opcode.val() == bits::<CODE_WIDTH>(Opcode::SearchDelete as u64);
        self.is_probe.next = self.opcode.val() == bits::<CODE_WIDTH>(Opcode::Probe as u64);
        self.is_consume.next = self.opcode.val() == bits::<CODE_WIDTH>(Opcode::Consume as u64);
        self.is_deliver.next = self.opcode.val() == bits::<CODE_WIDTH>(Opcode::Deliver as u64);
        self.is_delete.next = self.opcode.val() == bits::<CODE_WIDTH>(Opcode::Delete as u64);
        self.is_read.next = self.opcode.val() == bits::<CODE_WIDTH>(Opcode::Read as u64);
        self.is_set_offset.next = self.opcode.val() == bits::<CODE_WIDTH>(Opcode::SetOffset as u64);
        self.is_status.next = self.opcode.val() == bits::<CODE_WIDTH>(Opcode::Status as u64);
        self.is_search_hold.next = self.opcode.val() == bits::<CODE_WIDTH>(Opcode::SearchHold as u64);
        self.is_append_hold.next = self.opcode.val() == bits::<CODE_WIDTH>(Opcode::AppendHold as u64);
        self.is_consume_hold.next = self.opcode.val() == bits::<CODE_WIDTH>(Opcode::ConsumeHold as u64);
        self.is_resolve.next = self.opcode.val() == bits::<CODE_WIDTH>(Opcode::Resolve as u64);
        self.is_release.next = self.opcode.val() == bits::<CODE_WIDTH>(Opcode::Release as u64);

        self.known.next = true;
        self.right_list.next = true;
        self.wanted.next = bits::<BEATS_WIDTH>(Opcode::Delete.beats() as u64);
        if self.is_append.val() {
            self.wanted.next = bits::<BEATS_WIDTH>(Opcode::Append.beats() as u64);
            self.right_list.next = self.short_list.val() != bits::<LIST_BITS>(List::All as u64);
        } else if self.is_append_search.val() | self.is_append_hold.val() {
            self.wanted.next = bits::<BEATS_WIDTH>(Opcode::Append.beats() as u64);
            self.right_list.next = self.short_list.val() == bits::<LIST_BITS>(List::Priority as u64);
        } else if self.is_search.val() | self.is_search_delete.val() | self.is_search_hold.val() {
            self.wanted.next = bits::<BEATS_WIDTH>(Opcode::Search.beats() as u64);
            self.right_list.next = self.short_list.val() != bits::<LIST_BITS>(List::Unexpected as u64);
        } else if self.is_probe.val() | self.is_consume.val() | self.is_consume_hold.val() {
            self.wanted.next = bits::<BEATS_WIDTH>(Opcode::Probe.beats() as u64);
            self.right_list.next = self.short_list.val() == bits::<LIST_BITS>(List::Unexpected as u64);
        } else if self.is_deliver.val() | self.is_resolve.val() {
            self.wanted.next = bits::<BEATS_WIDTH>(Opcode::Append.beats() as u64);
            self.right_list.next = self.short_list.val() == bits::<LIST_BITS>(List::All as u64);
        } else if self.is_set_offset.val() {
            self.wanted.next = bits::<BEATS_WIDTH>(Opcode::SetOffset.beats() as u64);
        } else {
            self.known.next = self.is_delete.val() | self.is_read.val() | self.is_status.val() | self.is_release.val();
            self.right_list.next =
                !self.is_release.val() | (self.short_list.val() == bits::<LIST_BITS>(List::All as u64));
        }

        self.plan.refused.next = true;
        self.plan.refusal.next = bits::<CODE_WIDTH>(Status::BadList as u64);
        if !self.known.val() {
            self.plan.refusal.next = bits::<CODE_WIDTH>(Status::BadOpcode as u64);
        } else if self.length.val() != self.wanted.val() {
            self.plan.refusal.next = bits::<CODE_WIDTH>(Status::BadLength as u64);
        } else if self.list.val() <= bits::<LIST_WIDTH>(List::All as u64) {
            self.plan.refused.next = !self.right_list.val() | (self.held.val() != self.is_resolve.val());
            if self.right_list.val() {
                self.plan.refusal.next = bits::<CODE_WIDTH>(Status::NotHeld as u64);
                if self.held.val() {
                    self.plan.refusal.next = bits::<CODE_WIDTH>(Status::Held as u64);
                }
            }
        }
        self.plan.appends.next = self.is_append.val();
        self.plan.mirrored.next = self.is_append_search.val()
            | self.is_probe.val()
            | self.is_consume.val()
            | self.is_append_hold.val()
            | self.is_consume_hold.val();
        self.plan.takes_handle.next =
            self.is_delete.val() | self.is_read.val() | self.is_set_offset.val() | self.is_release.val();
        self.plan.status.next = self.is_status.val();
        self.plan.all_matches.next =
            (self.is_append_search.val() | self.is_probe.val() | self.is_consume.val()) & !self.once.val();
        self.plan.both.next = self.short_list.val() == bits::<LIST_BITS>(List::All as u64);
        self.plan.then_appends.next = self.is_append_search.val() | self.is_append_hold.val();
        self.plan.delivers.next = self.is_deliver.val();
        self.plan.removes.next = self.is_append_search.val()
            | self.is_search_delete.val()
            | self.is_consume.val()
            | self.is_delete.val()
            | self.is_release.val()
            | (self.is_resolve.val()
                & (self.resolution.val().get_bit(DETACHES - ADVANCES)
                    | self.resolution.val().get_bit(REMOVES - ADVANCES)));
        self.plan.sets_offset.next =
            self.is_set_offset.val() | (self.is_resolve.val() & self.resolution.val().get_bit(0));
        self.plan.holds.next = self.is_search_hold.val() | self.is_append_hold.val() | self.is_consume_hold.val();
        self.plan.resolves.next = self.is_resolve.val();
        self.plan.detaches.next = self.is_resolve.val() & !self.resolution.val().get_bit(REMOVES - ADVANCES);
        self.plan.leaves_header.next = self.is_resolve.val() & self.resolution.val().get_bit(LEAVES_HEADER - ADVANCES);
        self.plan.releases.next = self.is_release.val();
        self.new_list.next = self.short_list.val();
        if self.is_deliver.val() | self.is_resolve.val() {
            self.new_list.next = bits::<LIST_BITS>(List::Unexpected as u64);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::settle;

    /// Gives the decoder a command whose entry is used `once` or not, with a hit held or not, and flags of a resolution.
    fn drive(dut: &mut Decoder, opcode: u32, list: u32, (once, held): (bool, bool), flags: u64, beats: usize) {
        dut.opcode.next = u64::from(opcode).into();
        dut.list.next = u64::from(list).into();
        dut.once.next = once;
        dut.held.next = held;
        dut.resolution.next = flags.into();
        dut.length.next = (beats as u64).into();
        settle(dut);
    }

    /// The fault of a command: first the opcode, then its length, then its list, then whether a hit is held.
    fn refusal(opcode: u32, list: u32, beats: usize, held: bool) -> Option<Status> {
        let Some(opcode) = Opcode::from_code(opcode) else {
            return Some(Status::BadOpcode);
        };
        if beats != opcode.beats() {
            return Some(Status::BadLength);
        }
        let works = List::from_code(list).is_some_and(|list| opcode.works_on(list));
        match (works, held, opcode) {
            (false, ..) => Some(Status::BadList),
            (_, false, Opcode::Resolve) => Some(Status::NotHeld),
            (_, false, _) | (_, true, Opcode::Resolve) => None,
            _ => Some(Status::Held),
        }
    }

    /// The plan of a right command: its kind, then what it says of that kind.
    fn plan(opcode: Opcode, list: u32, once: bool, flags: u64) -> [bool; 15] {
        use Opcode::*;
        let resolves = |flag: usize| opcode == Resolve && flags >> (flag - ADVANCES) & 1 == 1;
        let mirrored = matches!(opcode, AppendSearch | Probe | Consume | AppendHold | ConsumeHold);
        let holds = matches!(opcode, SearchHold | AppendHold | ConsumeHold);
        [
            opcode == Append,
            opcode.takes_handle(),
            opcode == Status,
            mirrored,
            mirrored && !once && !holds,
            list == List::All as u32,
            matches!(opcode, AppendSearch | AppendHold),
            opcode == Deliver,
            matches!(opcode, AppendSearch | SearchDelete | Consume | Delete | Release)
                || resolves(DETACHES)
                || resolves(REMOVES),
            opcode == SetOffset || resolves(ADVANCES),
            holds,
            opcode == Resolve,
            opcode == Resolve && !resolves(REMOVES),
            resolves(LEAVES_HEADER),
            opcode == Release,
        ]
    }

    #[test]
    fn every_opcode_list_and_length_is_judged_as_specified() {
        let mut dut = Decoder::default();
        dut.connect_all();
        let mut right = 0;
        for opcode in 0..1 << CODE_WIDTH {
            for list in [0, 1, 2, 3, 4, 0x80, (1 << LIST_WIDTH) - 1] {
                for beats in 0..1 << BEATS_WIDTH {
                    for state in 0..64 {
                        let (once, held, flags) = (state & 1 == 1, state & 2 == 2, state >> 2);
                        drive(&mut dut, opcode, list, (once, held), flags, beats);
                        let context = format!(
                            "opcode {opcode}, list {list}, {beats} beats, once {once}, held {held}, {flags:#x}"
                        );
                        let wrong = refusal(opcode, list, beats, held);
                        assert_eq!(dut.plan.refused.val(), wrong.is_some(), "{context}");
                        if let Some(status) = wrong {
                            assert_eq!(dut.plan.refusal.val().to_u64(), status as u64, "{context}");
                            continue;
                        }
                        let found = [
                            dut.plan.appends.val(),
                            dut.plan.takes_handle.val(),
                            dut.plan.status.val(),
                            dut.plan.mirrored.val(),
                            dut.plan.all_matches.val(),
                            dut.plan.both.val(),
                            dut.plan.then_appends.val(),
                            dut.plan.delivers.val(),
                            dut.plan.removes.val(),
                            dut.plan.sets_offset.val(),
                            dut.plan.holds.val(),
                            dut.plan.resolves.val(),
                            dut.plan.detaches.val(),
                            dut.plan.leaves_header.val(),
                            dut.plan.releases.val(),
                        ];
                        let expected = plan(Opcode::from_code(opcode).unwrap(), list, once, flags);
                        assert_eq!(found, expected, "{context}");
                        right += 1;
                    }
                }
            }
        }
        let pairs = Opcode::ALL
            .iter()
            .map(|opcode| List::ALL.iter().filter(|&&list| opcode.works_on(list)).count());
        assert_eq!(right, 32 * pairs.sum::<usize>());
    }
}

//! Carries out commands: what to read, what to change, what to answer, in each cycle.
//!
//! | | |
//! | --- | --- |
//! | latency | from the cycle of the last beat to the first of the answer: refusals and counters 2, by handle 3, append 3, a search its entries, 4, and at most 3 for each further chain |
//! | throughput | one command at a time |
//! | state | the stage, the segment of a search, three places |
//!
//! A search goes through segments, each a chain. Unhashed, a segment is a list. Hashed, a header's search of a list is two
//! segments: the bucket of its source, then the entries with ANY, the latter only as long as they are older than what was
//! found in the bucket. Each segment is in append order, so the first match of each is its oldest, and the older of
//! the two is the list's. An entry's search of Unexpected is one segment: the bucket of its source, or the whole list in append
//! order if it has ANY.

use super::{
    free_list::PLACES_WIDTH,
    ports::{EndsIn, PlanIn, ResultOut, LIST_BITS},
};
use portico_spec::portals::list::{
    List, Status, ANY_SOURCE, CODE_WIDTH, GENERATION_OFFSET, GENERATION_WIDTH, HANDLE_WIDTH, INDEX_WIDTH, LIST_WIDTH,
    OPTIONS_WIDTH, SOURCE_WIDTH, UNEXPECTED_HDR_DISABLE,
};
use rust_hdl::prelude::*;

/// What is being done.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum Stage {
    Idle,
    /// The ends of a segment are known.
    Seek,
    Walk,
    /// The entry found is read.
    Found,
    /// After an entry found to the next one, once the answer is sent.
    Resume,
    /// A header is left, once the answer is sent.
    Deliver,
    /// The free place and the ends of its chains are known.
    Insert,
    /// The entry of the handle is read.
    Check,
    /// The ends of the chains that an entry leaves are known.
    Unlink,
    /// Its place becomes free.
    Release,
}

/// Commands on entries that `A` bits number.
#[derive(LogicBlock)]
pub struct Control<const A: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: the command under way is dropped.
    pub rst: Signal<In, Bit>,
    /// There is a command; all of it stays until `done`.
    pub valid: Signal<In, Bit>,
    pub plan: PlanIn,
    pub list: Signal<In, Bits<LIST_WIDTH>>,
    pub source: Signal<In, Bits<SOURCE_WIDTH>>,
    pub options: Signal<In, Bits<OPTIONS_WIDTH>>,
    pub handle: Signal<In, Bits<HANDLE_WIDTH>>,
    pub done: Signal<Out, Bit>,
    /// The table may be read: no answer is being sent.
    pub responder_idle: Signal<In, Bit>,
    pub result: ResultOut,
    /// Reads the entry at `at`.
    pub read: Signal<Out, Bit>,
    pub at: Signal<Out, Bits<A>>,
    /// What the table shows.
    pub stored_list: Signal<In, Bits<LIST_BITS>>,
    pub stored_live: Signal<In, Bit>,
    pub stored_generation: Signal<In, Bits<GENERATION_WIDTH>>,
    pub stored_source: Signal<In, Bits<SOURCE_WIDTH>>,
    pub stored_options: Signal<In, Bits<OPTIONS_WIDTH>>,
    /// Turns to a list's chain, and to the bucket of `look_source` or that of ANY.
    pub look: Signal<Out, Bit>,
    pub look_list: Signal<Out, Bits<LIST_BITS>>,
    pub look_source: Signal<Out, Bits<SOURCE_WIDTH>>,
    pub look_wild: Signal<Out, Bit>,
    /// The search goes along the list's own chain even if there are buckets.
    pub by_order: Signal<Out, Bit>,
    /// Ends of the segment, and the next link of the entry read last.
    pub ends: EndsIn<A>,
    pub follower: Signal<In, Bits<A>>,
    /// As in the walker.
    pub walk: Signal<Out, Bit>,
    pub walk_from: Signal<Out, Bits<A>>,
    pub walk_to: Signal<Out, Bits<A>>,
    pub walk_stop: Signal<Out, Bit>,
    pub walk_read: Signal<In, Bit>,
    pub walk_tail: Signal<In, Bits<A>>,
    pub walk_valid: Signal<In, Bit>,
    pub walk_index: Signal<In, Bits<A>>,
    pub walk_last: Signal<In, Bit>,
    pub hit: Signal<In, Bit>,
    /// The entry compared becomes the one that entries with ANY are held against.
    pub keep: Signal<Out, Bit>,
    pub older: Signal<In, Bit>,
    /// The entry `index` comes to `insert_list`, leaves its list, frees its place, gets another offset.
    pub index: Signal<Out, Bits<A>>,
    pub insert: Signal<Out, Bit>,
    pub insert_list: Signal<Out, Bits<LIST_BITS>>,
    pub remove: Signal<Out, Bit>,
    pub frees: Signal<Out, Bit>,
    pub set_offset: Signal<Out, Bit>,
    /// As in the free list.
    pub full: Signal<In, Bit>,
    pub free_index: Signal<In, Bits<A>>,
    pub fresh: Signal<In, Bit>,
    pub used: Signal<In, Bits<PLACES_WIDTH>>,
    /// For the counters.
    pub changed_list: Signal<Out, Bits<LIST_BITS>>,
    pub search: Signal<Out, Bit>,
    pub compared: Signal<Out, Bit>,
    stage: DFF<Stage>,
    segment_list: DFF<Bits<LIST_BITS>>,
    segment_wild: DFF<Bit>,
    has_candidate: DFF<Bit>,
    candidate: DFF<Bits<A>>,
    place: DFF<Bits<A>>,
    resume: DFF<Bits<A>>,
    resumes: DFF<Bit>,
    short_list: Signal<Local, Bits<LIST_BITS>>,
    named_index: Signal<Local, Bits<INDEX_WIDTH>>,
    any: Signal<Local, Bit>,
    in_bucket: Signal<Local, Bit>,
    has_next: Signal<Local, Bit>,
    is_it: Signal<Local, Bit>,
    over: Signal<Local, Bit>,
    next_segment: Signal<Local, Bit>,
    settled: Signal<Local, Bit>,
    chosen: Signal<Local, Bits<A>>,
    missed: Signal<Local, Bit>,
    takes_place: Signal<Local, Bit>,
    new_list: Signal<Local, Bits<LIST_BITS>>,
    leaves: Signal<Local, Bit>,
    finished: Signal<Local, Bit>,
    hashed: Constant<Bit>,
    priority_list: Constant<Bits<LIST_BITS>>,
    overflow_list: Constant<Bits<LIST_BITS>>,
    unexpected_list: Constant<Bits<LIST_BITS>>,
    all_lists: Constant<Bits<LIST_BITS>>,
    done_status: Constant<Bits<CODE_WIDTH>>,
    found_status: Constant<Bits<CODE_WIDTH>>,
    miss_status: Constant<Bits<CODE_WIDTH>>,
    full_status: Constant<Bits<CODE_WIDTH>>,
    handle_status: Constant<Bits<CODE_WIDTH>>,
    any_at: Constant<Bits<4>>,
    header_disable_at: Constant<Bits<4>>,
    generation_at: Constant<Bits<5>>,
}

impl<const A: usize> Control<A> {
    /// With or without chains by source.
    pub fn new(hashed: bool) -> Self {
        let list = |list: List| Constant::new(bits(list as u64));
        let status = |status: Status| Constant::new(bits(status as u64));
        Self {
            clk: Default::default(),
            rst: Default::default(),
            valid: Default::default(),
            plan: Default::default(),
            list: Default::default(),
            source: Default::default(),
            options: Default::default(),
            handle: Default::default(),
            done: Default::default(),
            responder_idle: Default::default(),
            result: Default::default(),
            read: Default::default(),
            at: Default::default(),
            stored_list: Default::default(),
            stored_live: Default::default(),
            stored_generation: Default::default(),
            stored_source: Default::default(),
            stored_options: Default::default(),
            look: Default::default(),
            look_list: Default::default(),
            look_source: Default::default(),
            look_wild: Default::default(),
            by_order: Default::default(),
            ends: Default::default(),
            follower: Default::default(),
            walk: Default::default(),
            walk_from: Default::default(),
            walk_to: Default::default(),
            walk_stop: Default::default(),
            walk_read: Default::default(),
            walk_tail: Default::default(),
            walk_valid: Default::default(),
            walk_index: Default::default(),
            walk_last: Default::default(),
            hit: Default::default(),
            keep: Default::default(),
            older: Default::default(),
            index: Default::default(),
            insert: Default::default(),
            insert_list: Default::default(),
            remove: Default::default(),
            frees: Default::default(),
            set_offset: Default::default(),
            full: Default::default(),
            free_index: Default::default(),
            fresh: Default::default(),
            used: Default::default(),
            changed_list: Default::default(),
            search: Default::default(),
            compared: Default::default(),
            stage: Default::default(),
            segment_list: Default::default(),
            segment_wild: Default::default(),
            has_candidate: Default::default(),
            candidate: Default::default(),
            place: Default::default(),
            resume: Default::default(),
            resumes: Default::default(),
            short_list: Default::default(),
            named_index: Default::default(),
            any: Default::default(),
            in_bucket: Default::default(),
            has_next: Default::default(),
            is_it: Default::default(),
            over: Default::default(),
            next_segment: Default::default(),
            settled: Default::default(),
            chosen: Default::default(),
            missed: Default::default(),
            takes_place: Default::default(),
            new_list: Default::default(),
            leaves: Default::default(),
            finished: Default::default(),
            hashed: Constant::new(hashed),
            priority_list: list(List::Priority),
            overflow_list: list(List::Overflow),
            unexpected_list: list(List::Unexpected),
            all_lists: list(List::All),
            done_status: status(Status::Done),
            found_status: status(Status::Found),
            miss_status: status(Status::NoMatch),
            full_status: status(Status::Full),
            handle_status: status(Status::BadHandle),
            any_at: Constant::new(bits(ANY_SOURCE as u64)),
            header_disable_at: Constant::new(bits(UNEXPECTED_HDR_DISABLE as u64)),
            generation_at: Constant::new(bits(GENERATION_OFFSET as u64)),
        }
    }
}

impl<const A: usize> Logic for Control<A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clk,
            stage,
            segment_list,
            segment_wild,
            has_candidate,
            candidate,
            place,
            resume,
            resumes
        );
        self.short_list.next = self.list.val().get_bits::<LIST_BITS>(0);
        self.named_index.next = self.handle.val().get_bits::<INDEX_WIDTH>(0);
        self.any.next = self.options.val().get_bit(self.any_at.val().index());
        self.by_order.next = self.plan.mirrored.val() & self.any.val();
        self.in_bucket.next = self.hashed.val() & !self.plan.mirrored.val() & !self.segment_wild.q.val();
        self.has_next.next = !self.plan.mirrored.val()
            & (self.in_bucket.val() | (self.plan.both.val() & (self.segment_list.q.val() == self.priority_list.val())));
        self.is_it.next = self.stored_live.val()
            & (self.named_index.val() < self.used.val())
            & (self.stored_generation.val()
                == self
                    .handle
                    .val()
                    .get_bits::<GENERATION_WIDTH>(self.generation_at.val().index()))
            & ((self.short_list.val() == self.all_lists.val()) | (self.short_list.val() == self.stored_list.val()));

        self.result.start.next = false;
        self.result.status.next = self.done_status.val();
        self.result.list.next = self.list.val();
        self.result.entry.next = false;
        self.result.counters.next = false;
        self.result.handle.next = false;
        self.result.fresh.next = false;
        self.result.more.next = false;
        self.result.leaves_header.next = false;
        self.read.next = self.walk_read.val();
        self.at.next = self.follower.val();
        self.look.next = false;
        self.look_list.next = self.stored_list.val();
        self.look_source.next = self.source.val();
        self.look_wild.next = false;
        self.walk.next = false;
        self.walk_from.next = self.ends.head.val();
        self.walk_to.next = self.ends.tail.val();
        self.keep.next = false;
        self.index.next = self.place.q.val();
        self.insert.next = false;
        self.insert_list.next = self.segment_list.q.val();
        self.remove.next = false;
        self.changed_list.next = self.segment_list.q.val();
        self.frees.next = false;
        self.set_offset.next = false;
        self.search.next = false;
        self.compared.next = false;
        self.over.next = false;
        self.next_segment.next = false;
        self.settled.next = false;
        self.chosen.next = self.walk_index.val();
        self.missed.next = false;
        self.takes_place.next = false;
        self.new_list.next = self.short_list.val();
        self.leaves.next = false;
        self.finished.next = false;

        match self.stage.q.val() {
            Stage::Idle => {
                self.segment_list.d.next = self.short_list.val();
                self.segment_wild.d.next = false;
                self.has_candidate.d.next = false;
                if self.valid.val() & self.responder_idle.val() {
                    if self.plan.refused.val() | self.plan.status.val() {
                        self.result.start.next = true;
                        self.result.counters.next = !self.plan.refused.val();
                        if self.plan.refused.val() {
                            self.result.status.next = self.plan.refusal.val();
                        }
                        self.finished.next = true;
                    } else if self.plan.takes_handle.val() {
                        self.read.next = true;
                        self.at.next = bit_cast::<A, INDEX_WIDTH>(self.named_index.val());
                        self.place.d.next = bit_cast::<A, INDEX_WIDTH>(self.named_index.val());
                        self.stage.d.next = Stage::Check;
                    } else if self.plan.appends.val() {
                        self.takes_place.next = true;
                    } else {
                        self.search.next = true;
                        self.look.next = true;
                        self.look_list.next = self.short_list.val();
                        if self.plan.mirrored.val() {
                            self.look_list.next = self.unexpected_list.val();
                            self.segment_list.d.next = self.unexpected_list.val();
                        } else if self.plan.both.val() {
                            self.look_list.next = self.priority_list.val();
                            self.segment_list.d.next = self.priority_list.val();
                        }
                        self.stage.d.next = Stage::Seek;
                    }
                }
            }
            Stage::Seek => {
                self.walk.next = self.ends.nonempty.val();
                self.over.next = !self.ends.nonempty.val();
            }
            Stage::Walk => {
                self.compared.next = self.walk_valid.val();
                if self.walk_valid.val() {
                    if self.has_candidate.q.val() & !self.older.val() {
                        self.over.next = true;
                    } else if self.hit.val() & self.in_bucket.val() {
                        self.keep.next = true;
                        self.has_candidate.d.next = true;
                        self.candidate.d.next = self.walk_index.val();
                        self.next_segment.next = true;
                    } else if self.hit.val() {
                        self.settled.next = true;
                    } else {
                        self.over.next = self.walk_last.val();
                    }
                }
            }
            Stage::Found => {
                self.resume.d.next = self.follower.val();
                self.resumes.d.next = self.place.q.val() != self.walk_tail.val();
                if self.plan.removes.val() {
                    self.leaves.next = true;
                } else if self.plan.all_matches.val() {
                    self.stage.d.next = Stage::Resume;
                } else if self.plan.delivers.val()
                    & (self.segment_list.q.val() == self.overflow_list.val())
                    & !self.stored_options.val().get_bit(self.header_disable_at.val().index())
                {
                    self.stage.d.next = Stage::Deliver;
                } else {
                    self.finished.next = true;
                }
            }
            Stage::Resume => {
                self.walk_from.next = self.resume.q.val();
                self.walk_to.next = self.walk_tail.val();
                self.walk.next = self.responder_idle.val() & self.resumes.q.val();
                self.missed.next = self.responder_idle.val() & !self.resumes.q.val();
            }
            Stage::Deliver => {
                self.new_list.next = self.unexpected_list.val();
                self.takes_place.next = self.responder_idle.val();
            }
            Stage::Insert => {
                self.insert.next = !self.full.val();
                self.result.start.next = true;
                self.result.list.next = bit_cast::<LIST_WIDTH, LIST_BITS>(self.segment_list.q.val());
                self.result.handle.next = !self.full.val();
                self.result.fresh.next = self.fresh.val();
                if self.full.val() {
                    self.result.status.next = self.full_status.val();
                }
                self.finished.next = true;
            }
            Stage::Check => {
                self.result.start.next = true;
                self.result.list.next = bit_cast::<LIST_WIDTH, LIST_BITS>(self.stored_list.val());
                self.result.handle.next = true;
                if !self.is_it.val() {
                    self.result.status.next = self.handle_status.val();
                    self.result.list.next = self.list.val();
                    self.result.handle.next = false;
                    self.finished.next = true;
                } else if self.plan.removes.val() {
                    self.leaves.next = true;
                } else {
                    self.set_offset.next = self.plan.sets_offset.val();
                    self.result.entry.next = !self.plan.sets_offset.val();
                    if !self.plan.sets_offset.val() {
                        self.result.status.next = self.found_status.val();
                    }
                    self.finished.next = true;
                }
            }
            Stage::Unlink => {
                self.remove.next = true;
                self.changed_list.next = self.stored_list.val();
                self.stage.d.next = Stage::Release;
            }
            Stage::Release => {
                self.frees.next = true;
                self.finished.next = !self.plan.all_matches.val();
                self.stage.d.next = Stage::Resume;
            }
        }

        // A segment's end without a match of its own: what the bucket had counts, else there may be another segment.
        if self.over.val() {
            if self.has_candidate.q.val() {
                self.settled.next = true;
                self.chosen.next = self.candidate.q.val();
            } else {
                self.next_segment.next = self.has_next.val();
                self.missed.next = !self.has_next.val();
            }
        }
        if self.next_segment.val() {
            self.look.next = true;
            self.look_wild.next = self.in_bucket.val();
            self.look_list.next = self.segment_list.q.val();
            if !self.in_bucket.val() {
                self.look_list.next = self.overflow_list.val();
                self.segment_list.d.next = self.overflow_list.val();
            }
            self.segment_wild.d.next = self.in_bucket.val();
            self.stage.d.next = Stage::Seek;
        }
        if self.walk.val() {
            self.read.next = true;
            self.at.next = self.walk_from.val();
            self.stage.d.next = Stage::Walk;
        }
        self.walk_stop.next = self.settled.val() | self.next_segment.val() | self.missed.val();
        if self.settled.val() {
            self.read.next = true;
            self.at.next = self.chosen.val();
            self.place.d.next = self.chosen.val();
            self.result.start.next = true;
            self.result.status.next = self.found_status.val();
            self.result.entry.next = true;
            self.result.handle.next = true;
            self.result.more.next = self.plan.all_matches.val();
            self.result.leaves_header.next =
                self.plan.delivers.val() & (self.segment_list.q.val() == self.overflow_list.val());
            self.stage.d.next = Stage::Found;
        }
        if self.missed.val() {
            if self.plan.then_appends.val() {
                self.takes_place.next = true;
            } else {
                self.result.start.next = true;
                self.result.status.next = self.miss_status.val();
                self.finished.next = true;
            }
        }
        if self.takes_place.val() {
            self.read.next = true;
            self.at.next = self.free_index.val();
            self.place.d.next = self.free_index.val();
            self.look.next = true;
            self.look_list.next = self.new_list.val();
            self.look_wild.next = self.any.val() & (self.new_list.val() != self.unexpected_list.val());
            self.segment_list.d.next = self.new_list.val();
            self.stage.d.next = Stage::Insert;
        }
        if self.leaves.val() {
            self.look.next = true;
            self.look_source.next = self.stored_source.val();
            self.look_wild.next = self.stored_options.val().get_bit(self.any_at.val().index())
                & (self.stored_list.val() != self.unexpected_list.val());
            self.stage.d.next = Stage::Unlink;
        }
        self.done.next = self.finished.val();
        if self.finished.val() {
            self.stage.d.next = Stage::Idle;
        }
        if self.rst.val() {
            self.stage.d.next = Stage::Idle;
        }
    }
}

//! What the transmitter should send: the micro-core of the golden model, and the flits of its packets.

use super::testing::{memory_word, Job, NODE, UNBOUNDED};
use portico_golden::fabric::{
    cutter::{Bounds, Cut, Cutter, Outlet},
    micro_core::{MicroCore, Progress, Surroundings},
};
use portico_spec::{
    flit::{DESTINATION_OFFSET, KIND_OFFSET, LAST_OFFSET, SOURCE_OFFSET, TAG_OFFSET},
    ni::{
        event::EVENTS,
        firmware::firmware,
        instruction::{FIRMWARE_WORDS, REGISTERS},
        packet::{DataKind, Rows, OFFSET_WIDTH, OPERATION_OFFSET, SLOT_OFFSET, STRIDED_OFFSET, WIDE_OFFSET},
        ErrorCode, SERVER_CONTEXT,
    },
};

/// What comes of a job.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Outcome {
    /// Flits of each packet.
    pub packets: Vec<Vec<u64>>,
    pub notices: Vec<u64>,
    pub error: u64,
    pub owns_slot: bool,
    pub credits: usize,
}

/// Runs one job, as its only one: nothing that it waits for is missing.
pub(super) struct Model<'a> {
    job: &'a Job,
    program: &'a [u32],
    firmware: Vec<u32>,
    width: usize,
    outcome: Outcome,
}

impl<'a> Model<'a> {
    /// What comes of `job` with this program behind the firmware.
    pub(super) fn outcome(job: &'a Job, program: &'a [u32], width: usize, maximum: u64) -> Outcome {
        let mut model = Model {
            job,
            program,
            firmware: firmware().words,
            width,
            outcome: Outcome::default(),
        };
        let mut core = model.core(maximum);
        let error = loop {
            match core.step(&mut model) {
                Ok(Progress::Stopped) => break None,
                Ok(progress) => assert_eq!(progress, Progress::Moved),
                Err(error) => break Some(error),
            }
        };
        model.outcome.error = error.map_or(0, |error| error as u64);
        model.outcome.owns_slot = job.has_slot && !core.cutter().has_ended();
        if error.is_some() && job.context == SERVER_CONTEXT as u64 {
            model.break_off(core.cutter().offset());
        }
        model.outcome
    }

    fn core(&self, maximum: u64) -> MicroCore {
        let job = self.job;
        let mut registers = [0; REGISTERS];
        for &(register, data) in &job.registers {
            registers[register as usize] = data;
        }
        // Atomics and messages are one packet, whatever the shaper says.
        let may_be_split = job.kind <= DataKind::Stream as u64;
        let bounds = Bounds {
            placed: !job.control && job.kind <= DataKind::Reply as u64,
            single: job.control,
            maximum: if may_be_split { maximum } else { 64 },
            segment: if job.size == UNBOUNDED { u64::MAX } else { job.size },
            memory: job.limit,
            beyond_memory: if job.context == SERVER_CONTEXT as u64 {
                ErrorCode::OutOfWindow
            } else {
                ErrorCode::OutOfMemory
            },
        };
        let rows = Rows {
            row: job.row as u16,
            stride: job.stride as u16,
        };
        MicroCore::new(job.pc as usize, registers, Cutter::new(bounds, job.offset, rows))
    }

    /// Ends a get with its error, as the server of the hardware does; that of the golden fabric refuses it instead,
    /// which software cannot tell apart.
    fn break_off(&mut self, offset: u64) {
        let end = Cut {
            place: offset.into(),
            words: vec![],
            last: true,
        };
        self.push(end, self.outcome.error);
        self.outcome.owns_slot = false;
    }

    /// The flits of a packet of the job, with this number in the place of the slot. A job need not be one that the
    /// dispatcher would start, so they are not those of a packet of the golden model.
    fn push(&mut self, packet: Cut, slot: u64) {
        let job = self.job;
        let mut flits = vec![
            job.destination << DESTINATION_OFFSET
                | NODE << SOURCE_OFFSET
                | job.tag << TAG_OFFSET
                | job.kind << KIND_OFFSET
                | u64::from(packet.last) << LAST_OFFSET,
        ];
        if !job.bare {
            let is_atomic = job.kind == DataKind::Atomic as u64;
            let strided = if is_atomic {
                job.half
            } else {
                packet.place.rows.is_some()
            };
            let offset = packet.place.first % (1 << OFFSET_WIDTH);
            flits.push(
                offset
                    | slot << SLOT_OFFSET
                    | u64::from(strided) << STRIDED_OFFSET
                    | job.operation << OPERATION_OFFSET
                    | u64::from(job.wide) << WIDE_OFFSET,
            );
        }
        flits.extend(packet.place.rows.map(|rows| u64::from(rows.encode())));
        flits.extend(packet.words);
        self.outcome.packets.push(flits);
    }
}

impl Outlet for Model<'_> {
    fn read(&self, address: u64) -> u64 {
        let word = memory_word(self.width, (self.job.base + address) % (1 << OFFSET_WIDTH));
        // Flits of the control plane have 32 bits at any width.
        word & if self.job.control { u32::MAX.into() } else { u64::MAX }
    }

    fn send(&mut self, packet: Cut) {
        self.push(packet, self.job.slot);
    }
}

impl Surroundings for Model<'_> {
    fn instruction(&self, place: usize) -> u32 {
        match place.checked_sub(FIRMWARE_WORDS) {
            Some(place) => *self.program.get(place).unwrap_or(&0),
            None => self.firmware[place],
        }
    }

    fn has_fired(&self, _event: u32) -> bool {
        true
    }

    fn take_credit(&mut self) -> bool {
        self.outcome.credits += 1;
        true
    }

    fn is_busy(&self, _has_ended: bool) -> bool {
        false
    }

    fn notify(&mut self, event: u32) {
        self.outcome.notices.push(u64::from(event) % EVENTS as u64);
    }

    fn notify_own(&mut self) {
        if !self.job.quiet {
            self.outcome.notices.push(self.job.event);
        }
    }
}

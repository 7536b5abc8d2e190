//! What the engine does with descriptors.

use portico_spec::{
    ni::{
        command::{opcode, Opcode},
        ErrorCode,
    },
    portals::engine::{Append, Command, Control, Move, Search, COUNTERS},
};

use super::{
    super::{descriptor::Common, memory::Memory},
    bytes,
    initiator::Waiting,
    tables::Portal,
    Portals, PortalsStep,
};

/// How far a descriptor has come.
pub(super) enum Progress {
    /// It is done.
    Done,
    /// It is a move that waits to be sent.
    Accepted,
    /// It has to wait in the queue, and all descriptors behind it.
    Stalled,
}

impl Portals {
    /// Carries out the oldest descriptor; false if there is none, or if it has to wait.
    ///
    /// A ninth move waits in front of the eight that wait to be sent, right or wrong.
    pub(super) fn serve_command(&mut self, memory: &mut Memory) -> bool {
        let Some(words) = self.commands.front() else {
            return false;
        };
        if opcode(words[0]) == Opcode::Move as u8 && self.initiator.is_full() {
            return false;
        }
        let words = words.clone();
        let common = Common::of(words[0]);
        let error = match self.carry_out(memory, &words, false) {
            Ok(Progress::Stalled) => return false,
            Ok(Progress::Done) => None,
            Ok(Progress::Accepted) => {
                self.commands.pop();
                return true;
            }
            Err(error) => Some(error),
        };
        self.commands.pop();
        self.reports.push(PortalsStep::Ends(common, error));
        true
    }

    /// Carries out a descriptor; `has_advanced`: as an append or a search it has consumed a header before.
    pub(super) fn carry_out(
        &mut self,
        memory: &mut Memory,
        words: &[u32],
        has_advanced: bool,
    ) -> Result<Progress, ErrorCode> {
        let opcode = opcode(words[0]);
        match Command::decode(opcode, words) {
            None if Opcode::from_code(opcode.into()).is_none() => Err(ErrorCode::UnknownOpcode),
            None => Err(ErrorCode::Malformed),
            Some(Command::Move(request)) => self.accept(memory, Common::of(words[0]), request),
            Some(Command::Append(append)) => self.append(memory, &append, has_advanced),
            Some(Command::Unlink(handle)) => self.unlink(handle),
            Some(Command::Search(search)) => self.search(memory, &search, has_advanced),
            Some(Command::Control(control)) => self.control(control),
        }
    }

    /// Lets a move wait.
    fn accept(&mut self, memory: &Memory, common: Common, request: Move) -> Result<Progress, ErrorCode> {
        let descriptor = self.descriptors[usize::from(request.descriptor)];
        if !descriptor.is_bound() {
            return Err(ErrorCode::UnknownIndex);
        }
        let node = self.ranks.get(usize::from(request.rank)).copied().flatten();
        let node = node.ok_or(ErrorCode::UnknownRank)?;
        let end = u64::from(request.local) + u64::from(request.length);
        if end > descriptor.length.into() || u64::from(descriptor.start) + end > bytes::size(memory) {
            return Err(ErrorCode::OutOfMemory);
        }
        self.initiator.accept(Waiting {
            common,
            request,
            node,
            descriptor,
        });
        Ok(Progress::Accepted)
    }

    fn append(&mut self, memory: &mut Memory, append: &Append, has_consumed: bool) -> Result<Progress, ErrorCode> {
        self.allocated(append.portal)?;
        if !append.handle_address.is_multiple_of(4) {
            return Err(ErrorCode::Malformed);
        }
        let end = u64::from(append.start) + u64::from(append.length);
        let size = bytes::size(memory);
        if end > size || u64::from(append.handle_address) >= size {
            return Err(ErrorCode::OutOfMemory);
        }
        self.target.append(memory, append, has_consumed, &mut self.reports)?;
        Ok(Progress::Done)
    }

    fn search(&mut self, memory: &mut Memory, search: &Search, has_deleted: bool) -> Result<Progress, ErrorCode> {
        self.allocated(search.portal)?;
        self.target.search(memory, search, has_deleted, &mut self.reports);
        Ok(Progress::Done)
    }

    fn unlink(&mut self, handle: u32) -> Result<Progress, ErrorCode> {
        if self.target.is_in_use(handle).ok_or(ErrorCode::UnknownEntry)? {
            return Err(ErrorCode::InUse);
        }
        self.target.unlink(handle);
        Ok(Progress::Done)
    }

    fn control(&mut self, control: Control) -> Result<Progress, ErrorCode> {
        match control {
            Control::Set {
                counter,
                success,
                failure,
            } => self.reports.set(existing(counter)?, success, failure),
            Control::Increment {
                counter,
                success,
                failure,
            } => self.reports.count(existing(counter)?, success, failure),
            Control::Enable(portal) => self.allocated(portal)?.enable(),
            Control::Disable(portal) => {
                let portal = self.allocated(portal)?;
                portal.disable();
                if portal.messages > 0 {
                    return Ok(Progress::Stalled);
                }
            }
            Control::Free(portal) => {
                let portal = self.allocated(portal)?;
                // Messages in progress and headers have their entries.
                if portal.entries > 0 {
                    return Err(ErrorCode::InUse);
                }
                portal.free();
            }
        }
        Ok(Progress::Done)
    }

    /// The portal index of this number.
    ///
    /// # Errors
    /// It is not allocated.
    pub(super) fn allocated(&mut self, portal: u8) -> Result<&mut Portal, ErrorCode> {
        let portal = &mut self.target.portals[usize::from(portal)];
        portal.is_allocated().then_some(portal).ok_or(ErrorCode::UnknownIndex)
    }
}

/// The number of a counter.
///
/// # Errors
/// There is none of this number.
fn existing(counter: u8) -> Result<usize, ErrorCode> {
    let counter = usize::from(counter);
    (counter < COUNTERS).then_some(counter).ok_or(ErrorCode::UnknownIndex)
}

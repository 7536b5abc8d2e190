//! What packets of the data plane do to the node that they come to.

use portico_spec::{
    ni::{
        packet::Operation,
        window::{Message, Mode},
        ErrorCode,
    },
    Node,
};

use super::{
    packet::{Answer, Atomic, DataPacket, Place},
    window::Window,
};

/// What is at an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    /// A word of memory.
    Memory,
    /// A register.
    Register,
    /// Neither.
    Nothing,
}

/// A node as its receiving side sees it. Addresses count words.
pub trait Target {
    /// Whether a slot is open for a get.
    fn awaits(&self, slot: u8) -> bool;
    /// Whether atomics of two words are built.
    fn has_pairs(&self) -> bool;
    /// Bits of a word.
    fn width(&self) -> usize;
    /// What a tag stands for.
    fn window(&mut self, tag: u8) -> &mut Window;
    /// What is at an address.
    fn cell(&self, address: u32) -> Cell;
    /// A word of memory.
    fn read(&self, address: u32) -> u64;
    /// Writes a word of memory, or a register; false for a word of a descriptor without room.
    fn write(&mut self, address: u32, word: u64) -> bool;
    /// Writes one half of a word of memory of 64 bits.
    fn write_half(&mut self, address: u32, upper: bool, half: u32);
    /// Sends an answer.
    fn answer(&mut self, to: Node, answer: Answer);
    /// A get of this node is over; the error is a code, or 0.
    fn complete(&mut self, slot: u8, error: u8);
    /// Counts in an event.
    fn notify(&mut self, event: u32, error: Option<ErrorCode>);
    /// Counts words, or packets without a place, that were refused.
    fn refuse(&mut self, words: u32);
}

/// Takes a packet of a node.
pub fn receive(at: &mut impl Target, source: Node, packet: DataPacket) {
    match packet {
        DataPacket::Put {
            tag,
            slot,
            place,
            words,
            last,
        } => put(at, source, (tag, slot), place, &words, last),
        DataPacket::Reply {
            slot,
            place,
            words,
            last,
            error,
        } => {
            let is_awaited = at.awaits(slot);
            store_all(at, place, &words, |address| {
                u32::try_from(address).ok().filter(|_| is_awaited)
            });
            if last && is_awaited {
                at.complete(slot, error);
            }
        }
        DataPacket::Stream { tag, words, last } => stream(at, tag, &words, last),
        DataPacket::Atomic(atomic) => {
            let slot = atomic.slot;
            let answer = match execute(at, &atomic) {
                Ok(None) => Answer::Ack { slot },
                Ok(Some(value)) => Answer::Value { slot, value },
                Err(error) => Answer::Refuse {
                    slot,
                    error,
                    last: true,
                },
            };
            at.answer(source, answer);
        }
        DataPacket::Message { tag, handle, words } => message(at, source, (tag, handle), &words),
        // A node with the engine of this kind has given it the packet.
        DataPacket::Collective { .. } | DataPacket::Probe { .. } | DataPacket::Portals { .. } => at.refuse(1),
    }
}

/// Software gives back messages of a queue: a credit to the sender of each.
pub fn release(at: &mut impl Target, tag: u8, messages: u32) {
    for _ in 0..messages {
        let Some(address) = at.window(tag).release() else {
            return;
        };
        let Message { source, handle, .. } = Message::decode(at.read(address) as u32);
        at.answer(source, Answer::Credit { segment: handle });
    }
}

/// Stores a word, if there is an address, a place for it, and room in the queue if it is one of a descriptor.
fn store(at: &mut impl Target, address: Option<u32>, word: u64) -> Result<(), ErrorCode> {
    let address = address.filter(|address| at.cell(*address) != Cell::Nothing);
    let address = address.ok_or(ErrorCode::OutOfWindow)?;
    at.write(address, word).then_some(()).ok_or(ErrorCode::CommandFull)
}

/// Stores words, and counts those that are refused; gives why the first of them is.
fn store_all(
    at: &mut impl Target,
    place: Place,
    words: &[u64],
    address: impl Fn(u64) -> Option<u32>,
) -> Option<ErrorCode> {
    let stored = (0..).zip(words);
    let stored = stored.map(|(number, &word)| store(at, address(place.of(number)), word));
    let refusals: Vec<ErrorCode> = stored.filter_map(Result::err).collect();
    at.refuse(refusals.len() as u32);
    refusals.first().copied()
}

fn put(at: &mut impl Target, source: Node, (tag, slot): (u8, u8), place: Place, words: &[u64], last: bool) {
    // Its words may be registers of this window: the packet goes on with what it found.
    let found = at.window(tag).clone();
    let wrong = found.expect(Mode::Window).err();
    let refused = store_all(at, place, words, |offset| {
        found.address(offset, 1).ok().filter(|_| wrong.is_none())
    });
    // An empty packet loses no word: only as the last does it say that the window is wrong.
    let error = match wrong {
        Some(wrong) => (refused.is_some() || last).then_some(wrong),
        None => refused,
    };
    if last {
        at.window(tag).end(found.ends(), error.is_none());
    }
    match error {
        Some(error) => at.answer(source, Answer::Refuse { slot, error, last }),
        None if last => {
            if let Some(event) = found.event() {
                at.notify(event, None);
            }
            at.answer(source, Answer::Ack { slot });
        }
        None => {}
    }
}

fn stream(at: &mut impl Target, tag: u8, words: &[u64], last: bool) {
    let mut window = at.window(tag).clone();
    if window.expect(Mode::Pointer).is_err() {
        return at.refuse(words.len() as u32);
    }
    for &word in words {
        let address = window.advance().ok();
        if let Err(error) = store(at, address, word) {
            at.refuse(1);
            window.set_fault(window.fault().or(Some(error)));
        }
    }
    if last {
        // A stream has nobody to answer to: the target's own event takes the reason.
        let fault = window.fault();
        window.end(window.ends(), fault.is_none());
        window.set_fault(None);
        if let Some(event) = window.event() {
            at.notify(event, fault);
        }
    }
    *at.window(tag) = window;
}

fn message(at: &mut impl Target, source: Node, (tag, handle): (u8, u8), words: &[u64]) {
    let window = at.window(tag).clone();
    if window.expect(Mode::Queue).is_err() {
        return at.refuse(1);
    }
    let result = enqueue(at, &window, source, handle, words);
    match result {
        Ok(()) => at.window(tag).enqueue(),
        Err(_) => at.refuse(1),
    }
    // Like a stream, a message has nobody to answer to.
    if let Some(event) = window.event() {
        at.notify(event, result.err());
    }
}

/// Writes a message into the next slot: the words as they come, until one is refused, and the word in front of them last.
fn enqueue(at: &mut impl Target, window: &Window, source: Node, handle: u8, words: &[u64]) -> Result<(), ErrorCode> {
    if window.is_full() {
        return Err(ErrorCode::QueueFull);
    }
    let most = window.most_words();
    // A message too long is that, whatever its window.
    let refusal = if words.len() > most {
        ErrorCode::TooLong
    } else {
        ErrorCode::OutOfWindow
    };
    let mut store = |word: u64, data: u64| {
        let address = window.slot_word(word).map_err(|_| refusal)?;
        if at.cell(address) != Cell::Memory {
            return Err(refusal);
        }
        at.write(address, data);
        Ok(())
    };
    for (place, &word) in (1..).zip(words) {
        if place > most as u64 {
            return Err(refusal);
        }
        store(place, word)?;
    }
    let words = words.len() as u8;
    let front = Message { words, source, handle };
    store(0, front.encode().expect("no longer than a message").into())
}

/// Executes an atomic: the old value where the operation wants one.
fn execute(at: &mut impl Target, atomic: &Atomic) -> Result<Option<u64>, ErrorCode> {
    // Without pairs the node takes one for a word, as far as the place goes, and then refuses it.
    let is_two = atomic.wide && at.width() == 32;
    let (is_pair, is_unbuilt) = (is_two && at.has_pairs(), is_two && !at.has_pairs());
    let window = at.window(atomic.tag).clone();
    window.expect(Mode::Window)?;
    let address = window.address(atomic.offset | u64::from(is_pair), 1)?;
    let cell = at.cell(address);
    let operation = Operation::from_code(atomic.operation);
    // Of a register there is only the low half, and none is read back.
    let is_poke = operation == Some(Operation::Poke) && (!atomic.wide || is_unbuilt) && !atomic.half;
    if cell == Cell::Nothing || cell == Cell::Register && !is_poke {
        return Err(ErrorCode::OutOfWindow);
    }
    let wanted = Atomic::operands(atomic.operation).ok_or(ErrorCode::Malformed)? << u32::from(atomic.wide);
    let is_odd = is_pair && !atomic.offset.is_multiple_of(2);
    if atomic.operands.len() < wanted || is_odd || is_unbuilt {
        return Err(ErrorCode::Malformed);
    }
    if cell == Cell::Register {
        let is_kept = at.write(address, u64::from(atomic.operands[0]));
        return is_kept.then_some(None).ok_or(ErrorCode::CommandFull);
    }
    let old = load(at, atomic, address, is_pair);
    let new = apply(atomic, old);
    if let Some(new) = new {
        let (low, high) = (new & u64::from(u32::MAX), new >> 32);
        match (is_pair, atomic.wide || at.width() == 32) {
            (true, _) => {
                at.write(address, high);
                at.write(address - 1, low);
            }
            (_, true) => {
                at.write(address, new);
            }
            _ => at.write_half(address, atomic.half, new as u32),
        }
    }
    let is_posted = matches!(operation, Some(Operation::PostAdd | Operation::Poke));
    Ok((!is_posted).then_some(old))
}

/// The value that an atomic finds; of a pair, `address` is the upper word's.
fn load(at: &impl Target, atomic: &Atomic, address: u32, is_pair: bool) -> u64 {
    let word = at.read(address);
    match (is_pair, atomic.wide, atomic.half) {
        (true, ..) => at.read(address - 1) | word << 32,
        (_, true, _) => word,
        (.., true) => word >> 32,
        _ => word & u64::from(u32::MAX),
    }
}

/// The value that an atomic leaves, if it leaves another.
fn apply(atomic: &Atomic, old: u64) -> Option<u64> {
    let operand = |at: usize| match atomic.wide {
        true => u64::from(atomic.operands[2 * at]) | u64::from(atomic.operands[2 * at + 1]) << 32,
        false => u64::from(atomic.operands[at]),
    };
    let new = match Operation::from_code(atomic.operation)? {
        Operation::PostAdd | Operation::FetchAdd => old.wrapping_add(operand(0)),
        Operation::Poke => operand(0),
        Operation::FetchClear => 0,
        Operation::CompareAndSwap if old == operand(0) => operand(1),
        Operation::AddIf if old < operand(0) => old.wrapping_add(operand(1)),
        Operation::CompareAndSwap | Operation::AddIf | Operation::Peek => return None,
    };
    Some(if atomic.wide { new } else { new & u64::from(u32::MAX) })
}

//! Descriptors that an engine must refuse, each for one reason.

use super::{
    super::{
        operation::{Operation, Room},
        site::CALL_WORDS,
        wrong::refused,
    },
    Seat, MOST_CALLS,
};
use portico_spec::{
    mpe::{
        call::{
            Kind, CONTEXTS, CONTEXT_OFFSET, NEIGHBOURS, NUMBER_WIDTH, OPERATION_OFFSET, ROOT_OFFSET, TOWARDS_OFFSET,
            TRANSFER_WORDS,
        },
        reduce::{Operation as Reduction, OPERATION_WIDTH},
    },
    ni::{
        command::{Opcode, OPCODE_OFFSET, OPCODE_WIDTH},
        ErrorCode,
    },
    Config,
};
use rand::{seq::SliceRandom, Rng};

/// Words of a descriptor with a wrong number of them, at most.
const MOST_DESCRIPTOR_WORDS: usize = 8;

/// The faults of a descriptor, in the order in which the engine checks for them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fault {
    Words,
    Context,
    Number,
    Towards,
    Code,
    Misaligned,
    Memory,
    Overlap,
}

impl Fault {
    /// Those that are found before an engine looks for room among the calls that wait.
    const EARLY: [Fault; 3] = [Fault::Words, Fault::Context, Fault::Number];
    const ALL: [Fault; 8] = [
        Fault::Words,
        Fault::Context,
        Fault::Number,
        Fault::Towards,
        Fault::Code,
        Fault::Misaligned,
        Fault::Memory,
        Fault::Overlap,
    ];

    fn error(self) -> ErrorCode {
        match self {
            Fault::Context => ErrorCode::NotBuilt,
            Fault::Number => ErrorCode::OutOfTurn,
            Fault::Memory => ErrorCode::OutOfMemory,
            Fault::Words | Fault::Towards | Fault::Code | Fault::Misaligned | Fault::Overlap => ErrorCode::Malformed,
        }
    }
}

/// A descriptor for a context that counts in `event` with an error. What the engine looks at later is random.
pub fn operation<R: Rng>(config: &Config, seat: &Seat, context: usize, event: usize, random: &mut R) -> Operation {
    // When the engine has room for this context again is up to others.
    let faults = match seat.drawn < MOST_CALLS {
        true => &Fault::ALL[..],
        false => &Fault::EARLY,
    };
    let absent: Vec<usize> = (0..NEIGHBOURS)
        .filter(|&place| seat.list.get(place).is_none_or(Option::is_none))
        .collect();
    let fault = loop {
        let fault = *faults.choose(random).expect("there are faults");
        let is_impossible =
            fault == Fault::Context && config.mpe == CONTEXTS || fault == Fault::Towards && absent.is_empty();
        if !is_impossible {
            break fault;
        }
    };
    let kind = match fault {
        Fault::Code => [Kind::Reduce, Kind::Allreduce][random.gen_range(0..2)],
        Fault::Misaligned | Fault::Memory | Fault::Overlap => Kind::ALL[random.gen_range(1..4)],
        _ => Kind::ALL[random.gen_range(0..4)],
    };
    let mut words: Vec<u32> = (0..kind.words()).map(|_| random.gen()).collect();
    words[0] &= !mask(OPCODE_OFFSET, OPCODE_WIDTH);
    words[0] |= Opcode::Barrier as u32 + kind as u32;
    words[1] = call_fields(seat, context, random);
    match fault {
        Fault::Words => {
            let others = (1..=MOST_DESCRIPTOR_WORDS).filter(|&count| count != kind.words());
            let others: Vec<usize> = others.collect();
            words.resize_with(*others.choose(random).expect("there are some"), || random.gen());
        }
        Fault::Context => {
            words[1] = random.gen::<u32>() & !mask(CONTEXT_OFFSET, CONTEXTS.ilog2() as usize)
                | (random.gen_range(config.mpe..CONTEXTS) as u32) << CONTEXT_OFFSET;
        }
        Fault::Number => {
            let number = seat.next.wrapping_add(random.gen_range(1..=u8::MAX));
            words[1] = words[1] & !mask(0, NUMBER_WIDTH) | u32::from(number);
        }
        Fault::Towards => {
            let place = *absent.choose(random).expect("seen before") as u32;
            words[1] &= !(1 << ROOT_OFFSET | mask(TOWARDS_OFFSET, NEIGHBOURS.ilog2() as usize));
            words[1] |= place << TOWARDS_OFFSET;
        }
        Fault::Code => {
            let codes = (0..1 << OPERATION_WIDTH).filter(|&code| Reduction::from_code(code).is_none());
            let codes: Vec<u32> = codes.collect();
            words[1] &= !mask(OPERATION_OFFSET, OPERATION_WIDTH);
            words[1] |= codes.choose(random).expect("some have no meaning") << OPERATION_OFFSET;
        }
        Fault::Misaligned => {
            let at = random.gen_range(TRANSFER_WORDS - 2..TRANSFER_WORDS);
            words[at] = words[at] & !3 | random.gen_range(1..4);
        }
        Fault::Memory => {
            let length = random.gen_range(1..=CALL_WORDS);
            let end = seat.words.memory;
            let beyond = match random.gen() {
                true => end - random.gen_range(0..length),
                false => random.gen_range(end..1 << 30),
            };
            let mut places = [0, 4 * beyond];
            places.shuffle(random);
            words[2..].copy_from_slice(&[length, places[0], places[1]]);
        }
        Fault::Overlap => {
            let length = random.gen_range(2..=CALL_WORDS);
            let low = random.gen_range(0..=seat.words.memory - 2 * length);
            let mut places = [low, low + random.gen_range(1..length)].map(|word| 4 * word);
            places.shuffle(random);
            words[2..].copy_from_slice(&[length, places[0], places[1]]);
        }
    }
    let room = Room::Call {
        context,
        wave: seat.wave,
        is_taken: false,
    };
    Operation {
        room: (!Fault::EARLY.contains(&fault)).then_some(room),
        ..refused(words, event, fault.error())
    }
}

/// Word 1 of a descriptor, with the number that the context wants, a way that there is, and an operation.
fn call_fields<R: Rng>(seat: &Seat, context: usize, random: &mut R) -> u32 {
    let present: Vec<usize> = (0..seat.list.len())
        .filter(|&place| seat.list[place].is_some())
        .collect();
    let way = match present.choose(random).filter(|_| random.gen()) {
        Some(&place) => (place as u32) << TOWARDS_OFFSET,
        None => 1 << ROOT_OFFSET,
    };
    let operation = *Reduction::ALL.choose(random).expect("there are some");
    u32::from(seat.next) | (context as u32) << CONTEXT_OFFSET | way | (operation as u32) << OPERATION_OFFSET
}

/// So many ones from a bit on.
fn mask(offset: usize, width: usize) -> u32 {
    ((1 << width) - 1) << offset
}

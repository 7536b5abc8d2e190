//! What can be wrong with a table of parts.

use super::{Hold, Opcodes, Part, OPCODE_RUN, SEATS};
use crate::{
    flit::KIND_WIDTH,
    ni::{command::OPCODE_WIDTH, registers::BLOCK_WIDTH},
};

/// What is wrong with a table of parts; parts by their place in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Two parts take the same kind of packets of the data plane.
    DataKind {
        /// The kind.
        kind: usize,
        /// One owner.
        part: usize,
        /// The other.
        other: usize,
    },
    /// Two parts take the same kind of packets of the control plane.
    ControlKind {
        /// The kind.
        kind: usize,
        /// One owner.
        part: usize,
        /// The other.
        other: usize,
    },
    /// Two parts take the same descriptors.
    Opcode {
        /// The opcode.
        opcode: usize,
        /// One owner.
        part: usize,
        /// The other.
        other: usize,
    },
    /// Two parts have the same block of registers.
    Block {
        /// The block.
        block: usize,
        /// One owner.
        part: usize,
        /// The other.
        other: usize,
    },
    /// The opcodes of an engine are not a run of [`OPCODE_RUN`].
    Run {
        /// Whose.
        part: usize,
    },
    /// A part holds ejection of the control plane.
    HoldsControl {
        /// Which.
        part: usize,
    },
    /// An engine holds ejection of the data plane.
    HoldsData {
        /// Which.
        part: usize,
    },
    /// A room is shorter than a packet.
    Room {
        /// Whose.
        part: usize,
        /// Which, by its place in the row.
        room: usize,
    },
    /// An engine without opcodes, or with more than one kind of a plane: its door has one.
    Engine {
        /// Which.
        part: usize,
    },
    /// More engines than a socket has seats.
    Seats {
        /// The first that finds none.
        part: usize,
    },
    /// A part claims a kind, opcode or block with a number that no field has.
    Number {
        /// Which.
        part: usize,
    },
}

const fn has(numbers: &[u8], number: u8) -> bool {
    let mut at = 0;
    while at < numbers.len() {
        if numbers[at] == number {
            return true;
        }
        at += 1;
    }
    false
}

const fn fits(numbers: &[u8], width: usize) -> bool {
    let mut at = 0;
    while at < numbers.len() {
        if numbers[at] as usize >= 1 << width {
            return false;
        }
        at += 1;
    }
    true
}

/// What is wrong with a part by itself.
const fn own_fault(part: &Part, at: usize) -> Option<Fault> {
    if !fits(part.data, KIND_WIDTH) || !fits(part.control, KIND_WIDTH) || !fits(part.blocks, BLOCK_WIDTH) {
        return Some(Fault::Number { part: at });
    }
    if part.is_engine && (part.opcodes.is_none() || part.data.len() > 1 || part.control.len() > 1) {
        return Some(Fault::Engine { part: at });
    }
    if let Some(Opcodes { first, last }) = part.opcodes {
        if first > last || last as usize >= 1 << OPCODE_WIDTH {
            return Some(Fault::Number { part: at });
        }
        let run = OPCODE_RUN as u8;
        if part.is_engine && (first % run != 0 || last - first + 1 != run) {
            return Some(Fault::Run { part: at });
        }
    }
    let mut wait = 0;
    while wait < part.waits.len() {
        match part.waits[wait].held {
            Hold::ControlEject => return Some(Fault::HoldsControl { part: at }),
            Hold::DataEject if part.is_engine => return Some(Fault::HoldsData { part: at }),
            _ => {}
        }
        wait += 1;
    }
    let mut room = 0;
    while room < part.rooms.len() {
        if part.rooms[room].flits < part.rooms[room].longest {
            return Some(Fault::Room { part: at, room });
        }
        room += 1;
    }
    None
}

/// What two parts both claim.
const fn shared(one: &Part, part: usize, two: &Part, other: usize) -> Option<Fault> {
    let mut number = 0;
    while number < u8::MAX {
        let at = number as usize;
        if has(one.data, number) && has(two.data, number) {
            return Some(Fault::DataKind { kind: at, part, other });
        }
        if has(one.control, number) && has(two.control, number) {
            return Some(Fault::ControlKind { kind: at, part, other });
        }
        if has(one.blocks, number) && has(two.blocks, number) {
            return Some(Fault::Block { block: at, part, other });
        }
        if one.takes(number) && two.takes(number) {
            return Some(Fault::Opcode {
                opcode: at,
                part,
                other,
            });
        }
        number += 1;
    }
    None
}

/// The first fault of a table: a number that does not fit its field, a run of opcodes that is none, a wait that holds
/// what may not be held, a room that is too short, something with two owners.
pub const fn fault(parts: &[Part]) -> Option<Fault> {
    let (mut part, mut engines) = (0, 0);
    while part < parts.len() {
        engines += parts[part].is_engine as usize;
        if engines > SEATS {
            return Some(Fault::Seats { part });
        }
        if let Some(fault) = own_fault(&parts[part], part) {
            return Some(fault);
        }
        let mut other = part + 1;
        while other < parts.len() {
            if let Some(fault) = shared(&parts[part], part, &parts[other], other) {
                return Some(fault);
            }
            other += 1;
        }
        part += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{
        super::{Room, Wait, NOTHING, PARTS},
        *,
    };
    use crate::{
        flit::MAX_PAYLOAD_FLITS,
        ni::{
            packet::{ControlKind, DataKind},
            registers::Block,
        },
    };

    /// The table with one row more.
    fn with(part: Part) -> Option<Fault> {
        let mut parts = PARTS.to_vec();
        parts.push(part);
        fault(&parts)
    }

    #[test]
    fn a_wrong_row_is_caught() {
        const WAIT: Wait = Wait {
            held: Hold::ControlEject,
            awaited: Hold::DataInject,
            why: "planted",
        };
        const DATA: Wait = Wait {
            held: Hold::DataEject,
            awaited: Hold::ControlInject,
            why: "planted",
        };
        const SHORT: Room = Room {
            what: "planted",
            packets: 2,
            flits: MAX_PAYLOAD_FLITS,
            longest: MAX_PAYLOAD_FLITS + 1,
        };
        let engine = Part {
            name: "planted",
            is_engine: true,
            opcodes: Some(Opcodes { first: 12, last: 15 }),
            ..NOTHING
        };
        let new = PARTS.len();
        assert_eq!(with(engine), None);
        let waits = |waits| with(Part { waits, ..engine });
        assert_eq!(waits(&[WAIT]), Some(Fault::HoldsControl { part: new }));
        assert_eq!(waits(&[DATA]), Some(Fault::HoldsData { part: new }));
        let rooms = &[SHORT];
        assert_eq!(with(Part { rooms, ..engine }), Some(Fault::Room { part: new, room: 0 }));
        let other = new;
        let part = |name| PARTS.iter().position(|part| part.name == name).unwrap();
        let (kind, receiver) = (DataKind::Atomic as usize, part("receiver"));
        let data = &[DataKind::Atomic as u8];
        let twice = Fault::DataKind {
            kind,
            part: receiver,
            other,
        };
        assert_eq!(with(Part { data, ..engine }), Some(twice));
        let (kind, inbox) = (ControlKind::Mail as usize, part("inbox"));
        let control = &[ControlKind::Mail as u8];
        let twice = Fault::ControlKind {
            kind,
            part: inbox,
            other,
        };
        assert_eq!(with(Part { control, ..engine }), Some(twice));
        let (block, monitor) = (Block::Counters as usize, part("monitor"));
        let blocks = &[Block::Counters as u8];
        let twice = Fault::Block {
            block,
            part: monitor,
            other,
        };
        assert_eq!(with(Part { blocks, ..engine }), Some(twice));
        let run = |first, last| {
            with(Part {
                opcodes: Some(Opcodes { first, last }),
                ..engine
            })
        };
        let (opcode, requester) = (8, part("requester"));
        assert_eq!(
            run(8, 11),
            Some(Fault::Opcode {
                opcode,
                part: requester,
                other
            })
        );
        assert_eq!(run(13, 15), Some(Fault::Run { part: new }));
        assert_eq!(run(32, 35), Some(Fault::Number { part: new }));
        assert_eq!(with(Part { data: &[8], ..engine }), Some(Fault::Number { part: new }));
    }

    #[test]
    fn a_socket_has_its_seats_and_a_door_one_kind_of_an_engine() {
        const RUN: u8 = OPCODE_RUN as u8;
        let engine = |seat: u8| Part {
            name: "planted",
            is_engine: true,
            opcodes: Some(Opcodes {
                first: 32 - RUN * (seat + 1),
                last: 31 - RUN * seat,
            }),
            ..NOTHING
        };
        let all: Vec<Part> = (0..=SEATS as u8).map(engine).collect();
        assert_eq!(fault(&all[1..]), None);
        assert_eq!(fault(&all), Some(Fault::Seats { part: SEATS }));
        let (opcodes, data, control) = (None, &[5, 6][..], &[6, 7][..]);
        let base = engine(0);
        for part in [
            Part { opcodes, ..base },
            Part { data, ..base },
            Part { control, ..base },
        ] {
            assert_eq!(fault(&[part]), Some(Fault::Engine { part: 0 }));
        }
    }
}

//! Wrong commands: each has its code, and changes nothing.

use portico_spec::{
    ni::{
        command::Opcode,
        registers::PortalsRegister,
        ErrorCode::{self, Malformed, NoPlace, OutOfMemory, UnknownEntry, UnknownIndex, UnknownOpcode, UnknownRank},
    },
    portals::{
        engine::{Ack, Append, Command, Control, Move, Operation, Search},
        list::{List, USE_ONCE},
    },
};

use super::bench::{entry, get, put, search, Bench, DESCRIPTOR, HANDLE, LOCAL_BYTES, MEMORY, PORTAL};

/// Carries out a command of tile 0 and gives its error.
fn error(bench: &mut Bench, command: Command) -> Option<ErrorCode> {
    bench.command(0, command);
    let (count, error) = bench.ended(0);
    assert_eq!(count, 1, "{command:?}");
    error
}

#[test]
fn each_wrong_field_of_a_move_has_its_code() {
    let mut bench = Bench::new(2);
    bench.set(0, PortalsRegister::MdStart, 8, MEMORY - 10);
    bench.set(0, PortalsRegister::MdLength, 8, 100);
    bench.set(0, PortalsRegister::MdOptions, 8, 1 << 24);
    for right in [put(1, Ack::Full), get(1)] {
        let wrong: [(Move, Option<ErrorCode>); 14] = [
            (
                Move {
                    descriptor: 63,
                    ..right
                },
                Some(UnknownIndex),
            ),
            (Move { rank: 2, ..right }, Some(UnknownRank)),
            (Move { rank: 4, ..right }, Some(UnknownRank)),
            (Move { rank: 0x1ff, ..right }, Some(UnknownRank)),
            (
                Move {
                    local: LOCAL_BYTES - 8,
                    ..right
                },
                None,
            ),
            (
                Move {
                    local: LOCAL_BYTES - 7,
                    ..right
                },
                Some(OutOfMemory),
            ),
            (
                Move {
                    local: u32::MAX,
                    ..right
                },
                Some(OutOfMemory),
            ),
            (
                Move {
                    length: LOCAL_BYTES - 5,
                    ..right
                },
                None,
            ),
            (
                Move {
                    length: u32::MAX,
                    ..right
                },
                Some(OutOfMemory),
            ),
            (
                Move {
                    descriptor: 8,
                    local: 2,
                    ..right
                },
                None,
            ),
            (
                Move {
                    descriptor: 8,
                    local: 3,
                    ..right
                },
                Some(OutOfMemory),
            ),
            // The first that is wrong gives the code.
            (
                Move {
                    descriptor: 63,
                    rank: 2,
                    ..right
                },
                Some(UnknownIndex),
            ),
            (
                Move {
                    rank: 2,
                    length: u32::MAX,
                    ..right
                },
                Some(UnknownRank),
            ),
            // Its target knows better.
            (Move { portal: 0x7f, ..right }, None),
        ];
        for (request, expected) in wrong {
            assert_eq!(error(&mut bench, Command::Move(request)), expected, "{request:?}");
        }
    }
    bench.set(0, PortalsRegister::MdOptions, DESCRIPTOR.into(), !(1 << 24));
    assert_eq!(error(&mut bench, Command::Move(put(1, Ack::Full))), Some(UnknownIndex));
    assert!(bench.fabric.is_idle());
}

#[test]
fn words_that_say_nothing_are_malformed() {
    let mut bench = Bench::new(2);
    let code = |bench: &mut Bench, opcode: u8, words: &[u32]| {
        bench.words(0, opcode, words);
        bench.ended(0)
    };
    let commands = [
        Command::Move(put(1, Ack::Full)),
        Command::Move(get(1)),
        Command::Append(entry(List::Priority, 1, &[])),
        Command::Unlink(0),
        Command::Search(search(false, 1, &[])),
        Command::Search(search(true, 1, &[])),
        Command::Control(Control::Enable(PORTAL)),
        Command::Control(Control::Set {
            counter: 0,
            success: 0,
            failure: 0,
        }),
    ];
    for command in commands {
        let (opcode, words) = (command.opcode() as u8, command.encode());
        for length in (1..16).filter(|&length| length != words.len()) {
            let mut words = words.clone();
            words.resize(length, 0);
            assert_eq!(
                code(&mut bench, opcode, &words),
                (1, Some(Malformed)),
                "{command:?}, {length} words"
            );
        }
        // Operations and commands without a meaning.
        let mut words = words;
        words[1] |= 7;
        assert_eq!(code(&mut bench, opcode, &words), (1, Some(Malformed)), "{command:?}");
        assert_eq!(code(&mut bench, 27, &words), (1, Some(UnknownOpcode)));
    }
    assert_eq!(Opcode::from_code(27), None);
    assert!(bench.fabric.is_idle());
}

#[test]
fn each_wrong_field_of_an_entry_has_its_code() {
    let mut bench = Bench::new(1);
    bench.fabric.write(0, HANDLE, 0xdead);
    let right = entry(List::Priority, 1, &[USE_ONCE]);
    let wrong: [(Append, ErrorCode); 10] = [
        (
            Append {
                portal: PORTAL + 1,
                ..right
            },
            UnknownIndex,
        ),
        (
            Append {
                portal: PORTAL | 0x40,
                ..right
            },
            UnknownIndex,
        ),
        (
            Append {
                start: MEMORY - 99,
                ..right
            },
            OutOfMemory,
        ),
        (
            Append {
                start: 0xf_ffff,
                length: 0,
                ..right
            },
            OutOfMemory,
        ),
        (
            Append {
                length: u32::MAX,
                ..right
            },
            OutOfMemory,
        ),
        (
            Append {
                handle_address: MEMORY,
                ..right
            },
            OutOfMemory,
        ),
        (
            Append {
                handle_address: u32::MAX - 3,
                ..right
            },
            OutOfMemory,
        ),
        (
            Append {
                handle_address: HANDLE + 1,
                ..right
            },
            Malformed,
        ),
        (
            Append {
                handle_address: HANDLE + 2,
                ..right
            },
            Malformed,
        ),
        (
            Append {
                portal: PORTAL + 1,
                length: u32::MAX,
                ..right
            },
            UnknownIndex,
        ),
    ];
    for (append, code) in wrong {
        assert_eq!(error(&mut bench, Command::Append(append)), Some(code), "{append:?}");
    }
    assert_eq!((bench.fabric.read(0, HANDLE), bench.posted(0).len()), (0xdead, 0));
    // No entry has come, so all places are free.
    let last = [
        Append {
            start: MEMORY - 100,
            ..right
        },
        Append {
            start: MEMORY,
            length: 0,
            ..right
        },
        Append {
            handle_address: MEMORY - 4,
            ..right
        },
    ];
    for append in last.into_iter().chain([right; 61]) {
        assert_eq!(error(&mut bench, Command::Append(append)), None);
    }
    bench.fabric.write(0, HANDLE, 0xdead);
    assert_eq!(error(&mut bench, Command::Append(right)), Some(NoPlace));
    assert_eq!(bench.fabric.read(0, HANDLE), 0xdead);
    let own = Move {
        rank: 0,
        operation: Operation::Put,
        ..put(1, Ack::None)
    };
    assert_eq!(error(&mut bench, Command::Move(own)), None);
    assert_eq!(error(&mut bench, Command::Append(right)), None);
}

#[test]
fn a_search_needs_a_portal_index_that_is_allocated() {
    let mut bench = Bench::new(1);
    for deletes in [false, true] {
        let right = search(deletes, 1, &[]);
        for portal in [PORTAL + 1, PORTAL | 0x40, 0x7f] {
            let elsewhere = Search { portal, ..right };
            assert_eq!(error(&mut bench, Command::Search(elsewhere)), Some(UnknownIndex));
        }
        // Nothing else is checked.
        let odd = Search {
            length: u32::MAX,
            source: 0x1ff,
            options: u16::MAX,
            ..right
        };
        assert_eq!(error(&mut bench, Command::Search(odd)), None);
    }
    assert_eq!(bench.posted(0).len(), 0);
}

#[test]
fn a_handle_is_of_one_entry_while_it_is_in_its_list() {
    let mut bench = Bench::new(1);
    assert_eq!(error(&mut bench, Command::Unlink(0)), Some(UnknownEntry));
    assert_eq!(error(&mut bench, Command::Unlink(u32::MAX)), Some(UnknownEntry));
    for list in [List::Priority, List::Overflow] {
        let handle = bench.append(0, entry(list, 1, &[]));
        assert_eq!(bench.ended(0), (1, None));
        assert_eq!(error(&mut bench, Command::Unlink(handle)), None);
        assert_eq!(error(&mut bench, Command::Unlink(handle)), Some(UnknownEntry));
    }
}

#[test]
fn each_wrong_field_of_a_control_has_its_code() {
    let mut bench = Bench::new(1);
    let (success, failure) = (5, 6);
    for counter in [64, 127] {
        let set = Control::Set {
            counter,
            success,
            failure,
        };
        let increment = Control::Increment {
            counter,
            success,
            failure,
        };
        for control in [set, increment] {
            assert_eq!(error(&mut bench, Command::Control(control)), Some(UnknownIndex));
        }
    }
    let of_index = |portal| [Control::Enable(portal), Control::Disable(portal), Control::Free(portal)];
    for control in of_index(PORTAL + 1).into_iter().chain(of_index(0x7f)) {
        assert_eq!(error(&mut bench, Command::Control(control)), Some(UnknownIndex));
    }
    let counts = (0..64).flat_map(|counter| {
        [PortalsRegister::CtSuccess, PortalsRegister::CtFailure].map(|register| bench.get(0, register, counter))
    });
    assert_eq!(counts.sum::<u32>(), 0);
}

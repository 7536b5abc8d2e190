use proptest::prelude::*;

use super::*;
use crate::{ni::ErrorCode, testing};

fn narrow() -> Config {
    Config::default()
}

fn wide() -> Config {
    Config {
        width: 64,
        ..Config::default()
    }
}

fn refused(command: Command) -> String {
    Descriptor::new(command).encode(&narrow()).unwrap_err().to_string()
}

fn put(remote: u32, local: u32, geometry: Geometry) -> Command {
    Command::Put(Transfer {
        remote,
        local,
        geometry,
    })
}

#[test]
fn every_command_in_full() {
    let words = |command: Command| {
        let descriptor = Descriptor {
            command,
            segment: 0xff,
            event: 0x3f,
            quiet: true,
            drained: true,
            shaper: 7,
        };
        descriptor.encode(&wide()).unwrap()
    };
    let word = |opcode: u32| 3 << 27 | 0xff << 14 | 0x3f << 8 | 7 << 5 | opcode;
    assert_eq!(
        words(put(64, 128, Geometry::Row { row: 24 })),
        [word(1), 64, 128, 1 << 16 | 3]
    );
    let planes = Geometry::Planes {
        rows: 2,
        row: 8,
        local_stride: 16,
        remote_stride: 24,
        planes: 5,
        local_plane_stride: 48,
        remote_plane_stride: 56,
    };
    let get = Command::Get(Transfer {
        remote: 64,
        local: 128,
        geometry: planes,
    });
    assert_eq!(words(get), [word(2), 64, 128, 2 << 16 | 1, 3 << 16 | 2, 5, 7 << 16 | 6]);
    let rows = Geometry::Rows {
        rows: 2,
        row: 8,
        local_stride: 16,
        remote_stride: 0,
    };
    let stream = Command::Stream {
        local: 128,
        geometry: rows,
    };
    assert_eq!(words(stream), [word(3), 0, 128, 2 << 16 | 1, 2]);
    assert_eq!(
        words(Command::Enqueue { local: 8, bytes: 496 }),
        [word(4), 0, 8, 1 << 16 | 62]
    );
    let atomic = |operation, wide| Command::Atomic {
        remote: 8,
        operation,
        wide,
    };
    assert_eq!(
        words(atomic(Atomic::Poke { value: 9 }, false)),
        [word(5) | 1 << 22, 8, 9]
    );
    let swap = Atomic::CompareAndSwap {
        compare: 1 << 32 | 2,
        new: 3 << 32 | 4,
    };
    assert_eq!(words(atomic(swap, true)), [word(5) | 4 << 22 | 1 << 25, 8, 2, 1, 4, 3]);
    let mail = Command::Mail {
        node: Node { x: 1, y: 2 },
        mailbox: 127,
        value: 5 << 32 | 6,
    };
    assert_eq!(words(mail), [word(6), 127 << 9 | 2 << 4 | 1, 6, 5]);
    assert_eq!(words(Command::Fence), [word(7), 0]);
    let program = Command::Program {
        entry: 64,
        registers: vec![1, 2],
    };
    assert_eq!(words(program), [word(8), 64, 1, 2]);
}

#[test]
fn a_value_out_of_range_is_named() {
    let row = Geometry::Row { row: 4 };
    let not = |text: &str| format!("{text} is not allowed: allowed is");
    assert_eq!(
        refused(put(2, 0, row)),
        not("remote offset = 2 bytes") + " a multiple of 4, up to 16777212"
    );
    assert_eq!(
        refused(put(0, 1 << 24, row)),
        not("local address = 16777216") + " 0..=16777212"
    );
    assert_eq!(
        refused(put(0, 0, Geometry::Row { row: 1 << 18 })),
        not("row = 262144") + " 0..=262140"
    );
    let rows = |rows, local_stride, remote_stride| Geometry::Rows {
        rows,
        row: 4,
        local_stride,
        remote_stride,
    };
    assert_eq!(
        refused(put(0, 0, rows(65536, 4, 4))),
        not("rows = 65536") + " 0..=65535"
    );
    assert_eq!(
        refused(put(0, 0, rows(1, 7, 4))),
        not("local stride = 7 bytes") + " a multiple of 4, up to 262140"
    );
    let stream = |geometry| Command::Stream { local: 0, geometry };
    assert_eq!(
        refused(stream(rows(2, 4, 8))),
        not("remote stride of a stream = 8") + " 0..=0"
    );
    let planes = Geometry::Planes {
        rows: 1,
        row: 4,
        local_stride: 0,
        remote_stride: 0,
        planes: 65536,
        local_plane_stride: 0,
        remote_plane_stride: 0,
    };
    assert_eq!(refused(put(0, 0, planes)), not("planes = 65536") + " 0..=65535");
    assert_eq!(
        refused(stream(planes)),
        "a stream of planes is not allowed: allowed are one row or rows"
    );
    assert_eq!(
        refused(Command::Enqueue { local: 0, bytes: 252 }),
        not("message = 252") + " 0..=248"
    );
    let atomic = |remote, value, wide| Command::Atomic {
        remote,
        operation: Atomic::Poke { value },
        wide,
    };
    assert_eq!(
        refused(atomic(4, 0, true)),
        not("remote offset = 4 bytes") + " a multiple of 8, up to 16777208"
    );
    assert_eq!(
        refused(atomic(0, 1 << 32, false)),
        not("value = 4294967296") + " 0..=4294967295"
    );
    let mail = |x, mailbox| Command::Mail {
        node: Node { x, y: 0 },
        mailbox,
        value: 0,
    };
    assert_eq!(refused(mail(16, 0)), not("node x = 16") + " 0..=15");
    assert_eq!(refused(mail(0, 128)), not("mailbox = 128") + " 0..=127");
    let registers = vec![0; 15];
    assert_eq!(
        refused(Command::Program { entry: 64, registers }),
        not("registers = 15") + " 0..=14"
    );
    let registers = vec![];
    assert_eq!(
        refused(Command::Program { entry: 63, registers }),
        not("entry = 63") + " 64..=255"
    );
    let event = Descriptor {
        event: 64,
        ..Descriptor::new(Command::Fence)
    };
    assert_eq!(
        event.encode(&narrow()).unwrap_err().to_string(),
        not("event = 64") + " 0..=63"
    );
    let shaper = Descriptor {
        shaper: 8,
        ..Descriptor::new(Command::Fence)
    };
    assert_eq!(
        shaper.encode(&narrow()).unwrap_err().to_string(),
        not("shaper = 8") + " 0..=7"
    );
}

#[test]
fn words_that_no_command_has_are_refused_as_the_hardware_does() {
    let code = |words: &[u32]| Descriptor::decode(&narrow(), words).unwrap_err().code();
    assert_eq!(code(&[]), ErrorCode::Malformed);
    for opcode in (0..32).filter(|opcode| {
        !(1..=8).contains(opcode) && !(16..=20).contains(opcode) && ![24, 25, 26, 28, 29].contains(opcode)
    }) {
        assert_eq!(code(&[opcode, 0]), ErrorCode::UnknownOpcode);
    }
    for (opcode, lengths) in [
        (1, vec![4, 5, 7]),
        (2, vec![4, 5, 7]),
        (3, vec![4, 5]),
        (4, vec![4]),
        (6, vec![4]),
        (7, vec![1, 2]),
        (20, vec![6]),
        (28, vec![4]),
        (29, vec![3]),
    ] {
        for length in 1..=17 {
            let mut words = vec![0; length];
            words[0] = opcode;
            if let (20 | 28 | 29, Some(payload)) = (opcode, words.get_mut(2)) {
                *payload = 1 << 16 | 2;
            }
            let taken = Descriptor::decode(&narrow(), &words);
            assert_eq!(
                taken.is_ok(),
                lengths.contains(&length),
                "opcode {opcode}, {length} words"
            );
            assert!(taken.is_ok() || code(&words) == ErrorCode::Malformed);
        }
    }
    assert_eq!(code(&[1, 2, 0, 1 << 16 | 1]), ErrorCode::Malformed, "misaligned");
    assert_eq!(
        code(&[1, 0, 0, 2 << 16 | 1]),
        ErrorCode::Malformed,
        "rows without a stride"
    );
    assert_eq!(code(&[4, 0, 0, 1 << 16 | 63]), ErrorCode::TooLong);
    assert_eq!(code(&[5 | 7 << 22, 0]), ErrorCode::Malformed, "no such operation");
    assert_eq!(code(&[5, 0]), ErrorCode::Malformed, "no operand");
    assert_eq!(code(&[5 | 1 << 25, 0, 1]), ErrorCode::Malformed, "half an operand");
    assert_eq!(code(&[8, 256]), ErrorCode::Malformed, "beyond the program memory");
    assert_eq!(code(&[8, 63]), ErrorCode::Malformed, "a built-in program");
    assert_eq!(code(&[8; 17]), ErrorCode::Malformed);
}

fn transfers(word: u32) -> impl Strategy<Value = Transfer> {
    let length = move || (0..1u32 << 16).prop_map(move |words| words * word);
    let address = move || (0..1u32 << 22).prop_map(move |words| words * word);
    let count = || 0..1u32 << 16;
    let rows = (count(), length(), length(), length());
    let geometry = prop_oneof![
        length().prop_map(|row| Geometry::Row { row }),
        rows.clone()
            .prop_map(|(rows, row, local_stride, remote_stride)| Geometry::Rows {
                rows,
                row,
                local_stride,
                remote_stride,
            }),
        (rows, count(), length(), length()).prop_map(
            |((rows, row, local_stride, remote_stride), planes, local_plane_stride, remote_plane_stride)| {
                Geometry::Planes {
                    rows,
                    row,
                    local_stride,
                    remote_stride,
                    planes,
                    local_plane_stride,
                    remote_plane_stride,
                }
            }
        ),
    ];
    (address(), address(), geometry).prop_map(|(remote, local, geometry)| Transfer {
        remote,
        local,
        geometry,
    })
}

fn atomics(wide: bool) -> impl Strategy<Value = Atomic> {
    let operand = move || any::<u64>().prop_map(move |value| if wide { value } else { value >> 32 });
    prop_oneof![
        operand().prop_map(|addend| Atomic::PostAdd { addend }),
        operand().prop_map(|value| Atomic::Poke { value }),
        operand().prop_map(|addend| Atomic::FetchAdd { addend }),
        Just(Atomic::FetchClear),
        (operand(), operand()).prop_map(|(compare, new)| Atomic::CompareAndSwap { compare, new }),
        Just(Atomic::Peek),
        (operand(), operand()).prop_map(|(limit, addend)| Atomic::AddIf { limit, addend }),
    ]
}

fn commands(word: u32) -> impl Strategy<Value = Command> {
    let atomic = |wide| {
        (0..1u32 << 20, atomics(wide)).prop_map(move |(at, operation)| Command::Atomic {
            remote: at * if wide { 8 } else { 4 },
            operation,
            wide,
        })
    };
    prop_oneof![
        transfers(word).prop_map(Command::Put),
        transfers(word).prop_map(Command::Get),
        transfers(word).prop_filter_map("a stream has no planes", |Transfer { local, geometry, .. }| {
            let geometry = geometry.without_remote();
            (!matches!(geometry, Geometry::Planes { .. })).then_some(Command::Stream { local, geometry })
        }),
        (0..1u32 << 22, 0..=62u32).prop_map(move |(at, words)| Command::Enqueue {
            local: at * word,
            bytes: words * word
        }),
        atomic(false),
        atomic(true),
        (0..16u8, 0..32u8, 0..128u8, any::<u64>()).prop_map(|(x, y, mailbox, value)| Command::Mail {
            node: Node { x, y },
            mailbox,
            value
        }),
        Just(Command::Fence),
        (64..=255u8, prop::collection::vec(any::<u32>(), 0..=14))
            .prop_map(|(entry, registers)| Command::Program { entry, registers }),
    ]
}

proptest! {
    #[test]
    fn every_descriptor_reads_back(
        (config, command) in testing::widths().prop_flat_map(|config| {
            let word = (config.width / 8) as u32;
            (Just(config), commands(word))
        }),
        segment in any::<u8>(), event in 0..64u8, (quiet, drained) in any::<(bool, bool)>(), shaper in 0..8u8,
    ) {
        let descriptor = Descriptor { command, segment, event, quiet, drained, shaper };
        let words = descriptor.encode(&config).unwrap();
        prop_assert!((2..=MAX_DESCRIPTOR_WORDS).contains(&words.len()));
        prop_assert_eq!(Descriptor::decode(&config, &words), Ok(descriptor));
    }

    #[test]
    fn any_words_are_read_or_refused(words in prop::collection::vec(any::<u32>(), 0..18), opcode in 0..9u32) {
        let mut words = words;
        if let Some(word) = words.first_mut() {
            *word = *word & !31 | opcode;
        }
        if let Ok(descriptor) = Descriptor::decode(&narrow(), &words) {
            let again = descriptor.encode(&narrow()).unwrap();
            prop_assert_eq!(Descriptor::decode(&narrow(), &again), Ok(descriptor));
        }
    }
}

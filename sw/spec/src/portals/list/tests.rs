use super::*;

const ENTRY: Entry = Entry {
    source: 0x1234,
    options: 0x8005,
    match_bits: 0x0102_0304_0506_0708,
    ignore_bits: 0xff00_ff00_ff00_ff00,
    length: 0xdead_beef,
    offset: 0x1357_9bdf,
    pointer: 0xcafe_f00d,
};

#[test]
fn codes_rise_and_read_back() {
    for table in [Opcode::CODES, List::CODES, Status::CODES] {
        assert!(table.is_sorted_by(|one, next| one.code < next.code), "{table:?}");
        assert!(table.iter().all(|code| code.code < 1 << CODE_WIDTH));
    }
    assert_eq!(Opcode::from_code(7), Some(Opcode::Deliver));
    assert_eq!((Opcode::from_code(0), Opcode::from_code(17)), (None, None));
    assert_eq!(List::from_code(4), None);
}

#[test]
fn entries_pass_through_commands_and_results() {
    let beats = command(Opcode::Append, List::Overflow, &ENTRY);
    assert_eq!(beats[0], 0x0000_8005_1234_0101);
    assert_eq!(Entry::from_command(&beats), ENTRY);
    let result: Vec<u64> = [0].into_iter().chain(ENTRY.result_beats()).collect();
    assert_eq!(Entry::from_result(&result.try_into().unwrap()), ENTRY);
    for &opcode in Opcode::ALL {
        assert!(opcode.beats() <= MAX_COMMAND_BEATS);
        let beats = match opcode.takes_handle() {
            true => handle_command(opcode, List::All, 0x0102_0304, 9),
            false => command(opcode, List::All, &ENTRY),
        };
        assert_eq!(beats.len(), opcode.beats(), "{opcode:?}");
    }
}

#[test]
fn resolutions_read_back() {
    let header = Entry {
        ignore_bits: 0x0000_0055_0000_0000,
        ..ENTRY
    };
    let all = Resolution {
        offset: Some(0x55),
        detaches: true,
        removes: true,
        header: Some(header),
    };
    assert_eq!(all.encode()[0], 0x000f_8005_1234_030f);
    for resolution in [all, Resolution::default()] {
        assert_eq!(Resolution::decode(&resolution.encode()), resolution);
    }
}

#[test]
fn answers_and_counters_read_back() {
    let answer = Answer {
        status: Status::Found,
        list: 2,
        more: true,
        handle: 0x8001_0203,
    };
    assert_eq!(answer.encode(), 0x8001_0203_0001_0201);
    assert_eq!(Answer::decode(answer.encode()), Some(answer));
    assert_eq!(Answer::decode(answer.encode() | 1 << 20), None);
    assert_eq!(Answer::decode(0xff), None);
    let counters = Counters {
        occupancy: [1, 2, 3],
        free: 16_378,
        searches: 5,
        compared: 6,
        longest: 7,
    };
    assert_eq!(Counters::decode(&counters.encode()), counters);
}

//! What an engine refuses: descriptors, packets and rows.

use portico_spec::{
    mpe::call::{Kind, Marks, Row, Sign, Tag},
    ni::{
        registers::{MpeRegister, Place},
        ErrorCode,
    },
};

use super::{
    super::{
        super::{
            memory::Memory,
            packet::{DataPacket, Packet},
        },
        Mpe, MpeStep,
    },
    group::{config, first_word, node, UNTOUCHED, WORDS},
    CLOSED, DRAINED, RUNNING,
};

/// An engine with two contexts whose only neighbour is in place 1.
fn alone() -> (Mpe, Memory) {
    let mut mpe = Mpe::new(&config(), 2);
    let row = Row {
        node: node(6),
        place: 3,
    };
    for context in 0..2 {
        assert!(mpe.write(context, MpeRegister::Neighbour1, Row::encode(Some(row)).unwrap()));
    }
    (mpe, Memory::Scratchpad(vec![UNTOUCHED; WORDS]))
}

/// What becomes of a descriptor of event 9, and the status of context 0 after it.
fn posted((mpe, memory): &mut (Mpe, Memory), kind: Kind, quiet: bool, words: &[u32]) -> (Option<ErrorCode>, u32) {
    mpe.commands().push([&[first_word(kind, 9, quiet)][..], words].concat());
    let error = match mpe.step(memory).unwrap() {
        MpeStep::Ends(common, error) => {
            assert_eq!((common.event, common.quiet), (9, quiet));
            assert!(error.is_some());
            error
        }
        MpeStep::Moves => None,
        step => unreachable!("{step:?}"),
    };
    (error, mpe.read(0, MpeRegister::Status))
}

/// Word 1 of a descriptor.
fn call_fields(number: u32, context: u32, towards: u32, operation: u32) -> u32 {
    number | context << 8 | towards << 10 | operation << 14
}

#[test]
fn descriptors_are_refused_in_the_order_of_the_checks() {
    use ErrorCode::{Closed, Malformed, NotBuilt, OutOfMemory, OutOfTurn, TooManyCalls};
    let mut engine = alone();
    let idle = 1;
    // Operation 1 has no meaning. Everything from the check in question on is wrong.
    let refusals: [(Kind, ErrorCode, &[u32]); 18] = [
        (Kind::Barrier, Malformed, &[]),
        (Kind::Reduce, Malformed, &[]),
        (Kind::Barrier, Malformed, &[call_fields(5, 3, 0, 0), 0]),
        (Kind::Reduce, Malformed, &[call_fields(5, 3, 0, 1), 8, 2]),
        (Kind::Broadcast, Malformed, &[call_fields(5, 3, 0, 1), 8, 2, 2, 0]),
        (Kind::Barrier, NotBuilt, &[call_fields(5, 2, 0, 0)]),
        (Kind::Reduce, NotBuilt, &[call_fields(5, 3, 0, 1), 8, 2, 5000]),
        (Kind::Barrier, OutOfTurn, &[call_fields(5, 0, 0, 0)]),
        (Kind::Allreduce, OutOfTurn, &[call_fields(1, 0, 0, 1), 8, 2, 5000]),
        // An absent neighbour, and one for whom there is no place.
        (Kind::Barrier, Malformed, &[call_fields(0, 0, 0, 0)]),
        (Kind::Barrier, Malformed, &[call_fields(0, 0, 7, 0)]),
        (Kind::Reduce, Malformed, &[call_fields(0, 0, 0, 0), 8, 0, 5000]),
        (Kind::Reduce, Malformed, &[call_fields(0, 0, 1, 1), 8, 0, 5000]),
        (Kind::Reduce, Malformed, &[call_fields(0, 0, 1, 0), 8, 2, 5000]),
        (Kind::Broadcast, OutOfMemory, &[call_fields(0, 0, 1, 1), 8, 4092, 4096]),
        (Kind::Broadcast, OutOfMemory, &[call_fields(0, 0, 1, 1), 8, 0, 4068]),
        (Kind::Allreduce, OutOfMemory, &[call_fields(0, 0, 1, 0), 8, 4068, 0]),
        (Kind::Allreduce, Malformed, &[call_fields(0, 0, 1, 0), 8, 28, 0]),
    ];
    for (quiet, (kind, error, words)) in [false, true].into_iter().cycle().zip(refusals) {
        let seen = posted(&mut engine, kind, quiet, words);
        assert_eq!(seen, (Some(error), idle), "{kind:?} {words:x?}");
    }
    // A refused call has not happened. The last words of the memory are allowed, and no words behind them.
    let accepted = [
        &[call_fields(0, 0, 1, 0), 7, 4068, 4068],
        &[call_fields(1, 0, 1, 0), 0, 4096, 0],
    ];
    for (number, words) in (1..).zip(accepted) {
        let (error, status) = posted(&mut engine, Kind::Reduce, false, words);
        assert_eq!((error, status & !(7 << 3)), (None, RUNNING | number << 6));
    }
    for number in 2..5 {
        let (error, _) = posted(&mut engine, Kind::Barrier, false, &[call_fields(number, 0, 1, 0)]);
        assert_eq!(error, None);
    }
    let full = RUNNING | 4 << 3 | 5 << 6;
    let wrong = [call_fields(6, 0, 0, 1), 8, 2, 5000];
    assert_eq!(posted(&mut engine, Kind::Reduce, true, &wrong), (Some(OutOfTurn), full));
    let wrong = [call_fields(5, 0, 0, 1), 8, 2, 5000];
    assert_eq!(
        posted(&mut engine, Kind::Reduce, true, &wrong),
        (Some(TooManyCalls), full)
    );
    // A context that is closed says so, whatever else is wrong.
    let barrier = [call_fields(0, 1, 1, 0)];
    assert_eq!(posted(&mut engine, Kind::Barrier, false, &barrier).0, None);
    let (mut mpe, mut memory) = alone();
    let root = 1 << 13;
    mpe.commands()
        .push(vec![first_word(Kind::Reduce, 0, false), root, 1, 0, 0]);
    let marks = Marks {
        is_down: false,
        opens: true,
    };
    assert!(mpe.take_words(node(6), 1 << 2, marks, vec![0]));
    while mpe.step(&mut memory).is_some() {}
    let mut engine = (mpe, memory);
    let closed = CLOSED | DRAINED | 1 << 6;
    assert_eq!(posted(&mut engine, Kind::Reduce, false, &wrong), (Some(Closed), closed));
    let barrier = [call_fields(1, 0, 1, 0)];
    assert_eq!(
        posted(&mut engine, Kind::Barrier, true, &barrier),
        (Some(Closed), closed)
    );
    assert_eq!(
        posted(&mut engine, Kind::Barrier, false, &[0, 0]),
        (Some(Malformed), closed)
    );
}

#[test]
fn an_operation_without_a_meaning_travels_with_a_broadcast() {
    let mut engine = alone();
    let words = [call_fields(0, 0, 0, 1) | 1 << 13, 2, 0, 0];
    assert_eq!(posted(&mut engine, Kind::Broadcast, false, &words).0, None);
    let (mpe, memory) = &mut engine;
    let Some(MpeStep::Sends(to, Packet::Data(packet))) = mpe.step(memory) else {
        panic!("the root has two words to send");
    };
    let words = vec![1 << 28 | 1 << 26 | 2 << 8, UNTOUCHED, UNTOUCHED];
    let (tag, marks) = (
        3 << 2,
        Marks {
            is_down: true,
            opens: true,
        },
    );
    assert_eq!((to, packet), (node(6), DataPacket::Collective { tag, marks, words }));
}

#[test]
fn what_strangers_send_is_refused() {
    let (mut mpe, _) = alone();
    let tag = |context, place, sign| Tag { context, place, sign }.encode();
    let first = Marks::default();
    let (own, stranger) = (node(6), node(5));
    for (source, tag) in [
        (stranger, tag(0, 1, Sign::Credit)),
        // Contexts and places that are not there.
        (own, tag(2, 1, Sign::Credit)),
        (own, tag(0, 0, Sign::Credit)),
        (own, tag(0, 4, Sign::Credit)),
        (own, tag(0, 15, Sign::Credit)),
    ] {
        assert!(!mpe.take_words(source, tag, first, vec![1]));
        for sign in [Sign::Credit, Sign::Go, Sign::Token] {
            assert!(!mpe.take_control(source, tag | sign as u8, 0));
        }
    }
    // No words, and no room for a third packet.
    let words = tag(1, 1, Sign::Credit);
    assert!(!mpe.take_words(own, words, first, vec![]));
    assert_eq!(
        [1, 2, 3].map(|word| mpe.take_words(own, words, first, vec![word])),
        [true, true, false]
    );
    // All credits are at home. There is room for one token of a call.
    let token = tag(0, 1, Sign::Token);
    assert!(!mpe.take_control(own, tag(0, 1, Sign::Credit), 0));
    assert_eq!(
        [0, 2, 2, 1, 0].map(|number| mpe.take_control(own, token, number)),
        [true, true, false, true, false]
    );
    // Token and go at once.
    assert!(!mpe.take_control(own, token | Sign::Go as u8, 0));
    assert_eq!([0, 1].map(|context| mpe.read(context, MpeRegister::Status)), [1, 0]);
    // A token of a call before the first one: it has ended.
    assert!(mpe.take_control(own, token, 3));
    assert_eq!(mpe.read(0, MpeRegister::Status), CLOSED | DRAINED);
}

#[test]
fn rows_are_written_only_while_the_context_is_idle() {
    let (mut mpe, mut memory) = alone();
    let row = |x| {
        let (node, place) = (node(x), 3);
        Row::encode(Some(Row { node, place })).unwrap()
    };
    let words = |context| {
        let (place, sign) = (1, Sign::Credit);
        Tag { context, place, sign }.encode()
    };
    let (credit, first) = (words(0), Marks::default());
    for place in 4..8 {
        assert!(
            !mpe.write(0, MpeRegister::from_number(place).unwrap(), row(2)),
            "{place}"
        );
    }
    // A packet that has come.
    assert!(mpe.take_words(node(6), words(1), first, vec![1]));
    assert!(!mpe.write(1, MpeRegister::Neighbour1, row(2)));
    assert!(mpe.write(0, MpeRegister::Neighbour1, row(2)), "contexts are apart");
    // A call that runs, and then a credit that is missing.
    let reduce = vec![first_word(Kind::Reduce, 0, false), call_fields(0, 0, 1, 0), 1, 0, 0];
    mpe.commands().push(reduce);
    assert!(matches!(mpe.step(&mut memory), Some(MpeStep::Moves)));
    assert!(!mpe.write(0, MpeRegister::Neighbour1, row(6)));
    assert!(matches!(mpe.step(&mut memory), Some(MpeStep::Sends(to, _)) if to == node(2)));
    assert!(matches!(mpe.step(&mut memory), Some(MpeStep::Ends(_, None))));
    assert!(mpe.is_idle());
    assert!(!mpe.write(0, MpeRegister::Neighbour1, row(6)));
    assert!(!mpe.take_control(node(6), credit, 0), "the neighbour is still another");
    assert!(mpe.take_control(node(2), credit, 0));
    assert!(mpe.write(0, MpeRegister::Neighbour1, row(6)));
    assert!(mpe.take_words(node(6), words(0), first, vec![1]));
    // Time-outs are taken at any time. Rows are read; time-outs and the control are not.
    assert!(mpe.write(0, MpeRegister::Timeout, 5));
    assert_eq!(mpe.read(0, MpeRegister::Timeout) | mpe.read(0, MpeRegister::Control), 0);
    let read = [1, 2, 7].map(|place| mpe.read(0, MpeRegister::from_number(place).unwrap()));
    assert_eq!(read, [row(6), 0, 0]);
}

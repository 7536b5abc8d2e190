//! The error of a put reaches its initiator, and no other node that uses the same window.

use super::{rest, SOON};
use portico::{
    onesided::{Remote, Segment, Ticket, Window},
    program::assemble,
    Error, Fabric, Transport,
};
use portico_spec::ni::{
    descriptor::{Command, Descriptor, Geometry, Transfer},
    ErrorCode,
};
use rand::{rngs::SmallRng, Rng, SeedableRng};

const SEED: u64 = 0x0e4d5;
/// Words of the window. The handles of its users say that it has twice as many.
const SIZE: u32 = 512;
/// Its first byte.
const BASE: u32 = 0x1000;
const TARGET: usize = 4;
/// Who use it, from different sides of the target.
const USERS: [usize; 2] = [0, 5];

/// A window of node [`TARGET`], and what both users take for it.
fn shared<T: Transport>(fabric: &mut Fabric<T>, window: Window, bytes: u32) -> Result<(Segment, [Remote; 2]), Error> {
    // Two windows on one tag, one after the other: the handles of the first are too large for the second.
    let first = fabric.publish(TARGET, Window::new(BASE, 2 * bytes))?;
    let [one, other] = USERS;
    let users = [
        fabric.tile(one)?.clone_segment(first.id())?,
        fabric.tile(other)?.clone_segment(first.id())?,
    ];
    first.withdraw(fabric)?;
    Ok((fabric.publish(TARGET, window)?, users))
}

fn put<T: Transport>(fabric: &mut Fabric<T>, remote: &Remote, from: u32, words: u32) -> Result<Ticket<()>, Error> {
    let word = fabric.word_bytes();
    let transfer = Transfer {
        remote: word * from,
        local: 0,
        geometry: Geometry::Row { row: word * words },
    };
    let descriptor = Descriptor {
        segment: remote.handle(),
        ..Descriptor::new(Command::Put(transfer))
    };
    let words = descriptor.encode(fabric.config())?;
    fabric.tile(remote.initiator())?.descriptor(&words)?.start()
}

/// Of two long puts at once to one window, any may leave it: each initiator is told what came of its own, and the window
/// counts the right ones alone.
pub fn an_error_of_a_put_goes_to_its_own_initiator<T: Transport>(
    open: impl Fn(usize) -> Fabric<T>,
) -> Result<(), Error> {
    println!("seed {SEED:#x}");
    let mut random = SmallRng::seed_from_u64(SEED);
    let (mut together, mut ends) = (0, 0);
    for (width, rounds) in [(32, 200), (64, 40)] {
        let mut fabric = open(width);
        let bytes = SIZE * fabric.word_bytes();
        let counted = fabric.event(TARGET)?;
        let window = Window::new(BASE, bytes).notifying(&counted);
        let (segment, users) = shared(&mut fabric, window, bytes)?;
        fabric.write(TARGET, BASE + bytes, &[0; 64])?;
        let mut right = 0;
        for round in 0..rounds {
            let wrong = [random.gen_bool(0.4), random.gen_bool(0.4)];
            let mut tickets = Vec::new();
            let first = random.gen_range(0..2);
            for user in [first, 1 - first] {
                let words = random.gen_range(1..=300);
                let from = match wrong[user] {
                    // One word at least lies behind the window, and often all.
                    true => random.gen_range(SIZE + 1 - words..=2 * SIZE - words),
                    false => random.gen_range(0..=SIZE - words),
                };
                tickets.push((user, from, words, put(&mut fabric, &users[user], from, words)?));
            }
            for (user, from, words, ticket) in &mut tickets {
                let (node, what, code) = (USERS[*user], "descriptor", ErrorCode::OutOfWindow);
                let expected = match wrong[*user] {
                    true => Err(Error::Refused { node, what, code }),
                    false => Ok(()),
                };
                assert_eq!(
                    ticket.wait(&mut fabric, SOON),
                    expected,
                    "width {width}, round {round}, {words} words at word {from}, others wrong {wrong:?}"
                );
            }
            right += wrong.iter().filter(|wrong| !**wrong).count();
            together += usize::from(wrong[0] != wrong[1]);
            assert_eq!(
                usize::from(segment.ends(&mut fabric)?),
                right,
                "width {width}, ends after round {round}"
            );
        }
        rest(&mut fabric);
        let state = counted.state(&mut fabric)?;
        assert_eq!((usize::from(state.count), state.error), (right, None), "width {width}");
        assert_eq!(fabric.read(TARGET, BASE + bytes, 64)?, [0; 64], "width {width}");
        ends += right;
    }
    assert!(
        together > 80 && ends > 200,
        "{together} rounds with one wrong put, {ends} right ones"
    );
    Ok(())
}

/// A program whose first piece is outside is told so, though its last is inside; what others do meanwhile is theirs.
pub fn a_program_is_told_of_its_first_piece<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    // r2 is a local address, r3 the words of a piece, r4 and r5 the offsets of two.
    let text = "to r4\nrun r2\nto r5\nrun r2, close, last, stop";
    for width in [32, 64] {
        let mut fabric = open(width);
        let bytes = SIZE * fabric.word_bytes();
        let (segment, users) = shared(&mut fabric, Window::new(BASE, bytes), bytes)?;
        let program = fabric.load(USERS[0], &assemble(text)?)?;
        for round in 0..20 {
            for (first, last, expected) in [
                (SIZE, 0, Some(ErrorCode::OutOfWindow)),
                (SIZE - 1, 64, Some(ErrorCode::OutOfWindow)),
                (0, SIZE, Some(ErrorCode::OutOfWindow)),
                (0, 64, None),
            ] {
                let before = segment.ends(&mut fabric)?;
                let arguments = [0, 40, first, last];
                let mut other = put(&mut fabric, &users[1], 0, 1 + 13 * round)?;
                let mut own = fabric.tile(USERS[0])?.run(&program, &users[0], &arguments)?.start()?;
                let (node, what) = (USERS[0], "program");
                let expected = expected.map_or(Ok(()), |code| Err(Error::Refused { node, what, code }));
                let what = format!("width {width}, round {round}, pieces at {first} and {last}");
                assert_eq!(own.wait(&mut fabric, SOON), expected, "{what}");
                assert_eq!(other.wait(&mut fabric, SOON), Ok(()), "{what}");
                // Its last piece decides whether the window counts the end.
                let counts = 1 + u16::from(last + 40 <= SIZE);
                assert_eq!(segment.ends(&mut fabric)? - before, counts, "{what}");
            }
        }
    }
    Ok(())
}

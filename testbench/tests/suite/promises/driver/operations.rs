//! Every operation of the driver, from tiles, the host and to themselves, at both widths.

use super::{initiator, SOON};
use portico::{
    event::Compare,
    onesided::{Atom, Geometry, Strides, Window},
    program::assemble,
    Error, Fabric, Transport,
};
use portico_spec::ni::{event::EVENTS, page::PAGE_OFFSET_WIDTH};

/// Initiators and targets: tiles, a tile to itself, the host, the memory node.
const PAIRS: [(usize, usize); 6] = [(0, 5), (3, 3), (6, 2), (4, 6), (6, 7), (1, 7)];

pub fn puts_and_gets_come_back<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    for (width, (from, to)) in [32, 64].into_iter().flat_map(|width| PAIRS.map(|pair| (width, pair))) {
        let mut fabric = open(width);
        let segment = fabric.publish(to, Window::new(0x400, 0x200))?;
        let remote = initiator(&mut fabric, from)?.clone_segment(segment.id())?;
        let words: Vec<u32> = (100..148).collect();
        fabric.write(from, 0x100, &words)?;
        initiator(&mut fabric, from)?
            .put(&remote, 0x20, 0x100, Geometry::linear(192))?
            .wait(SOON)?;
        assert_eq!(fabric.read(to, 0x420, 48)?, words);
        assert_eq!(
            (fabric.read(to, 0x418, 2)?, fabric.read(to, 0x4e0, 2)?),
            (vec![0; 2], vec![0; 2])
        );
        initiator(&mut fabric, from)?.fence(&remote)?.wait(SOON)?;
        initiator(&mut fabric, from)?
            .get(&remote, 0x30, 0x800, Geometry::linear(64))?
            .wait(SOON)?;
        assert_eq!(fabric.read(from, 0x800, 16)?, words[4..20]);
        assert_eq!(segment.ends(&mut fabric)?, 1);
        remote.release(&mut fabric)?;
        segment.withdraw(&mut fabric)?;
    }
    Ok(())
}

/// Two pages at one place show the same words, and a page that went elsewhere comes back as it was.
pub fn pages_show_what_they_are_moved_to<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    const MEMORY: usize = 7;
    const FAR: u64 = 0x12_3456_7000;
    for width in [32, 64] {
        let mut fabric = open(width);
        let page = fabric.word_bytes() << PAGE_OFFSET_WIDTH;
        let words: Vec<u32> = (1..=64).collect();
        fabric.write(MEMORY, page - 128, &words)?;
        assert_eq!(fabric.read(MEMORY, page, 32)?, words[32..]);
        fabric.move_page(MEMORY, 6, u64::from(page))?;
        assert_eq!(fabric.read(MEMORY, 6 * page, 32)?, words[32..]);
        fabric.move_page(MEMORY, 1, FAR)?;
        fabric.write(MEMORY, page, &[0; 32])?;
        fabric.write(MEMORY, page + 64, &words[..16])?;
        assert_eq!(fabric.read(MEMORY, 6 * page, 32)?, words[32..]);
        fabric.move_page(MEMORY, 6, FAR)?;
        assert_eq!(fabric.read(MEMORY, 6 * page + 64, 16)?, words[..16]);
        fabric.move_page(MEMORY, 1, u64::from(page))?;
        assert_eq!(fabric.read(MEMORY, page - 128, 64)?, words);
    }
    Ok(())
}

pub fn nothing_moves_and_completes_all_the_same<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    for width in [32, 64] {
        let mut fabric = open(width);
        let segment = fabric.publish(5, Window::new(0, 64))?;
        let remote = fabric.tile(0)?.clone_segment(segment.id())?;
        fabric.write(0, 0, &[7; 16])?;
        let strides = Strides { remote: 8, local: 8 };
        let nothing = [
            Geometry::linear(0),
            Geometry::rows(8, 0, strides),
            Geometry::rows(0, 3, strides),
            Geometry::planes(8, (3, strides), (0, strides)),
            Geometry::planes(8, (0, strides), (3, strides)),
        ];
        for (at, geometry) in nothing.into_iter().enumerate() {
            fabric.tile(0)?.put(&remote, 64, 0, geometry)?.wait(SOON)?;
            assert_eq!(segment.ends(&mut fabric)?, at as u16 + 1);
            fabric.tile(0)?.get(&remote, 64, 0, geometry)?.wait(SOON)?;
        }
        assert_eq!(
            (fabric.read(5, 0, 16)?, fabric.read(0, 0, 16)?),
            (vec![0; 16], vec![7; 16])
        );
    }
    Ok(())
}

fn atomics<A, T>(mut fabric: Fabric<T>, base: u32) -> Result<(), Error>
where
    A: Atom + From<u32> + std::fmt::Debug + PartialEq,
    T: Transport,
{
    for (from, to) in PAIRS {
        let segment = fabric.publish(to, Window::new(base, 64))?;
        let remote = initiator(&mut fabric, from)?.clone_segment(segment.id())?;
        let a = |number: u32| A::from(number);
        for offset in (0..64).step_by(A::BYTES as usize) {
            let at = || (&remote, offset);
            let (remote, offset) = at();
            initiator(&mut fabric, from)?.poke(remote, offset, a(10))?.wait(SOON)?;
            initiator(&mut fabric, from)?
                .postadd(remote, offset, a(5))?
                .wait(SOON)?;
            assert_eq!(
                initiator(&mut fabric, from)?.peek::<A>(remote, offset)?.wait(SOON)?,
                a(15)
            );
            assert_eq!(
                initiator(&mut fabric, from)?
                    .fetchadd(remote, offset, a(2))?
                    .wait(SOON)?,
                a(15)
            );
            let swap = |expected, new| (a(expected), a(new));
            let (expected, new) = swap(16, 99);
            let old = initiator(&mut fabric, from)?
                .compare_and_swap(remote, offset, expected, new)?
                .wait(SOON)?;
            assert_eq!(old, a(17));
            let (expected, new) = swap(17, 40);
            initiator(&mut fabric, from)?
                .compare_and_swap(remote, offset, expected, new)?
                .wait(SOON)?;
            let old = initiator(&mut fabric, from)?
                .add_if(remote, offset, a(40), a(1))?
                .wait(SOON)?;
            assert_eq!(old, a(40));
            let old = initiator(&mut fabric, from)?
                .add_if(remote, offset, a(41), a(1))?
                .wait(SOON)?;
            assert_eq!(old, a(40));
            assert_eq!(
                initiator(&mut fabric, from)?
                    .fetchclear::<A>(remote, offset)?
                    .wait(SOON)?,
                a(41)
            );
            initiator(&mut fabric, from)?
                .poke(remote, offset, a(offset + 1))?
                .wait(SOON)?;
        }
        let words = fabric.read(to, base, 16)?;
        for offset in (0..64).step_by(A::BYTES as usize) {
            assert_eq!(words[offset / 4], offset as u32 + 1);
        }
        remote.release(&mut fabric)?;
        segment.withdraw(&mut fabric)?;
    }
    Ok(())
}

pub fn atomics_of_both_sizes<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    atomics::<u32, T>(open(32), 0x104)?;
    atomics::<u32, T>(open(64), 0x108)?;
    atomics::<u64, T>(open(32), 0x104)?;
    atomics::<u64, T>(open(64), 0x108)
}

pub fn sums_of_64_bits_carry_and_wrap<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    for width in [32, 64] {
        let mut fabric = open(width);
        let segment = fabric.publish(2, Window::new(0, 64))?;
        let remote = fabric.tile(1)?.clone_segment(segment.id())?;
        fabric.write(2, 8, &[u32::MAX, 6, 1, 1])?;
        assert_eq!(
            fabric.tile(1)?.fetchadd(&remote, 8, 1u64)?.wait(SOON)?,
            6 << 32 | 0xffff_ffff
        );
        assert_eq!(fabric.read(2, 8, 4)?, [0, 7, 1, 1]);
        fabric.tile(1)?.postadd(&remote, 8, u64::MAX)?.wait(SOON)?;
        assert_eq!(fabric.read(2, 8, 4)?, [u32::MAX, 6, 1, 1]);
        fabric.tile(1)?.postadd(&remote, 8, 1u32)?.wait(SOON)?;
        assert_eq!(fabric.read(2, 8, 4)?, [0, 6, 1, 1]);
    }
    Ok(())
}

pub fn many_operations_share_an_event<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    let mut fabric = open(32);
    let segment = fabric.publish(1, Window::new(0, 0x400))?;
    let remote = fabric.tile(0)?.clone_segment(segment.id())?;
    let sent = fabric.event(0)?;
    sent.drain(&mut fabric, SOON)?;
    for word in 0..256 {
        fabric.tile(0)?.postadd(&remote, 4 * word, word)?.count_in(&sent)?;
    }
    sent.drain(&mut fabric, SOON)?;
    assert_eq!(sent.state(&mut fabric)?.count, 256);
    assert_eq!(fabric.read(1, 0, 256)?, (0..256).collect::<Vec<u32>>());
    Ok(())
}

pub fn as_many_operations_under_way_as_there_are_events<T: Transport>(
    open: impl Fn(usize) -> Fabric<T>,
) -> Result<(), Error> {
    let mut fabric = open(32);
    let segment = fabric.publish(1, Window::new(0, 0x400))?;
    let remote = fabric.tile(0)?.clone_segment(segment.id())?;
    let mut tickets = Vec::new();
    for _ in 0..EVENTS {
        tickets.push(fabric.tile(0)?.fetchadd(&remote, 0, 1u32)?.start()?);
    }
    let more = fabric.tile(0)?.fetchadd(&remote, 0, 1u32)?.start().unwrap_err();
    assert_eq!(more.to_string(), "node 0 cannot allocate 1 event: it has 64 in all");
    for (value, ticket) in tickets.iter_mut().enumerate() {
        assert_eq!(ticket.wait(&mut fabric, SOON)?, value as u32);
        // A ticket remembers.
        assert_eq!(ticket.wait(&mut fabric, SOON)?, value as u32);
    }
    fabric.tile(0)?.fetchadd(&remote, 0, 1u32)?.wait(SOON)?;
    Ok(())
}

pub fn programs_loop_wait_and_notify<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    let mut fabric = open(32);
    let go = fabric.event(0)?;
    go.configure(&mut fabric, 1, Compare::AtLeast, false)?;
    let done = fabric.event(0)?;
    // Waits, sends r5 rows of r3.l words, each twice, and ends.
    let text = format!(
        "wait {}\nloop r5\nrun r2\nrun r2, +r3.l !end\nnotify {}\nclose last, stop",
        go.number(),
        done.number()
    );
    let program = fabric.load(0, &assemble(&text)?)?;
    let segment = fabric.publish(4, Window::new(0x100, 0x100))?;
    let remote = fabric.tile(0)?.clone_segment(segment.id())?;
    fabric.write(0, 0x40, &[1, 2, 3, 4, 5, 6])?;
    let arguments = [0x40 / 4, 2, 2 << 16, 3];
    let mut ticket = fabric.tile(0)?.run(&program, &remote, &arguments)?.start()?;
    assert_eq!(ticket.poll(&mut fabric)?, None);
    // Others go on, on their own segments, and a fence waits for it.
    let other = fabric.tile(0)?.clone_segment(segment.id())?;
    fabric
        .tile(0)?
        .put(&other, 0xf8, 0x40, Geometry::linear(8))?
        .wait(SOON)?;
    let mut fence = fabric.tile(0)?.fence(&remote)?.start()?;
    assert_eq!(
        (fence.poll(&mut fabric)?, fabric.read(4, 0x100, 2)?),
        (None, vec![0, 0])
    );
    go.reset(&mut fabric, 1)?;
    ticket.wait(&mut fabric, SOON)?;
    fence.wait(&mut fabric, SOON)?;
    assert_eq!(fabric.read(4, 0x100, 12)?, [1, 2, 1, 2, 3, 4, 3, 4, 5, 6, 5, 6]);
    assert_eq!((done.state(&mut fabric)?.count, segment.ends(&mut fabric)?), (1, 2));
    program.unload(&mut fabric)
}

pub fn another_shaper_and_raw_descriptors<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    let mut fabric = open(32);
    let segment = fabric.publish(4, Window::new(0, 64))?;
    let remote = fabric.tile(0)?.clone_segment(segment.id())?;
    fabric.write(0, 0, &[3])?;
    fabric
        .tile(0)?
        .put(&remote, 0, 0, Geometry::linear(4))?
        .shaper(7)?
        .wait(SOON)?;
    assert_eq!(fabric.read(4, 0, 1)?, [3]);
    let error = fabric
        .tile(0)?
        .put(&remote, 0, 0, Geometry::linear(4))?
        .shaper(8)
        .err()
        .expect("there are eight shapers");
    assert_eq!(error.to_string(), "shaper = 8 is not allowed: allowed is 0..=7");
    let peek = 5 | 5 << 22;
    let value: u32 = fabric.tile(0)?.descriptor(&[peek, 0])?.wait(SOON)?;
    assert_eq!(value, 3);
    Ok(())
}

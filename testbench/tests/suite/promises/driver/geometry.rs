//! Transfers of any geometry against a naive copy, byte for byte, at both widths.

use super::SOON;
use portico::{
    onesided::{Geometry, Strides, Window},
    Error, Fabric, Transport,
};
use proptest::{prelude::*, test_runner::TestRunner};

const WORDS: u32 = 1 << 10;
/// Cycles for 65,535 rows.
const LONG: u64 = 6_000_000;

/// A geometry in words.
#[derive(Clone, Copy, Debug)]
struct Shape {
    row: u32,
    rows: u32,
    planes: u32,
    row_strides: (u32, u32),
    plane_strides: (u32, u32),
}

impl Shape {
    fn geometry(&self, word: u32) -> Geometry {
        let strides = |(remote, local)| Strides {
            remote: remote * word,
            local: local * word,
        };
        let (rows, planes) = (strides(self.row_strides), strides(self.plane_strides));
        Geometry::planes(self.row * word, (self.rows, rows), (self.planes, planes))
    }

    /// Remote and local word of each word that moves, in order.
    fn places(&self) -> Vec<(u32, u32)> {
        let mut places = Vec::new();
        for plane in 0..self.planes {
            for row in 0..self.rows {
                for word in 0..self.row {
                    let remote = plane * self.plane_strides.0 + row * self.row_strides.0 + word;
                    let local = plane * self.plane_strides.1 + row * self.row_strides.1 + word;
                    places.push((remote, local));
                }
            }
        }
        places
    }
}

/// Rows and planes may overlap on either side: the later one counts.
fn shapes() -> impl Strategy<Value = Shape> {
    let strides = |max: u32| (0..max, 0..max);
    let counts = prop_oneof![
        (0..80u32, 0..4u32, 0..4u32),
        (0..4u32, 0..20u32, 0..6u32),
        (0..200u32, Just(1), Just(1))
    ];
    (counts, strides(25), strides(60)).prop_map(|((row, rows, planes), row_strides, plane_strides)| Shape {
        row,
        rows,
        planes,
        row_strides,
        plane_strides,
    })
}

/// What both sides hold after the transfer, from what a naive loop does to copies of what they held.
fn run<T: Transport>(
    mut fabric: Fabric<T>,
    shape: Shape,
    (offset, local): (u32, u32),
    to_remote: bool,
) -> Result<(), Error> {
    let word = fabric.word_bytes();
    let lanes = word / 4;
    let (initiator, target) = (1, 4);
    let mut near: Vec<u32> = (0..WORDS * lanes).collect();
    let mut far: Vec<u32> = (0..WORDS * lanes).map(|at| !at).collect();
    fabric.write(initiator, 0, &near)?;
    fabric.write(target, 0, &far)?;
    // The window begins somewhere, so that an address taken for an offset shows.
    let base = 16;
    let segment = fabric.publish(target, Window::new(base * word, (WORDS - base) * word))?;
    let remote = fabric.tile(initiator)?.clone_segment(segment.id())?;
    let geometry = shape.geometry(word);
    let tile = fabric.tile(initiator)?;
    let operation = if to_remote {
        tile.put(&remote, offset * word, local * word, geometry)?
    } else {
        tile.get(&remote, offset * word, local * word, geometry)?
    };
    operation.wait(SOON)?;
    for (there, here) in shape.places() {
        for lane in 0..lanes {
            let there = ((base + offset + there) * lanes + lane) as usize;
            let here = ((local + here) * lanes + lane) as usize;
            if to_remote {
                far[there] = near[here];
            } else {
                near[here] = far[there];
            }
        }
    }
    assert_eq!(fabric.read(initiator, 0, near.len())?, near);
    assert_eq!(fabric.read(target, 0, far.len())?, far);
    assert_eq!(geometry.bytes(), shape.places().len() as u64 * u64::from(word));
    Ok(())
}

/// So many transfers.
pub fn transfers_are_copies<T: Transport>(open: impl Fn(usize) -> Fabric<T>, cases: u32) -> Result<(), Error> {
    let config = ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let width = prop_oneof![Just(32), Just(64)];
    let input = (width, shapes(), (0..30u32, 0..30u32), any::<bool>());
    let outcome = TestRunner::new(config).run(&input, |(width, shape, at, to_remote)| {
        prop_assert_eq!(run(open(width), shape, at, to_remote), Ok(()));
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{error}"));
    Ok(())
}

/// A row of all that fits, and counts of 65,535.
pub fn the_largest_row_and_counts<T: Transport>(mut fabric: Fabric<T>) -> Result<(), Error> {
    const LAST: u32 = (1 << 16) - 1;
    let memory = fabric.memory_bytes(0)?;
    let all = memory as usize / 4;
    let words: Vec<u32> = (0..all as u32).map(|at| at ^ 0x5a5a_0000).collect();
    fabric.write(0, 0, &words)?;
    let segment = fabric.publish(1, Window::new(0, memory))?;
    let remote = fabric.tile(0)?.clone_segment(segment.id())?;
    // One row of all but the last word, 65,535 of them if there is the memory.
    fabric
        .tile(0)?
        .put(&remote, 0, 0, Geometry::linear(memory - 4))?
        .wait(LONG)?;
    assert_eq!(fabric.read(1, 0, all)?[..all - 1], words[..all - 1]);
    // The whole memory as two rows that touch.
    let half = memory / 2;
    let strides = Strides {
        remote: half,
        local: half,
    };
    fabric
        .tile(0)?
        .put(&remote, 0, 0, Geometry::rows(half, 2, strides))?
        .wait(LONG)?;
    assert_eq!(fabric.read(1, 0, all)?, words);
    // 65,535 rows of one word, all from the same place, and side by side if there is the memory.
    let side_by_side = all as u32 > LAST;
    let strides = Strides {
        remote: if side_by_side { 4 } else { 0 },
        local: 0,
    };
    fabric
        .tile(0)?
        .put(&remote, 4, 8, Geometry::rows(4, LAST, strides))?
        .wait(LONG)?;
    let copies = if side_by_side { LAST as usize } else { 1 };
    let after = fabric.read(1, 4, all - 1)?;
    assert_eq!(after[..copies], vec![words[2]; copies]);
    assert_eq!(after[copies..], words[copies + 1..]);
    // As many planes, all to the same place.
    let none = Strides::default();
    let strides = Strides {
        remote: 0,
        local: if side_by_side { 4 } else { 0 },
    };
    let planes = Geometry::planes(4, (1, none), (LAST, strides));
    fabric.tile(0)?.put(&remote, 0, 4, planes)?.wait(LONG)?;
    let from = if side_by_side { LAST as usize } else { 1 };
    assert_eq!(fabric.read(1, 0, 2)?, [words[from], after[0]]);
    Ok(())
}

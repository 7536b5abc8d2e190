//! Transfers of any geometry against a naive copy, byte for byte, at both widths.

use common::{open, SOON};
use portico::{
    onesided::{Geometry, Strides, Window},
    Error,
};
use proptest::prelude::*;

mod common;

const WORDS: u32 = 1 << 10;

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
fn run(width: usize, shape: Shape, (offset, local): (u32, u32), to_remote: bool) -> Result<(), Error> {
    let mut fabric = open(width);
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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn transfers_are_copies(
        shape in shapes(),
        at in (0..30u32, 0..30u32),
        wide in any::<bool>(),
        to_remote in any::<bool>(),
    ) {
        let width = if wide { 64 } else { 32 };
        let outcome = run(width, shape, at, to_remote);
        prop_assert_eq!(outcome, Ok(()));
    }
}

#[test]
fn the_largest_row_and_counts() -> Result<(), Error> {
    use portico::{Fabric, GoldenTransport};
    let config = portico_spec::Config {
        cols: 2,
        rows: 1,
        edge_nodes: 1,
        scratchpad: 256,
        ..Default::default()
    };
    let mut fabric = Fabric::open(GoldenTransport::new(&config)?)?;
    let words: Vec<u32> = (0..1 << 16).map(|at| at ^ 0x5a5a_0000).collect();
    fabric.write(0, 0, &words)?;
    let segment = fabric.publish(1, Window::new(0, 256 << 10))?;
    let remote = fabric.tile(0)?.clone_segment(segment.id())?;
    let last = (1 << 16) - 1;
    // One row of 65,535 words.
    fabric
        .tile(0)?
        .put(&remote, 0, 0, Geometry::linear(4 * last))?
        .wait(100_000)?;
    assert_eq!(fabric.read(1, 0, 1 << 16)?[..last as usize], words[..last as usize]);
    // The whole memory as two rows that touch.
    let half = 128 << 10;
    let strides = Strides {
        remote: half,
        local: half,
    };
    fabric
        .tile(0)?
        .put(&remote, 0, 0, Geometry::rows(half, 2, strides))?
        .wait(100_000)?;
    assert_eq!(fabric.read(1, 0, 1 << 16)?, words);
    // 65,535 rows of one word, backwards out of nothing: all from the same place.
    let strides = Strides { remote: 4, local: 0 };
    fabric
        .tile(0)?
        .put(&remote, 4, 8, Geometry::rows(4, last, strides))?
        .wait(1_000_000)?;
    assert_eq!(fabric.read(1, 4, last as usize)?, vec![words[2]; last as usize]);
    // As many planes, all to the same place.
    let none = Strides::default();
    let planes = Geometry::planes(4, (1, none), (last, Strides { remote: 0, local: 4 }));
    fabric.tile(0)?.put(&remote, 0, 4, planes)?.wait(1_000_000)?;
    assert_eq!(fabric.read(1, 0, 1)?, [words[last as usize]]);
    Ok(())
}

//! Random shapes of transfers that fit.

use portico_spec::ni::descriptor::Geometry;
use rand::Rng;

/// Rows as a descriptor has them, in words.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub dimensions: usize,
    row: u32,
    rows: u32,
    planes: u32,
    local: [u32; 2],
    remote: [u32; 2],
}

impl Shape {
    /// One row of so many words.
    pub fn row(words: u32) -> Shape {
        Shape {
            dimensions: 1,
            row: words,
            rows: 1,
            planes: 1,
            local: [0; 2],
            remote: [0; 2],
        }
    }

    /// A shape of one to three dimensions that touches at most these words; it may be empty.
    pub fn random(random: &mut impl Rng, most_local: u32, most_remote: u32) -> Shape {
        loop {
            let dimensions = random.gen_range(1..=3);
            let most = most_local.min(most_remote);
            let mut shape = Shape::row(match dimensions {
                1 => random.gen_range(0..=most),
                _ if random.gen_bool(0.2) => 1,
                _ => random.gen_range(0..=most / 3),
            });
            shape.dimensions = dimensions;
            let mut stride = |least: u32| match random.gen_range(0..4) {
                0 => least,
                _ => least + random.gen_range(0..5),
            };
            if dimensions > 1 {
                (shape.local[0], shape.remote[0]) = (stride(shape.row), stride(shape.row));
            }
            if dimensions > 1 {
                shape.rows = random.gen_range(0..=8);
            }
            if dimensions > 2 {
                let mut stride = |inner: u32| inner * shape.rows + random.gen_range(0..7);
                (shape.local[1], shape.remote[1]) = (stride(shape.local[0]), stride(shape.remote[0]));
                shape.planes = random.gen_range(0..=4);
            }
            if shape.local_words() <= most_local && shape.remote_words() <= most_remote {
                return shape;
            }
        }
    }

    /// The words from the first to the last that it touches in local memory.
    pub fn local_words(&self) -> u32 {
        self.extent(self.local)
    }

    /// Likewise in the segment.
    pub fn remote_words(&self) -> u32 {
        self.extent(self.remote)
    }

    fn extent(&self, [row, plane]: [u32; 2]) -> u32 {
        match self.row * self.rows * self.planes {
            0 => 0,
            _ => (self.planes - 1) * plane + (self.rows - 1) * row + self.row,
        }
    }

    /// As a descriptor says it, with words of so many bytes; of a stream, without the remote side.
    pub fn geometry(&self, word: u32) -> Geometry {
        let row = self.row * word;
        let [local_stride, local_plane_stride] = self.local.map(|words| words * word);
        let [remote_stride, remote_plane_stride] = self.remote.map(|words| words * word);
        match self.dimensions {
            1 => Geometry::Row { row },
            2 => Geometry::Rows {
                rows: self.rows,
                row,
                local_stride,
                remote_stride,
            },
            _ => Geometry::Planes {
                rows: self.rows,
                row,
                local_stride,
                remote_stride,
                planes: self.planes,
                local_plane_stride,
                remote_plane_stride,
            },
        }
    }

    /// The same for a stream: a row or rows, packed at the remote side.
    pub fn stream(mut self) -> Shape {
        self.dimensions = self.dimensions.min(2);
        (self.planes, self.remote) = (1, [0; 2]);
        self
    }

    /// The first plane of it, if there is one.
    pub fn rows(mut self) -> Shape {
        self.dimensions = self.dimensions.min(2);
        self.planes = self.planes.min(1);
        self
    }

    /// As registers 2 to 8 of the program [`GATHER`](super::site::GATHER), from the word `local` to the word `remote` of the
    /// segment, idle for so many rounds behind each row; `None` without rows, as a loop has one round at least.
    pub fn registers(&self, local: u32, remote: u32, idle: u32) -> Option<Vec<u32>> {
        let rows = self.rows * self.planes;
        (rows > 0).then(|| vec![local, self.row, self.remote[0] << 16, rows, self.local[0], remote, idle])
    }

    /// Words that it moves.
    pub fn words(&self) -> u32 {
        self.row * self.rows * self.planes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{rngs::StdRng, SeedableRng};

    #[test]
    fn shapes_fit_and_are_of_all_kinds() {
        let mut random = StdRng::seed_from_u64(7);
        let shapes: Vec<Shape> = (0..1000).map(|_| Shape::random(&mut random, 100, 80)).collect();
        for shape in &shapes {
            assert!(shape.local_words() <= 100 && shape.remote_words() <= 80, "{shape:?}");
            assert_eq!(shape.geometry(4).bytes(), u64::from(4 * shape.words()), "{shape:?}");
            assert_eq!(shape.stream().remote_words() > 0, shape.stream().words() > 0);
        }
        for dimensions in 1..=3 {
            assert!(shapes
                .iter()
                .any(|shape| shape.dimensions == dimensions && shape.words() > 64));
        }
        assert!(shapes.iter().any(|shape| shape.words() == 0));
    }
}

//! Which bytes a transfer moves, at both sides.

use portico_spec::ni::descriptor::Geometry as Shape;

/// Rows and planes of a transfer, with separate strides at each side. All values except the counts are in bytes: whole words of
/// the fabric, at most 65,535 of each. A transfer with a count or a row of 0 moves nothing and still completes.
///
/// ```
/// use portico::onesided::{Geometry, Strides};
///
/// // 16 x 16 words out of a dense tile into a buffer with rows of 18 words.
/// let tile = Geometry::rows(64, 16, Strides { remote: 72, local: 64 });
/// assert_eq!((tile.bytes(), tile.remote_bytes(), tile.local_bytes()), (1024, 15 * 72 + 64, 1024));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// Bytes that lie together at both sides.
    pub row: u32,
    /// Rows of a plane.
    pub rows: u32,
    /// From row to row.
    pub row_strides: Strides,
    /// Planes.
    pub planes: u32,
    /// From plane to plane.
    pub plane_strides: Strides,
}

/// Bytes from one row or plane to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Strides {
    /// In the segment.
    pub remote: u32,
    /// In the initiator's memory.
    pub local: u32,
}

impl Geometry {
    /// Bytes that lie together.
    pub fn linear(bytes: u32) -> Geometry {
        Geometry::rows(bytes, 1, Strides::default())
    }

    /// Rows, such as a column of a matrix or a tile of it.
    pub fn rows(row: u32, rows: u32, strides: Strides) -> Geometry {
        Geometry::planes(row, (rows, strides), (1, Strides::default()))
    }

    /// Planes of rows, such as a block of a volume: a count and the strides of each.
    pub fn planes(row: u32, (rows, row_strides): (u32, Strides), (planes, plane_strides): (u32, Strides)) -> Geometry {
        Geometry {
            row,
            rows,
            row_strides,
            planes,
            plane_strides,
        }
    }

    /// Bytes that it moves.
    pub fn bytes(&self) -> u64 {
        u64::from(self.row) * u64::from(self.rows) * u64::from(self.planes)
    }

    /// Bytes from the first that it touches in the segment to the last.
    pub fn remote_bytes(&self) -> u64 {
        self.extent(|strides| strides.remote)
    }

    /// Bytes from the first that it touches in the initiator's memory to the last.
    pub fn local_bytes(&self) -> u64 {
        self.extent(|strides| strides.local)
    }

    fn extent(&self, side: fn(&Strides) -> u32) -> u64 {
        if self.bytes() == 0 {
            return 0;
        }
        let steps = |count: u32, strides: &Strides| u64::from(count - 1) * u64::from(side(strides));
        steps(self.planes, &self.plane_strides) + steps(self.rows, &self.row_strides) + u64::from(self.row)
    }

    /// The shape as a descriptor has it, with the fewest words.
    pub(crate) fn shape(&self) -> Shape {
        let Geometry {
            row,
            rows,
            row_strides,
            planes,
            plane_strides,
        } = *self;
        match (planes, rows) {
            (1, 0) => Shape::Row { row: 0 },
            (1, 1) => Shape::Row { row },
            (1, _) => Shape::Rows {
                rows,
                row,
                local_stride: row_strides.local,
                remote_stride: row_strides.remote,
            },
            _ => Shape::Planes {
                rows,
                row,
                local_stride: row_strides.local,
                remote_stride: row_strides.remote,
                planes,
                local_plane_stride: plane_strides.local,
                remote_plane_stride: plane_strides.remote,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_says_no_more_than_it_must() {
        let strides = Strides { remote: 16, local: 8 };
        assert_eq!(Geometry::linear(32).shape(), Shape::Row { row: 32 });
        assert_eq!(Geometry::rows(32, 1, strides).shape(), Shape::Row { row: 32 });
        assert_eq!(Geometry::rows(32, 0, strides).shape(), Shape::Row { row: 0 });
        let rows = Shape::Rows {
            rows: 3,
            row: 32,
            local_stride: 8,
            remote_stride: 16,
        };
        assert_eq!(Geometry::rows(32, 3, strides).shape(), rows);
    }

    #[test]
    fn nothing_has_no_extent() {
        let strides = Strides { remote: 16, local: 8 };
        for nothing in [Geometry::linear(0), Geometry::rows(4, 0, strides)] {
            assert_eq!(
                (nothing.bytes(), nothing.remote_bytes(), nothing.local_bytes()),
                (0, 0, 0)
            );
        }
    }
}

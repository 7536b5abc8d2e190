//! The geometry of transfers, in words of the fabric's width.

/// Rows in planes, with strides of their own at each side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Transfer {
    pub remote: u64,
    pub local: u64,
    pub row: u64,
    pub rows: u64,
    pub planes: u64,
    pub remote_stride: u64,
    pub local_stride: u64,
    pub remote_plane: u64,
    pub local_plane: u64,
}

/// Words that lie together at both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub remote: u64,
    pub local: u64,
    pub words: u64,
    /// No run follows.
    pub last: bool,
}

impl Transfer {
    /// Whether it moves nothing.
    pub fn is_empty(&self) -> bool {
        self.row == 0 || self.rows == 0 || self.planes == 0
    }

    /// First word after all that it touches at the remote side; 0 if it moves nothing.
    pub fn remote_end(&self) -> u64 {
        self.end(self.remote, self.remote_stride, self.remote_plane)
    }

    /// First word after all that it touches at the local side; 0 if it moves nothing.
    pub fn local_end(&self) -> u64 {
        self.end(self.local, self.local_stride, self.local_plane)
    }

    fn end(&self, first: u64, stride: u64, plane: u64) -> u64 {
        if self.is_empty() {
            return 0;
        }
        first + (self.planes - 1) * plane + (self.rows - 1) * stride + self.row
    }
}

/// The runs of a transfer that are left.
#[derive(Clone, Debug)]
pub(super) struct Runs {
    transfer: Transfer,
    plane: u64,
    row: u64,
    done: bool,
}

impl Runs {
    pub fn new(transfer: Transfer) -> Runs {
        Runs {
            transfer,
            plane: 0,
            row: 0,
            done: false,
        }
    }
}

/// A transfer of nothing is one last run of no words.
impl Iterator for Runs {
    type Item = Run;

    fn next(&mut self) -> Option<Run> {
        if self.done {
            return None;
        }
        let Runs {
            transfer, plane, row, ..
        } = *self;
        if transfer.is_empty() {
            self.done = true;
            return Some(Run {
                remote: transfer.remote,
                local: transfer.local,
                words: 0,
                last: true,
            });
        }
        self.row += 1;
        if self.row == transfer.rows {
            self.row = 0;
            self.plane += 1;
        }
        self.done = self.plane == transfer.planes;
        Some(Run {
            remote: transfer.remote + plane * transfer.remote_plane + row * transfer.remote_stride,
            local: transfer.local + plane * transfer.local_plane + row * transfer.local_stride,
            words: transfer.row,
            last: self.done,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn transfers() -> impl Strategy<Value = Transfer> {
        (
            (0..9u64, 0..9u64),
            (0..4u64, 0..4u64, 0..4u64),
            (0..9u64, 0..9u64, 0..9u64, 0..9u64),
        )
            .prop_map(
                |((remote, local), (row, rows, planes), (remote_stride, local_stride, remote_plane, local_plane))| {
                    Transfer {
                        remote,
                        local,
                        row,
                        rows,
                        planes,
                        remote_stride,
                        local_stride,
                        remote_plane,
                        local_plane,
                    }
                },
            )
    }

    proptest! {
        #[test]
        fn runs_cover_the_transfer_and_end_once(transfer in transfers()) {
            let runs: Vec<Run> = Runs::new(transfer).collect();
            let words: u64 = runs.iter().map(|run| run.words).sum();
            prop_assert_eq!(words, transfer.row * transfer.rows * transfer.planes);
            prop_assert_eq!(runs.iter().filter(|run| run.last).count(), 1);
            prop_assert!(runs[runs.len() - 1].last);
            if !transfer.is_empty() {
                prop_assert_eq!(runs.iter().map(|run| run.remote + run.words).max(), Some(transfer.remote_end()));
                prop_assert_eq!(runs.iter().map(|run| run.local + run.words).max(), Some(transfer.local_end()));
            }
        }
    }
}

//! Structure: many equal cells, wired by index arithmetic.

use rust_hdl::prelude::*;

/// A word on its way, with interfaces on both sides.
#[derive(LogicInterface, Default)]
#[join = "LaneOut"]
pub struct LaneIn {
    pub data: Signal<In, Bits<4>>,
    pub ready: Signal<Out, Bit>,
}

/// The mirror of [`LaneIn`].
#[derive(LogicInterface, Default)]
#[join = "LaneIn"]
pub struct LaneOut {
    pub data: Signal<Out, Bits<4>>,
    pub ready: Signal<In, Bit>,
}

/// A cell of [`Grid`]: arrays of interfaces, and an array of registers.
#[derive(LogicBlock, Default)]
pub struct Cell {
    pub clk: Signal<In, Clock>,
    pub from: [LaneIn; 2],
    pub to: [LaneOut; 2],
    held: [DFF<Bits<4>>; 2],
}

impl Logic for Cell {
    #[hdl_gen]
    fn update(&mut self) {
        for i in 0..2 {
            self.held[i].clock.next = self.clk.val();
            self.held[i].d.next = self.from[i].data.val();
            self.to[i].data.next = self.held[1 - i].q.val();
            self.from[i].ready.next = self.to[i].ready.val();
        }
    }
}

/// A `Vec` of cells wired by index arithmetic over nested loops and a constant known at elaboration.
#[derive(LogicBlock)]
pub struct Grid {
    pub clk: Signal<In, Clock>,
    pub west: Vec<LaneIn>,
    pub east: Vec<LaneOut>,
    cell: Vec<Cell>,
    cols: Constant<Bits<8>>,
    _rows: usize,
    _links: usize,
}

impl Grid {
    pub fn new(cols: usize, rows: usize) -> Self {
        fn many<T: Default>(count: usize) -> Vec<T> {
            (0..count).map(|_| T::default()).collect()
        }
        Grid {
            clk: Default::default(),
            west: many(2 * rows),
            east: many(2 * rows),
            cell: many(cols * rows),
            cols: Constant::new(bits(cols as u64)),
            _rows: rows,
            _links: cols - 1,
        }
    }
}

impl Logic for Grid {
    #[hdl_gen]
    fn update(&mut self) {
        for y in 0..self._rows {
            for x in 0..self._links {
                self.cell[y * self.cols.val().index() + x].clk.next = self.clk.val();
                for k in 0..2 {
                    self.cell[y * self.cols.val().index() + x + 1].from[k].data.next =
                        self.cell[y * self.cols.val().index() + x].to[k].data.val();
                    self.cell[y * self.cols.val().index() + x].to[k].ready.next =
                        self.cell[y * self.cols.val().index() + x + 1].from[k].ready.val();
                }
            }
            self.cell[(y + 1) * self.cols.val().index() - 1].clk.next = self.clk.val();
            for k in 0..2 {
                LaneIn::link(
                    &mut self.west[2 * y + k],
                    &mut self.cell[y * self.cols.val().index()].from[k],
                );
                LaneOut::link(
                    &mut self.east[2 * y + k],
                    &mut self.cell[(y + 1) * self.cols.val().index() - 1].to[k],
                );
            }
        }
    }
}

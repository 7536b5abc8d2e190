use portico_spec::{
    flit::{NODE_WIDTH, X_WIDTH, Y_WIDTH},
    Config,
};
use portico_verilog::prelude::*;

/// Width of a number of columns or rows, in bits.
const SIZE_WIDTH: usize = Y_WIDTH + 1;

/// Whether packets of this node come to another.
///
/// Compares a node with the size of the fabric.
///
/// | | |
/// | --- | --- |
/// | latency | combinational |
/// | state | none |
///
/// A packet for a node that does not exist leaves the mesh and is lost, and so is one of an edge node to itself. Its answer
/// would never come, so no transaction may be opened for it.
#[derive(LogicBlock, Default)]
pub struct Reach {
    /// This node.
    pub own: Signal<In, Bits<NODE_WIDTH>>,
    /// Node to which a packet is to go: x in the low bits, y above.
    pub node: Signal<In, Bits<NODE_WIDTH>>,
    /// Packets of this node come to that one, in the same cycle.
    pub reached: Signal<Out, Bit>,
    x: Signal<Local, Bits<SIZE_WIDTH>>,
    y: Signal<Local, Bits<SIZE_WIDTH>>,
    is_tile: Signal<Local, Bit>,
    in_edge_row: Signal<Local, Bit>,
    columns: Constant<Bits<SIZE_WIDTH>>,
    rows: Constant<Bits<SIZE_WIDTH>>,
    edge_nodes: Constant<Bits<SIZE_WIDTH>>,
}

impl Reach {
    /// In the fabric that `config` describes.
    pub fn new(config: &Config) -> Self {
        let size = |number: usize| Constant::new(bits(number as u64));
        Self {
            columns: size(config.cols),
            rows: size(config.rows),
            edge_nodes: size(config.edge_nodes),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for Reach {
    fn update(&mut self) {
        self.x.next = bit_cast::<SIZE_WIDTH, X_WIDTH>(self.node.val().get_bits::<X_WIDTH>(0));
        self.y.next = bit_cast::<SIZE_WIDTH, Y_WIDTH>(self.node.val().get_bits::<Y_WIDTH>(X_WIDTH));
        self.is_tile.next = (self.x.val() < self.columns.val()) & (self.y.val() < self.rows.val());
        self.in_edge_row.next = (self.x.val() < self.edge_nodes.val()) & (self.y.val() == self.rows.val());
        self.reached.next = self.is_tile.val() | (self.in_edge_row.val() & (self.node.val() != self.own.val()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::settle;
    use portico_spec::Node;

    #[test]
    fn every_terminal_reaches_all_nodes_that_exist_but_an_edge_node_itself() {
        for (cols, rows, edge_nodes) in [(1, 1, 1), (3, 2, 2), (4, 4, 0), (16, 5, 16), (16, 31, 3)] {
            let config = Config {
                cols,
                rows,
                edge_nodes,
                ..Config::default()
            };
            let mut dut = Reach::new(&config);
            dut.connect_all();
            for from in [0, config.tiles() - 1, config.terminals() - 1] {
                dut.own.next = u64::from(config.terminal_node(from).number()).into();
                for number in 0..1u64 << NODE_WIDTH {
                    dut.node.next = number.into();
                    settle(&mut dut);
                    let node = Node {
                        x: (number % (1 << X_WIDTH)) as u8,
                        y: (number >> X_WIDTH) as u8,
                    };
                    assert_eq!(
                        dut.reached.val(),
                        config.reaches(from, node),
                        "{from} to {node:?} of {cols} by {rows}"
                    );
                }
            }
        }
    }
}

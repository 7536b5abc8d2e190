use crate::prim::{StreamIn, StreamOut};
use portico_spec::flit::NODE_WIDTH;
use portico_verilog::prelude::*;

/// A node's place in the network, as the node sees it: its number, and its streams from and to both planes.
///
/// The data plane has flits of `W` bits.
#[interface]
pub struct Planes<const W: usize> {
    /// This node: x in bits 3:0, y in bits 8:4.
    pub node: Signal<In, Bits<NODE_WIDTH>>,
    /// From the data plane.
    pub s_axis_data: StreamIn<W>,
    /// To the data plane.
    pub m_axis_data: StreamOut<W>,
    /// From the control plane.
    pub s_axis_control: StreamIn<32>,
    /// To the control plane.
    pub m_axis_control: StreamOut<32>,
}

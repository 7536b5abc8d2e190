//! The hardware of Portico, as rust-hdl blocks.
//!
//! Each block is a Rust type with its tests beside it. A module here, a *room*, imports only the rooms above it in the
//! table. `portico_generate` emits the Verilog of the blocks that can be a top.
//!
//! | room | blocks |
//! | --- | --- |
//! | [`prim`] | [`Register`](prim::Register), [`Ram`](prim::Ram), [`LaneRam`](prim::LaneRam), [`TrueDualPortRam`](prim::TrueDualPortRam), [`LutRam`](prim::LutRam), [`Queue`](prim::Queue), [`Fifo`](prim::Fifo), [`SkidBuffer`](prim::SkidBuffer), [`RoundRobinArbiter`](prim::RoundRobinArbiter), [`ParkedArbiter`](prim::ParkedArbiter), [`CreditCounter`](prim::CreditCounter), [`CounterTable`](prim::CounterTable) |
//! | [`bus`] | interfaces and arbiters that several rooms use: [`SocketIn`](bus::SocketIn), [`CommandQueue`](bus::CommandQueue), [`EventArbiter`](bus::EventArbiter), [`PlaneOut`](bus::PlaneOut), [`ReadShare`](bus::ReadShare), [`WriteShare`](bus::WriteShare), and others |
//! | [`noc`] | the network: [`Router`](noc::Router), [`Mesh`](noc::Mesh), [`Monitor`](noc::Monitor), [`EdgeGate`](noc::EdgeGate), [`EdgeSink`](noc::EdgeSink) |
//! | [`mpe`] | message passing: [`FpAdder`](mpe::FpAdder), [`ReduceAlu`](mpe::ReduceAlu), the engine [`Mpe`](mpe::Mpe) |
//! | [`portals`] | Portals 4: [`ListManager`](portals::ListManager), [`BuddyAllocator`](portals::buddy::BuddyAllocator) |
//! | [`accel`] | other engines for the socket of a tile: the source/sink core [`Probe`](accel::Probe), the streams of words [`Streams`](accel::Streams) |
//! | [`dma`] | from descriptors to packets: [`Dma`](dma::Dma), made of a [`Dispatcher`](dma::dispatch::Dispatcher) and a [`Transmitter`](dma::transmit::Transmitter) |
//! | [`ni`] | the network interface: [`NetworkInterface`](ni::NetworkInterface), [`DataReceiver`](ni::receive::DataReceiver), [`ControlReceiver`](ni::control::ControlReceiver), [`Slots`](ni::slots::Slots), [`Events`](ni::events::Events), [`Inbox`](ni::inbox::Inbox), [`Scratchpad`](ni::Scratchpad) |
//! | [`host`] | AXI: [`AxiLiteSlave`](host::AxiLiteSlave), [`AxiMemory`](host::AxiMemory), [`MemoryNode`](host::MemoryNode), [`UartBridge`](host::uart::UartBridge) |
//! | [`node`], [`tile`], [`fabric`], [`board`] | [`Node`](node::Node): interface, scratchpad and engines; [`Tile`](tile::Tile): a node with a port or without; [`Fabric`](fabric::Fabric): all tiles on two meshes; [`Board`](board::Board): a fabric behind a UART |

pub mod accel;
pub mod board;
pub mod bus;
pub mod dma;

pub mod fabric;
pub mod host;
pub mod mpe;
pub mod ni;
pub mod noc;
pub mod node;
pub mod portals;
pub mod prim;
#[cfg(test)]
mod tests;
pub mod tile;

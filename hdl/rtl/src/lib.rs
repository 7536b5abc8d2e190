//! The hardware of Portico, in rust-hdl: the primitives first, then what is built from them.

pub mod accel;
pub mod board;
pub mod bus;
pub mod dma;

pub mod fabric;
pub mod host;
pub mod mpe;
pub mod ni;
pub mod noc;
pub mod portals;
pub mod prim;
#[cfg(test)]
mod tests;
pub mod tile;

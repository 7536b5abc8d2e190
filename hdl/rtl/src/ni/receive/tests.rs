//! The receiver as a whole, against a model that takes whole packets.

mod bench;
mod cases;
mod model;
mod packets;
mod random;
mod timing;

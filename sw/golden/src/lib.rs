//! Reference models of the hardware, in plain software.
//!
//! Each model says what its block must do, and is written apart from the hardware. The testbench compares the two.
//!
//! | module | models |
//! | --- | --- |
//! | [`bridge`] | the UART bridge of a board: frames of a host, and UARTBone |
//! | [`fabric`] | all nodes behind their registers, as software sees them |
//! | [`network`] | one plane: which terminal receives which packet, and in which order |
//! | [`latency`] | cycles on an idle mesh, and the bound of throughput under uniform load |
//! | [`fp`] | the floating-point adder |
//! | [`mpe`] | reductions |
//! | [`portals`] | matching lists, buddy allocator |
//!
//! Only [`latency`] has time. A testbench reports to [`Network`] each packet that enters the mesh and each that
//! comes out. `Network` returns an error for a packet that is lost, changed, doubled, reordered or delivered to the wrong place.
//!
//! ```
//! use portico_golden::{zero_load_latency, Delivery, Network};
//! use portico_spec::{Config, Head};
//!
//! let config = Config::default();
//! let mut network = Network::new(&config);
//! let head = Head { destination: config.tile_node(5), source: config.tile_node(0), ..Head::default() };
//! let packet = [head.encode()?.into(), 0x1234];
//!
//! assert_eq!(network.inject(0, &packet)?, Delivery::Terminal(5));
//! assert_eq!(network.outstanding(), 1);
//! network.deliver(5, &packet)?;
//! assert_eq!(network.outstanding(), 0);
//! assert_eq!(zero_load_latency(&config, 0, 5), 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![warn(missing_docs)]

pub mod bridge;
pub mod fabric;
pub mod fp;
pub mod latency;
pub mod mpe;
pub mod network;
pub mod portals;

pub use bridge::Bridge;
pub use fabric::GoldenFabric;
pub use latency::{uniform_saturation_bound, zero_load_latency, zero_load_tail_latency};
pub use network::{Delivery, InjectError, Mismatch, Network};

//! What the fabric must do, said without hardware.
//!
//! [`network`] is the untimed model: it knows who must receive what, and in which order. A testbench tells it each
//! packet that entered and shows it each packet that came out; it objects to everything lost, changed, doubled,
//! reordered or delivered to the wrong place. [`latency`] is the reference in cycles for an idle mesh, and the bound
//! that no mesh can pass under uniform load. [`fabric`] is all nodes behind their registers, as software sees them. [`fp`],
//! [`mpe`] and [`portals`] are the blocks that are useful alone: addition, reduction, matching lists, buddy allocator.
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

pub mod fabric;
pub mod fp;
pub mod latency;
pub mod mpe;
pub mod network;
pub mod portals;

pub use fabric::GoldenFabric;
pub use latency::{uniform_saturation_bound, zero_load_latency, zero_load_tail_latency};
pub use network::{Delivery, InjectError, Mismatch, Network};

//! Devices, traffic, scoreboards and benchmarks, with which Portico's hardware is verified and measured.
//!
//! Each test is written once, against a trait. It runs on every device to which it applies: the golden model, rust-hdl's
//! simulator, the Verilated Verilog, the Verilated netlist.
//!
//! | room | what it holds |
//! | --- | --- |
//! | [`device`] | a device by its ports or its streams; the hardware as such devices, with external memories |
//! | [`model`] | golden and naive models as devices |
//! | [`traffic`] | patterns, traces, workloads; a run of them, its scoreboard, its figures |
//! | [`soak`] | random operations of a whole fabric against the golden model |
//! | [`bench`](mod@bench) | benchmarks of the network, of one-sided operations, of blocks, and the form of their figures |
//!
//! Models and traffic use devices. The soak and the benchmarks use all three.
//!
//! ```
//! use portico_spec::Config;
//! use portico_testbench::{
//!     model::golden_mesh::GoldenMesh,
//!     traffic::{mesh_run::run, plan::Plan, Pattern, Workload},
//! };
//!
//! let config = Config::default();
//! let destinations = Pattern::Uniform.on_mesh(config.cols, config.rows, config.edge_nodes)?;
//! let plan = Plan::new(Workload::random(destinations, 0.2, 4)?, 100, 1_000, 0x5eed);
//! let report = run(&mut GoldenMesh::new(&config), &config, &plan)?;
//! assert!(report.packets > 0 && report.latency.min >= 2 + 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(missing_docs)]

pub mod bench;
pub mod device;
pub mod model;
pub mod soak;
pub mod traffic;

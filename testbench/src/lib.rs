//! Devices, traffic, scoreboards and benchmarks: how Portico's hardware is tried, and how well it does.
//!
//! A test is written once and runs on every device that applies: the golden model, rust-hdl's simulator, the Verilated
//! Verilog, the Verilated netlist.
//!
//! | module | what it is |
//! | --- | --- |
//! | [`device`] | a device by its ports |
//! | [`axi_memory`] | an external memory behind AXI4, with a watch over the protocol |
//! | [`rtl`], [`verilated`] | such devices: rust-hdl's simulator; Verilog under Verilator |
//! | [`stream`] | a device by its streams of flits, made of any device by its ports |
//! | [`golden_mesh`] | such a device: the golden network itself |
//! | [`golden_blocks`] | the golden models of the blocks that stand alone, as devices |
//! | [`hardware`] | the emitted Verilog as such devices |
//! | [`traffic`] | patterns, traces, workloads, source queues |
//! | [`scoreboard`] | every packet against the golden model |
//! | [`plan`], [`mesh_run`], [`report`] | one run of traffic: what is wanted, the run, its figures |
//! | [`noc_bench`] | the benchmark of the network |
//! | [`onesided_bench`] | the benchmark of the one-sided operations |
//! | [`blocks_bench`] | the benchmark of the blocks that are useful alone |
//! | [`soak`] | random operations of a whole fabric against the golden model |
//! | [`bench_report`] | the form of every benchmark's figures |
//!
//! ```
//! use portico_spec::Config;
//! use portico_testbench::{golden_mesh::GoldenMesh, mesh_run::run, plan::Plan, traffic::{Pattern, Workload}};
//!
//! let config = Config::default();
//! let destinations = Pattern::Uniform.on_mesh(config.cols, config.rows, config.edge_nodes)?;
//! let plan = Plan::new(Workload::random(destinations, 0.2, 4)?, 100, 1_000, 0x5eed);
//! let report = run(&mut GoldenMesh::new(&config), &config, &plan)?;
//! assert!(report.packets > 0 && report.latency.min >= 2 + 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(missing_docs)]

#[cfg(test)]
mod accumulators;
#[cfg(test)]
mod altered;
pub mod axi_memory;
pub mod bench_report;
pub mod blocks_bench;
pub mod device;
pub mod golden_blocks;
pub mod golden_mesh;
pub mod hardware;
pub mod mesh_run;
#[cfg(test)]
mod naive_mesh;
pub mod noc_bench;
pub mod onesided_bench;
pub mod plan;
pub mod report;
pub mod rtl;
pub mod scoreboard;
pub mod soak;
pub mod stream;
pub mod traffic;
pub mod verilated;

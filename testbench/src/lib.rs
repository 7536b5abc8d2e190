//! Devices, traffic, scoreboards and benchmarks.
pub mod bench_report;
pub mod device;
pub mod golden_mesh;
pub mod mesh_run;
#[cfg(test)]
mod naive_mesh;
pub mod noc_bench;
pub mod report;
pub mod rtl;
pub mod scoreboard;
pub mod stream;
pub mod traffic;
pub mod verilated;

//! The hardware as devices: emitted Verilog under Verilator.

use super::{
    axi_memory::{AttachedMemory, Timing},
    stream::PortStreams,
    verilated::Verilated,
};
use anyhow::Context;
use portico_generate::design;
use portico_sim::{identity, keep, Library, Movement, Optimise, Options, SimulatedFabric, Source};
use portico_spec::Config;
use portico_synth::{locate, Memories, Netlist, Tool};
use portico_verilog::Design;
use std::fs;

/// `design` as a device for short runs, compiled or taken from the cache.
///
/// # Errors
/// A tool is missing or fails, or Verilator warns of something.
pub fn compiled(design: &Design) -> anyhow::Result<Verilated> {
    Ok(Verilated::new(&library(design)?)?)
}

/// The models of `design` for short runs, likewise.
///
/// # Errors
/// As [`compiled`].
pub fn library(design: &Design) -> anyhow::Result<Library> {
    short_runs(design, true)
}

/// The netlist of `design` after synthesis for ECP5, likewise, with its memories in LUTs.
///
/// # Errors
/// A tool is missing or fails.
pub fn synthesised(design: &Design) -> anyhow::Result<Verilated> {
    Ok(Verilated::new(&compiled_netlist(&netlist(design, Memories::Luts)?)?)?)
}

/// The netlist of `design` after synthesis for ECP5, made or taken from the compile cache.
///
/// # Errors
/// Yosys is missing or fails, or the cache cannot be written.
pub fn netlist(design: &Design, memories: Memories) -> anyhow::Result<Netlist> {
    const FILES: [&str; 2] = ["netlist.v", "cells.v"];
    let text = design.text();
    let parts = [
        "netlist",
        &text,
        &portico_synth::netlist_recipe(&design.top, memories),
        &identity(&locate(Tool::Yosys)?)?,
    ];
    let kept = keep(parts, |folder| -> anyhow::Result<()> {
        let made = portico_synth::netlist(design, memories)?;
        for (name, text) in FILES.into_iter().zip([made.verilog, made.cell_models]) {
            fs::write(folder.join(name), text)?;
        }
        Ok(())
    })?;
    let read = |name| fs::read_to_string(kept.path().join(name));
    Ok(Netlist {
        top: design.top.clone(),
        ports: design.ports.clone(),
        verilog: read(FILES[0])?,
        cell_models: read(FILES[1])?,
    })
}

/// A netlist for short runs, compiled or taken from the cache.
///
/// # Errors
/// Verilator is missing or fails, as it does where a block RAM has a mode without a model.
pub fn compiled_netlist(netlist: &Netlist) -> anyhow::Result<Library> {
    let source = Source {
        ports: netlist.ports.clone(),
        ..Source::new(&netlist.top, netlist.text())
    };
    short_runs(source, false)
}

fn short_runs(source: impl Into<Source>, lint: bool) -> anyhow::Result<Library> {
    let options = Options {
        optimise: Optimise::Build,
        lint,
        ..Options::default()
    };
    Ok(portico_sim::build(source, &options)?)
}

/// A mesh that runs as compiled Verilog.
pub type VerilatedMesh = PortStreams<Verilated>;

/// A model of the mesh in `library`.
///
/// # Errors
/// The library is no mesh of this configuration.
pub fn mesh_of(library: &Library, config: &Config) -> anyhow::Result<VerilatedMesh> {
    let terminals = config.terminals();
    let device = Verilated::new(library)?;
    PortStreams::new(device, terminals, terminals).context("the model is no mesh of this configuration")
}

/// The mesh of `config` for short runs, compiled or taken from the cache.
///
/// # Errors
/// A tool is missing or fails, or the backend refuses the mesh.
pub fn mesh(config: &Config) -> anyhow::Result<VerilatedMesh> {
    mesh_of(&library(&design("mesh", config)?)?, config)
}

/// External memories unless told otherwise: some 200 ns at 100 MHz, and nothing but that in the way.
pub const MEMORY: Timing = Timing {
    latency: 20,
    stall: 0.0,
};

/// The fabric of `config` for long runs, compiled or taken from the cache; reset, its tables cleared, and with a memory that
/// answers after 20 cycles at every memory node.
///
/// # Errors
/// A fabric cannot have this configuration, a tool is missing or fails, or the backend refuses the fabric.
pub fn fabric(config: &Config) -> anyhow::Result<SimulatedFabric> {
    fabric_with(config, MEMORY, Optimise::Speed)
}

/// [`fabric`] with memories of this timing, and for runs of this length.
///
/// # Errors
/// As [`fabric`].
pub fn fabric_with(config: &Config, timing: Timing, optimise: Optimise) -> anyhow::Result<SimulatedFabric> {
    let options = Options {
        optimise,
        ..Options::default()
    };
    let library = portico_sim::build(&design("fabric", config)?, &options)?;
    fabric_of(&library, config, timing)
}

/// A new fabric of `library`, likewise.
///
/// # Errors
/// The library is no fabric of this configuration.
pub fn fabric_of(library: &Library, config: &Config, timing: Timing) -> anyhow::Result<SimulatedFabric> {
    let config = config.fabric()?;
    let mut fabric = SimulatedFabric::new(library, &config)?;
    for memory in AttachedMemory::all(library, fabric.model(), &config, timing)? {
        fabric.attach(Box::new(memory));
    }
    Ok(fabric)
}

/// An error that something has not come in its time, with the links that move and wait.
pub fn with_movement(error: &anyhow::Error, movement: &Movement) -> anyhow::Error {
    anyhow::anyhow!("{error:#}\n{movement}")
}

/// Whether an error of the driver is the cause, and is that something has not come in its time.
pub fn timed_out(error: &anyhow::Error) -> bool {
    let mut causes = error.chain();
    causes.any(|cause| matches!(cause.downcast_ref(), Some(portico::Error::Timeout { .. })))
}

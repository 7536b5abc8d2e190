//! The netlist of a block after synthesis, as Verilog that a simulator takes.

use crate::area::{Cells, STAT_SCRIPT};
use crate::scratch::Scratch;
use crate::{Mode, SynthError, Tool, Yosys};
use portico_verilog::{Design, Port};
use std::collections::HashSet;

const NETLIST: &str = "netlist.v";
/// Yosys's simulation models of ECP5 cells; `+/` is the folder of its own files, wherever that is.
const MODELS: &str = "+/ecp5/cells_sim.v";
/// What begins and ends them in the log: Yosys has no command that copies a file.
const DUMP: [&str; 2] = ["-- Verilog code after preprocessor --\n", "-- END OF DUMP --"];
/// Cells that a netlist may hold. The models' file also has modules without content, which would simulate as zeros.
const MODELLED: [&str; 6] = ["LUT4", "CCU2C", "TRELLIS_FF", "TRELLIS_DPR16X4", "PFUMX", "L6MUX21"];
/// The block RAM of ECP5, and our own model of it: Yosys has an empty one.
const BLOCK_RAM: &str = "DP16KD";
const BLOCK_RAM_MODEL: &str = include_str!("models/dp16kd.v");
/// The PLL of ECP5, likewise.
const PLL: &str = "EHXPLLL";
const PLL_MODEL: &str = include_str!("models/ehxplll.v");

/// A block as ECP5 cells: the same top module, with the same ports.
///
/// To simulate [`Netlist::text`], Verilator needs no definition and no further file, but `-Wno-lint -Wno-style
/// -Wno-INITIALDLY`: the models are not written for its linter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Netlist {
    /// Name of the top module.
    pub top: String,
    /// Ports of the top, as the design has them.
    pub ports: Vec<Port>,
    /// The top module, flat.
    pub verilog: String,
    /// The modules of the cells in it.
    pub cell_models: String,
}

impl Netlist {
    /// The netlist and the models of its cells, as one file.
    pub fn text(&self) -> String {
        format!("{}\n{}", self.verilog, self.cell_models)
    }
}

/// What memories of a netlist are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Memories {
    /// LUTs and LUT-RAM. Of a block without block RAMs this is the netlist whose area and clock are measured; a large memory
    /// becomes a very large netlist. Registers start as their reset leaves them, memories with zeros.
    Luts,
    /// Block RAMs where they fit, of which Portico has a model of its own (`models/dp16kd.v`).
    ///
    /// They start with noise in place of zeros, and where the hardware leaves data undefined they give noise: a design that
    /// relies on either fails in simulation. Verilator refuses a block RAM in a mode without a model. A PLL passes its input
    /// clock on (`models/ehxplll.v`), so that the top of a board has a netlist, too.
    BlockRams,
}

impl Memories {
    /// The commands before the mapping, and its options.
    fn mapping(self) -> (&'static str, &'static str) {
        match self {
            // `-nobram` leaves no place for a memory that asks for a block RAM.
            Memories::Luts => ("setattr -unset ram_style a:ram_style=block\n", "-nobram -nodsp"),
            Memories::BlockRams => ("", "-nodsp"),
        }
    }

    /// Cells that a netlist may hold.
    fn modelled(self) -> Vec<&'static str> {
        let more: &[&str] = match self {
            Memories::Luts => &[],
            Memories::BlockRams => &[BLOCK_RAM, PLL],
        };
        [&MODELLED, more].concat()
    }
}

/// What decides a netlist beside its design and Yosys: the script, and our models of cells.
pub fn netlist_recipe(top: &str, memories: Memories) -> String {
    format!("{}{BLOCK_RAM_MODEL}{PLL_MODEL}", script(top, memories))
}

fn script(top: &str, memories: Memories) -> String {
    let (before, options) = memories.mapping();
    let mapped = format!("{before}{} {options}", Mode::Ecp5NoWideLut.script(top));
    format!("{mapped}\n{STAT_SCRIPT}\nwrite_verilog -noattr {NETLIST}\ndesign -reset\nread_verilog -overwrite -ppdump {MODELS}")
}

/// Synthesises a design for ECP5 and gives the netlist back, mapped by `synth_ecp5 -nowidelut`. Yosys has no simulation models of
/// multipliers, so these are mapped to LUTs (`-nodsp`).
///
/// # Errors
/// As [`Yosys::run`]; [`SynthError::NoModel`] if the design itself holds a vendor's cell.
pub fn netlist(design: &Design, memories: Memories) -> Result<Netlist, SynthError> {
    let mut scratch = Scratch::new()?;
    let modelled = memories.modelled();
    let log = Yosys::locate()?.run_in(&mut scratch, design, &script(&design.top, memories))?;
    let foreign = |(cell, _): &(&String, &u64)| *cell != "$scopeinfo" && !modelled.contains(&cell.as_str());
    if let Some((cell, &count)) = Cells::of(&scratch, &design.top)?.0.iter().find(foreign) {
        return Err(SynthError::NoModel {
            top: design.top.clone(),
            cell: cell.clone(),
            count,
        });
    }
    let verilog = scratch.read(NETLIST)?;
    let [begin, end] = DUMP;
    let dump = log.split_once(begin).and_then(|(_, rest)| rest.split_once(end));
    let Some((models, _)) = dump else {
        let path = scratch.keep(NETLIST);
        return Err(SynthError::unexpected(
            Tool::Yosys,
            &path,
            "its log does not hold the models of the cells",
        ));
    };
    Ok(Netlist {
        top: design.top.clone(),
        ports: design.ports.clone(),
        // The first of two modules of one name counts.
        cell_models: models_of(&verilog, &format!("{BLOCK_RAM_MODEL}{PLL_MODEL}{models}")),
        verilog,
    })
}

/// The modules in `models` that `verilog` or one of them names, in their order, each once.
fn models_of(verilog: &str, models: &str) -> String {
    let mut named = words(verilog);
    let mut modules: Vec<(&str, String)> = Vec::new();
    for text in models.split_inclusive("endmodule") {
        let after = text.split_once("module ").map(|(_, after)| after);
        let name = after
            .and_then(|after| after.split(|c: char| !is_word(c)).next())
            .unwrap_or_default();
        if !name.is_empty() && modules.iter().all(|(known, _)| *known != name) {
            modules.push((name, without_timing(text)));
        }
    }
    loop {
        let used = modules.iter().filter(|(name, _)| named.contains(*name));
        let more: HashSet<&str> = used.flat_map(|(_, text)| words(text)).collect();
        let before = named.len();
        named.extend(more);
        if named.len() == before {
            break;
        }
    }
    let used = modules.iter().filter(|(name, _)| named.contains(*name));
    used.map(|(_, text)| format!("{}\n", text.trim_start())).collect()
}

/// Leaves out what only the preprocessor and a timing simulator read.
fn without_timing(module: &str) -> String {
    let mut is_timing = false;
    let kept = module.lines().filter(|line| {
        is_timing |= line.trim() == "specify";
        let keep = !is_timing && !line.starts_with("`file_");
        is_timing &= line.trim() != "endspecify";
        keep
    });
    kept.map(|line| format!("{line}\n")).collect()
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn words(text: &str) -> HashSet<&str> {
    text.split(|c: char| !is_word(c))
        .filter(|word| !word.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{design, fifo, ram, Read};
    use crate::locate;

    const LUT: &str =
        "module LUT(input A, output Z);\n  LUT2 l (A, Z);\n  specify\n    (A => Z) = 1;\n  endspecify\nendmodule";

    #[test]
    fn models_are_those_in_use_and_what_they_use() {
        let models = format!(
            "`file_push \"cells.v\"\n/* one */\n(* box *)\n{LUT}\nmodule LUT2(input A, output Z); endmodule\n\
             module PAD(input A); endmodule\n(* box *)\n{LUT}\n"
        );
        let expected = "\
/* one */
(* box *)
module LUT(input A, output Z);
  LUT2 l (A, Z);
endmodule

module LUT2(input A, output Z); endmodule

";
        assert_eq!(
            models_of("module top; LUT #(.INIT(1)) u (); endmodule", &models),
            expected
        );
    }

    #[test]
    fn verilator_takes_a_netlist_and_keeps_its_ports() {
        let (verilator, scratch) = (locate(Tool::Verilator).unwrap(), Scratch::new().unwrap());
        let small = ram(Read::Registered);
        for (block, netlist, has_block_ram) in [
            (fifo(), netlist(&fifo(), Memories::Luts), false),
            (small.clone(), netlist(&small, Memories::Luts), false),
            (small.clone(), netlist(&small, Memories::BlockRams), true),
        ] {
            let netlist = netlist.unwrap();
            for text in [&netlist.verilog, &netlist.cell_models] {
                assert_eq!(text.contains(BLOCK_RAM), has_block_ram, "{}", block.top);
            }
            assert_eq!((&netlist.top, &netlist.ports), (&block.top, &block.ports));
            let harness = harness(&netlist);
            scratch
                .write("netlist.v", &format!("{}\n{harness}", netlist.text()))
                .unwrap();
            let mut command = verilator.command();
            command.args("--lint-only -Wno-lint -Wno-style -Wno-INITIALDLY --top-module harness".split(' '));
            let output = command.arg(scratch.path("netlist.v")).output().unwrap();
            let text = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{}: {text}", block.top);
        }
    }

    /// A module that connects every port by name, at its width.
    fn harness(netlist: &Netlist) -> String {
        let wires: String = netlist
            .ports
            .iter()
            .map(|port| format!("wire [{}:0] {};\n", port.width - 1, port.name))
            .collect();
        let connections: Vec<String> = netlist
            .ports
            .iter()
            .map(|port| format!(".{0}({0})", port.name))
            .collect();
        format!(
            "module harness;\n{wires}{} u ({});\nendmodule\n",
            netlist.top,
            connections.join(", ")
        )
    }

    #[test]
    fn a_cell_without_a_model_is_refused() {
        let text = "module pll (input wire clk, output wire y);\n\
                    DP16KD m (.CLKA(clk), .CLKB(clk), .DOA0(y));\nendmodule\n";
        let error = netlist(&design("pll", &[("clk", 1), (">y", 1)], text), Memories::Luts).unwrap_err();
        let SynthError::NoModel { cell, count, .. } = &error else {
            panic!("{error}")
        };
        assert_eq!((&**cell, *count), ("DP16KD", 1));
    }
}

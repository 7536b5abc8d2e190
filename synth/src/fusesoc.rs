//! A core description by which FuseSoC finds a generated block.

use portico_verilog::Design;
use std::fmt::Write;

/// The text of a `.core` file, in FuseSoC's format CAPI2, for a design written to `files`.
///
/// Of the files, those that end in `.v` belong to the core, in their order. Targets: `default` for designs that use the
/// core, `lint` runs Verilator's linter, `synth` Yosys for ECP5. With a test bench, the module `<top>_tb` in the file `bench`,
/// `sim` runs it under Icarus. The core is `portico:portico:<top>:<version of this program>`.
pub fn fusesoc_core(design: &Design, files: &[String], bench: Option<&str>) -> String {
    let top = &design.top;
    let mut sources = String::new();
    for file in files.iter().filter(|file| file.ends_with(".v")) {
        let _ = writeln!(sources, "      - {}", quoted(file));
    }
    let [fileset, target] = bench.map_or_else(Default::default, |bench| {
        [
            format!(
                "  bench:\n    files:\n      - {}\n    file_type: verilogSource\n",
                quoted(bench)
            ),
            format!(
                "  sim:\n    filesets: [rtl, bench]\n    toplevel: {}\n    flow: sim\n    flow_options:\n      tool: icarus\n      \
                 iverilog_options: [-g2005]\n",
                quoted(&format!("{top}_tb"))
            ),
        ]
    });
    format!(
        "\
CAPI=2:
name: {name}
description: {description}

filesets:
  rtl:
    files:
{sources}    file_type: verilogSource
{fileset}
targets:
  default: &default
    filesets: [rtl]
    toplevel: {top}
  lint:
    <<: *default
    flow: lint
    flow_options:
      tool: verilator
      verilator_options: [-Wall]
  synth:
    <<: *default
    flow: generic
    flow_options:
      tool: yosys
      arch: ecp5
      output_format: json
      yosys_synth_options: [-nowidelut]
{target}",
        name = quoted(&format!("portico:portico:{top}:{}", env!("CARGO_PKG_VERSION"))),
        description = quoted(&design.about()),
        top = quoted(top),
    )
}

/// A text as YAML takes it: a JSON string is one.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::fifo;

    #[test]
    fn a_core_lists_sources_in_order_and_quotes_what_is_free() {
        let mut fifo = fifo();
        fifo.header = "// SPDX-License-Identifier: MIT\n// Portico, depth:\n// \"8\" # bytes".into();
        let files = ["fifo_ram.v", "fifo.v", "fifo.f"].map(String::from);
        let core = fusesoc_core(&fifo, &files, None);
        assert!(!core.contains("sim:") && !core.contains("bench"), "{core}");
        assert!(core.starts_with("CAPI=2:\nname: \"portico:portico:fifo:"), "{core}");
        assert!(
            core.contains("\ndescription: \"Portico, depth: \\\"8\\\" # bytes\"\n"),
            "{core}"
        );
        let sources = "    files:\n      - \"fifo_ram.v\"\n      - \"fifo.v\"\n    file_type: verilogSource\n";
        assert!(core.contains(sources), "{core}");
        assert!(
            !core.contains("fifo.f") && core.contains("toplevel: \"fifo\"\n"),
            "{core}"
        );
        let core = fusesoc_core(&fifo, &files, Some("fifo_tb.v"));
        let bench = "  bench:\n    files:\n      - \"fifo_tb.v\"\n    file_type: verilogSource\n\ntargets:";
        let sim = "  sim:\n    filesets: [rtl, bench]\n    toplevel: \"fifo_tb\"\n    flow: sim\n";
        assert!(core.contains(bench) && core.contains(sim), "{core}");
    }
}

//! The emitted text under the tools' own eyes: neither Verilator nor Yosys has anything to say.

use crate::{
    blocks::{all, emitted},
    tools::{folder, run, write},
};
use portico_synth::Tool;

/// Everything that Verilator reports about the files of a design; `roots` are those that it is given.
pub fn verilator(files: &[(String, String)], roots: &[&str]) -> String {
    let folder = folder();
    write(folder.path(), files);
    let (succeeded, report) = run(
        Tool::Verilator,
        folder.path(),
        &[&["--lint-only", "-Wall"], roots].concat(),
    );
    let findings: Vec<&str> = report.lines().filter(|line| line.starts_with('%')).collect();
    assert!(
        succeeded || !findings.is_empty(),
        "Verilator fails and does not say why:\n{report}"
    );
    findings.join("\n")
}

/// What Yosys finds wrong in each of some designs, (top, text).
pub fn yosys(designs: &[(String, String)]) -> Vec<String> {
    let folder = folder();
    let mut script = String::new();
    for (top, text) in designs {
        write(folder.path(), &[(format!("{top}.v"), text.clone())]);
        script += &format!("log --- design {top}\nread_verilog {top}.v\nhierarchy -check -top {top}\nproc\n");
        script += "check -assert\nselect -assert-none t:$dlatch t:$adlatch t:$dlatchsr\ndesign -reset\n";
    }
    write(folder.path(), &[("check.ys".into(), script + "log --- end\n")]);
    let (succeeded, log) = run(Tool::Yosys, folder.path(), &["-s", "check.ys"]);
    let suspicious = ["Warning", "ERROR", "implicitly declared", "Latch inferred", "no driver"];
    let mut findings: Vec<String> = log
        .lines()
        .filter(|line| suspicious.iter().any(|word| line.contains(word)))
        .map(String::from)
        .collect();
    if !succeeded || !log.contains("--- end") {
        findings.push(format!("Yosys did not come to the end:\n{log}"));
    }
    findings
}

#[test]
fn verilator_reports_nothing_on_any_circuit() {
    for (name, block) in all() {
        let design = emitted(block.as_ref(), name).unwrap();
        let report = verilator(&design.files(), &["-f", &format!("{}.f", design.top)]);
        assert_eq!(report, "", "{name}, a file a module:\n{}", design.text());
        let file = format!("{}.v", design.top);
        let whole = [(file.clone(), design.text())];
        assert_eq!(
            verilator(&whole, &["--top-module", &design.top, &file]),
            "",
            "{name}, one file"
        );
    }
}

#[test]
fn yosys_finds_no_latch_no_open_net_and_nothing_undeclared() {
    let design = |(name, block): (_, Box<_>)| emitted(&*block, name).unwrap();
    let designs: Vec<_> = all()
        .into_iter()
        .map(design)
        .map(|design| (design.top.clone(), design.text()))
        .collect();
    assert_eq!(yosys(&designs), [""; 0]);
}

/// A check that finds nothing must be able to find something.
#[test]
fn planted_faults_are_found() {
    let faults = [
        (
            "latch",
            "module latch (input wire a, output reg y); always @* if (a) y = 1'b1; endmodule",
        ),
        ("open", "module open (output wire y); wire a; assign y = a; endmodule"),
        (
            "implicit",
            "module implicit (input wire a, output wire y); assign b = a; assign y = b; endmodule",
        ),
    ];
    for (top, text) in faults {
        assert!(!yosys(&[(top.into(), text.into())]).is_empty(), "{top}");
    }
    let wide = "module wide (input wire [3:0] a, output wire [7:0] y); assign y = a; endmodule\n";
    let report = verilator(&[("wide.v".into(), wide.into())], &["wide.v"]);
    assert!(report.contains("WIDTHEXPAND"), "{report}");
}

//! Finds in a log of Yosys what it only remarks on, though the hardware would be wrong.

use std::fmt;

/// A class of faulty Verilog.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fault {
    /// A name that nothing declares became a wire.
    ImplicitNet,
    /// A process leaves an output as it was on some path.
    Latch,
    /// A wire is read, but nothing drives it.
    Undriven,
    /// Two things drive one wire.
    ManyDrivers,
    /// A signal depends on itself without a register between.
    Loop,
    /// Any other warning.
    Warning,
}

impl Fault {
    /// The words by which Yosys tells of each class; the first that matches decides.
    const WORDS: [(&'static str, Fault); 7] = [
        ("implicitly declared", Fault::ImplicitNet),
        ("Latch inferred", Fault::Latch),
        ("is used but has no driver", Fault::Undriven),
        ("multiple conflicting drivers", Fault::ManyDrivers),
        ("Drivers conflicting with a constant", Fault::ManyDrivers),
        ("found logic loop", Fault::Loop),
        ("Warning:", Fault::Warning),
    ];
}

/// Warnings that tell of no fault of the design: words that all stand in the line.
const HARMLESS: [[&str; 2]; 4] = [
    // It is about a file of Yosys: the models of ECP5 cells hold a pad, some carry chains a range that ends before it begins.
    ["/share/", ": Warning: "],
    // Yosys says so of a whole family.
    ["Feature 'synth_", "is experimental."],
    // ABC says so where a family's script names no clock.
    ["delay target has not been set via SDC", "assuming"],
    // Yosys has no real numbers: it hands those of a board's PLL on as text.
    ["Replacing floating point parameter pll.", " with string."],
];

/// One fault, as Yosys words it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Its class.
    pub fault: Fault,
    /// The line of the log, with the lines that go on below it.
    pub lines: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.lines)
    }
}

/// Every distinct fault that a log tells of, in its order.
pub(crate) fn find(log: &str) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    let mut lines = log.lines().peekable();
    while let Some(line) = lines.next() {
        let is_harmless = HARMLESS
            .iter()
            .any(|words| words.iter().all(|word| line.contains(word)));
        let class = Fault::WORDS.iter().find(|(words, _)| line.contains(words));
        let Some((_, fault)) = class.filter(|_| !is_harmless) else {
            continue;
        };
        let mut text = line.trim().to_string();
        while let Some(more) = lines.next_if(|line| line.starts_with(' ') && !line.contains("Warning:")) {
            text = format!("{text}\n{}", more.trim_end());
        }
        let finding = Finding {
            fault: *fault,
            lines: text,
        };
        if !findings.contains(&finding) {
            findings.push(finding);
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_has_its_class_and_the_lines_below_it_once() {
        let log = "\
Warning: found logic loop in module top:
    cell $and (a.v:2)
    wire \\x
Checking module top...
Warning: found logic loop in module top:
    cell $and (a.v:2)
    wire \\x
Checking module top...
Latch inferred for signal `\\top.\\y'
No latch inferred for signal `\\top.\\z'
Warning: something new
Warnings: 2 unique messages, 4 total
";
        let found = find(log);
        let classes: Vec<Fault> = found.iter().map(|finding| finding.fault).collect();
        assert_eq!(classes, [Fault::Loop, Fault::Latch, Fault::Warning]);
        assert_eq!(found[0].lines.lines().count(), 3);
    }

    #[test]
    fn only_the_cell_models_may_speak_of_tri_states() {
        let words = "Warning: Yosys has only limited support for tri-state logic at the moment.";
        assert_eq!(find(&format!("/share/ecp5/common_sim.vh:327: {words}\n")), []);
        assert_eq!(find(&format!("design.v:327: {words}\n")).len(), 1);
    }

    #[test]
    fn only_a_pll_may_have_parameters_with_a_point() {
        let warning = |cell: &str| {
            format!("design.v:6: Warning: Replacing floating point parameter {cell}.P = 10.0 with string.\n")
        };
        assert_eq!(find(&warning("pll")), []);
        assert_eq!(find(&warning("core")).len(), 1);
    }
}

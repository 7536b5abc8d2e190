//! Projects of Vivado for a block and for a board: text, since Vivado is not among the tools of these flows.

use crate::{Board, SynthError, Target};
use portico_verilog::Design;
use std::fmt::Write;

/// The files of a project that synthesises a block out of context: (file name, text).
///
/// `<top>.tcl` makes the project beside itself and runs synthesis (`vivado -mode batch -source <top>.tcl`); it leaves
/// `<top>_utilization.rpt` and `<top>_timing.rpt`. `constraints` is the text of an XDC file; if it holds nothing, there
/// is none. The same arguments give the same text.
///
/// # Errors
/// [`SynthError::Name`] if `part`, such as `xc7a100tcsg324-1`, or the name of the top is none that a script may hold.
pub fn vivado_project(design: &Design, part: &str, constraints: &str) -> Result<Vec<(String, String)>, SynthError> {
    let (mut files, adding) = sources(design, part, constraints)?;
    let top = &design.top;
    let script = format!(
        "\
{header}# Out-of-context synthesis: vivado -mode batch -source {top}.tcl

set folder [file dirname [file normalize [info script]]]

create_project -force -part {part} {top} [file join $folder {top}_project]
{adding}set_property top {top} [current_fileset]
set_property -name {{STEPS.SYNTH_DESIGN.ARGS.MORE OPTIONS}} -value {{-mode out_of_context}} -objects [get_runs synth_1]

{synthesis}
open_run synth_1
{reports}",
        header = header(design),
        synthesis = run(top, "synth_1", "launch_runs synth_1 -jobs 2", "synthesis"),
        reports = reports(top),
    );
    files.push((format!("{top}.tcl"), script));
    Ok(files)
}

/// The files of a project that makes the bitstream of a board: (file name, text). `design` is a
/// [`board_design`](crate::board_design).
///
/// `<top>.tcl` makes the project beside itself, synthesises, places and routes, and leaves `<top>_utilization.rpt` and
/// `<top>_timing.rpt`. If the timing is met, it leaves `<top>.bit` too; else it ends with an error that tells the slack.
///
/// # Errors
/// [`SynthError::Family`] if the FPGA of the board is not Xilinx's.
pub fn vivado_board_project(board: &Board, design: &Design) -> Result<Vec<(String, String)>, SynthError> {
    board.expect(Target::Xilinx)?;
    let (mut files, adding) = sources(design, &board.part, board.constraints)?;
    let top = &design.top;
    let script = format!(
        "\
{header}# Bitstream for {title}: vivado -mode batch -source {top}.tcl

set folder [file dirname [file normalize [info script]]]

create_project -force -part {part} {top} [file join $folder {top}_project]
{adding}set_property top {top} [current_fileset]

{synthesis}
{implementation}
open_run impl_1
{reports}
foreach check {{WNS WHS TPWS}} {{
    set slack [get_property STATS.$check [get_runs impl_1]]
    if {{$slack < 0}} {{
        error \"{top} misses its timing by [expr {{-$slack}}] ns ($check): see {top}_timing.rpt\"
    }}
}}
file copy -force [file join [get_property DIRECTORY [get_runs impl_1]] {top}.bit] [file join $folder {top}.bit]
",
        header = header(design),
        title = board.title,
        part = board.part,
        synthesis = run(top, "synth_1", "launch_runs synth_1 -jobs 2", "synthesis"),
        implementation = run(
            top,
            "impl_1",
            "launch_runs impl_1 -to_step write_bitstream -jobs 2",
            "implementation"
        ),
        reports = reports(top),
    );
    files.push((format!("{top}.tcl"), script));
    Ok(files)
}

/// Verilog and constraints, and the lines of a script that add them to its project.
fn sources(design: &Design, part: &str, constraints: &str) -> Result<(Vec<(String, String)>, String), SynthError> {
    let top = &design.top;
    for (field, value) in [("part", part), ("top", top)] {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if value.is_empty() || !value.chars().all(is_plain) {
            return Err(SynthError::Name {
                field,
                value: value.into(),
            });
        }
    }
    let source = format!("{top}.v");
    let mut files = vec![(source.clone(), design.text())];
    let mut adding = format!("add_files -norecurse [file join $folder {source}]\n");
    if !constraints.trim().is_empty() {
        let name = format!("{top}.xdc");
        let _ = writeln!(
            adding,
            "add_files -norecurse -fileset constrs_1 [file join $folder {name}]"
        );
        files.push((name, format!("{}\n", constraints.trim_end())));
    }
    Ok((files, adding))
}

/// The header of the Verilog as comments of Tcl. A line that ends in a backslash would go on in the next.
fn header(design: &Design) -> String {
    let lines = design.header_lines().map(|line| line.trim_end_matches('\\'));
    lines.map(|line| format!("# {line}\n")).collect()
}

/// Starts a run, waits for its end, and ends the script if it failed.
fn run(top: &str, name: &str, launch: &str, what: &str) -> String {
    format!(
        "\
{launch}
wait_on_run {name}
if {{[get_property PROGRESS [get_runs {name}]] ne \"100%\"}} {{
    error \"{what} of {top} failed\"
}}
"
    )
}

fn reports(top: &str) -> String {
    format!(
        "\
report_utilization -hierarchical -file [file join $folder {top}_utilization.rpt]
report_timing_summary -file [file join $folder {top}_timing.rpt]
"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::fifo;

    #[test]
    fn a_project_names_every_file_that_it_comes_with() {
        let clock = "create_clock -period 5.000 [get_ports clk]";
        let files = vivado_project(&fifo(), "xc7a100tcsg324-1", clock).unwrap();
        let names: Vec<&str> = files.iter().map(|(name, _)| &**name).collect();
        assert_eq!(names, ["fifo.v", "fifo.xdc", "fifo.tcl"]);
        assert_eq!(
            (&*files[0].1, &*files[1].1),
            (&*fifo().text(), "create_clock -period 5.000 [get_ports clk]\n")
        );
        let script = &files[2].1;
        for line in [
            "# A design for a test",
            "create_project -force -part xc7a100tcsg324-1 fifo [file join $folder fifo_project]",
            "add_files -norecurse [file join $folder fifo.v]",
            "add_files -norecurse -fileset constrs_1 [file join $folder fifo.xdc]",
            "set_property top fifo [current_fileset]",
        ] {
            assert_eq!(
                script.lines().filter(|found| *found == line).count(),
                1,
                "{line}\n{script}"
            );
        }
        for pair in ["{}", "[]"] {
            let count = |index: usize| script.matches(&pair[index..=index]).count();
            assert_eq!(count(0), count(1), "{pair}");
        }
    }

    #[test]
    fn a_project_without_constraints_adds_none() {
        let files = vivado_project(&fifo(), "xc7k325tffg900-2", " \n").unwrap();
        assert_eq!(files.len(), 2);
        assert!(!files[1].1.contains("constrs_1"));
    }

    #[test]
    fn a_part_that_would_be_a_script_is_refused() {
        for part in ["", "xc7 a", "xc7;exit", "[exit]", "$part"] {
            let error = vivado_project(&fifo(), part, "").unwrap_err().to_string();
            assert_eq!(
                error,
                format!("part = {part:?}, allowed: letters, digits, '-', '_' and '.'")
            );
        }
    }

    #[test]
    fn a_board_without_an_fpga_of_xilinx_has_no_project() {
        let board = Board::named("ulx3s-85f").unwrap();
        assert_eq!(
            vivado_board_project(&board, &fifo()).unwrap_err().to_string(),
            "ulx3s-85f has an FPGA of ecp5: use `portico bitstream`, which needs no Vivado"
        );
    }
}

//! Runs Yosys on a design, and takes no log that tells of a fault.

use crate::scratch::Scratch;
use crate::{faults, Located, SynthError, Tool};
use portico_verilog::Design;

/// File of the design in the folder of a run.
pub(crate) const DESIGN: &str = "design.v";
const SCRIPT: &str = "script.ys";
const LOG: &str = "yosys.log";

/// Yosys, ready to run.
pub struct Yosys {
    located: Located,
}

impl Yosys {
    /// Finds Yosys: see [`locate`](crate::locate).
    ///
    /// # Errors
    /// [`SynthError::Tool`].
    pub fn locate() -> Result<Self, SynthError> {
        let located = crate::locate(Tool::Yosys)?;
        Ok(Yosys { located })
    }

    /// Its version.
    pub fn version(&self) -> &str {
        &self.located.version
    }

    /// Runs a script after reading the whole design, in a private folder, and returns the log.
    ///
    /// The script finds the design read, but no top chosen. The folder goes after a run, and stays after a failure.
    ///
    /// # Errors
    /// [`SynthError::Faulty`] if the log tells of an undeclared name, a latch, a wire that nothing drives or that several
    /// things drive, a combinational loop, or holds any other warning; [`SynthError::Failed`] if Yosys ends with an error.
    pub fn run(&self, design: &Design, script: &str) -> Result<String, SynthError> {
        self.run_in(&mut Scratch::new()?, design, script)
    }

    /// Runs a script on each of several designs, one after the other in one process, and returns the log of all.
    ///
    /// Yosys takes longer to start than to check a small design.
    ///
    /// # Errors
    /// As [`run`](Self::run); the log does not always tell which design is meant.
    pub fn run_each<'a>(&self, jobs: impl IntoIterator<Item = (&'a Design, String)>) -> Result<String, SynthError> {
        let mut scratch = Scratch::new()?;
        let mut all = String::new();
        for (at, (design, script)) in jobs.into_iter().enumerate() {
            let file = format!("design_{at}.v");
            scratch.write(&file, &design.text())?;
            all += &format!("design -reset\nread_verilog {file}\n{script}\n");
        }
        self.run_script(&mut scratch, &all)
    }

    /// The same in a folder of the caller's, with what the script writes.
    pub(crate) fn run_in(&self, scratch: &mut Scratch, design: &Design, script: &str) -> Result<String, SynthError> {
        scratch.write(DESIGN, &design.text())?;
        self.run_script(scratch, &format!("read_verilog {DESIGN}\n{script}\n"))
    }

    fn run_script(&self, scratch: &mut Scratch, script: &str) -> Result<String, SynthError> {
        scratch.write(SCRIPT, script)?;
        // Yosys's standard output ends early under WebAssembly: what ABC prints is captured and not given back.
        scratch.run(&self.located, &["-Q", "-q", "-l", LOG, SCRIPT], LOG, |log, path| {
            let findings = faults::find(log);
            if findings.is_empty() {
                return Ok(());
            }
            Err(SynthError::Faulty {
                findings,
                log: path.to_path_buf(),
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{design, fifo};
    use crate::{Fault, Mode};
    use std::fs;

    #[test]
    fn a_sound_design_passes_and_its_folder_goes() {
        let mut scratch = Scratch::new().unwrap();
        let script = "hierarchy -check -top fifo\nstat";
        let log = Yosys::locate().unwrap().run_in(&mut scratch, &fifo(), script).unwrap();
        assert!(log.contains("Top module:  \\fifo"), "{log}");
        let folder = scratch.path(".");
        drop(scratch);
        assert!(!folder.exists());
    }

    #[test]
    fn a_fault_of_the_second_of_two_designs_is_caught() {
        let yosys = Yosys::locate().unwrap();
        let script = |design: &Design| format!("hierarchy -check -top {}; proc; check -assert", design.top);
        let (right, ports) = (fifo(), "input wire a, output wire y");
        let wrong = design(
            "open",
            &[],
            &format!("module open ({ports});\nwire x; assign y = x ^ a;\nendmodule\n"),
        );
        let log = yosys
            .run_each([&right, &right].map(|design| (design, script(design))))
            .unwrap();
        assert_eq!(log.matches("Found and reported 0 problems.").count(), 2, "{log}");
        let error = yosys
            .run_each([&right, &wrong].map(|design| (design, script(design))))
            .unwrap_err();
        let SynthError::Faulty { findings, log } = &error else {
            panic!("{error}")
        };
        assert_eq!(findings[0].fault, Fault::Undriven, "{error}");
        fs::remove_dir_all(log.parent().unwrap()).unwrap();
    }

    #[test]
    fn every_class_of_fault_is_caught() {
        let yosys = Yosys::locate().unwrap();
        for (fault, ports, body) in [
            (
                Fault::ImplicitNet,
                "input wire a, output wire y",
                "`default_nettype wire\nassign x = a; assign y = x;",
            ),
            (
                Fault::Latch,
                "input wire a, input wire b, output reg y",
                "always @* if (a) y = b;",
            ),
            (
                Fault::Undriven,
                "input wire a, output wire y",
                "wire x; assign y = x ^ a;",
            ),
            (
                Fault::ManyDrivers,
                "input wire a, input wire b, output wire y",
                "assign y = a; assign y = b;",
            ),
            (
                Fault::ManyDrivers,
                "input wire a, output wire y",
                "assign y = a; assign y = 1'b0;",
            ),
            (
                Fault::Loop,
                "input wire a, output wire y",
                "wire x; wire z; assign x = z ^ a; assign z = x & a; assign y = x;",
            ),
            (Fault::Warning, "input wire [3:0] a, output wire y", "assign y = a[5];"),
        ] {
            let faulty = design("faulty", &[], &format!("module faulty ({ports});\n{body}\nendmodule\n"));
            // One of the modes takes a latch for an error, and one only tells of it.
            let modes = if fault == Fault::Latch {
                &Mode::ALL[..]
            } else {
                &[Mode::Ecp5NoWideLut]
            };
            for mode in modes {
                let error = yosys.run(&faulty, &mode.script("faulty")).unwrap_err();
                let SynthError::Faulty { findings, log } = &error else {
                    panic!("{body}: {error}")
                };
                assert!(findings.iter().any(|finding| finding.fault == fault), "{body}: {error}");
                let kept = fs::read_to_string(log).unwrap();
                assert!(
                    kept.contains(findings[0].lines.lines().next().unwrap()),
                    "{body}: {error}"
                );
                fs::remove_dir_all(log.parent().unwrap()).unwrap();
            }
        }
    }

    #[test]
    fn a_missing_module_fails_with_yosys_words() {
        let text = "module top (input wire a, output wire y);\nmissing m (.a(a), .y(y));\nendmodule\n";
        let script = Mode::Ecp5NoWideLut.script("top");
        let error = Yosys::locate()
            .unwrap()
            .run(&design("top", &[], text), &script)
            .unwrap_err();
        let SynthError::Failed { lines, log, .. } = &error else {
            panic!("{error}")
        };
        assert!(lines.contains("\\missing") && log.is_file(), "{error}");
        fs::remove_dir_all(log.parent().unwrap()).unwrap();
    }
}

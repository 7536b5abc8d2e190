//! The private folder in which a tool runs.
//!
//! Tools run inside it and are given relative names only: the WebAssembly builds see the current folder, while absolute
//! names below `/tmp` are hidden from them.

use crate::{Located, SynthError};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Lines of a log that an error shows when the tool names no error in it.
const TAIL: usize = 12;

/// Between two looks at a tool that is watched.
const LOOK: Duration = Duration::from_millis(100);

/// A tool that ran under watch.
pub(crate) struct Watched {
    /// All that it wrote on its standard streams.
    pub log: String,
    /// Whether it was ended because its time was up.
    pub time_is_up: bool,
    /// How long it ran.
    pub time: Duration,
    /// The most memory that it held, in MiB, where the system tells.
    pub peak_mib: Option<u64>,
}

/// A folder that goes when it is dropped, unless a run in it failed: then it stays, with the log.
pub(crate) struct Scratch {
    folder: TempDir,
}

impl Scratch {
    pub fn new() -> Result<Self, SynthError> {
        let folder = tempfile::Builder::new().prefix("portico-synth-").tempdir();
        let folder = folder.map_err(SynthError::io("make a folder in", &std::env::temp_dir()))?;
        Ok(Scratch { folder })
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) -> Result<(), SynthError> {
        let path = self.path(name);
        fs::write(&path, text).map_err(SynthError::io("write", &path))
    }

    pub fn read_bytes(&self, name: &str) -> Result<Vec<u8>, SynthError> {
        let path = self.path(name);
        fs::read(&path).map_err(SynthError::io("read", &path))
    }

    pub fn read(&self, name: &str) -> Result<String, SynthError> {
        let path = self.path(name);
        fs::read_to_string(&path).map_err(SynthError::io("read", &path))
    }

    /// From now on the folder outlives this value; the path is for an error that names it.
    pub fn keep(&mut self, name: &str) -> PathBuf {
        self.folder.disable_cleanup(true);
        self.path(name)
    }

    /// Runs a tool that writes its log into the file `log`, and returns that log. `faults` has the first look at it.
    pub fn run(
        &mut self,
        located: &Located,
        arguments: &[&str],
        log: &str,
        faults: impl FnOnce(&str, &Path) -> Result<(), SynthError>,
    ) -> Result<String, SynthError> {
        let run = located
            .command()
            .args(arguments)
            .current_dir(self.folder.path())
            .stdin(Stdio::null())
            .output();
        let output = run.map_err(SynthError::io("run", &located.program))?;
        let path = self.path(log);
        let mut text = fs::read(&path)
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            .unwrap_or_default();
        if !output.status.success() {
            // What a tool says before it has a log, or while it crashes, is on its standard streams alone.
            text.push_str(&String::from_utf8_lossy(&[output.stdout, output.stderr].concat()));
            self.write(log, &text)?;
        }
        if let Err(error) = faults(&text, &path) {
            self.keep(log);
            return Err(error);
        }
        if !output.status.success() {
            return Err(SynthError::Failed {
                tool: located.tool,
                status: output.status.to_string(),
                lines: telling(&text),
                log: self.keep(log),
            });
        }
        Ok(text)
    }

    /// Runs a tool whose standard streams become the file `log`, and ends it at `deadline`. `line` is told each line that
    /// it writes, soon after.
    pub fn watch(
        &mut self,
        located: &Located,
        arguments: &[&str],
        log: &str,
        deadline: Option<Instant>,
        mut line: impl FnMut(&str),
    ) -> Result<Watched, SynthError> {
        let path = self.path(log);
        let streams = fs::File::create(&path).and_then(|file| Ok((file.try_clone()?, file)));
        let (stdout, stderr) = streams.map_err(SynthError::io("write", &path))?;
        let start = Instant::now();
        let mut command = located.command();
        command
            .args(arguments)
            .current_dir(self.folder.path())
            .stdin(Stdio::null())
            .stdout(stdout)
            .stderr(stderr);
        let mut child = command.spawn().map_err(SynthError::io("run", &located.program))?;
        let (mut told, mut peak_mib, mut time_is_up) = (0, None, false);
        let status = loop {
            // Before the look at the log, so that the last look sees all of it.
            let status = child.try_wait().map_err(SynthError::io("wait for", &located.program))?;
            let length = fs::metadata(&path).map_or(0, |metadata| metadata.len());
            if length > told as u64 {
                let text = lossy(fs::read(&path));
                for whole in text[told..].split_inclusive('\n').filter(|line| line.ends_with('\n')) {
                    line(whole.trim_end());
                    told += whole.len();
                }
            }
            peak_mib = peak_of(child.id()).or(peak_mib);
            if let Some(status) = status {
                break status;
            }
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                time_is_up = true;
                let ended = child.kill().and_then(|()| child.wait());
                break ended.map_err(SynthError::io("end", &located.program))?;
            }
            thread::sleep(LOOK);
        };
        let text = lossy(fs::read(&path));
        if !status.success() && !time_is_up {
            return Err(SynthError::Failed {
                tool: located.tool,
                status: status.to_string(),
                lines: telling(&text),
                log: self.keep(log),
            });
        }
        Ok(Watched {
            log: text,
            time_is_up,
            time: start.elapsed(),
            peak_mib,
        })
    }
}

/// What can be read of a log; nothing of one that is not there yet.
fn lossy(bytes: std::io::Result<Vec<u8>>) -> String {
    String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned()
}

/// The most memory that a process has held so far, in MiB; Linux alone tells.
fn peak_of(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kib.div_ceil(1024))
}

/// The lines of a failed run's log that say why.
fn telling(log: &str) -> String {
    let mut errors: Vec<&str> = log.lines().filter(|line| line.contains("ERROR:")).collect();
    errors.dedup();
    if errors.is_empty() {
        errors = log.lines().collect();
        errors.drain(..errors.len().saturating_sub(TAIL));
    }
    errors.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Origin, Tool};

    fn shell() -> Located {
        Located {
            tool: Tool::Yosys,
            program: "sh".into(),
            env: Vec::new(),
            version: String::new(),
            origin: Origin::Environment,
        }
    }

    fn run(scratch: &mut Scratch, script: &str) -> Result<String, SynthError> {
        scratch.run(&shell(), &["-c", script], "log", |_, _| Ok(()))
    }

    #[test]
    fn a_folder_goes_with_its_value() {
        let mut scratch = Scratch::new().unwrap();
        let folder = scratch.path(".");
        assert_eq!(run(&mut scratch, "echo fine > log").unwrap(), "fine\n");
        drop(scratch);
        assert!(!folder.exists());
    }

    #[test]
    fn a_failure_keeps_the_log_and_shows_its_errors() {
        let mut scratch = Scratch::new().unwrap();
        let error = run(
            &mut scratch,
            "echo start > log; echo 'ERROR: no top' >> log; echo lost; exit 3",
        )
        .unwrap_err();
        let SynthError::Failed { status, lines, log, .. } = &error else {
            panic!("{error}")
        };
        assert_eq!((&**status, &**lines), ("exit status: 3", "ERROR: no top"));
        drop(scratch);
        assert_eq!(fs::read_to_string(log).unwrap(), "start\nERROR: no top\nlost\n");
        fs::remove_dir_all(log.parent().unwrap()).unwrap();
    }

    #[test]
    fn a_watched_tool_is_heard_line_by_line_and_ended_when_its_time_is_up() {
        let mut scratch = Scratch::new().unwrap();
        let mut watch = |script: &str, deadline| {
            let mut lines = Vec::new();
            let watched = scratch.watch(&shell(), &["-c", script], "log", deadline, |line| {
                lines.push(line.to_owned())
            });
            watched.map(|watched| (watched.time_is_up, watched.log, lines))
        };
        let script = "echo one; echo two >&2; printf three";
        let (time_is_up, log, lines) = watch(script, None).unwrap();
        assert_eq!((time_is_up, &*log), (false, "one\ntwo\nthree"));
        assert_eq!(lines, ["one", "two"]);

        let soon = Instant::now() + Duration::from_millis(300);
        let (time_is_up, log, _) = watch("echo one; exec sleep 1000", Some(soon)).unwrap();
        assert_eq!((time_is_up, &*log), (true, "one\n"));

        let error = watch("echo 'ERROR: no'; exit 3", None).unwrap_err();
        assert!(
            matches!(&error, SynthError::Failed { lines, .. } if lines == "ERROR: no"),
            "{error}"
        );
        fs::remove_dir_all(scratch.path("log").parent().unwrap()).unwrap();
    }

    #[test]
    fn a_failure_without_a_word_shows_the_end_of_the_log() {
        let mut scratch = Scratch::new().unwrap();
        let error = run(&mut scratch, "seq 100; exit 1").unwrap_err().to_string();
        assert!(
            error.contains("\n89\n90\n") && error.contains("\n100\n") && !error.contains("\n88\n"),
            "{error}"
        );
        fs::remove_dir_all(scratch.path("log").parent().unwrap()).unwrap();
    }
}

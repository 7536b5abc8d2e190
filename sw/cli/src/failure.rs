//! How a command ends that does not succeed: one message, and 1 or 2 as exit status.
//!
//! | status | meaning |
//! | --- | --- |
//! | 0 | done |
//! | 1 | what was asked for could not be done, or came out wrong |
//! | 2 | what was asked for is not allowed: an argument, a setting, a line of an input file |

use anyhow::Error;
use std::{fmt, process::ExitCode};

/// What was asked for is not allowed.
#[derive(Debug)]
struct NotAllowed(String);

impl fmt::Display for NotAllowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NotAllowed {}

/// The error of a request that is not allowed.
pub fn not_allowed(reason: impl fmt::Display) -> Error {
    Error::new(NotAllowed(reason.to_string()))
}

/// The error of a request with these faults, which are not allowed: a line each.
pub fn faults(lines: impl Iterator<Item = String>) -> Error {
    not_allowed(lines.collect::<Vec<_>>().join("\n"))
}

/// The exit status by which the program tells this error.
pub fn status(error: &Error) -> ExitCode {
    match error.is::<NotAllowed>() {
        true => ExitCode::from(2),
        false => ExitCode::FAILURE,
    }
}

/// The error and its causes in one line; a cause that the error has told already is not told twice.
pub fn message(error: &Error) -> String {
    error.chain().skip(1).fold(error.to_string(), |text, cause| {
        let cause = cause.to_string();
        match text.contains(&cause) {
            true => text,
            false => format!("{text}: {cause}"),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::{anyhow, Context};

    #[test]
    fn causes_are_told_once() {
        let error = Err::<(), _>(anyhow!("disk full"))
            .context("cannot write a.v: disk full")
            .context("no Verilog");
        assert_eq!(message(&error.unwrap_err()), "no Verilog: cannot write a.v: disk full");
    }

    #[test]
    fn a_request_that_is_not_allowed_stays_one_under_its_context() {
        let error = Err::<(), _>(not_allowed("rate 2: allowed is 0 to 1"))
            .context("sim")
            .unwrap_err();
        assert_eq!(status(&error), ExitCode::from(2));
        assert_eq!(message(&error), "sim: rate 2: allowed is 0 to 1");
        assert_eq!(status(&anyhow!("a packet is lost")), ExitCode::from(1));
    }
}

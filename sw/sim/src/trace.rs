//! Waveforms of a running model.

use crate::{Model, SimError, Trace};
use std::ffi::CString;
use std::path::Path;

impl Model {
    /// Writes a waveform to `path` from this cycle on, ten nanoseconds a cycle, the rising edge in their middle. A
    /// waveform that is being written is ended first.
    ///
    /// # Errors
    /// [`SimError::Trace`] if the library was built with [`Trace::None`], or the file cannot be made.
    pub fn trace_to(&mut self, path: &Path) -> Result<(), SimError> {
        let loaded = self.loaded.clone();
        let fail = |reason: &str| {
            Err(SimError::Trace {
                top: loaded.top.clone(),
                path: path.into(),
                reason: reason.into(),
            })
        };
        if self.loaded.trace == Trace::None {
            return fail("the library was built with Trace::None");
        }
        let Some(name) = path.to_str().and_then(|text| CString::new(text).ok()) else {
            return fail("the name is not UTF-8 without NUL");
        };
        self.trace_stop();
        if !self.loaded.trace_open(self.handle, &name) {
            return fail("the file cannot be made");
        }
        Ok(())
    }

    /// Ends the waveform and completes its file; dropping the model does so too.
    pub fn trace_stop(&mut self) {
        self.settle();
        self.loaded.trace_close(self.handle);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{counter, quick};
    use crate::{build, Options};
    use std::fs;

    fn counted(trace: Trace, path: &Path) -> Result<(), SimError> {
        let mut model = build(counter(), &Options { trace, ..quick() })?.model();
        model.trace_to(path)?;
        model.reset(1);
        let enable = model.input("enable")?;
        model.set(enable, 1);
        model.run(5);
        model.trace_stop();
        Ok(())
    }

    #[test]
    fn a_vcd_shows_every_value_of_the_counter() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("counter.vcd");
        counted(Trace::Vcd, &path).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        let (header, changes) = text.split_once("$enddefinitions").unwrap();
        assert!(header.contains("1ns") && header.contains("count"), "{header}");
        for value in 1..=5 {
            assert!(
                changes.contains(&format!("b{value:08b} ")),
                "{value} is not in\n{changes}"
            );
        }
        // Six edges, ten nanoseconds apart, from the middle of the first cycle.
        let times: Vec<&str> = changes.lines().filter(|line| line.starts_with('#')).collect();
        assert_eq!(times.first(), Some(&"#0"));
        assert!(times.contains(&"#5") && times.contains(&"#55"), "{times:?}");
        assert_eq!(times.last(), Some(&"#60"));
    }

    #[test]
    fn an_fst_is_written_where_lz4_is_and_refused_with_advice_elsewhere() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("counter.fst");
        match counted(Trace::Fst, &path) {
            Ok(()) => assert!(fs::metadata(&path).unwrap().len() > 100),
            Err(error) => {
                assert!(matches!(error, SimError::NoFst), "{error}");
                assert!(error.to_string().contains("liblz4-dev"), "{error}");
            }
        }
    }

    #[test]
    fn a_trace_that_cannot_be_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let error = counted(Trace::None, &folder.path().join("x.vcd")).unwrap_err();
        assert!(error.to_string().contains("Trace::None"), "{error}");
        let error = counted(Trace::Vcd, &folder.path().join("missing/x.vcd")).unwrap_err();
        assert!(matches!(error, SimError::Trace { .. }), "{error}");
    }

    #[test]
    fn a_second_waveform_ends_the_first() {
        let folder = tempfile::tempdir().unwrap();
        let paths = [folder.path().join("one.vcd"), folder.path().join("two.vcd")];
        let mut model = build(
            counter(),
            &Options {
                trace: Trace::Vcd,
                ..quick()
            },
        )
        .unwrap()
        .model();
        let enable = model.input("enable").unwrap();
        model.reset(1);
        model.set(enable, 1);
        for path in &paths {
            model.trace_to(path).unwrap();
            model.run(3);
        }
        drop(model);
        let texts = paths.map(|path| fs::read_to_string(path).unwrap());
        assert!(
            texts[0].contains("b00000011 ") && !texts[0].contains("b00000101 "),
            "{}",
            texts[0]
        );
        assert!(
            texts[1].contains("b00000110 ") && !texts[1].contains("b00000001 "),
            "{}",
            texts[1]
        );
    }
}

//! A waveform that is written aside until it is complete.

use crate::output;
use anyhow::Context;
use portico_sim::Model;
use std::path::{Path, PathBuf};

/// A waveform under way.
pub struct Waveform {
    aside: tempfile::TempPath,
    file: PathBuf,
}

impl Waveform {
    /// Begins the waveform of a model that was built for one; it will be `file`, whose folder is made if need be.
    ///
    /// # Errors
    /// Nothing can be written there.
    pub fn start(file: &Path, model: &mut Model) -> anyhow::Result<Self> {
        let folder = output::folder_of(file);
        let aside = std::fs::create_dir_all(&folder).and_then(|()| output::beside(&folder));
        let aside = aside
            .with_context(|| format!("cannot write {}", file.display()))?
            .into_temp_path();
        model.trace_to(&aside)?;
        Ok(Waveform {
            aside,
            file: file.into(),
        })
    }

    /// Ends it, and puts the file in its place.
    ///
    /// # Errors
    /// It cannot be put there.
    pub fn finish(self, model: &mut Model) -> anyhow::Result<()> {
        model.trace_stop();
        let failed = || format!("cannot write {}", self.file.display());
        self.aside.persist(&self.file).with_context(failed)
    }
}

//! `--config` and `--set`: where the configuration of a command comes from.

use crate::failure::not_allowed;
use anyhow::Context;
use clap::Args;
use portico_spec::Config;
use std::path::{Path, PathBuf};

/// Keys that a fabric decides itself: it has as many edge nodes as the host and its memories are.
pub const FABRIC_DECIDES: [&str; 1] = ["edge_nodes"];

/// The configuration: defaults, then a file, then single settings.
#[derive(Args, Debug, Default)]
pub struct ConfigArgs {
    /// Configuration file (TOML); keys that it leaves out keep their defaults
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// One key of the configuration, over file and default; may be repeated, the last wins
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<String>,
}

impl ConfigArgs {
    /// These `settings` over `file`.
    pub fn over(file: PathBuf, settings: Vec<String>) -> Self {
        ConfigArgs {
            config: Some(file),
            settings,
        }
    }

    /// What they come to, valid.
    ///
    /// # Errors
    /// The file cannot be read, or a key, a type or a value is not allowed.
    pub fn resolve(&self) -> anyhow::Result<Config> {
        let mut config = match &self.config {
            Some(file) => read(file)?,
            None => Config::default(),
        };
        for setting in &self.settings {
            config.set(setting).map_err(not_allowed)?;
        }
        config.validate().map_err(not_allowed)?;
        Ok(config)
    }

    /// Keys that `--set` names.
    pub fn set_keys(&self) -> impl Iterator<Item = &str> {
        let settings = self.settings.iter().filter_map(|setting| setting.split_once('='));
        settings.map(|(key, _)| key.trim())
    }

    /// Refuses a `--set` of the keys that `what` decides itself.
    ///
    /// # Errors
    /// One of `decided` is set.
    pub fn refuse(&self, what: &str, decided: &[&str]) -> anyhow::Result<()> {
        match self.set_keys().find(|key| decided.contains(key)) {
            Some(key) => Err(not_allowed(format!(
                "{what} decides {key} itself: leave out --set {key}=..."
            ))),
            None => Ok(()),
        }
    }
}

fn read(file: &Path) -> anyhow::Result<Config> {
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    Config::from_toml(&text).map_err(|error| not_allowed(format!("{}: {error}", file.display())))
}

/// The settings that make `config` of the defaults, as on a command line: what replays a run.
pub fn settings(config: &Config) -> String {
    let fields = Config::fields().iter().zip(config.entries());
    let other = fields.filter(|(field, (_, value))| field.default != value);
    other.map(|(_, (key, value))| format!(" --set {key}={value}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn settings_win_over_the_file_and_the_file_over_defaults() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(b"cols = 8\nrows = 2\n").unwrap();
        let args = ConfigArgs {
            config: Some(file.path().into()),
            settings: vec!["rows=3".into(), " rows = 5".into()],
        };
        let config = args.resolve().unwrap();
        assert_eq!((config.cols, config.rows, config.fifo), (8, 5, Config::default().fifo));
        assert_eq!(args.set_keys().collect::<Vec<_>>(), ["rows", "rows"]);
        assert_eq!(settings(&config), " --set cols=8 --set rows=5");
        assert_eq!(settings(&Config::default()), "");
    }

    #[test]
    fn what_concerns_several_keys_is_checked_last() {
        let args = |settings: &[&str]| ConfigArgs {
            settings: settings.iter().map(|&setting| setting.into()).collect(),
            ..ConfigArgs::default()
        };
        assert_eq!(args(&["edge_nodes=8", "cols=8"]).resolve().unwrap().edge_nodes, 8);
        assert!(args(&["edge_nodes=8"]).resolve().is_err());
    }
}

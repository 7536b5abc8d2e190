//! `--config` and `--set`: where the configuration of a command comes from.

use crate::failure::{self, not_allowed};
use anyhow::Context;
use clap::Args;
use portico_generate::Top;
use portico_spec::{
    config::{PROFILES, PROFILE_KEY},
    Config,
};
use std::{
    fmt::Display,
    fs::File,
    io::Read,
    path::{Path, PathBuf},
};

/// Bytes of a configuration file, at most: some hundred times what all keys take.
const MOST_BYTES: u64 = 1 << 16;

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

    /// These `settings` over the defaults.
    pub fn with(settings: Vec<String>) -> Self {
        ConfigArgs { config: None, settings }
    }

    /// The configuration, valid.
    ///
    /// # Errors
    /// The file cannot be read, or keys, types or values are not allowed: all of them, a line each.
    pub fn resolve(&self) -> anyhow::Result<Config> {
        self.over_defaults(Config::default())
    }

    /// The configuration of a board, valid: a register stands before each tile unless the settings say otherwise.
    ///
    /// # Errors
    /// As [`ConfigArgs::resolve`].
    pub fn on_board(&self) -> anyhow::Result<Config> {
        self.over_defaults(Config {
            registers_at_tiles: true,
            ..Config::default()
        })
    }

    /// The configuration over these defaults, valid.
    ///
    /// # Errors
    /// As [`ConfigArgs::resolve`].
    pub fn over_defaults(&self, defaults: Config) -> anyhow::Result<Config> {
        let (mut config, mut faults) = match &self.config {
            Some(file) => defaults.read_toml(&text(file)?),
            None => (defaults, vec![]),
        };
        let mut of_file = faults.len();
        for setting in &self.settings {
            faults.extend(config.set(setting).err());
        }
        let of_whole = config.faults(&faults);
        faults.extend(of_whole);
        if self.settings.is_empty() {
            of_file = faults.len();
        }
        if faults.is_empty() {
            return Ok(config);
        }
        let lines = faults.iter().enumerate().map(|(at, fault)| match &self.config {
            Some(file) if at < of_file => format!("{}: {fault}", file.display()),
            _ => fault.to_string(),
        });
        Err(failure::faults(lines))
    }

    /// Keys that `--set` names.
    pub fn set_keys(&self) -> impl Iterator<Item = &str> {
        let settings = self.settings.iter().filter_map(|setting| setting.split_once('='));
        settings.map(|(key, _)| key.trim())
    }

    /// Warns of each `--set` of a key that does not shape `block`.
    pub fn warn_of_other_keys(&self, block: &Top) {
        let shapes = |key: &str| match key {
            PROFILE_KEY => PROFILES[0].keys().any(|key| block.keys.contains(&key)),
            key => block.keys.contains(&key),
        };
        for key in self.set_keys().filter(|key| !shapes(key)) {
            tracing::warn!("{key} does not shape block {}", block.name);
        }
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

/// The line that tells of the registers before the tiles of a board, if there are any.
pub fn told_of_registers(config: &Config) -> &'static str {
    match config.registers_at_tiles {
        true => "a register stands before each tile, for the clock: --set registers_at_tiles=false leaves it out\n",
        false => "",
    }
}

/// The text of a file of settings.
///
/// # Errors
/// The file cannot be read, is too long, or is no text.
pub fn text(file: &Path) -> anyhow::Result<String> {
    let context = || format!("cannot read {}", file.display());
    let wrong = |reason: &dyn Display| not_allowed(format!("{}: {reason}", file.display()));
    // A device may never end.
    let mut bytes = vec![];
    let mut opened = File::open(file).with_context(context)?.take(MOST_BYTES + 1);
    opened.read_to_end(&mut bytes).with_context(context)?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(wrong(&format!("a configuration file has at most {MOST_BYTES} bytes")));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        wrong(&format!("byte {at} is not UTF-8: a configuration file is TOML text"))
    })
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
    use crate::failure::status;
    use std::{io::Write, process::ExitCode};

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
    fn a_board_has_registers_at_its_tiles_unless_it_is_told_otherwise() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(b"registers_at_tiles = false").unwrap();
        let set = |settings: &[&str]| ConfigArgs::with(settings.iter().map(|&setting| setting.into()).collect());
        assert!(set(&["profile=leaf"]).on_board().unwrap().registers_at_tiles);
        assert!(!set(&["profile=leaf"]).resolve().unwrap().registers_at_tiles);
        assert!(
            !set(&["registers_at_tiles=false"])
                .on_board()
                .unwrap()
                .registers_at_tiles
        );
        let of_file = ConfigArgs::over(file.path().into(), vec![]).on_board().unwrap();
        assert!(!of_file.registers_at_tiles);
        assert!(told_of_registers(&of_file).is_empty());
    }

    #[test]
    fn a_file_that_is_no_configuration_is_not_allowed() {
        let file = |bytes: &[u8]| {
            let mut file = tempfile::NamedTempFile::new().unwrap();
            file.write_all(bytes).unwrap();
            file
        };
        for (bytes, reason) in [
            (&b"cols = \xff"[..], "byte 7 is not UTF-8"),
            (&[b' '; MOST_BYTES as usize + 1], "at most 65536 bytes"),
            (b"cols = 0", "cols = 0"),
        ] {
            let file = file(bytes);
            let error = ConfigArgs::over(file.path().into(), vec![]).resolve().unwrap_err();
            assert!(error.to_string().contains(reason), "{error}");
            assert_eq!(status(&error), ExitCode::from(2), "{error}");
        }
        let most = file(&[b' '; MOST_BYTES as usize]);
        assert!(ConfigArgs::over(most.path().into(), vec![]).resolve().is_ok());
        let endless = ConfigArgs::over("/dev/zero".into(), vec![]).resolve().unwrap_err();
        assert_eq!(status(&endless), ExitCode::from(2));
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

    #[test]
    fn every_fault_of_file_and_settings_is_a_line() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(b"rows = 17\nfifo = 1\nmemories = 4").unwrap();
        let name = file.path().display();
        let settings = ["width=48", "block=4096", "heap=4", "cols=2"].map(str::to_owned);
        let error = ConfigArgs::over(file.path().into(), settings.into())
            .resolve()
            .unwrap_err();
        let lines = [
            format!("{name}: fifo = 1 is not allowed: allowed is 2..=16"),
            format!("{name}: rows = 17 is not allowed: allowed is 1..=16"),
            "width = 48 is not allowed: allowed is 32 or 64".into(),
            "memories = 4 is not allowed with cols = 2: allowed is 0..=1".into(),
            "block = 4096 bytes is not allowed with heap = 4 KiB: allowed is 64, 128, 256, 512, 1024 or 2048".into(),
        ];
        assert_eq!(error.to_string(), lines.join("\n"));
        assert_eq!(status(&error), ExitCode::from(2));
    }
}

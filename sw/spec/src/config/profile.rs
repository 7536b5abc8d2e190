//! Sets of settings with a name: how much a node is to have.

use toml::Value;

use super::{error::shown, Config, ConfigError};

/// A set of settings.
#[derive(Clone, Copy, Debug)]
pub struct Profile {
    /// What the key `profile` takes for it.
    pub name: &'static str,
    /// What it is for.
    pub doc: &'static str,
    /// What it sets, as [`Config::set`] takes it.
    pub settings: &'static [&'static str],
}

/// All profiles, the largest first.
pub static PROFILES: &[Profile] = &[
    Profile {
        name: "full",
        doc: "All that a node can have: the defaults.",
        settings: &[
            "windows=256",
            "segments=256",
            "events=64",
            "slots=32",
            "mailboxes=128",
            "shapers=8",
            "cores=8",
            "monitors=true",
            "queues=true",
            "programs=true",
            "wide_atomics=true",
            "commands=true",
            "tile_ports=false",
            "probe=false",
            "streams=false",
            "mpe=0",
            "portals=0",
            "portals_log=false",
            "scratchpad=64",
        ],
    },
    Profile {
        name: "compact",
        doc: "One micro-core, without programs: tables for a few neighbours, queues, atomics of one word. A node does one \
              transfer at a time and parks no message. cores=2 and programs=true give all of that back.",
        settings: &[
            "windows=64",
            "segments=64",
            "events=32",
            "slots=16",
            "mailboxes=16",
            "shapers=2",
            "cores=1",
            "monitors=true",
            "queues=true",
            "programs=false",
            "wide_atomics=false",
            "commands=true",
            "tile_ports=false",
            "probe=false",
            "streams=false",
            "mpe=0",
            "portals=0",
            "portals_log=false",
            "scratchpad=16",
        ],
    },
    Profile {
        name: "leaf",
        doc: "One micro-core and the least tables: puts, gets, streams, atomics of one word, mail.",
        settings: &[
            "windows=16",
            "segments=16",
            "events=16",
            "slots=8",
            "mailboxes=4",
            "shapers=1",
            "cores=1",
            "monitors=false",
            "queues=false",
            "programs=false",
            "wide_atomics=false",
            "commands=false",
            "tile_ports=false",
            "probe=false",
            "streams=false",
            "mpe=0",
            "portals=0",
            "portals_log=false",
            "scratchpad=4",
        ],
    },
];

impl Profile {
    /// The keys that it sets.
    pub fn keys(&self) -> impl Iterator<Item = &'static str> {
        let settings = self.settings.iter();
        settings.map(|setting| setting.split_once('=').expect("a setting of a key").0)
    }

    /// The profile of this name.
    pub(super) fn named(name: &Value) -> Option<&'static Profile> {
        PROFILES.iter().find(|profile| name.as_str() == Some(profile.name))
    }

    /// The defaults with all its settings.
    ///
    /// # Panics
    /// If there is no profile of this name.
    pub(crate) fn config(name: &str) -> Config {
        let mut config = Config::default();
        let applied = Profile::apply(&name.into(), &mut config);
        applied.expect("a profile of the table");
        config
    }

    /// Makes all its settings.
    pub(super) fn apply(value: &Value, config: &mut Config) -> Result<(), ConfigError> {
        let profile = Profile::named(value).ok_or_else(|| ConfigError::Profile { value: shown(value) })?;
        for setting in profile.settings {
            config.set(setting).expect("a profile sets what is allowed");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_profile_sets_the_same_keys_to_what_is_allowed() {
        for profile in PROFILES {
            let config = Config::from_toml(&format!("profile = {:?}", profile.name)).unwrap();
            assert!(profile.keys().eq(PROFILES[0].keys()), "{}", profile.name);
            for setting in profile.settings {
                let (key, value) = setting.split_once('=').unwrap();
                assert!(config.entries().contains(&(key, value.to_string())), "{setting}");
            }
        }
        let full = Config::from_toml("profile = \"full\"").unwrap();
        assert_eq!(full, Config::default());
    }

    #[test]
    fn a_key_beside_a_profile_counts_wherever_it_stands_and_in_settings_the_later() {
        let config = Config::from_toml("cores = 3\nprofile = \"leaf\"\nwidth = 64").unwrap();
        assert_eq!((config.cores, config.windows, config.width), (3, 16, 64));
        let mut config = Config::default();
        config.set("events=64").unwrap();
        config.set("profile=compact").unwrap();
        config.set("cores=4").unwrap();
        assert_eq!((config.events, config.cores), (32, 4));
    }

    #[test]
    fn a_profile_that_does_not_exist_lists_those_that_do() {
        let refused = Config::default().set("profile=tiny").unwrap_err();
        assert_eq!(
            refused.to_string(),
            "profile = \"tiny\" is not allowed: allowed is full, compact or leaf"
        );
        assert_eq!(
            Config::from_toml("profile = 3").unwrap_err().to_string(),
            "profile = 3 is not allowed: allowed is full, compact or leaf"
        );
    }
}

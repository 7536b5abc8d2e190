//! Sizes of nodes at random: what a soak or a suite of tests is run with beside the profiles.

use portico_spec::{config::PROFILES, Config};
use rand::{rngs::StdRng, seq::SliceRandom, SeedableRng};

/// Keys that are drawn beside those of the profiles.
const SIZE_KEYS: [&str; 2] = ["width", "fifo"];
/// A key of the profiles that is no size: it depends on `portals`.
const NO_SIZE: &str = "portals_log";

/// The keys that are drawn.
fn keys() -> impl Iterator<Item = &'static str> {
    PROFILES[0].keys().chain(SIZE_KEYS).filter(|&key| key != NO_SIZE)
}

/// `config` with every size but those of the keys in `kept` drawn from what is allowed, as `seed` decides.
///
/// Sizes are what profiles set, `width` and `fifo`; every draw is a legal configuration.
pub fn draw_sizes(config: &Config, kept: &[&str], seed: u64) -> Config {
    let mut random = StdRng::seed_from_u64(seed);
    let mut drawn = config.clone();
    for key in keys().filter(|key| !kept.contains(key)) {
        let field = Config::fields().iter().find(|field| field.name == key);
        let values = field.expect("a key of the configuration").allowed.values();
        let value = values.choose(&mut random).expect("a key allows something");
        drawn.set(&format!("{key}={value}")).expect("a value that is allowed");
    }
    // Engines are built at 32 bits alone.
    if drawn.width != 32 {
        let keeps = |key, value| kept.contains(&key) && value > 0;
        if keeps("mpe", drawn.mpe) || keeps("portals", drawn.portals) {
            drawn.width = 32;
        } else {
            (drawn.mpe, drawn.portals) = (0, 0);
        }
    }
    drawn.portals_log &= drawn.portals > 0;
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_size_takes_every_value_and_what_is_kept_stays() {
        let config = Config {
            cols: 2,
            cores: 3,
            ..Config::default()
        };
        let mut seen: HashSet<(&str, String)> = HashSet::new();
        for seed in 0..400 {
            let drawn = draw_sizes(&config, &["cores"], seed);
            drawn.validate().unwrap();
            assert_eq!((drawn.cols, drawn.rows, drawn.cores), (2, config.rows, 3));
            seen.extend(drawn.entries());
        }
        for key in keys().filter(|&key| key != "cores") {
            let field = Config::fields().iter().find(|field| field.name == key).unwrap();
            for value in field.allowed.values() {
                assert!(seen.contains(&(key, value.clone())), "{key} = {value}");
            }
        }
    }
}

//! A fabric on Verilog from its configuration alone.

use portico_generate::{simulated, Error};
use portico_spec::Config;

#[path = "../examples/measure.rs"]
mod measure;

#[test]
fn a_put_over_one_hop_takes_a_compact_tile_27_cycles() {
    let (tile, host) = measure::cycles_of_a_put().unwrap();
    // 20, and 7 until the fixed logic of a single micro-core starts it.
    assert_eq!(tile, 27);
    assert!(host > tile, "{host} cycles as the host sees it");
}

#[test]
fn a_configuration_that_is_not_valid_is_refused() {
    let config = Config {
        width: 48,
        ..Config::default()
    };
    let error = simulated(&config).err().unwrap();
    assert!(matches!(error, Error::Config(_)), "{error}");
    assert!(error.to_string().starts_with("width = 48"), "{error}");
}

//! What the border costs: printed, since times of a machine with other work prove nothing.

use std::time::Instant;

use portico::{
    onesided::{Geometry, Window},
    Fabric, GoldenTransport,
};
use portico_capi::*;
use portico_spec::Config;

use crate::bench::*;

/// Puts that are measured at a time.
const PUTS: u32 = 100;

#[test]
fn a_put_through_c_beside_one_in_rust() {
    let config = Config::from_toml(SMALL).unwrap();
    let mut direct = Fabric::open(GoldenTransport::new(&config).unwrap()).unwrap();
    let published = direct.publish(3, Window::new(0, 64)).unwrap();
    let remote = direct.tile(0).unwrap().clone_segment(published.id()).unwrap();

    let fabric = golden(SMALL);
    let segment = segment(fabric, 0, window(fabric, 3, 0, 64));
    let geometry = linear(16);
    // The least of many times, in turn, so that other work meets both.
    let (mut rust, mut c) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..100 {
        let begun = Instant::now();
        for _ in 0..PUTS {
            let put = direct.tile(0).unwrap().put(&remote, 0, 0x100, Geometry::linear(16));
            put.unwrap().wait(1000).unwrap();
        }
        rust = rust.min(begun.elapsed().as_secs_f64());
        let begun = Instant::now();
        for _ in 0..PUTS {
            must(unsafe { portico_put(fabric, segment, 0, 0x100, &geometry, &WAIT) });
        }
        c = c.min(begun.elapsed().as_secs_f64());
    }
    let nanoseconds = |time: f64| time / f64::from(PUTS) * 1e9;
    println!(
        "a put: {:.0} ns in Rust, {:.0} ns through C, {:.3} times as long",
        nanoseconds(rust),
        nanoseconds(c),
        c / rust
    );
    must(portico_close(fabric));
}

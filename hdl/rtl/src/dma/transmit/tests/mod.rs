//! The transmitter as a whole against its model.

mod bypass;
mod errors;
mod fixed;
mod programs;
mod random;
mod speed;

use super::{
    model::{Model, Outcome},
    testing::{Bench, Job},
};

/// What the bench has seen of a context, in the form of the model.
fn seen<const W: usize>(bench: &Bench<W>, job: &Job) -> Outcome {
    let stops: Vec<_> = bench.stops.iter().filter(|stop| stop.context == job.context).collect();
    assert_eq!(stops.len(), 1, "stops of context {}", job.context);
    let own = bench
        .packets
        .iter()
        .filter(|packet| packet.destination() == job.destination);
    Outcome {
        packets: own
            .map(|packet| {
                assert_eq!(packet.control, job.control, "the plane of {packet:?}");
                packet.flits.clone()
            })
            .collect(),
        error: stops[0].error,
        owns_slot: stops[0].owns_slot,
        ..Outcome::default()
    }
}

/// Holds what the bench has seen of `job` to the model; gives what the model says.
fn check<const W: usize>(bench: &Bench<W>, job: &Job, program: &[u32], maximum: u64) -> Outcome {
    let expected = Model::outcome(job, program, W, maximum);
    let seen = seen(bench, job);
    for (index, (seen, expected)) in seen.packets.iter().zip(&expected.packets).enumerate() {
        assert_eq!(
            format!("{seen:x?}"),
            format!("{expected:x?}"),
            "packet {index} of {job:?}"
        );
    }
    assert_eq!(seen.packets.len(), expected.packets.len(), "{job:?}");
    assert_eq!(
        (seen.error, seen.owns_slot),
        (expected.error, expected.owns_slot),
        "{job:?}"
    );
    expected
}

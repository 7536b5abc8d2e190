//! Whether a run was warm when its measurement began.

/// Observations in a batch: the 5 of MSER-5.
const BATCH: usize = 5;
/// Batches at the end that may be alike by chance: a rest of no more than these does not count.
const END: f64 = 5.0;

/// Where observations, in their order, become steady: how many of the first are left out so that the mean of the rest has the least
/// squared error, by batches of five. None if that would be more than half of them: then they do not settle, or are too few.
///
/// MSER-5: White, Cobb and Spratt, "A comparison of five steady-state truncation heuristics for simulation", Winter Simulation
/// Conference 2000. That the last five batches do not count: Hoad, Robinson and Davies, "Automating warm-up length estimation", Journal
/// of the Operational Research Society 61, 2010.
pub fn steady_from(observations: &[u64]) -> Option<usize> {
    let batches: Vec<f64> = observations
        .chunks_exact(BATCH)
        .map(|batch| batch.iter().sum::<u64>() as f64 / BATCH as f64)
        .collect();
    // From the last batch to the first: of those from here on, how many, their mean, and the sum of the squares of their distances
    // from it (Welford).
    let (mut count, mut mean, mut squares) = (0.0, 0.0, 0.0);
    let mut best = (f64::INFINITY, 0);
    for (at, &batch) in batches.iter().enumerate().rev() {
        count += 1.0;
        let distance = batch - mean;
        mean += distance / count;
        squares += distance * (batch - mean);
        let error = squares / (count * count);
        // Of equal errors that of the longest rest counts.
        if count > END && error <= best.0 {
            best = (error, at);
        }
    }
    let is_steady = best.0.is_finite() && 2 * best.1 <= batches.len();
    is_steady.then_some(best.1 * BATCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values that differ by a few in no order, around a level for each place.
    fn around(levels: impl Iterator<Item = u64>) -> Vec<u64> {
        levels
            .enumerate()
            .map(|(at, level)| level + (at as u64 * 7_919) % 11)
            .collect()
    }

    #[test]
    fn what_is_level_is_steady_from_its_beginning() {
        assert_eq!(steady_from(&[8; 100]), Some(0));
        let from = steady_from(&around((0..2_000).map(|_| 50))).unwrap();
        assert!(from < 200, "{from}");
    }

    #[test]
    fn batches_that_are_alike_by_chance_at_the_end_are_no_steady_state() {
        let level = around((0..500).map(|_| 20));
        let from = steady_from(&[&level[..], &[25; 25]].concat()).unwrap();
        assert!(from < 50, "{from}");
    }

    #[test]
    fn a_beginning_that_differs_is_left_out() {
        let warming = (0..2_000).map(|at| if at < 300 { 40 + at } else { 340 });
        let from = steady_from(&around(warming)).unwrap();
        assert!((250..=350).contains(&from), "{from}");
    }

    #[test]
    fn what_rises_to_its_end_or_is_too_short_is_not_steady() {
        assert_eq!(steady_from(&around((0..2_000).map(|at| 10 + at))), None);
        assert_eq!(steady_from(&[]), None);
        assert_eq!(steady_from(&[7; 29]), None);
        assert_eq!(steady_from(&[7; 30]), Some(0));
    }
}

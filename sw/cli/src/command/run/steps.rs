//! The file of `portico run portals --log`: each step of each Portals engine.

use portico_sim::LoggedStep;
use portico_spec::portals::engine::Step;
use std::fmt::Write;

/// Columns: the cycle in which the outputs of the tile tell the step, the tile, the step, and of some steps the rank that has sent the
/// message or the slot of the move.
pub fn csv(steps: &[LoggedStep]) -> String {
    let mut text = "cycle,tile,step,rank,slot\n".to_owned();
    for LoggedStep { cycle, tile, step } in steps {
        let (name, rank, slot) = match step {
            Step::Sends { slot } => ("sends", None, Some(slot)),
            Step::Sent => ("sent", None, None),
            Step::Answered { slot } => ("answered", None, Some(slot)),
            Step::Matched { rank } => ("matched", Some(rank), None),
            Step::Ended { rank } => ("ended", Some(rank), None),
            Step::Advances => ("advances", None, None),
            Step::Finishes => ("finishes", None, None),
        };
        let number = |number: Option<&u8>| number.map(u8::to_string).unwrap_or_default();
        let _ = writeln!(text, "{cycle},{tile},{name},{},{}", number(rank), number(slot));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_has_a_line() {
        let steps = [
            (9, 0, Step::Sends { slot: 4 }),
            (31, 2, Step::Matched { rank: 1 }),
            (40, 0, Step::Sent),
            (41, 2, Step::Ended { rank: 1 }),
            (52, 0, Step::Answered { slot: 4 }),
            (60, 3, Step::Advances),
            (61, 3, Step::Finishes),
        ];
        let steps = steps.map(|(cycle, tile, step)| LoggedStep { cycle, tile, step });
        assert_eq!(
            csv(&steps),
            "cycle,tile,step,rank,slot\n9,0,sends,,4\n31,2,matched,1,\n40,0,sent,,\n41,2,ended,1,\n52,0,answered,,4\n\
             60,3,advances,,\n61,3,finishes,,\n"
        );
    }
}

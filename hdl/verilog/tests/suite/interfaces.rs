//! Both sides of an interface.

use crate::blocks::emitted;
use portico_verilog::{describe::Documented, prelude::*};

/// Words of `W` bits from one block to another.
#[interface(mirror = WordsIn)]
pub struct WordsOut<const W: usize> {
    /// A word.
    pub data: Signal<Out, Bits<W>>,
    /// It is taken.
    pub ready: Signal<In, Bit>,
}

/// Words both ways.
#[interface(mirror = BothIn)]
pub struct BothOut {
    /// There.
    pub there: WordsOut<4>,
    /// And back.
    pub back: WordsIn<8>,
}

/// One end.
#[derive(LogicBlock, Default)]
struct Near {
    pub both: BothOut,
}

#[kernel]
impl Logic for Near {
    fn update(&mut self) {
        self.both.there.data.next = 5.into();
        self.both.back.ready.next = self.both.there.ready.val();
    }
}

/// The other end.
#[derive(LogicBlock, Default)]
struct Far {
    pub both: BothIn,
}

#[kernel]
impl Logic for Far {
    fn update(&mut self) {
        self.both.there.ready.next = self.both.there.data.val() == 0;
        self.both.back.data.next = bit_cast::<8, 4>(self.both.there.data.val());
    }
}

/// Both, joined.
#[derive(LogicBlock, Default)]
struct Joined {
    here: Near,
    yonder: Far,
}

#[kernel]
impl Logic for Joined {
    fn update(&mut self) {
        BothOut::join(&mut self.here.both, &mut self.yonder.both);
    }
}

#[test]
fn a_mirror_has_the_other_directions() {
    let near = emitted(&Near::default(), "near").expect("the circuit is sound").text();
    let far = emitted(&Far::default(), "far").expect("the circuit is sound").text();
    for (port, is_output) in [
        ("[3:0] both_there_data", true),
        ("both_there_ready", false),
        ("[7:0] both_back_data", false),
        ("both_back_ready", true),
    ] {
        for (text, is_output) in [(&near, is_output), (&far, !is_output)] {
            let direction = if is_output { "output" } else { "input" };
            let mut lines = text
                .lines()
                .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
            let declared = format!("{direction} wire {port}");
            assert!(
                lines.any(|line| line.trim_end_matches(',') == declared),
                "{declared}: {text}"
            );
        }
    }
}

#[test]
fn both_sides_have_one_documentation() {
    assert_eq!(BothIn::ports(), BothOut::ports());
    let expected = [("there$data", "A word."), ("there$ready", "It is taken.")];
    let ports = BothIn::ports();
    for (path, text) in expected {
        assert!(ports.contains(&(path.into(), text)), "{ports:?}");
    }
}

#[test]
fn both_sides_are_joined() {
    let text = emitted(&Joined::default(), "joined")
        .expect("the circuit is sound")
        .text();
    assert!(text.contains(".both_there_data(here_both_there_data)"), "{text}");
    assert!(text.contains(".both_back_data(yonder_both_back_data)"), "{text}");
}

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

/// Passes an interface through to each of its blocks, by name, by its own name, and of an array; and joins two.
#[derive(LogicBlock, Default)]
struct Through {
    pub both: BothOut,
    pub other: BothOut,
    pub several: [BothOut; 2],
    inner: Near,
    also: [Near; 3],
    yonder: Far,
    here: Near,
}

#[kernel]
impl Logic for Through {
    fn update(&mut self) {
        wire!(self <=> inner: both);
        wire!(self.other <=> also[2].both);
        for i in 0..2 {
            wire!(also[i].both <=> self.several[i]);
        }
        wire!(yonder <=> here: both);
    }
}

/// The same, with the types that rust-hdl asks for.
#[derive(LogicBlock, Default)]
struct Typed {
    pub both: BothOut,
    pub other: BothOut,
    pub several: [BothOut; 2],
    inner: Near,
    also: [Near; 3],
    yonder: Far,
    here: Near,
}

#[kernel]
impl Logic for Typed {
    fn update(&mut self) {
        BothOut::link(&mut self.both, &mut self.inner.both);
        BothOut::link(&mut self.other, &mut self.also[2].both);
        for i in 0..2 {
            BothOut::link(&mut self.several[i], &mut self.also[i].both);
        }
        BothIn::join(&mut self.yonder.both, &mut self.here.both);
    }
}

#[test]
fn whole_interfaces_are_wired_without_their_types() {
    let text = |block: &dyn Block| emitted(block, "top").expect("the circuit is sound").text();
    let module = |text: String| {
        text.split_once("module test_top (")
            .map(|(_, module)| module.to_owned())
    };
    let wired = module(text(&Through::default()));
    assert!(wired.is_some());
    assert_eq!(wired, module(text(&Typed::default())));

    let mut dut = Through::default();
    dut.connect_all();
    dut.both.there.ready.next = true;
    dut.several[1].there.ready.next = true;
    for _ in 0..4 {
        dut.update_all();
    }
    for interface in [&dut.both, &dut.several[1]] {
        assert_eq!(interface.there.data.val(), 5);
        assert!(interface.back.ready.val());
    }
    assert!(!dut.other.back.ready.val() && !dut.several[0].back.ready.val());
    assert_eq!(dut.here.both.back.data.val(), 5);
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

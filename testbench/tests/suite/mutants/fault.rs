//! Faults in the emitted Verilog: in the modules of one type, one expression in place of another.

use portico_sim::{build, Library, Optimise, Options};
use portico_verilog::{Design, Direction, Port};
use std::{cmp::Reverse, collections::BTreeMap};

/// An expression, of the same width as the one in whose place it stands.
pub struct Fault {
    pub what: &'static str,
    /// Type in snake case, and where the design has several shapes of it, the suffix of one or none for all; empty for
    /// the top.
    pub module: &'static str,
    /// Text that is there once in each of these modules. Where it is more than the expression, `«` and `»` enclose that.
    pub from: &'static str,
    /// The expression of the fault.
    pub to: &'static str,
}

/// Input of the top that chooses a fault: 1 for the first, 0 for none.
const CHOICE: &str = "fault";
const CHOICE_BITS: usize = 8;

/// A design with several faults in one model, of which one at most is there.
pub struct Faulty {
    library: Library,
    names: Vec<&'static str>,
}

impl Faulty {
    /// Compiles the design with all these faults for runs of this length; Verilator checks the widths of their expressions.
    ///
    /// # Panics
    /// A fault does not fit the design, or a tool fails.
    pub fn new(right: &Design, faults: &[Fault], optimise: Optimise) -> Self {
        let mut design = right.clone();
        plant(&mut design, faults);
        let options = Options {
            optimise,
            ..Options::default()
        };
        let library = build(&design, &options).unwrap_or_else(|error| panic!("{}: {error}", design.top));
        let names = faults.iter().map(|fault| fault.what).collect();
        Faulty { library, names }
    }

    /// What the faults are, from number 1 on.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.names.iter().copied()
    }

    /// The library whose models have the fault of this number, or none for 0.
    ///
    /// # Panics
    /// There is no such fault.
    pub fn with(&self, number: usize) -> Library {
        let last = self.names.len();
        assert!(number <= last, "fault {number} of {last}");
        self.library
            .holding(CHOICE, number as u64)
            .expect("an input that chooses")
    }
}

/// Adds the input that chooses, and each expression beside the one in whose place it can stand.
fn plant(design: &mut Design, faults: &[Fault]) {
    assert!(faults.len() < 1 << CHOICE_BITS, "{} faults", faults.len());
    let mut places = BTreeMap::<usize, Vec<Place>>::new();
    for (fault, number) in faults.iter().zip(1..) {
        for (index, range) in fault.find(design) {
            let choose = format!("({}.{CHOICE} == {CHOICE_BITS}'d{number} ? {} : ", design.top, fault.to);
            places.entry(index).or_default().push(Place { range, choose });
        }
    }
    for (index, places) in places {
        let module = &mut design.modules[index];
        module.text = with_choices(&module.text, places);
    }
    let top = design.modules.last_mut().expect("a top");
    let head = format!("module {} (\n", design.top);
    assert_eq!(top.text.matches(&head).count(), 1, "the head of {}", design.top);
    let input = format!("{head}    input wire [{}:0] {CHOICE},\n", CHOICE_BITS - 1);
    top.text = top.text.replace(&head, &input);
    design.ports.insert(
        0,
        Port {
            name: CHOICE.into(),
            direction: Direction::Input,
            width: CHOICE_BITS,
        },
    );
}

/// An expression in a module's text, and what is written before it to choose another.
struct Place {
    range: std::ops::Range<usize>,
    choose: String,
}

/// Faults of one place become a chain of choices, and a place within another a choice within one.
fn with_choices(text: &str, mut places: Vec<Place>) -> String {
    places.sort_by_key(|place| (place.range.start, Reverse(place.range.end)));
    let mut with = String::new();
    let mut ends: Vec<usize> = vec![];
    let mut rest = places.iter().peekable();
    for (at, letter) in text.char_indices() {
        while ends.last() == Some(&at) {
            ends.pop();
            with.push(')');
        }
        while let Some(place) = rest.next_if(|place| place.range.start == at) {
            let within = ends.last().is_none_or(|&end| place.range.end <= end);
            assert!(within, "{}: two places overlap", place.choose);
            with += &place.choose;
            ends.push(place.range.end);
        }
        with.push(letter);
    }
    with
}

impl Fault {
    /// The expression in the modules that have it: index of the module, place in its text.
    fn find(&self, design: &Design) -> Vec<(usize, std::ops::Range<usize>)> {
        let Fault { what, module, from, .. } = self;
        let name = match *module {
            "" => design.top.clone(),
            module => format!("{}_{module}", design.top),
        };
        let is_shape = |other: &str| other == name || (!module.is_empty() && other.starts_with(&format!("{name}_")));
        let (before, rest) = from.split_once('«').unwrap_or(("", from));
        let (expression, after) = rest.split_once('»').unwrap_or((rest, ""));
        let text = [before, expression, after].concat();
        let mut found = vec![];
        for (index, module) in design
            .modules
            .iter()
            .enumerate()
            .filter(|(_, module)| is_shape(&module.name))
        {
            let mut matches = module.text.match_indices(&text);
            let Some((at, _)) = matches.next() else { continue };
            assert!(matches.next().is_none(), "{what}: `{text}` twice in {}", module.name);
            let start = at + before.len();
            found.push((index, start..start + expression.len()));
        }
        assert!(!found.is_empty(), "{what}: `{text}` in no module {name}");
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use portico_generate::design;
    use portico_spec::Config;
    use portico_testbench::device::{verilated::Verilated, Device};
    use std::panic::catch_unwind;

    fn counter() -> Design {
        design("credit-counter", &Config::default()).expect("it can be emitted")
    }

    const fn step(from: &'static str, to: &'static str) -> Fault {
        let (what, module) = ("another step", "");
        Fault { what, module, from, to }
    }

    /// Credits after a take from a full counter.
    fn after_a_take(library: &Library) -> u64 {
        let mut device = Verilated::new(library).unwrap();
        assert!(device.input(CHOICE).is_none(), "a suite could drive it");
        let (take, credits) = (device.input("take").unwrap(), device.output("credits").unwrap());
        device.reset(1);
        device.set(take, 1);
        device.tick();
        device.settle();
        device.get(credits)
    }

    #[test]
    fn one_fault_is_there_or_none() {
        // Two at one place, one within it, one with that within it.
        let faults = [
            step("count_next = «count - 4'd1»;", "count"),
            step("count_next = «count - 4'd1»;", "count - 4'd2"),
            step("count_next = count - «4'd1»;", "4'd3"),
            step("taking & (count != 4'd0)", "1'b0"),
        ];
        let faulty = Faulty::new(&counter(), &faults[..3], Optimise::Build);
        let credits = [0, 1, 2, 3].map(|number| after_a_take(&faulty.with(number)));
        assert_eq!(credits, [7, 8, 6, 5]);
        assert!(catch_unwind(|| faulty.with(4)).is_err(), "there are three");
        assert!(catch_unwind(|| faults[3].find(&counter())).is_err(), "no module has it");
    }

    #[test]
    fn an_expression_of_another_width_is_refused() {
        let wide = [step("count_next = «count - 4'd1»;", "5'd0")];
        let refused = catch_unwind(|| Faulty::new(&counter(), &wide, Optimise::Build))
            .map(drop)
            .unwrap_err();
        let message = refused.downcast::<String>().unwrap();
        assert!(message.contains("WIDTH"), "{message}");
    }
}

//! Against rust-hdl's own writer: on circuits that it gets right, Yosys proves the two texts equal.
//!
//! The proof is a temporal induction over a miter whose outputs are those of the circuit and its registers, all of which
//! start at 0 as the stock writer's do.

use crate::{
    blocks::{self, all, emitted},
    tools::{folder, run, write},
};
use portico_synth::Tool;
use rust_hdl::core::module_defines::ModuleDefines;
use rust_hdl::prelude::*;

/// A record, casts both ways, shifts, comparisons, replaced bits: [`blocks::Shapes`] without slices of expressions, which
/// the stock writer emits as invalid Verilog.
#[derive(LogicBlock, Default)]
struct Records {
    pub a: Signal<In, Bits<8>>,
    pub b: Signal<In, Bits<8>>,
    pub at: Signal<In, Bits<3>>,
    pub header: Signal<In, blocks::Header>,
    pub reply: Signal<Out, blocks::Header>,
    pub wide: Signal<Out, Bits<12>>,
    pub low: Signal<Out, Bits<4>>,
    pub marked: Signal<Out, Bits<8>>,
    pub moved: Signal<Out, Bits<8>>,
    pub picked: Signal<Out, Bit>,
    pub window: Signal<Out, Bits<2>>,
    pub order: Signal<Out, Bit>,
    pub reduced: Signal<Out, Bit>,
}

impl Logic for Records {
    #[hdl_gen]
    fn update(&mut self) {
        self.reply.next.destination = self.header.val().destination + 1;
        self.reply.next.tag = !self.header.val().tag;
        self.reply.next.last = self.header.val().last;
        self.wide.next = bit_cast::<12, 8>(self.a.val()) + 7;
        self.low.next = bit_cast::<4, 8>(self.a.val() - self.b.val());
        self.marked.next = self.a.val().replace_bit(self.at.val().index(), self.b.val().xor());
        self.moved.next = (self.a.val() << self.at.val()) ^ (self.b.val() >> self.at.val());
        self.picked.next = self.a.val().get_bit(self.at.val().index());
        self.window.next = self.b.val().get_bits::<2>(3);
        self.order.next = (self.a.val() < self.b.val()) || (self.a.val() == self.b.val());
        self.reduced.next = self.a.val().all() || !self.b.val().any();
    }
}

/// Children whose outputs meet in their parent.
#[derive(LogicBlock, Default)]
struct Nest {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub enable: Signal<In, Bits<2>>,
    pub low: Signal<Out, Bits<8>>,
    pub high: Signal<Out, Bits<8>>,
    pub same: Signal<Out, Bit>,
    counter: [blocks::Counter; 2],
}

impl Logic for Nest {
    #[hdl_gen]
    fn update(&mut self) {
        for i in 0..2 {
            self.counter[i].clk.next = self.clk.val();
            self.counter[i].rst.next = self.rst.val();
        }
        self.counter[0].enable.next = self.enable.val().get_bit(0) & !self.counter[1].wraps.val();
        self.counter[1].enable.next = self.enable.val().get_bit(1);
        self.low.next = self.counter[0].count.val();
        self.high.next = self.counter[1].count.val();
        self.same.next = self.counter[0].count.val() == self.counter[1].count.val();
    }
}

fn stock(block: &dyn Block) -> String {
    let mut modules = ModuleDefines::default();
    block.accept("top", &mut modules);
    modules.defines()
}

/// Whether Yosys proves `text`, whose top is `top`, equal to the stock writer's `stock`; and all that it said. `registers`
/// are those of the top, as rust-hdl names them.
fn equal(top: &str, text: &str, stock: &str, registers: &[&str]) -> (bool, String) {
    let read = |file: &str, top: &str, name: &str, renames: &str| {
        let exposed: String = registers
            .iter()
            .map(|register| format!("expose {name}/{register}$q\n"))
            .collect();
        format!(
            "read_verilog {file}\nhierarchy -check -top {top}\nproc\nflatten\nrename {top} {name}\n{renames}{exposed}\
             setattr -unset init w:*\nopt_clean\ndesign -stash {name}\n"
        )
    };
    let rename = |register: &&str| format!("cd gate\nrename {} {register}$q\ncd\n", register.replace('$', "_"));
    let renames: String = registers.iter().map(rename).collect();
    let script = [
        read("stock.v", "top", "gold", ""),
        read("ours.v", top, "gate", &renames),
        "design -copy-from gold -as gold gold\ndesign -copy-from gate -as gate gate\n".into(),
        "miter -equiv -flatten -make_outputs gold gate miter\n".into(),
        "sat -verify -tempinduct -set-init-zero -maxsteps 16 -prove trigger 0 -show-ports miter\n".into(),
        "log --- proven\n".into(),
    ];
    let folder = folder();
    let files = [("stock.v", stock), ("ours.v", text), ("prove.ys", &script.concat())];
    write(folder.path(), &files.map(|(name, text)| (name.into(), text.into())));
    let (succeeded, log) = run(Tool::Yosys, folder.path(), &["-s", "prove.ys"]);
    (succeeded && log.contains("--- proven"), log)
}

/// A circuit, its name, and the registers of its top.
type Circuit = (&'static str, Box<dyn Block>, &'static [&'static str]);

/// Circuits that the stock writer gets right.
fn circuits() -> Vec<Circuit> {
    const REGISTERS: [(&str, &[&str]); 4] = [
        ("counter", &["value"]),
        ("lights", &["phase"]),
        ("choices", &["lane$0", "lane$1", "turn"]),
        ("settled", &[]),
    ];
    let shared = all().into_iter().filter_map(|(name, block)| {
        let (_, registers) = REGISTERS.iter().find(|(right, _)| *right == name)?;
        Some((name, block, *registers))
    });
    let own: [Circuit; 2] = [
        ("records", Box::new(Records::default()), &[]),
        ("nest", Box::new(Nest::default()), &[]),
    ];
    shared.chain(own).collect()
}

#[test]
fn yosys_proves_our_text_equal_to_the_stock_writers() {
    let circuits = circuits();
    assert_eq!(circuits.len(), 6);
    for (name, block, registers) in circuits {
        let design = emitted(block.as_ref(), name).unwrap();
        let (equal, log) = equal(&design.top, &design.text(), &stock(block.as_ref()), registers);
        assert!(equal, "{name}:\n{log}\n{}", design.text());
    }
}

/// One small difference in each, which the proof must find.
#[test]
fn planted_differences_are_found() {
    let planted = [
        ("counter", "value + 8'd1", "value + 8'd3"),
        ("lights", "phase <= PHASE_RED;", "phase <= PHASE_AMBER;"),
        ("choices", "turn <= 1'b1;", "turn <= 1'b0;"),
        ("settled", "assign level = 4'd6;", "assign level = 4'd7;"),
        ("records", "a << at", "a << at[1:0]"),
        ("nest", ".enable(enable[1])", ".enable(enable[0])"),
    ];
    for (name, block, registers) in circuits() {
        let (_, from, to) = planted.iter().find(|(circuit, ..)| *circuit == name).unwrap();
        let design = emitted(block.as_ref(), name).unwrap();
        let text = design.text();
        let wrong = text.replacen(from, to, 1);
        assert_ne!(text, wrong, "{name} does not say {from}");
        let (equal, log) = equal(&design.top, &wrong, &stock(block.as_ref()), registers);
        assert!(!equal && log.contains("proof did fail"), "{name}:\n{log}");
    }
}

//! A block whose kernel is a program, with children of its own kind; and a top that holds many of them.

use super::{
    bank::{member, Bank, Registers, PER_WIDTH},
    program::{block, Kind, Node, Place, Statement, Style},
    run::{run, Signals},
    value::{Value, SIGNAL_WIDTHS},
};
use rust_hdl::core::ast::{VerilogBlockOrConditional, VerilogConditional, VerilogExpression as Ast, VerilogStatement};
use rust_hdl::prelude::*;
use std::rc::Rc;

/// A random circuit.
#[derive(LogicBlock, Default)]
pub struct Circuit {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub inputs: Bank<In>,
    pub outputs: Bank<Out>,
    locals: Bank<Local>,
    held: Registers,
    child: Vec<Circuit>,
    _program: Rc<Vec<Statement>>,
    /// The kernel's last statement: registers to constants while `rst` is high.
    _reset: Rc<Vec<Statement>>,
}

/// All places of a kind.
pub fn places(kind: Kind) -> impl Iterator<Item = Place> + Clone {
    let of_width = move |width| (0..PER_WIDTH).map(move |index| Place { kind, width, index });
    SIGNAL_WIDTHS.into_iter().flat_map(of_width)
}

fn clock(holder: &str) -> VerilogStatement {
    VerilogStatement::Assignment(Ast::Signal(format!("{holder}$next")), Ast::Signal("clk".into()))
}

impl Circuit {
    /// `reset` tells what registers hold after reset.
    pub fn new(program: Vec<Statement>, reset: Vec<(Place, Value)>, child: Vec<Circuit>) -> Self {
        let set = |(place, value)| Statement::Assign(place, Node::Literal(value, Style::Sized));
        Circuit {
            child,
            _program: Rc::new(program),
            _reset: Rc::new(reset.into_iter().map(set).collect()),
            ..Default::default()
        }
    }
}

impl Signals for Circuit {
    fn get(&self, place: Place) -> Value {
        match place.kind {
            Kind::Input => member!([&] self.inputs, place, signal => signal.val().into()),
            Kind::Output => member!([&] self.outputs, place, signal => signal.val().into()),
            Kind::Local => member!([&] self.locals, place, signal => signal.val().into()),
            Kind::Next => member!([&] self.held, place, register => register.d.next.into()),
            Kind::State => member!([&] self.held, place, register => register.q.val().into()),
            Kind::Sink(child) => member!([&] self.child[child].inputs, place, signal => signal.next.into()),
            Kind::Source(child) => member!([&] self.child[child].outputs, place, signal => signal.val().into()),
        }
    }

    fn set(&mut self, place: Place, value: Value) {
        match place.kind {
            Kind::Output => member!([&mut] self.outputs, place, signal => signal.next = value.into()),
            Kind::Local => member!([&mut] self.locals, place, signal => signal.next = value.into()),
            Kind::Next => member!([&mut] self.held, place, register => register.d.next = value.into()),
            Kind::Sink(child) => {
                member!([&mut] self.child[child].inputs, place, signal => signal.next = value.into())
            }
            Kind::Input | Kind::State | Kind::Source(_) => panic!("{place:?} is not the kernel's to write"),
        }
    }
}

impl Logic for Circuit {
    fn update(&mut self) {
        for place in places(Kind::Next) {
            member!([&mut] self.held, place, register => register.clock.next = self.clk.val());
        }
        for child in &mut self.child {
            child.clk.next = self.clk.val();
            child.rst.next = self.rst.val();
        }
        run(&self._program.clone(), self, &mut Vec::new());
        if self.rst.val() {
            run(&self._reset.clone(), self, &mut Vec::new());
        }
    }

    fn hdl(&self) -> Verilog {
        let registers = places(Kind::Next).map(|place| clock(&format!("held$w{}[{}]$clock", place.width, place.index)));
        let mut code: Vec<VerilogStatement> = registers.collect();
        for at in 0..self.child.len() {
            code.push(clock(&format!("child[{at}]$clk")));
            let (rst, sink) = (Ast::Signal("rst".into()), format!("child[{at}]$rst$next"));
            code.push(VerilogStatement::Assignment(Ast::Signal(sink), rst));
        }
        code.extend(block(&self._program, 0));
        code.push(VerilogStatement::If(VerilogConditional {
            test: Ast::Signal("rst".into()),
            then: block(&self._reset, 0),
            otherwise: VerilogBlockOrConditional::None,
        }));
        Verilog::Combinatorial(code)
    }
}

/// Many circuits on the same inputs.
#[derive(LogicBlock, Default)]
pub struct Top {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub inputs: Bank<In>,
    pub results: Vec<Bank<Out>>,
    circuit: Vec<Circuit>,
    _circuits: usize,
}

impl Top {
    pub fn new(circuits: Vec<Circuit>) -> Self {
        Top {
            _circuits: circuits.len(),
            results: circuits.iter().map(|_| Bank::default()).collect(),
            circuit: circuits,
            ..Default::default()
        }
    }
}

impl Logic for Top {
    #[hdl_gen]
    fn update(&mut self) {
        for i in 0..self._circuits {
            self.circuit[i].clk.next = self.clk.val();
            self.circuit[i].rst.next = self.rst.val();
            for k in 0..2 {
                self.circuit[i].inputs.w1[k].next = self.inputs.w1[k].val();
                self.circuit[i].inputs.w4[k].next = self.inputs.w4[k].val();
                self.circuit[i].inputs.w8[k].next = self.inputs.w8[k].val();
                self.circuit[i].inputs.w13[k].next = self.inputs.w13[k].val();
                self.circuit[i].inputs.w32[k].next = self.inputs.w32[k].val();
                self.circuit[i].inputs.w40[k].next = self.inputs.w40[k].val();
                self.results[i].w1[k].next = self.circuit[i].outputs.w1[k].val();
                self.results[i].w4[k].next = self.circuit[i].outputs.w4[k].val();
                self.results[i].w8[k].next = self.circuit[i].outputs.w8[k].val();
                self.results[i].w13[k].next = self.circuit[i].outputs.w13[k].val();
                self.results[i].w32[k].next = self.circuit[i].outputs.w32[k].val();
                self.results[i].w40[k].next = self.circuit[i].outputs.w40[k].val();
            }
        }
    }
}

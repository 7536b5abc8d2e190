use portico_verilog::prelude::*;

/// A place where the pipeline may have a register.
///
/// Passes values on, through a register if it has one.
///
/// | | |
/// | --- | --- |
/// | latency | 1 enabled cycle with the register, none without |
/// | throughput | one value a cycle |
/// | state | the bits of `T`, or none |
#[derive(LogicBlock, Default)]
pub struct OptionalRegister<T: Synth> {
    pub clk: Signal<In, Clock>,
    /// Takes the next value; a register keeps its value otherwise.
    pub enable: Signal<In, Bit>,
    /// The value of this cycle.
    pub d: Signal<In, T>,
    /// The value of this cycle; with a register, the value of the last enabled edge.
    pub q: Signal<Out, T>,
    held: Vec<DFF<T>>,
    _registers: usize,
}

impl<T: Synth> OptionalRegister<T> {
    /// With a register, or a wire.
    pub fn new(registered: bool) -> Self {
        let registers = usize::from(registered);
        Self {
            held: (0..registers).map(|_| DFF::default()).collect(),
            _registers: registers,
            ..Default::default()
        }
    }
}

#[kernel]
impl<T: Synth> Logic for OptionalRegister<T> {
    fn update(&mut self) {
        self.q.next = self.d.val();
        for i in 0..self._registers {
            self.held[i].clock.next = self.clk.val();
            self.held[i].d.next = self.held[i].q.val();
            if self.enable.val() {
                self.held[i].d.next = self.d.val();
            }
            self.q.next = self.held[i].q.val();
        }
    }
}

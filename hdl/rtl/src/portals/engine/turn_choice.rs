use portico_verilog::prelude::*;

/// Chooses what the control of messages does next: a get that is served comes first, then packets and commands take turns.
///
/// | | |
/// | --- | --- |
/// | latency | combinational |
/// | throughput | one choice a cycle |
/// | state | whether the last turn was that of a command |
#[derive(LogicBlock, Default)]
pub struct TurnChoice {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Nothing is in hand, and the lists are ready.
    pub looks: Signal<In, Bit>,
    /// A get is served.
    pub served: Signal<In, Bit>,
    /// A command waits.
    pub command: Signal<In, Bit>,
    /// A packet waits.
    pub packet: Signal<In, Bit>,
    /// The served get has its turn.
    pub get_begins: Signal<Out, Bit>,
    /// The command has its turn.
    pub command_begins: Signal<Out, Bit>,
    /// The packet has its turn.
    pub packet_begins: Signal<Out, Bit>,
    commanded: DFF<Bit>,
}

#[kernel]
impl Logic for TurnChoice {
    fn update(&mut self) {
        dff_setup!(self, clk, commanded);
        self.get_begins.next = self.looks.val() & self.served.val();
        self.command_begins.next =
            self.looks.val() & !self.served.val() & self.command.val() & (!self.packet.val() | !self.commanded.q.val());
        self.packet_begins.next =
            self.looks.val() & !self.served.val() & !self.command_begins.val() & self.packet.val();
        if self.command_begins.val() {
            self.commanded.d.next = true;
        }
        if self.packet_begins.val() | self.rst.val() {
            self.commanded.d.next = false;
        }
    }
}

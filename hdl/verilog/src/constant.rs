//! A constant that a constructor sets.

use rust_hdl::prelude::*;

/// A number that is settled when a block is made, as rust-hdl's `Constant` is. Its default is a constant without a value,
/// so that a constructor may end in `..Default::default()`: reading it panics and [`crate::emit`] refuses it.
#[derive(Copy, Clone, Debug)]
pub struct Constant<T: Synth> {
    value: Option<T>,
}

/// Descriptor of a constant without a value.
pub(crate) const UNSET: &str = "unset constant";

impl<T: Synth> Constant<T> {
    /// A constant of this value.
    pub fn new(value: T) -> Self {
        Constant { value: Some(value) }
    }

    /// The value.
    ///
    /// # Panics
    ///
    /// Where the constructor set none.
    pub fn val(&self) -> T {
        self.value
            .expect("a constant has a value: its block's constructor sets it")
    }
}

impl<T: Synth> Default for Constant<T> {
    fn default() -> Self {
        Constant { value: None }
    }
}

impl<T: Synth> Logic for Constant<T> {
    fn update(&mut self) {}
}

impl<T: Synth> Atom for Constant<T> {
    fn bits(&self) -> usize {
        T::BITS
    }

    fn connected(&self) -> bool {
        true
    }

    fn changed(&self) -> bool {
        false
    }

    fn kind(&self) -> AtomKind {
        AtomKind::Constant
    }

    fn descriptor(&self) -> TypeDescriptor {
        let mut descriptor = T::descriptor();
        if self.value.is_none() {
            descriptor.name = UNSET.into();
        }
        descriptor
    }

    fn vcd(&self) -> VCDValue {
        self.value.unwrap_or_default().vcd()
    }

    fn id(&self) -> usize {
        // Nothing is known by it but the signals that a trace follows, and a constant never changes.
        usize::MAX
    }

    fn verilog(&self) -> VerilogLiteral {
        self.value.unwrap_or_default().verilog()
    }

    fn constraints(&self) -> Vec<PinConstraint> {
        Vec::new()
    }
}

impl<T: Synth> Block for Constant<T> {
    fn connect_all(&mut self) {}

    fn update_all(&mut self) {}

    fn has_changed(&self) -> bool {
        false
    }

    fn accept(&self, name: &str, probe: &mut dyn Probe) {
        probe.visit_atom(name, self);
    }
}

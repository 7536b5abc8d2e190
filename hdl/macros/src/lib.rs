//! Macros that pass the name, documentation and constants of a rust-hdl block to the Verilog backend.
//!
//! Use them through `portico_verilog::prelude`. That prelude is rust-hdl's with these macros in place of rust-hdl's own.
//!
//! | macro | what it adds to rust-hdl |
//! | --- | --- |
//! | [`LogicBlock`](macro@LogicBlock) | the block's type, file, documentation and parameters reach the Verilog |
//! | [`interface`](macro@interface) | an interface and its mirror are one definition, whose documentation reaches the Verilog |
//! | [`kernel`](macro@kernel) | a kernel may name constants and use [`wire!`](macro@kernel#wire) |
//!
//! # Before and after
//!
//! With rust-hdl alone, a constant of a kernel is a field, a constructor names every field, and each connection is a line:
//!
//! ```text
//! #[derive(LogicBlock)]
//! struct Gate {                                    impl Gate {
//!     pub clk: Signal<In, Clock>,                      fn new(depth: usize) -> Self {
//!     pub rst: Signal<In, Bit>,                            Self {
//!     pub kind: Signal<In, Bits<4>>,                           clk: Default::default(),
//!     pub open: Signal<Out, Bit>,                              rst: Default::default(),
//!     queue: Queue,                                            kind: Default::default(),
//!     put: Constant<Bits<4>>,                                  open: Default::default(),
//! }                                                            queue: Queue::new(depth),
//!                                                              put: Constant::new(bits(kind::PUT)),
//! impl Logic for Gate {                                    }
//!     #[hdl_gen]                                       }
//!     fn update(&mut self) {                       }
//!         self.queue.clk.next = self.clk.val();
//!         self.queue.rst.next = self.rst.val();
//!         self.open.next = self.kind.val() == self.put.val();
//!     }
//! }
//! ```
//!
//! With these macros:
//!
//! ```text
//! #[derive(LogicBlock, Default)]
//! struct Gate {                                    impl Gate {
//!     pub clk: Signal<In, Clock>,                      fn new(depth: usize) -> Self {
//!     pub rst: Signal<In, Bit>,                            Self {
//!     pub kind: Signal<In, Bits<4>>,                           queue: Queue::new(depth),
//!     pub open: Signal<Out, Bit>,                              ..Default::default()
//!     queue: Queue,                                        }
//! }                                                    }
//!                                                  }
//! #[kernel]
//! impl Logic for Gate {
//!     fn update(&mut self) {
//!         wire!(self => queue: clk, rst);
//!         self.open.next = self.kind.val() == bits::<4>(kind::PUT);
//!     }
//! }
//! ```
//!
//! The Verilog then says `localparam [3:0] KIND_PUT = 4'd3;` and `assign open = kind == KIND_PUT;`.

mod block;
mod constants;
mod documentation;
mod field;
mod interface;
mod kernel;
mod wire;

use proc_macro::TokenStream;
use syn::{parse_macro_input, DeriveInput, ItemImpl, ItemStruct};

/// Implements rust-hdl's `Block`, as rust-hdl's derive of this name does. Besides, the block describes itself to probes:
/// type, file, documentation of the type and of its fields, const generics, widths of types of signals (`D: Synth`),
/// sizes (fields `_name: usize`), and the constants of its kernel.
#[proc_macro_derive(LogicBlock)]
pub fn logic_block(input: TokenStream) -> TokenStream {
    block::derive(&parse_macro_input!(input as DeriveInput)).into()
}

/// Lets blocks that hold this interface pass the documentation of its ports on.
#[proc_macro_derive(Documented)]
pub fn documented(input: TokenStream) -> TokenStream {
    interface::derive(&parse_macro_input!(input as DeriveInput)).into()
}

/// An interface: a structure of signals and other interfaces, with the derives that it needs.
///
/// With `mirror = Name` it defines the other side too: the same fields with the same documentation, each signal in the other direction,
/// and each interface inside by its own mirror. The two sides can be joined:
///
/// ```text
/// /// Beats from one block to another.                 /// Beats from one block to another.
/// #[interface(mirror = BeatsIn)]                       #[derive(Clone, Debug, Default, Documented, LogicInterface)]
/// pub struct BeatsOut {                                #[join = "BeatsIn"]
///     /// One beat.                                    pub struct BeatsOut {
///     pub data: Signal<Out, Bits<8>>,                      /// One beat.
///     /// It is taken.                                     pub data: Signal<Out, Bits<8>>,
///     pub ready: Signal<In, Bit>,                          ...
/// }                                                    }
///                                                      /// [`BeatsOut`], from the other side.
///                                                      #[join = "BeatsOut"] ...
///                                                      pub struct BeatsIn {
///                                                          /// One beat.
///                                                          pub data: Signal<In, Bits<8>>,
///                                                          ...
/// ```
///
/// A field whose name ends in `_` only groups others, and Verilog does not name it: `m_axi.write_.awaddr` is the port
/// `m_axi_awaddr`.
#[proc_macro_attribute]
pub fn interface(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let arguments = parse_macro_input!(arguments as interface::Arguments);
    let item = parse_macro_input!(item as ItemStruct);
    interface::expand(&arguments, &item)
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

/// The kernel of a block: stands on its `impl Logic`, in place of rust-hdl's `hdl_gen` on `update`.
///
/// # Constants
///
/// A kernel may name constants, const generics, associated constants, values of enumerations as numbers and arithmetic
/// over them. They stand where rust-hdl takes a literal; a constant that is passed to `bits` may be of any unsigned
/// type:
///
/// ```text
/// bits::<4>(kind::PUT)    bits::<ERROR_WIDTH>(ErrorCode::Range as u64)    self.tdata.val().get_bits::<X>(X_OFFSET)
/// ```
///
/// # `field`
///
/// `field::<N, M>(value, offset)` is the value, of `M` bits, in a word of `N` bits from bit `offset` on; all other bits are 0. The
/// offset is a constant below 256.
///
/// ```text
/// field::<32, KIND_WIDTH>(self.kind.val(), KIND_OFFSET)      bit_cast::<32, KIND_WIDTH>(self.kind.val()) << bits::<8>(KIND_OFFSET as u64)
/// ```
///
/// # `wire!`
///
/// Connects signals of one name: `wire!(from => to, to, ...: signal, signal, ...)`. `self` stands for the block itself,
/// other names for blocks or interfaces inside it, which may have indices.
///
/// ```text
/// wire!(self => fetch, loops: clk, rst);      self.fetch.clk.next = self.clk.val(); ... four lines
/// wire!(loops => self: after, bad);           self.after.next = self.loops.after.val(); ... two lines
/// wire!(fetch => bank[i]: address);           self.bank[i].address.next = self.fetch.address.val();
/// ```
///
/// With `<=>` it connects whole interfaces, whose signals go both ways: of one name,
/// `wire!(one <=> other, other, ...: interface, interface, ...)`, or of two names,
/// `wire!(one.interface <=> other.interface)`. Where one side is `self` or begins with it, an interface of the block
/// passes through to a block inside; else two blocks inside are joined.
///
/// ```text
/// wire!(self <=> fetch: s_axis);              StreamIn::<W>::link(&mut self.s_axis, &mut self.fetch.s_axis);
/// wire!(self.s_axis[i] <=> fifo[i].s_axis);   StreamIn::<W>::link(&mut self.s_axis[i], &mut self.fifo[i].s_axis);
/// wire!(fetch.m_axis <=> loops.s_axis);       StreamOut::<W>::join(&mut self.fetch.m_axis, &mut self.loops.s_axis);
/// ```
#[proc_macro_attribute]
pub fn kernel(_arguments: TokenStream, item: TokenStream) -> TokenStream {
    let item = parse_macro_input!(item as ItemImpl);
    kernel::expand(item)
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

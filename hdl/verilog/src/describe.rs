//! What a block says of itself: where its name, documentation, parameters and constants come from.
//!
//! rust-hdl's `Probe` shows a block's signals and its kernel, and neither its type nor its documentation. The macros of
//! [`crate::prelude`] implement the traits of this module; `accept` of such a block tells its [`Description`] to whoever
//! listens, just before it opens its scope.

use rust_hdl::core::bits::Bits;
use std::{cell::RefCell, marker::PhantomData};

pub use rust_hdl::prelude::hdl_gen;

/// A block's own words.
#[derive(Clone, Debug, Default)]
pub struct Description {
    /// Name of its type: `InputFifo`.
    pub name: &'static str,
    /// File that defines it, below the root of the workspace.
    pub file: &'static str,
    /// Lines of its documentation.
    pub documentation: &'static [&'static str],
    /// Const generics and sizes (fields `_rows: usize`), by name.
    pub parameters: Vec<(&'static str, String)>,
    /// Documentation of its public fields and of the ports inside them, by path: `s_axis$tdata`.
    pub ports: Vec<(String, &'static str)>,
    /// Types of its private fields, by name: they tell what blocks are that do not describe themselves.
    pub inside: Vec<(&'static str, &'static str)>,
    /// Constants that its kernel names.
    pub constants: Vec<Constant>,
}

/// A constant that a kernel names.
#[derive(Clone, Debug)]
pub struct Constant {
    /// As the kernel's AST spells it: `op$PEEK`.
    pub key: &'static str,
    /// As Rust spells it, `op::PEEK`; empty where it has no name.
    pub name: &'static str,
    /// Its value.
    pub value: u128,
}

thread_local! {
    static HEARD: RefCell<Option<Vec<Description>>> = const { RefCell::new(None) };
}

/// Whether somebody listens on this thread, so that a description is worth making.
pub fn is_heard() -> bool {
    HEARD.with_borrow(Option::is_some)
}

/// Tells the description of the block whose scope opens next.
pub fn tell(description: Description) {
    HEARD.with_borrow_mut(|heard| {
        if let Some(heard) = heard {
            heard.push(description);
        }
    });
}

/// What the block whose scope has just opened told.
pub(crate) fn told() -> Option<Description> {
    HEARD.with_borrow_mut(|heard| heard.as_mut().and_then(Vec::pop))
}

/// Listens while `work` runs.
pub(crate) fn listening<T>(work: impl FnOnce() -> T) -> T {
    let before = HEARD.replace(Some(Vec::new()));
    let result = work();
    HEARD.set(before);
    result
}

/// Numbers that a kernel may name.
pub trait Number: Copy {
    /// The value.
    fn number(self) -> u128;
}

macro_rules! numbers {
    ($($ty:ty),*) => {
        $(impl Number for $ty {
            fn number(self) -> u128 {
                self as u128
            }
        })*
    };
}
numbers!(bool, u8, u16, u32, u64, u128, usize);

impl<const N: usize> Number for Bits<N> {
    fn number(self) -> u128 {
        (0..N).fold(0, |value, bit| value | u128::from(self.get_bit(bit)) << bit)
    }
}

/// A block with a kernel whose constants are known. Implemented by `#[kernel]`.
pub trait Kernel {
    /// The constants that the kernel names.
    fn constants() -> Vec<Constant>;
}

/// An interface whose ports are documented. Implemented by `#[derive(Documented)]`.
pub trait Documented {
    /// Documentation of the ports, by path.
    fn ports() -> Vec<(String, &'static str)>;
}

impl<T: Documented> Documented for Vec<T> {
    fn ports() -> Vec<(String, &'static str)> {
        T::ports()
    }
}

impl<T: Documented, const N: usize> Documented for [T; N] {
    fn ports() -> Vec<(String, &'static str)> {
        T::ports()
    }
}

/// Adds a field and what is inside it to the documented ports.
pub fn add_ports(
    ports: &mut Vec<(String, &'static str)>,
    name: &'static str,
    comment: &'static str,
    inside: Vec<(String, &'static str)>,
) {
    ports.push((name.to_owned(), comment));
    ports.extend(
        inside
            .into_iter()
            .map(|(port, comment)| (format!("{name}${port}"), comment)),
    );
}

/// Asks a type for its ports: method resolution takes [`ByInterface`] where the type is [`Documented`], and
/// [`ByDefault`], which needs one more reference, elsewhere.
pub struct Type<T>(PhantomData<T>);

impl<T> Type<T> {
    /// The question.
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        Type(PhantomData)
    }
}

/// Ports of a documented type.
pub trait ByInterface {
    /// Documentation of the ports, by path.
    fn ports(&self) -> Vec<(String, &'static str)>;
}

impl<T: Documented> ByInterface for Type<T> {
    fn ports(&self) -> Vec<(String, &'static str)> {
        T::ports()
    }
}

/// Ports of any other type.
pub trait ByDefault {
    /// None are known.
    fn ports(&self) -> Vec<(String, &'static str)>;
}

impl<T> ByDefault for &Type<T> {
    fn ports(&self) -> Vec<(String, &'static str)> {
        Vec::new()
    }
}

/// Asks a block for the constants of its kernel, in the same way as [`Type`].
pub struct OfBlock<'a, T>(pub &'a T);

/// Constants of a block whose kernel tells them.
pub trait ByKernel {
    /// The constants.
    fn constants(&self) -> Vec<Constant>;
}

impl<T: Kernel> ByKernel for OfBlock<'_, T> {
    fn constants(&self) -> Vec<Constant> {
        T::constants()
    }
}

/// Constants of any other block.
pub trait NoKernel {
    /// None are known.
    fn constants(&self) -> Vec<Constant>;
}

impl<T> NoKernel for &OfBlock<'_, T> {
    fn constants(&self) -> Vec<Constant> {
        Vec::new()
    }
}

//! What a block says of itself: where its name, documentation, parameters and constants come from.
//!
//! rust-hdl's `Probe` shows a block's signals and its kernel, and neither its type nor its documentation. The macros of
//! [`crate::prelude`] implement the traits of this module; `accept` of such a block tells its [`Description`] to whoever
//! listens, just before it opens its scope.

use std::{cell::RefCell, marker::PhantomData};

pub use rust_hdl::prelude::hdl_gen;

/// A block's own words: what is the same for all blocks of its type.
#[derive(Clone, Copy, Debug)]
pub struct Description {
    /// Name of its type: `InputFifo`.
    pub name: &'static str,
    /// File that defines it, below the root of the workspace.
    pub file: &'static str,
    /// Lines of its documentation.
    pub documentation: &'static [&'static str],
    /// Its public fields.
    pub ports: &'static [Field],
    /// Types of its private fields, by name: they tell what blocks are that do not describe themselves.
    pub inside: &'static [Inside],
    /// Constants that its kernel names.
    pub constants: fn() -> &'static [Constant],
}

/// A public field.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// Its documentation.
    pub comment: &'static str,
    /// The ports inside it, where it is an interface.
    pub inside: Option<fn() -> Ports>,
}

/// Name of a private field, and its type as the compiler names it.
pub type Inside = (&'static str, fn() -> &'static str);

/// Documentation of ports, by path: `s_axis$tdata`.
pub type Ports = Vec<(String, &'static str)>;

/// Const generics, widths of type parameters and sizes (fields `_rows: usize`), by name.
pub type Parameters = Vec<(&'static str, u128)>;

/// A constant that a kernel names.
#[derive(Clone, Copy, Debug)]
pub struct Constant {
    /// As the kernel's AST spells it: `op$PEEK`.
    pub key: &'static str,
    /// As Rust spells it, `op::PEEK`; empty where it has no name.
    pub name: &'static str,
    /// Its value.
    pub value: u128,
}

/// What a block has told.
pub(crate) type Told = (&'static Description, Parameters);

thread_local! {
    static HEARD: RefCell<Option<Vec<Told>>> = const { RefCell::new(None) };
}

/// Tells, where somebody listens on this thread, the description of the block whose scope opens next.
pub fn tell(description: &'static Description, parameters: &[(&'static str, u128)]) {
    HEARD.with_borrow_mut(|heard| {
        if let Some(heard) = heard {
            heard.push((description, parameters.to_vec()));
        }
    });
}

/// What the block whose scope has just opened told.
pub(crate) fn told() -> Option<Told> {
    HEARD.with_borrow_mut(|heard| heard.as_mut().and_then(Vec::pop))
}

/// Listens while `work` runs.
pub(crate) fn listening<T>(work: impl FnOnce() -> T) -> T {
    let before = HEARD.replace(Some(Vec::new()));
    let result = work();
    HEARD.set(before);
    result
}

impl Description {
    /// Documentation of the public fields and of the ports inside them.
    pub(crate) fn ports(&self) -> Ports {
        documented(self.ports)
    }

    /// Type of a private field.
    pub(crate) fn type_of(&self, field: &str) -> Option<&'static str> {
        let found = self.inside.iter().find(|(name, _)| *name == field);
        found.map(|(_, ty)| ty())
    }
}

/// The documentation of fields and of what is inside them.
pub fn documented(fields: &[Field]) -> Ports {
    let mut ports = Vec::new();
    for field in fields {
        ports.push((field.name.to_owned(), field.comment));
        let inside = field.inside.map_or_else(Vec::new, |inside| inside());
        ports.extend(
            inside
                .into_iter()
                .map(|(port, comment)| (format!("{}${port}", field.name), comment)),
        );
    }
    ports
}

/// A block with a kernel whose constants are known. Implemented by `#[kernel]`.
pub trait Kernel {
    /// The constants that the kernel names.
    const CONSTANTS: &'static [Constant];
}

/// An interface whose ports are documented. Implemented by `#[derive(Documented)]`.
pub trait Documented {
    /// Documentation of the ports, by path.
    fn ports() -> Ports;
}

impl<T: Documented> Documented for Vec<T> {
    fn ports() -> Ports {
        T::ports()
    }
}

impl<T: Documented, const N: usize> Documented for [T; N] {
    fn ports() -> Ports {
        T::ports()
    }
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
    fn ports(&self) -> Ports;
}

impl<T: Documented> ByInterface for Type<T> {
    fn ports(&self) -> Ports {
        T::ports()
    }
}

/// Ports of any other type.
pub trait ByDefault {
    /// None are known.
    fn ports(&self) -> Ports;
}

impl<T> ByDefault for &Type<T> {
    fn ports(&self) -> Ports {
        Vec::new()
    }
}

/// Asks a block for the constants of its kernel, in the same way.
pub struct OfBlock<T>(PhantomData<T>);

impl<T> OfBlock<T> {
    /// The question.
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        OfBlock(PhantomData)
    }
}

/// Constants of a block whose kernel tells them.
pub trait ByKernel {
    /// The constants.
    fn constants(&self) -> &'static [Constant];
}

impl<T: Kernel> ByKernel for OfBlock<T> {
    fn constants(&self) -> &'static [Constant] {
        T::CONSTANTS
    }
}

/// Constants of any other block.
pub trait NoKernel {
    /// None are known.
    fn constants(&self) -> &'static [Constant];
}

impl<T> NoKernel for &OfBlock<T> {
    fn constants(&self) -> &'static [Constant] {
        &[]
    }
}

//! The switch of a router: multiplexers of the legal turns, and the outputs that choose among them.

mod leg;
mod local_output;
mod pick3;
mod pick4;
mod pick5;
mod side_output;
#[cfg(test)]
mod testing;
mod vertical_output;

pub use leg::Leg;
pub use local_output::LocalOutput;
pub use pick3::Pick3;
pub use pick4::Pick4;
pub use pick5::Pick5;
pub use side_output::SideOutput;
pub use vertical_output::VerticalOutput;

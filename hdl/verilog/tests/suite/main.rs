//! The backend as a user sees it: text, errors, and what Verilator and Yosys make of the text.

mod blocks;
mod errors;
mod interfaces;
mod kernels;
mod library;
mod lint;
mod random_circuits;
mod signed;
mod stock_equivalence;
mod text;
mod tools;

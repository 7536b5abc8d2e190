//! What this module describes, in other languages: a C header, macros of Verilog, SystemRDL, and a page of documentation.
//!
//! All of them come from the same tables as the hardware; nothing in them is written twice.

use super::{
    codes::Code,
    command::Opcode,
    descriptor,
    event::Compare,
    instruction::{self, Mode, Op},
    layout::Layout,
    mailbox,
    packet::{self, ControlKind, DataKind, Operation},
    segment::SegmentKind,
    window, ErrorCode,
};
use crate::{mpe::call, probe};

mod header;
mod markdown;
mod systemrdl;

pub use self::{
    header::{c_header, verilog_header},
    markdown::markdown,
    systemrdl::systemrdl,
};

/// Names in a rendered text, and its origin. Texts of two configurations in one project need two prefixes.
#[derive(Clone, Copy, Debug)]
pub struct Naming<'a> {
    /// Begins every global name: an identifier, in small letters where the language has them.
    pub prefix: &'a str,
    /// Name and version of the generator.
    pub generator: &'a str,
    /// Hash of the fabric's configuration, 8 hexadecimal digits: as in its Verilog.
    pub hash: &'a str,
}

impl Naming<'_> {
    /// Generator, block and configuration, for the first line of a text.
    fn about(&self) -> String {
        format!("{}, block fabric, configuration {}", self.generator, self.hash)
    }
}

/// The words outside the registers.
const LAYOUTS: [Layout; 13] = [
    packet::HEAD,
    packet::ADDRESS,
    packet::GEOMETRY,
    window::MESSAGE,
    descriptor::WORD,
    descriptor::MAIL,
    call::CALL,
    call::CALL_WORD,
    probe::TARGET_WORD,
    probe::LENGTH_WORD,
    probe::RATE_WORD,
    instruction::WORD,
    instruction::FLAGS,
];

/// The enumerations, by the prefix of their names.
const ENUMERATIONS: [(&str, &[Code]); 11] = [
    ("data_kind", DataKind::CODES),
    ("control_kind", ControlKind::CODES),
    ("opcode", Opcode::CODES),
    ("operation", Operation::CODES),
    ("error", ErrorCode::CODES),
    ("window_mode", window::Mode::CODES),
    ("segment_kind", SegmentKind::CODES),
    ("mailbox_mode", mailbox::Mode::CODES),
    ("compare", Compare::CODES),
    ("op", Op::CODES),
    ("op_mode", Mode::CODES),
];

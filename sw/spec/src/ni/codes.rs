//! Enumerations whose numbers hardware and software share.

/// A number with a meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code {
    /// In small letters, words joined by `_`.
    pub name: &'static str,
    /// The number.
    pub code: u32,
    /// What it means, in a sentence.
    pub meaning: &'static str,
}

/// Defines an enumeration and the table of its codes.
macro_rules! codes {
    (
        $(#[doc = $about:literal])+
        $type:ident {
            $($(#[doc = $doc:literal])+ $variant:ident = $code:literal, $name:literal;)+
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $type {
            $($(#[doc = $doc])+ $variant = $code,)+
        }

        impl $type {
            /// All of them, in the order of the codes.
            pub const ALL: &'static [$type] = &[$($type::$variant,)+];

            /// The table of the codes, in the same order.
            pub const CODES: &'static [$crate::ni::codes::Code] = &[$($crate::ni::codes::Code {
                name: $name,
                code: $code,
                meaning: concat!($($doc,)+).trim_ascii(),
            },)+];

            /// The one of this code; none for a code without a meaning.
            pub fn from_code(code: u32) -> Option<$type> {
                $type::ALL.iter().copied().find(|known| *known as u32 == code)
            }

            /// Its name in small letters, words joined by `_`.
            pub fn name(self) -> &'static str {
                match self {
                    $($type::$variant => $name,)+
                }
            }
        }
    };
}
pub(crate) use codes;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ni::{
        command::{Opcode, OPCODE_WIDTH},
        event::{Compare, COMPARE_WIDTH},
        instruction::{Op, OP_WIDTH},
        mailbox,
        packet::{ControlKind, DataKind, Operation, ERROR_WIDTH, OPERATION_WIDTH},
        segment::{SegmentKind, KIND_WIDTH},
        window, ErrorCode,
    };

    #[test]
    fn codes_rise_fit_their_fields_and_read_back() {
        let tables: [(&[Code], usize); 10] = [
            (Opcode::CODES, OPCODE_WIDTH),
            (Compare::CODES, COMPARE_WIDTH),
            (Op::CODES, OP_WIDTH),
            (mailbox::Mode::CODES, 1),
            (ControlKind::CODES, crate::flit::KIND_WIDTH),
            (DataKind::CODES, crate::flit::KIND_WIDTH),
            (Operation::CODES, OPERATION_WIDTH),
            (SegmentKind::CODES, KIND_WIDTH),
            (window::Mode::CODES, window::MODE_WIDTH),
            (ErrorCode::CODES, ERROR_WIDTH),
        ];
        for (codes, width) in tables {
            assert!(codes.is_sorted_by(|one, next| one.code < next.code), "{codes:?}");
            for code in codes {
                assert!(code.code < 1 << width, "{code:?}");
                assert!(code.meaning.ends_with('.'), "{code:?}");
                assert!(code
                    .name
                    .bytes()
                    .all(|letter| letter.is_ascii_lowercase() || letter == b'_'));
            }
        }
        assert_eq!(Operation::from_code(4), Some(Operation::CompareAndSwap));
        assert_eq!(Operation::from_code(7), None);
        assert_eq!(Operation::CompareAndSwap.name(), "compare_and_swap");
        assert_eq!(Opcode::CODES[0].meaning, "Words to a window.");
    }
}

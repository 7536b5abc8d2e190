//! Names in the emitted Verilog: flat, plain, never a reserved word.

use std::{collections::HashSet, sync::LazyLock};

/// A `wire` that reads what nobody else reads, so that linters report the signals that matter.
pub const UNUSED: &str = "unused";

/// Reserved words of Verilog-2005 (IEEE 1364-2005, annex B) and SystemVerilog (IEEE 1800-2017, annex B).
const RESERVED: &str = "\
accept_on alias always always_comb always_ff always_latch and assert assign assume automatic before begin bind bins binsof \
bit break buf bufif0 bufif1 byte case casex casez cell chandle checker class clocking cmos config const constraint context \
continue cover covergroup coverpoint cross deassign default defparam design disable dist do edge else end endcase \
endchecker endclass endclocking endconfig endfunction endgenerate endgroup endinterface endmodule endpackage endprimitive \
endprogram endproperty endsequence endspecify endtable endtask enum event eventually expect export extends extern final \
first_match for force foreach forever fork forkjoin function generate genvar global highz0 highz1 if iff ifnone \
ignore_bins illegal_bins implements implies import incdir include initial inout input inside instance int integer \
interconnect interface intersect join join_any join_none large let liblist library local localparam logic longint \
macromodule matches medium modport module nand negedge nettype new nexttime nmos nor noshowcancelled not notif0 notif1 \
null or output package packed parameter pmos posedge primitive priority program property protected pull0 pull1 pulldown \
pullup pulsestyle_ondetect pulsestyle_onevent pure rand randc randcase randsequence rcmos real realtime ref reg reject_on \
release repeat restrict return rnmos rpmos rtran rtranif0 rtranif1 s_always s_eventually s_nexttime s_until s_until_with \
scalared sequence shortint shortreal showcancelled signed small soft solve specify specparam static string strong strong0 \
strong1 struct super supply0 supply1 sync_accept_on sync_reject_on table tagged task this throughout time timeprecision \
timeunit tran tranif0 tranif1 tri tri0 tri1 triand trior trireg type typedef union unique unique0 unsigned until \
until_with untyped use uwire var vectored virtual void wait wait_order wand weak weak0 weak1 while wildcard wire with \
within wor xnor xor";

/// Words of C++ and SystemC that Verilator 5.48 warns of (SYMRSVDWORD), as it turns names into those of its model.
const RESERVED_IN_MODELS: &str = "\
abort alignas alignof and_eq asm atomic_cancel atomic_commit atomic_noexcept auto bit_vector bitand bitor bool catch \
cdecl char char16_t char32_t compl complex concept const_cast const_iterator constexpr decltype delete double \
dynamic_cast explicit false far float friend goto huge inline interrupt iterator long mutable namespace near \
noexcept not_eq nullptr operator or_eq override pascal private public queue reference register requires sc_clock \
sc_in sc_inout sc_out sc_signal sensitive sensitive_neg sensitive_pos short sizeof stack static_assert static_cast \
std switch synchronized template thread_local throw transaction_safe transaction_safe_dynamic true try type_info \
typeid typename uint16_t uint32_t uint8_t using volatile wchar_t xor_eq";

/// Whether a language through which the text passes keeps `name` for itself.
pub fn is_reserved(name: &str) -> bool {
    static WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
        let words = [RESERVED, RESERVED_IN_MODELS].map(str::split_ascii_whitespace);
        words.into_iter().flatten().collect()
    });
    WORDS.contains(name)
}

/// Whether `name` is a plain identifier of Verilog; those of Rust may have letters beyond ASCII.
pub fn is_identifier(name: &str) -> bool {
    let first_is_letter = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    first_is_letter && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// `s_axis$0$tdata` as one identifier: `s_axis_0_tdata`. Rust's mark of a raw identifier (`r#match`) goes.
pub fn flat(key: &str) -> String {
    without_groups(key).replace("r#", "").replace('$', "_")
}

/// `m_axi$write_$awaddr` as `m_axi$awaddr`: a field whose name ends in `_` only groups others, and is no part of their
/// names.
pub fn without_groups(key: &str) -> String {
    let named = key.split('$').filter(|part| !part.ends_with('_'));
    named.collect::<Vec<_>>().join("$")
}

/// A field's name without its indices: `router$3` is `router`.
pub fn without_indices(key: &str) -> String {
    let named = key.split('$').filter(|part| !part.bytes().all(|b| b.is_ascii_digit()));
    named.collect::<Vec<_>>().join("_")
}

/// `InputFifo` as a module spells it: `input_fifo`.
pub fn snake(name: &str) -> String {
    constant(name).to_lowercase()
}

/// `LinkState::InFlight` as a constant: `LINK_STATE_IN_FLIGHT`.
pub fn constant(name: &str) -> String {
    let mut upper = String::new();
    let mut previous_lower = false;
    for c in name.replace("::", "_").chars() {
        if c.is_ascii_uppercase() && previous_lower {
            upper.push('_');
        }
        previous_lower = c.is_ascii_lowercase() || c.is_ascii_digit();
        upper.push(c.to_ascii_uppercase());
    }
    upper
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_flat_and_readable() {
        assert_eq!(flat("s_axis$0$tdata"), "s_axis_0_tdata");
        assert_eq!(flat("sel$r#match"), "sel_match");
        assert_eq!(flat("m_axi$0$write_$awaddr"), "m_axi_0_awaddr");
        assert_eq!(without_indices("router$12"), "router");
        assert_eq!(constant("LinkState::InFlight"), "LINK_STATE_IN_FLIGHT");
    }

    #[test]
    fn words_of_all_languages_are_reserved() {
        for word in ["reg", "logic", "do", "bind", "xor", "accept_on", "register"] {
            assert!(is_reserved(word), "{word}");
        }
        assert!(!is_reserved("grant"));
    }

    #[test]
    fn identifiers_are_plain() {
        assert!(is_identifier("s_axis_0_tdata") && is_identifier("_0"));
        assert!(!is_identifier("größe") && !is_identifier("0a") && !is_identifier("") && !is_identifier("a b"));
    }
}

//! Writes `include/portico.h` from the sources of the library: `cargo run -p portico-capi --example header`.

use std::{fs, path::Path};

use cbindgen::{Builder, Config, DocumentationStyle, EnumConfig, FunctionConfig, Language, Layout, ParseConfig, Style};

/// Sources whose items go into the header, in its order.
pub const SOURCES: [&str; 32] = [
    "status",
    "handle",
    "carrier",
    "open",
    "memory",
    "segment",
    "completion",
    "operation",
    "ticket",
    "event",
    "atomic",
    "queue",
    "sender",
    "mailbox",
    "program",
    "list",
    "group",
    "comm",
    "mpi",
    "request",
    "communicator",
    "collective",
    "peers",
    "exchange",
    "registers",
    "probe",
    "streams",
    "options",
    "portals",
    "ct",
    "eq",
    "matching",
];

const ABOUT: &str = "\
/*
 * Portico: the host driver of a fabric, for C and C++. Written from sw/capi/src: edit that instead.
 *
 * Each function returns a portico_status: PORTICO_OK, or a code, and portico_error_text() then has field, value and range. Of a
 * call that fails, results are not written.
 *
 * Handles are opaque. A handle that was released, and one of another fabric or of another type, is found out and refused; so is
 * NULL, for every pointer that is not said to be allowed NULL. Other pointers must point to what the function says: results to
 * memory that may be written, arrays to as many elements as their count, texts to UTF-8 with a NUL behind it.
 *
 * A fabric and its handles belong to one thread at a time. A thread may hand them on to another; a call while another one runs
 * returns PORTICO_BUSY. Fabrics do not share anything, so each may have a thread of its own.
 *
 * Nodes are numbered from 0: tiles first, then the host, then memory nodes. Addresses and lengths are in bytes, words have 32
 * bits, times are in cycles as the transport counts them.
 */";

/// The text of the header.
pub fn header() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = Config {
        language: Language::C,
        cpp_compat: true,
        header: Some(ABOUT.into()),
        include_guard: Some("PORTICO_H".into()),
        no_includes: true,
        sys_includes: ["stdbool.h", "stddef.h", "stdint.h"].map(str::to_owned).into(),
        after_includes: Some(format!(
            "\n/** Version of this header: see portico_version(). */\n#define PORTICO_VERSION \"{}\"",
            env!("CARGO_PKG_VERSION")
        )),
        style: Style::Type,
        usize_is_size_t: true,
        line_length: 100,
        documentation_style: DocumentationStyle::C99,
        parse: ParseConfig::default(),
        enumeration: EnumConfig::default(),
        function: FunctionConfig {
            args: Layout::Auto,
            ..FunctionConfig::default()
        },
        ..Config::default()
    };
    let sources = SOURCES
        .iter()
        .fold(Builder::new().with_config(config), |builder, name| {
            builder.with_src(root.join("src").join(name).with_extension("rs"))
        });
    let bindings = sources.generate().expect("the sources can be read");
    let mut text = vec![];
    bindings.write(&mut text);
    String::from_utf8(text).expect("cbindgen writes UTF-8")
}

#[allow(dead_code, reason = "the test of the header takes this file as a module")]
fn main() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("include/portico.h");
    fs::write(path, header()).expect("the header can be written");
}

//! The header, before compilers.

use std::{fs, path::Path};

use portico_spec::{
    ni::render::{c_header, Naming},
    Config,
};

use crate::bench::{compile, folder, ROOT};

#[path = "../../examples/header.rs"]
mod written;

/// The header as it is committed.
fn committed() -> String {
    fs::read_to_string(Path::new(ROOT).join("include/portico.h")).unwrap()
}

/// Every source with a function of C is among those of the header.
fn sources_with_functions() -> Vec<String> {
    let sources = fs::read_dir(Path::new(ROOT).join("src")).unwrap();
    let sources = sources.map(|entry| entry.unwrap().path());
    let with_functions = sources.filter(|path| fs::read_to_string(path).unwrap().contains("#[no_mangle]"));
    with_functions
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect()
}

#[test]
fn the_header_is_what_the_library_has() {
    for source in sources_with_functions() {
        assert!(written::SOURCES.contains(&&*source), "{source} is not in the header");
    }
    assert!(
        committed() == written::header(),
        "include/portico.h differs from the sources: cargo run -p portico-capi --example header"
    );
    let folder = folder("header");
    for (standard, file) in [("-std=c11", "one.c"), ("-std=c++17", "one.cpp")] {
        // Twice, since it guards itself.
        fs::write(
            folder.join(file),
            "#include <portico.h>\n#include <portico.h>\nint main(void) { return PORTICO_OK; }\n",
        )
        .unwrap();
        compile(&folder, standard, &["-c", "-o", "one.o", file]);
    }
}

#[test]
fn both_headers_go_into_one_file() {
    let folder = folder("both_headers");
    let every =
        Config::from_toml("profile = \"full\"\nmemories = 1\nmpe = 2\nprobe = true\nstreams = true\nportals = 4");
    let naming = Naming {
        prefix: "portico",
        generator: "Portico test",
        hash: "0123abcd",
    };
    fs::write(folder.join("portico_ni.h"), c_header(&every.unwrap(), &naming)).unwrap();
    let (host, registers) = ("#include <portico.h>\n", "#include \"portico_ni.h\"\n");
    let main = "int main(void) { return PORTICO_OK + (int)PORTICO_TILES; }\n";
    for (order, headers) in [("host", [host, registers]), ("registers", [registers, host])] {
        for (standard, ending) in [("-std=c11", "c"), ("-std=c++17", "cpp")] {
            let file = format!("{order}.{ending}");
            fs::write(folder.join(&file), headers.concat() + main).unwrap();
            compile(&folder, standard, &["-c", "-o", "both.o", &file]);
        }
    }
}

#[test]
fn the_version_is_everywhere_the_same() {
    let version = unsafe { std::ffi::CStr::from_ptr(portico_capi::portico_version()) };
    let version = version.to_str().unwrap();
    assert!(committed().contains(&format!("#define PORTICO_VERSION \"{version}\"\n")));
    let package = fs::read_to_string(Path::new(ROOT).join("portico.pc")).unwrap();
    assert!(package.contains(&format!("\nVersion: {version}\n")));
}

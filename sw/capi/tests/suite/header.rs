//! The header, before compilers.

use std::{collections::BTreeSet, fs, path::Path};

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

/// The words of a text that are made of letters, digits and `_`.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
}

#[test]
fn comments_of_the_header_and_the_page_name_what_there_is() {
    let header = committed();
    let code: String = header
        .lines()
        .map(|line| line.split("//").next().unwrap().to_owned() + "\n")
        .collect();
    let known: BTreeSet<&str> = words(&code).collect();
    let page = fs::read_to_string(Path::new(ROOT).join("../../docs/c.md")).unwrap();
    // Names of files and of the library, and beginnings of names.
    let others = ["portico_capi", "PORTICO_ERROR_"];
    for text in [&header, &page] {
        let names = words(text).filter(|word| word.starts_with("portico_") || word.starts_with("PORTICO_"));
        for name in names.filter(|name| !others.contains(name)) {
            let is_begin = name.ends_with('_') && known.iter().any(|known| known.starts_with(name));
            assert!(is_begin || known.contains(name), "{name}");
        }
    }
}

#[test]
fn the_programs_of_the_page_compile() {
    let page = fs::read_to_string(Path::new(ROOT).join("../../docs/c.md")).unwrap();
    let blocks = page.split("```c\n").skip(1);
    let blocks: Vec<&str> = blocks.map(|block| block.split("```").next().unwrap()).collect();
    let [first, transport] = blocks[..] else {
        panic!("the page has two programs");
    };
    let used = "    portico_transport of = {.read = read_word};\n    (void)of;\n";
    let program = format!("#include <portico.h>\n{transport}\nint main(void)\n{{\n{used}{first}\n    return 0;\n}}\n");
    let folder = folder("page");
    fs::write(folder.join("page.c"), program).unwrap();
    compile(
        &folder,
        "-std=c11",
        &["-Wno-missing-field-initializers", "-c", "-o", "page.o", "page.c"],
    );
}

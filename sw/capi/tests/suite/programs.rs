//! Programs of C against the static library.

use std::{fs, path::Path};

use crate::bench::{build, checked, folder, run, said, ROOT};

#[test]
fn a_c_program_moves_words_on_golden() {
    let source = Path::new(ROOT).join("../../examples/c/put.c");
    assert_eq!(run(&folder("put"), &source), "tile 3 has 10 20 30 40\n");
}

#[test]
fn the_compilers_checks_find_what_is_planted() {
    let folder = folder("planted");
    if checked(&folder).is_empty() {
        println!("this compiler has no checks of addresses and leaks: programs run without them");
        return;
    }
    let text = "portico_error_text(text, sizeof text)";
    for (fault, body, found) in [
        (
            "leak",
            format!("for (int at = 0; at < 16; at++) lost = malloc(7); lost = NULL; (void)lost; return {text};"),
            "LeakSanitizer",
        ),
        (
            "freed",
            format!("lost = malloc(7); free((void *)lost); lost[0] = 1; return {text};"),
            "heap-use-after-free",
        ),
        (
            "overflow",
            format!("volatile int most = INT_MAX; most = most + 1; return {text};"),
            "signed integer overflow",
        ),
    ] {
        let source = folder.join(fault).with_extension("c");
        let includes = "#include <limits.h>\n#include <portico.h>\n#include <stdlib.h>\n";
        let program = format!("{includes}volatile char *volatile lost;\nchar text[64];\nint main(void) {{ {body} }}\n");
        fs::write(&source, program).unwrap();
        let output = build(&folder, &source).output().unwrap();
        assert!(!output.status.success(), "{fault} is not found");
        assert!(said(&output).contains(found), "{fault}: {}", said(&output));
    }
}

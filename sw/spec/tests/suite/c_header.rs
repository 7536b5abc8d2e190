//! The C header, before a C compiler.

use std::{
    collections::HashSet,
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use portico_spec::{
    ni::{
        command::{Opcode, SEGMENT_OFFSET},
        event::{COMPARE_OFFSET, COMPARE_WIDTH},
        firmware::firmware,
        packet::{ControlKind, Operation},
        registers::{
            address, CommandRegister, ControlRegister, CounterRegister, EventRegister, PageRegister, ReleaseRegister,
            SegmentRegister, ShaperRegister, TagRegister,
        },
        render::c_header,
        ErrorCode,
    },
    Config,
};

fn wide() -> Config {
    Config {
        width: 64,
        ..Config::default()
    }
}

/// A folder with the header in it.
fn folder(name: &str, config: &Config) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("portico_ni.h"), c_header(config)).unwrap();
    folder
}

fn compile(folder: &Path, arguments: &[&str]) -> Output {
    let compiler = std::env::var("CC").unwrap_or("cc".to_string());
    let mut command = Command::new(&compiler);
    command.args(["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-std=c99"]);
    let output = command.args(arguments).current_dir(folder).output();
    output.unwrap_or_else(|error| panic!("the C compiler {compiler} does not start: {error}; CC may name another"))
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&[&*output.stdout, &*output.stderr].concat()).into_owned()
}

#[test]
fn every_macro_is_valid_and_has_a_name_of_its_own() {
    let header = c_header(&wide());
    let defined = header.lines().filter_map(|line| line.strip_prefix("#define "));
    let names: Vec<&str> = defined.filter_map(|line| line.split([' ', '(']).next()).collect();
    assert!(names.iter().all(|name| name.starts_with("PORTICO_")));
    assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len());

    // Every macro is used, so that every text is an expression to the compiler.
    let uses = header
        .lines()
        .filter_map(|line| line.strip_prefix("#define "))
        .skip(1)
        .map(|line| {
            let name = line.split_once(' ').unwrap().0;
            let name = name
                .split_once('(')
                .map_or(name.to_string(), |(name, _)| format!("{name}(3)"));
            format!("    sum += {name};\n")
        });
    let uses: String = uses.collect();
    assert!(uses.lines().count() > 290, "{}", uses.lines().count());
    let folder = folder("c_header_macros", &wide());
    let program =
        format!("#include \"portico_ni.h\"\nunsigned long sum;\nvoid use(void);\nvoid use(void) {{\n{uses}}}\n");
    fs::write(folder.join("use.c"), program).unwrap();
    let output = compile(&folder, &["-fsyntax-only", "use.c"]);
    assert!(output.status.success(), "{}", said(&output));

    let broken = header.replace("#define PORTICO_WIDTH 0x40u", "#define PORTICO_WIDTH 0x40u +");
    assert_ne!(broken, header);
    fs::write(folder.join("portico_ni.h"), broken).unwrap();
    let output = compile(&folder, &["-fsyntax-only", "use.c"]);
    assert!(!output.status.success(), "a macro that is no expression is found");
}

#[test]
fn values_are_those_of_the_specification() {
    let config = wide();
    let value = |name: &str, value: usize| (name.to_string(), value as u64);
    // Registers of a memory node lie behind 2^21 words of 8 bytes.
    let far = |address: usize| address - 0x8_0000 + 0x100_0000;
    let expected = vec![
        value("PORTICO_WIDTH", 64),
        value("PORTICO_CONTROL_ID", address(&config, ControlRegister::Id, 0)),
        value(
            "PORTICO_CONTROL_INTERRUPT_HIGH",
            address(&config, ControlRegister::InterruptHigh, 0),
        ),
        value("PORTICO_COMMAND_WORD(15)", address(&config, CommandRegister::Word, 15)),
        value("PORTICO_EVENT_CONTROL(5)", address(&config, EventRegister::Control, 5)),
        value(
            "PORTICO_EVENT_VALUE_HIGH(2 + 61)",
            address(&config, EventRegister::ValueHigh, 63),
        ),
        value("PORTICO_TAG_SIZE(255)", address(&config, TagRegister::Size, 255)),
        value(
            "PORTICO_SEGMENT_CREDITS(9)",
            address(&config, SegmentRegister::Credits, 9),
        ),
        value("PORTICO_SHAPER_BURST(7)", address(&config, ShaperRegister::Burst, 7)),
        value(
            "PORTICO_RELEASE_MESSAGES(200)",
            address(&config, ReleaseRegister::Messages, 200),
        ),
        value(
            "PORTICO_COUNTERS_WAITING",
            address(&config, CounterRegister::Waiting, 0),
        ),
        value(
            "PORTICO_MEMORY_NODE_PAGE_HIGH(7)",
            far(address(&config, PageRegister::High, 7)),
        ),
        value(
            "PORTICO_MEMORY_NODE_COUNTERS_MEMORY_ERRORS",
            far(address(&config, CounterRegister::MemoryErrors, 0)),
        ),
        value(
            "PORTICO_MEMORY_NODE_TAG_BASE(9)",
            far(address(&config, TagRegister::Base, 9)),
        ),
        value("PORTICO_EVENT_CONTROL_COMPARE_SHIFT", COMPARE_OFFSET),
        value(
            "PORTICO_EVENT_CONTROL_COMPARE_MASK",
            ((1 << COMPARE_WIDTH) - 1) << COMPARE_OFFSET,
        ),
        value("PORTICO_DESCRIPTOR_SEGMENT_SHIFT", SEGMENT_OFFSET),
        value("PORTICO_OPCODE_ENQUEUE", Opcode::Enqueue as usize),
        value("PORTICO_CONTROL_KIND_CREDIT", ControlKind::Credit as usize),
        value("PORTICO_OPERATION_ADD_IF", Operation::AddIf as usize),
        value("PORTICO_ERROR_QUEUE_FULL", ErrorCode::QueueFull as usize),
        value("PORTICO_ENTRY_PUT3D", firmware().entries.put3d.into()),
    ];
    let prints = expected
        .iter()
        .map(|(name, _)| format!("    printf(\"%lu\\n\", (unsigned long){name});\n"));
    let program = format!(
        "#include \"portico_ni.h\"\n#include <stdio.h>\nint main(void) {{\n{}    return 0;\n}}\n",
        prints.collect::<String>()
    );
    let folder = folder("c_header_values", &config);
    fs::write(folder.join("print.c"), program).unwrap();
    let output = compile(&folder, &["-o", "print", "print.c"]);
    assert!(output.status.success(), "{}", said(&output));

    let printed = Command::new(folder.join("print")).output().unwrap();
    let printed = String::from_utf8(printed.stdout).unwrap();
    let printed: Vec<u64> = printed.lines().map(|line| line.parse().unwrap()).collect();
    let printed: Vec<(String, u64)> = expected.iter().map(|(name, _)| name.clone()).zip(printed).collect();
    assert_eq!(printed, expected);
}

//! The C header, before a C compiler.

use std::{
    collections::HashSet,
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use portico_spec::{
    config::PROFILES,
    mpe::{
        call::{Begin, Call, Kind},
        reduce,
    },
    ni::{
        command::{Opcode, SEGMENT_OFFSET},
        descriptor::{Atomic, Command as Asked, Descriptor, Geometry, Transfer},
        event::{COMPARE_OFFSET, COMPARE_WIDTH},
        firmware::firmware,
        packet::{ControlKind, Operation},
        registers::{
            address, CommandRegister, ControlRegister, CounterRegister, EventRegister, PageRegister, ReleaseRegister,
            SegmentRegister, ShaperRegister, TagRegister,
        },
        render::{c_header, Naming},
        ErrorCode,
    },
    probe::{Destination, Run},
    streams::{Receive, Send},
    Config, Node,
};

fn wide() -> Config {
    Config {
        width: 64,
        ..Config::default()
    }
}

/// The header as software gets it.
fn header(config: &Config) -> String {
    named(config, "portico", "0123abcd")
}

fn named(config: &Config, prefix: &str, hash: &str) -> String {
    let naming = Naming {
        prefix,
        generator: "Portico test",
        hash,
    };
    c_header(config, &naming)
}

/// An empty folder.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Runs a compiler: `CC` for C, `CXX` for C++.
fn compile(folder: &Path, standard: &str, arguments: &[&str]) -> Output {
    let (variable, usual) = if standard.contains("++") {
        ("CXX", "c++")
    } else {
        ("CC", "cc")
    };
    let compiler = std::env::var(variable).unwrap_or(usual.to_string());
    let mut command = Command::new(&compiler);
    command.args(["-Wall", "-Wextra", "-Wpedantic", "-Werror", standard]);
    let output = command.args(arguments).current_dir(folder).output();
    output
        .unwrap_or_else(|error| panic!("the compiler {compiler} does not start: {error}; {variable} may name another"))
}

/// Compiles and runs a program that prints these expressions, and gives what they are.
fn values(name: &str, headers: &[(&str, String)], expressions: &[String]) -> Vec<u64> {
    let folder = folder(name);
    let mut program = String::new();
    for (file, text) in headers {
        fs::write(folder.join(file), text).unwrap();
        program += &format!("#include \"{file}\"\n");
    }
    let prints = expressions
        .iter()
        .map(|expression| format!("    printf(\"%lu\\n\", (unsigned long)({expression}));\n"));
    program += &format!(
        "#include <stdio.h>\nint main(void) {{\n{}    return 0;\n}}\n",
        prints.collect::<String>()
    );
    fs::write(folder.join("print.c"), program).unwrap();
    let output = compile(&folder, "-std=c11", &["-o", "print", "print.c"]);
    assert!(output.status.success(), "{}", said(&output));
    let printed = Command::new(folder.join("print")).output().unwrap();
    let printed = String::from_utf8(printed.stdout).unwrap();
    printed.lines().map(|line| line.parse().unwrap()).collect()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&[&*output.stdout, &*output.stderr].concat()).into_owned()
}

/// All profiles at both widths.
fn profiles() -> Vec<Config> {
    let of = |name: &str, width: usize| Config {
        width,
        ..Config::from_toml(&format!("profile = {name:?}")).unwrap()
    };
    let names = PROFILES.iter().map(|profile| profile.name);
    names.flat_map(|name| [of(name, 32), of(name, 64)]).collect()
}

/// A function that uses every macro of a header, so that every text is an expression to the compiler.
fn uses(header: &str) -> String {
    let defined = header.lines().filter_map(|line| line.strip_prefix("#define "));
    let is_number = |line: &&str| !line.contains('"') || line.contains("/*");
    let mut sum = String::new();
    for line in defined.filter(is_number) {
        let (name, rest) = line.split_once([' ', '(']).unwrap();
        let parameters = line[name.len()..]
            .starts_with('(')
            .then(|| rest.split_once(')').unwrap().0);
        let arguments = parameters.map(|list| list.split(',').map(|_| "3").collect::<Vec<_>>().join(", "));
        if !name.ends_with("_NAME") {
            sum += &format!(
                "    sum += {name}{};\n",
                arguments.map_or(String::new(), |list| format!("({list})"))
            );
        }
    }
    format!("unsigned long sum;\nvoid use(void);\nvoid use(void) {{\n{sum}}}\n")
}

#[test]
fn every_macro_is_valid_and_has_a_name_of_its_own() {
    let folder = folder("c_header_macros");
    for (at, config) in profiles().iter().enumerate() {
        let header = header(config);
        let defined = header.lines().filter_map(|line| line.strip_prefix("#define "));
        let names: Vec<&str> = defined.filter_map(|line| line.split([' ', '(']).next()).collect();
        assert!(names.iter().all(|name| name.starts_with("PORTICO_")));
        assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len());
        let uses = uses(&header);
        assert!(uses.lines().count() > 290, "{}", uses.lines().count());
        let name = format!("ni_{at}.h");
        fs::write(folder.join(&name), &header).unwrap();
        for (standard, file) in [
            ("-std=c11", format!("use_{at}.c")),
            ("-std=c++17", format!("use_{at}.cpp")),
        ] {
            let twice = format!("#include \"{name}\"\n#include \"{name}\"\n{uses}");
            fs::write(folder.join(&file), twice).unwrap();
            let output = compile(&folder, standard, &["-fsyntax-only", &file]);
            assert!(output.status.success(), "{}", said(&output));
        }
        let wrong = header.replace("#define PORTICO_COLS ", "#define PORTICO_COLS + ) ");
        assert_ne!(wrong, header);
        fs::write(folder.join(&name), wrong).unwrap();
        let output = compile(&folder, "-std=c11", &["-fsyntax-only", &format!("use_{at}.c")]);
        assert!(!output.status.success(), "a macro that is no expression is found");
    }
}

/// Sizes, features and nodes are those of the configuration.
#[test]
fn a_header_has_what_the_fabric_has() {
    for (at, config) in profiles().into_iter().enumerate() {
        let config = Config { memories: 2, ..config };
        let build = config.build();
        let mut expected = vec![
            ("TILES", config.tiles()),
            ("COLS", config.cols),
            ("ROWS", config.rows),
            ("MEMORY_NODES", 2),
            ("HOST_NODE", usize::from(config.host_node().number())),
            ("MEMORY_NODE(1)", usize::from(config.memory_node(1).number())),
            (
                "TILE_NODE(3, 2)",
                usize::from(config.tile_node(2 * config.cols + 3).number()),
            ),
            ("MEMORY_BYTES", config.scratchpad << 10),
            ("HOST_MEMORY_BYTES", config.host_scratchpad << 10),
            ("HOST_CORES", 1),
            ("HOST_SLOTS", 8),
            ("HOST_HAS_QUEUES", 0),
            ("HOST_HAS_PROGRAMS", 0),
            ("HOST_HAS_WIDE_ATOMICS", 0),
            ("CORES", build.cores),
            ("SLOTS", build.slots),
            ("HAS_QUEUES", build.queues.into()),
            ("HAS_PROGRAMS", build.programs.into()),
            ("HAS_WIDE_ATOMICS", build.wide_atomics.into()),
            ("HAS_COMMANDS", build.commands.into()),
            ("HAS_TILE_PORTS", build.tile_ports.into()),
            ("HAS_MONITORS", build.monitors.into()),
            ("HAS_PROBE", build.probe.into()),
            ("HAS_STREAMS", build.streams.into()),
            ("MPE_CONTEXTS", build.mpe),
            ("SYSTEM_WINDOW", 255),
            ("EVENTS_ITEMS", build.events),
            ("TAGS_ITEMS", build.free_windows()),
            ("SEGMENTS_ITEMS", build.segments),
            ("MAILBOXES_ITEMS", build.mailboxes),
            ("SHAPERS_ITEMS", build.shapers),
            ("HOST_SHAPERS_ITEMS", 1),
            ("HOST_MAILBOXES_ITEMS", 4),
            ("MEMORY_NODE_EVENTS_ITEMS", build.events),
        ];
        let text = header(&config);
        if !build.programs {
            expected.retain(|(name, _)| *name != "PROGRAM_ITEMS");
            assert!(
                !text.contains("PORTICO_PROGRAM_INSTRUCTION"),
                "programs of a node without them"
            );
        }
        let expressions: Vec<String> = expected.iter().map(|(name, _)| format!("PORTICO_{name}")).collect();
        let found = values(&format!("c_header_has_{at}"), &[("portico_ni.h", text)], &expressions);
        let found: Vec<(&str, usize)> = expected
            .iter()
            .map(|(name, _)| *name)
            .zip(found.iter().map(|&value| value as usize))
            .collect();
        assert_eq!(found, expected);
    }
}

/// Of two fabrics in one file: with one prefix an error that names both, with two prefixes both.
#[test]
fn two_headers_in_one_file_need_two_prefixes() {
    let (left, right) = (Config::default(), wide());
    let folder = folder("c_header_two");
    fs::write(folder.join("left.h"), named(&left, "portico", "0000aaaa")).unwrap();
    fs::write(folder.join("right.h"), named(&right, "portico", "0000bbbb")).unwrap();
    fs::write(
        folder.join("both.c"),
        "#include \"left.h\"\n#include \"right.h\"\nint both;\n",
    )
    .unwrap();
    let output = compile(&folder, "-std=c11", &["-fsyntax-only", "both.c"]);
    let errors = said(&output);
    assert!(!output.status.success(), "two fabrics with one prefix");
    assert!(
        errors.contains("0000aaaa") && errors.contains("0000bbbb") && errors.contains("--prefix"),
        "{errors}"
    );

    let headers = [
        ("left.h", named(&left, "left", "0000aaaa")),
        ("right.h", named(&right, "right", "0000bbbb")),
    ];
    let expressions = [
        "LEFT_WORD_BYTES",
        "RIGHT_WORD_BYTES",
        "LEFT_CONTROL_NODE",
        "RIGHT_CONTROL_NODE",
    ]
    .map(String::from);
    assert_eq!(
        values("c_header_both", &headers, &expressions),
        [4, 8, 0x80004, 0x80008]
    );
}

/// Descriptors made from the header's words and fields are those that the specification encodes.
#[test]
fn descriptors_of_the_header_are_those_of_the_specification() {
    let config = Config::default();
    let geometry = Geometry::Planes {
        rows: 2,
        row: 16,
        local_stride: 64,
        remote_stride: 32,
        planes: 3,
        local_plane_stride: 256,
        remote_plane_stride: 128,
    };
    let transfer = Transfer {
        remote: 0x40,
        local: 0x80,
        geometry,
    };
    let call = Call {
        kind: Kind::Reduce,
        begin: Begin::Next,
        number: 5,
        context: 1,
        towards: Some(3),
        transfer: portico_spec::mpe::call::Transfer {
            length: 9,
            source: 0x100,
            result: 0x200,
            operation: reduce::Operation::FloatSum,
        },
    };
    let run = Run {
        destination: Destination::Node(Node { x: 1, y: 2 }),
        words: 8,
        packets: 100,
        rate: 77,
        seed: 6,
    };
    let send = Send {
        address: 0x40,
        row: 16,
        rows: 3,
        stride: 32,
        each_row: true,
    };
    let receive = Receive {
        address: 0x80,
        length: 64,
    };
    let mail = Asked::Mail {
        node: Node { x: 3, y: 1 },
        mailbox: 12,
        value: 0x1_0000_0002,
    };
    let atomic = Asked::Atomic {
        remote: 0x10,
        operation: Atomic::Poke { value: 4 },
        wide: false,
    };
    let program = Asked::Program {
        entry: 70,
        registers: vec![8, 9],
    };
    // A field of a word, by its macro.
    let field = |name: &str, value: u64| format!("({value}u << PORTICO_{name}_SHIFT)");
    let word = |name: &str, value: String| (format!("PORTICO_{name}_WORD"), value);
    let number = |name: &str, value: u64| word(name, format!("{value}u"));
    let cases = [
        (
            Asked::Put(transfer),
            "TRANSFER",
            vec![
                number("TRANSFER_REMOTE", 0x40),
                number("TRANSFER_LOCAL", 0x80),
                word(
                    "TRANSFER_SHAPE",
                    field("TRANSFER_SHAPE_ROWS", 2) + " | " + &field("TRANSFER_SHAPE_ROW", 4),
                ),
                word(
                    "TRANSFER_STRIDES",
                    field("TRANSFER_STRIDES_REMOTE", 8) + " | " + &field("TRANSFER_STRIDES_LOCAL", 16),
                ),
                number("TRANSFER_PLANES", 3),
                word(
                    "TRANSFER_PLANE_STRIDES",
                    field("TRANSFER_PLANE_STRIDES_REMOTE", 32) + " | " + &field("TRANSFER_PLANE_STRIDES_LOCAL", 64),
                ),
            ],
        ),
        (
            atomic,
            "ATOMIC",
            vec![number("ATOMIC_REMOTE", 0x10), number("ATOMIC_OPERAND", 4)],
        ),
        (
            mail,
            "MAIL",
            vec![
                word(
                    "MAIL_TARGET",
                    field("DESCRIPTOR_MAIL_MAILBOX", 12) + " | PORTICO_TILE_NODE(3u, 1u)",
                ),
                number("MAIL_LOW", 2),
                number("MAIL_HIGH", 1),
            ],
        ),
        (
            program,
            "PROGRAM",
            vec![
                number("PROGRAM_ENTRY", 70),
                number("PROGRAM_REGISTER", 8),
                ("PORTICO_PROGRAM_REGISTER_WORD + 1".into(), "9u".into()),
            ],
        ),
        (
            Asked::Call(call),
            "COLLECTIVE",
            vec![
                word(
                    "COLLECTIVE_CALL",
                    [
                        field("DESCRIPTOR_CALL_NUMBER", 5),
                        field("DESCRIPTOR_CALL_CONTEXT", 1),
                        field("DESCRIPTOR_CALL_TOWARDS", 3),
                        field("DESCRIPTOR_CALL_OPERATION", reduce::Operation::FloatSum as u64),
                        field("DESCRIPTOR_CALL_NEXT", 1),
                    ]
                    .join(" | "),
                ),
                number("COLLECTIVE_LENGTH", 9),
                number("COLLECTIVE_SOURCE", 0x100),
                number("COLLECTIVE_RESULT", 0x200),
            ],
        ),
        (
            Asked::Probe(run),
            "PROBE",
            vec![
                word("PROBE_TARGET", "PORTICO_TILE_NODE(1u, 2u)".into()),
                word("PROBE_LENGTH", field("DESCRIPTOR_PROBE_LENGTH_WORDS", 8)),
                number("PROBE_PACKETS", 100),
                word("PROBE_RATE", field("DESCRIPTOR_PROBE_RATE_RATE", 77)),
                number("PROBE_SEED", 6),
            ],
        ),
        (
            Asked::Send(send),
            "SEND",
            vec![
                number("SEND_ADDRESS", 0x40),
                word(
                    "SEND_SHAPE",
                    field("SEND_SHAPE_ROWS", 3) + " | " + &field("SEND_SHAPE_ROW", 4),
                ),
                word(
                    "SEND_STEP",
                    field("SEND_STEP_EACH_ROW", 1) + " | " + &field("SEND_STEP_STRIDE", 8),
                ),
            ],
        ),
        (
            Asked::Receive(receive),
            "RECEIVE",
            vec![number("RECEIVE_ADDRESS", 0x80), number("RECEIVE_LENGTH", 16)],
        ),
    ];
    for (at, (command, form, words)) in cases.into_iter().enumerate() {
        let encoded = Descriptor::new(command).encode(&config).unwrap();
        let expressions: Vec<String> = words
            .into_iter()
            .flat_map(|(place, value)| [place, value])
            .chain([format!("PORTICO_{form}_DESCRIPTOR_WORDS")])
            .collect();
        let found = values(
            &format!("c_header_form_{at}"),
            &[("portico_ni.h", header(&config))],
            &expressions,
        );
        let (&most, pairs) = found.split_last().unwrap();
        let places: Vec<(u64, u64)> = pairs.chunks(2).map(|pair| (pair[0], pair[1])).collect();
        let expected: Vec<(u64, u64)> = (1..).zip(encoded[1..].iter().map(|&word| word.into())).collect();
        assert_eq!(places, expected, "{form}");
        assert!(encoded.len() as u64 <= most, "{form}");
    }
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
    let expressions: Vec<String> = expected.iter().map(|(name, _)| name.clone()).collect();
    let printed = values("c_header_values", &[("portico_ni.h", header(&config))], &expressions);
    let printed: Vec<(String, u64)> = expressions.into_iter().zip(printed).collect();
    assert_eq!(printed, expected);
}

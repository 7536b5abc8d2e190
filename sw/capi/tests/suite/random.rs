//! 20,000 random calls in random order, by a program of C that is written here.

use std::fmt::Write;

use crate::{
    bench::{folder, run},
    functions::{functions, Function, Parameter},
};

/// Calls that are not made: a board that is none would be opened, and a time-out of the library's own accesses of a few cycles
/// lets everything fail.
const LEFT_OUT: [&str; 4] = [
    "portico_open_uio",
    "portico_open_serial",
    "portico_open_custom",
    "portico_set_timeout",
];

/// How the names of functions end that end a handle.
const ENDS: [&str; 9] = [
    "_release",
    "_free",
    "_fini",
    "_unlink",
    "_withdraw",
    "_queue_close",
    "_unload",
    "_retire",
    "_request_run",
];

/// What a random call needs beside the functions.
const BEGIN: &str = include_str!("random.h");

/// The types of handles, without `portico_`.
fn handles(functions: &[Function]) -> Vec<String> {
    let parameters = functions.iter().flat_map(|function| &function.parameters);
    let made = parameters.filter_map(|parameter| parameter.target.strip_prefix("*portico_"));
    let mut names: Vec<String> = made.map(str::to_owned).collect();
    // A completion asks for it, no parameter does.
    names.push("ticket".to_owned());
    names.sort();
    names.dedup();
    names
}

/// A random argument; one of 64 pointers is NULL.
fn argument(parameter: &Parameter, handles: &[String]) -> String {
    let value = value(parameter, handles);
    match parameter.is_pointer {
        true => format!("below(64) == 0 ? NULL : {value}"),
        false => value,
    }
}

/// A random value of a parameter.
fn value(parameter: &Parameter, handles: &[String]) -> String {
    let (name, target) = (&*parameter.name, &*parameter.target);
    let handle = target.trim_start_matches("*portico_").trim_start_matches("portico_");
    match (parameter.is_pointer, target) {
        (true, "c_char") if parameter.is_const => format!("text_of_{name}()"),
        (true, _) if name == "parts" => "(void *)results".to_owned(),
        (true, _) if target.starts_with('*') && parameter.is_const => format!("some_{handle}s()"),
        (true, _) if target.starts_with('*') => format!("&made_{handle}"),
        (true, "portico_fabric") => "some_fabric()".to_owned(),
        (true, _) if handles.iter().any(|known| known == handle) => format!("any_{handle}()"),
        (true, "u32") if parameter.is_const && ["members", "tiles"].contains(&name) => "members()".to_owned(),
        (true, "u32") if parameter.is_const => "array()".to_owned(),
        (true, "u64") if parameter.is_const => "(const uint64_t *)array()".to_owned(),
        (true, _) if parameter.is_const && target.starts_with("portico_") => format!("fill_{handle}()"),
        (true, _) => "(void *)results".to_owned(),
        (false, "bool") => "below(2) == 1".to_owned(),
        (false, "usize") => "below(40)".to_owned(),
        (false, "u64") if name == "timeout" || name == "cycles" => "below(300)".to_owned(),
        (false, "u64") => "wide()".to_owned(),
        (false, "u8") => "(uint8_t)number()".to_owned(),
        (false, "u16") => "(uint16_t)number()".to_owned(),
        (false, _) if ["node", "tile", "root", "pt_index"].contains(&name) => "below(6)".to_owned(),
        (false, _) if ["words", "bytes", "credits", "slots", "number", "arrivals"].contains(&name) => {
            "small()".to_owned()
        }
        (false, "u32") => "number()".to_owned(),
        (false, "portico_ptl_options") => "below(2) == 0 ? 0 : number()".to_owned(),
        (false, choice) if choice.starts_with("portico_") => "below(9)".to_owned(),
        (false, other) => panic!("a parameter {name} of type {other}"),
    }
}

/// One case of the switch: a call, and the handles that it has made.
fn case(place: usize, function: &Function, handles: &[String]) -> String {
    let name = &function.name;
    let mut arguments: Vec<String> = function.parameters.iter().map(|one| argument(one, handles)).collect();
    // Counts with which a call can succeed.
    let likely = match &**name {
        "portico_comm_new" | "portico_communicator_new" | "portico_peers_new" | "portico_ptl_set_map" => {
            Some("2 + below(4)")
        }
        "portico_communicator_split" => Some("2 + below(4)"),
        "portico_alltoallv" | "portico_peers_alltoallv" => Some("below(4) == 0 ? 4 : 16"),
        "portico_program_load" | "portico_program_load_unchecked" => Some("1 + below(3)"),
        _ => None,
    };
    for (argument, parameter) in arguments.iter_mut().zip(&function.parameters) {
        if let Some(likely) = likely.filter(|_| parameter.name == "count") {
            *argument = likely.to_owned();
        }
    }
    let mut text = format!("        case {place}:\n");
    match &**name {
        // Most of the handles would be stale otherwise.
        name if ENDS.iter().any(|end| name.ends_with(end)) => text += "            if (below(3) != 0) return;\n",
        "portico_close" => {
            text += "            made_fabric = any_fabric();\n            if (made_fabric == main_fabric) return;\n";
            arguments = vec!["made_fabric".to_owned()];
        }
        "portico_open_golden" => text += "            if (open_fabrics() > 2) return;\n",
        _ => {}
    }
    writeln!(text, "            called = \"{name}\";").unwrap();
    writeln!(text, "            status = {name}({});", arguments.join(", ")).unwrap();
    for parameter in &function.parameters {
        if let Some(handle) = parameter
            .target
            .strip_prefix("*portico_")
            .filter(|_| parameter.name != "parts" && !parameter.is_const)
        {
            writeln!(
                text,
                "            if (status == PORTICO_OK) keep_{handle}(made_{handle});"
            )
            .unwrap();
        }
    }
    text + "            break;\n"
}

#[test]
fn twenty_thousand_random_calls_end_with_a_status() {
    let mut functions = functions();
    functions.retain(|function| function.returns_status && !LEFT_OUT.contains(&&*function.name));
    let handles = handles(&functions);
    let mut program = BEGIN.to_owned();
    for handle in &handles {
        writeln!(program, "HANDLES({handle})").unwrap();
    }
    program += FILLS;
    program += "static void random_call(unsigned which)\n{\n    portico_status status = PORTICO_OK;\n";
    program += "    const char *called = \"\";\n    switch (which) {\n";
    for (place, function) in functions.iter().enumerate() {
        program += &case(place, function, &handles);
    }
    program += "    }\n    check(which, called, status);\n}\n\n";
    writeln!(program, "#define FUNCTIONS {}", functions.len()).unwrap();
    program += END;
    let folder = folder("random");
    let source = folder.join("random.c");
    std::fs::write(&source, program).unwrap();
    let said = run(&folder, &source);
    println!("{said}");
    assert!(
        said.starts_with("seed 0x") && said.contains("\n20000 calls; "),
        "{said}"
    );
    let never: Vec<&Function> = functions
        .iter()
        .enumerate()
        .filter(|(place, _)| !said.contains(&format!("\n{place} ")))
        .map(|(_, function)| function)
        .collect();
    let names: Vec<&str> = never.iter().map(|function| &*function.name).collect();
    assert!(names.len() < functions.len() / 5, "never a success: {names:?}");
}

/// Random contents of the structures that the functions read.
const FILLS: &str = include_str!("random_fills.h");

/// The calls themselves.
const END: &str = include_str!("random_end.h");

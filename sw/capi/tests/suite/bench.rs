//! What the tests share: calls that must succeed or fail, compilers, and places.

use std::{
    ffi::CString,
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
    ptr,
};

use portico_capi::*;

/// The folder of the crate.
pub const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Four tiles and a host.
pub const SMALL: &str = "cols = 2\nrows = 2";

/// The text of this thread's last error.
pub fn last_error() -> String {
    let mut text = [0u8; 512];
    let status = unsafe { portico_error_text(text.as_mut_ptr().cast(), text.len()) };
    assert_eq!(status, portico_status::PORTICO_OK);
    let end = text.iter().position(|&byte| byte == 0).unwrap();
    String::from_utf8(text[..end].to_vec()).unwrap()
}

/// Ends the test if a call has failed.
#[track_caller]
pub fn must(status: portico_status) {
    assert_eq!(status, portico_status::PORTICO_OK, "{}", last_error());
}

/// Ends the test unless a call has failed like this, with this in its text.
#[track_caller]
pub fn fails(status: portico_status, expected: portico_status, text: &str) {
    let found = last_error();
    assert_eq!(status, expected, "{found}");
    assert!(found.contains(text), "{found}");
}

/// Takes the result of a call that must succeed.
#[track_caller]
pub fn get<T>(call: impl FnOnce(*mut T) -> portico_status) -> T
where
    T: Start,
{
    let mut result = T::start();
    must(call(&mut result));
    result
}

/// What a result is before the call.
pub trait Start {
    /// Its value.
    fn start() -> Self;
}

impl<T> Start for *mut T {
    fn start() -> *mut T {
        ptr::null_mut()
    }
}

macro_rules! starts {
    ($($type:ty: $value:expr;)+) => {
        $(impl Start for $type {
            fn start() -> $type {
                $value
            }
        })+
    };
}
pub(crate) use starts;
starts! {
    bool: false;
    u16: 0;
    u32: 0;
    u64: 0;
    portico_region: portico_region { node: 0, base: 0, bytes: 0 };
    portico_event_state: portico_event_state { count: 0, fired: false, error: 0, value: 0 };
}

/// A fabric of the reference model.
pub fn golden(config: &str) -> *mut portico_fabric {
    let config = CString::new(config).unwrap();
    get(|fabric| unsafe { portico_open_golden(config.as_ptr(), fabric) })
}

/// A transfer of bytes that lie together.
pub const fn linear(row: u32) -> portico_geometry {
    let none = portico_strides { remote: 0, local: 0 };
    portico_geometry {
        row,
        rows: 0,
        row_strides: none,
        planes: 0,
        plane_strides: none,
    }
}

/// A completion for which the call waits.
pub const WAIT: portico_completion = portico_completion {
    timeout: 10_000,
    ticket: ptr::null_mut(),
    event: ptr::null_mut(),
    steps: ptr::null_mut(),
    shaper: 0,
    drained: false,
};

/// A window of puts, gets and atomics.
pub fn window(fabric: *mut portico_fabric, node: u32, base: u32, bytes: u32) -> *mut portico_window {
    let wanted = portico_publication {
        base,
        bytes,
        stream: false,
        row: 0,
        stride: 0,
        event: ptr::null_mut(),
    };
    get(|window| unsafe { portico_publish(fabric, node, &wanted, window) })
}

/// A segment of a node for a window.
pub fn segment(fabric: *mut portico_fabric, node: u32, window: *mut portico_window) -> *mut portico_segment {
    get(|segment| unsafe { portico_clone_segment(fabric, node, window, segment) })
}

/// Words of a node's memory.
pub fn read<const N: usize>(fabric: *mut portico_fabric, node: u32, address: u32) -> [u32; N] {
    let mut words = [0; N];
    must(unsafe { portico_read(fabric, node, address, words.as_mut_ptr(), N) });
    words
}

/// Writes words of a node's memory.
pub fn write(fabric: *mut portico_fabric, node: u32, address: u32, words: &[u32]) {
    must(unsafe { portico_write(fabric, node, address, words.as_ptr(), words.len()) });
}

/// An empty folder of a test.
pub fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// The static library beside this test.
pub fn library() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let library = test.parent().unwrap().join("libportico_capi.a");
    assert!(library.exists(), "{} is missing", library.display());
    library
}

/// Runs a compiler, `CC` for C and `CXX` for C++, with the header in reach.
pub fn compile(folder: &Path, standard: &str, arguments: &[&str]) {
    let (variable, usual) = match standard.contains("++") {
        true => ("CXX", "c++"),
        false => ("CC", "cc"),
    };
    let compiler = std::env::var(variable).unwrap_or(usual.to_string());
    let mut command = Command::new(compiler);
    command.args([standard, "-Wall", "-Wextra", "-Werror", "-pedantic"]);
    command.arg(format!("-I{ROOT}/include")).args(arguments);
    succeed(command.current_dir(folder));
}

/// Options with which a compiler checks addresses, leaks and undefined behaviour, if it has them.
pub fn checked(folder: &Path) -> &'static [&'static str] {
    const OPTIONS: &[&str] = &["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
    fs::write(folder.join("none.c"), "int main(void) { return 0; }\n").unwrap();
    let compiler = std::env::var("CC").unwrap_or("cc".to_owned());
    let mut command = Command::new(compiler);
    command.args(OPTIONS).args(["-o", "none", "none.c"]).current_dir(folder);
    let is_linked = command.output().is_ok_and(|output| output.status.success());
    let runs = || {
        Command::new(folder.join("none"))
            .status()
            .is_ok_and(|status| status.success())
    };
    match is_linked && runs() {
        true => OPTIONS,
        false => &[],
    }
}

/// Compiles a program of C and runs it, as [`build`] gives it. The program must succeed; `run` gives its standard output.
pub fn run(folder: &Path, source: &Path) -> String {
    succeed(&mut build(folder, source))
}

/// Compiles a program of C against the static library, with the compiler's checks. The command starts the program.
pub fn build(folder: &Path, source: &Path) -> Command {
    let program = folder.join("program");
    let (source, library) = (source.display().to_string(), library().display().to_string());
    let mut arguments = checked(folder).to_vec();
    arguments.extend(["-o", "program", &source, &library, "-lpthread", "-ldl", "-lm"]);
    compile(folder, "-std=c11", &arguments);
    Command::new(program)
}

/// Runs a command, which must succeed, and gives its standard output.
#[track_caller]
pub fn succeed(command: &mut Command) -> String {
    let output = command.output();
    let output = output.unwrap_or_else(|error| panic!("{command:?} does not start: {error}"));
    assert!(output.status.success(), "{command:?}: {}", said(&output));
    String::from_utf8(output.stdout).unwrap()
}

/// All that a program has printed.
pub fn said(output: &Output) -> String {
    String::from_utf8_lossy(&[&*output.stdout, &*output.stderr].concat()).into_owned()
}

//! The fabric in a LiteX SoC: `examples/litex` on the Verilog of both under Verilator, the package from its sources. Its numpy is that of
//! `sw/python/tools.sh`.

use super::cocotb::package;
use portico::{
    serial::{Board, Terminal},
    Config,
};
use portico_sim::{build, Options, SimulatedBoard, Source};
use portico_synth::tools_folder;
use std::{
    env::join_paths,
    fs,
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command},
    thread,
    time::Duration,
};

/// Clock cycles of a bit of the SoC's serial line: `CLOCK / BAUD` of `soc.py`.
const BIT_CYCLES: u64 = 4;
/// Cycles in which a word of the line passes, with the access behind it.
const QUIET_CYCLES: u64 = 400;
/// Tenths of a second in which LiteX's server starts.
const STARTS: usize = 600;
/// The pins of a simulated board around the SoC.
const BOARD: &str = "
module litex_board (
    input  wire        clk,
    input  wire        rst,
    input  wire [15:0] bit_cycles,
    input  wire        uart_rx,
    output wire        uart_tx,
    output wire [3:0]  led
);
    portico_litex soc (.clk(clk), .rst(rst), .serial_rx(uart_rx), .serial_tx(uart_tx));
    assign led = 4'd0;
endmodule
";

/// The SoC at the end of a serial line. UARTBone has no frames, so no pause of the line ends one.
struct Soc(SimulatedBoard);

impl Board for Soc {
    fn exchange(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.0.send(bytes);
        let mut answer = vec![];
        loop {
            self.0.run(QUIET_CYCLES);
            let received = self.0.receive();
            if received.is_empty() && !self.0.is_sending() {
                return answer;
            }
            answer.extend(received);
        }
    }

    fn pause(&mut self) {}
}

/// A server that ends with the test.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Runs a command that must succeed. Returns its standard output.
fn printed(command: &mut Command) -> String {
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("{command:?} does not start: {error}"));
    let [printed, errors] = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(output.status.success(), "{command:?}: {printed}{errors}");
    printed
}

/// The SoC of `examples/litex/soc.py` around the fabric of `config`, compiled or taken from the cache.
fn soc(work: &Path, tools: &Path, config: &Config) -> Soc {
    let (fabric, verilog) = (work.join("portico_fabric.v"), work.join("soc.v"));
    fs::write(&fabric, portico_generate::design("fabric", config).unwrap().text()).unwrap();
    let mut python = Command::new(tools.join("bin/python3"));
    printed(
        python
            .arg(root().join("examples/litex/soc.py"))
            .args([&fabric, &verilog]),
    );
    let text = fs::read_to_string(verilog).unwrap();
    // Lines that differ from day to day would make another model each time.
    let lines = text.lines().filter(|line| !line.starts_with("//"));
    let text: String = lines.map(|line| line.to_owned() + "\n").collect();
    let source = Source {
        extra: vec![fabric],
        ..Source::new("litex_board", text + BOARD)
    };
    let source = source.input("clk", 1).input("rst", 1).input("bit_cycles", 16);
    let source = source.input("uart_rx", 1).output("uart_tx", 1).output("led", 4);
    // LiteX's Verilog has warnings of Verilator's linter.
    let options = Options {
        lint: false,
        ..Options::default()
    };
    Soc(SimulatedBoard::with_bit_cycles(&build(source, &options).unwrap(), BIT_CYCLES).unwrap())
}

/// Packages of a Python environment.
fn packages(environment: &Path) -> PathBuf {
    let versions = fs::read_dir(environment.join("lib")).unwrap();
    let mut versions = versions.map(|entry| entry.unwrap().path().join("site-packages"));
    versions
        .find(|path| path.is_dir())
        .expect("an environment has packages")
}

#[test]
fn the_litex_soc_moves_words() {
    let work = tempfile::tempdir().unwrap();
    let tools = tools_folder().unwrap().expect("LiteX is in .tools: run `make tools`");
    let config = Config::from_toml("profile = 'leaf'\ncols = 2\nrows = 1\nscratchpad = 16").unwrap();
    let mut soc = soc(work.path(), &tools, &config);
    let mut terminal = Terminal::open().unwrap();

    let port = TcpListener::bind("localhost:0").unwrap().local_addr().unwrap().port();
    let mut server = Command::new(tools.join("bin/python3"));
    server.args([
        "-m",
        "litex.tools.litex_server",
        "--uart",
        "--uart-port",
        terminal.path(),
    ]);
    server.args(["--bind-port", &port.to_string()]).current_dir(work.path());
    let log = fs::File::create(work.path().join("server.log")).unwrap();
    server.stdout(log.try_clone().unwrap()).stderr(log);
    let _server = Server(server.spawn().unwrap());
    let starts = (0..STARTS).any(|_| {
        thread::sleep(Duration::from_millis(100));
        TcpStream::connect(("localhost", port)).is_ok()
    });
    let log = || fs::read_to_string(work.path().join("server.log")).unwrap();
    assert!(starts, "LiteX's server does not start: {}", log());

    let python = PathBuf::from(printed(&mut Command::new(root().join("sw/python/tools.sh"))).trim());
    let mut host = Command::new(python.join("bin/python3"));
    let paths = [package().to_owned(), packages(&tools)];
    host.env("PYTHONPATH", join_paths(paths).unwrap());
    host.arg(root().join("examples/litex/move.py")).arg(port.to_string());
    host.env("PYTHONDONTWRITEBYTECODE", "1").current_dir(work.path());
    let host = thread::spawn(move || printed(&mut host));
    while !host.is_finished() {
        terminal.serve(&mut soc).unwrap();
    }
    let said = host.join().unwrap_or_else(|_| panic!("the program fails; {}", log()));
    assert_eq!(said, "300 of 300 words arrived at tile 1\n");
}

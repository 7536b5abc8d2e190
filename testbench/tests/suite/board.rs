//! A small board as Verilog, and the netlist of a whole ULX3S: it boots, and the driver works over its UART.

use anyhow::{ensure, Context};
use portico::{
    onesided::{Geometry, Window},
    serial::Options,
    Error, Fabric, SerialTransport, Transport, TransportError,
};
use portico_generate::design;
use portico_sim::{Library, SimulatedBoard, BIT_CYCLES};
use portico_spec::{uart::FRAME_WORDS, Config};
use portico_synth::{board_design, Board, Memories, Netlist, Rates};
use portico_testbench::device::hardware::{compiled_netlist, library, netlist};
use rand::{rngs::SmallRng, Rng, SeedableRng};
use std::time::Duration;

const SEED: u64 = 0x5eed;
/// Cycles in which a transfer of the driver completes.
const TIMEOUT: u64 = 200_000;
/// Bit of the LED that tells of errors.
const ERROR_LED: u8 = 1 << 2;

/// One tile, and the least of everything.
fn small() -> Config {
    let config = Config::from_toml("profile = 'leaf'\ncols = 1\nrows = 1\nfifo = 2").expect("a profile");
    config.fabric().expect("it is valid")
}

/// What a board does from reset on: a session, which begins with a reset and the registers that identify the fabric; memory;
/// transfers; an error.
fn answers_and_transfers(library: &Library) -> anyhow::Result<()> {
    let config = small();
    let mut random = SmallRng::seed_from_u64(SEED);
    let mut board = SimulatedBoard::new(library)?;
    let options = Options {
        latest: Duration::ZERO,
        timeout: Duration::from_micros(100),
        ..Options::default()
    };
    let mut transport = SerialTransport::open(&mut board, &config, options.clone())?;
    let words: Vec<u32> = (0..FRAME_WORDS).map(|_| random.gen()).collect();
    let mut found = vec![0; FRAME_WORDS];
    transport.write_block(0x100, &words)?;
    transport.read_block(0x100, &mut found)?;
    ensure!(found == words, "memory of the host node");

    // Through the fabric: to the tile's memory and back, and a put of the tile to the host.
    let mut fabric = Fabric::open(&mut transport)?;
    let host = fabric.host_node();
    let message: Vec<u32> = (0..16).map(|_| random.gen()).collect();
    fabric.write(0, 0x40, &message)?;
    ensure!(fabric.read(0, 0x40, message.len())? == message, "memory of the tile");
    let bytes = 4 * message.len() as u32;
    let segment = fabric.publish(host, Window::new(0x400, bytes))?;
    let remote = fabric.tile(0)?.clone_segment(segment.id())?;
    fabric
        .tile(0)?
        .put(&remote, 0, 0x40, Geometry::linear(bytes))?
        .wait(TIMEOUT)?;
    ensure!(fabric.read(host, 0x400, message.len())? == message, "what the tile put");
    drop(fabric);
    ensure!(transport.line().led() & ERROR_LED == 0, "an error before there is one");

    // Behind the memory there is nothing, which the LED shows.
    let nothing = (config.host_scratchpad << 10) as u32;
    let refused = transport.read(nothing);
    ensure!(matches!(refused, Err(TransportError::Bus { .. })), "{refused:?}");
    ensure!(transport.line().led() & ERROR_LED != 0, "no LED tells of the error");
    ensure!(transport.repeated() == 0, "{} requests repeated", transport.repeated());
    drop(transport);

    // Another fabric is told from this one by its host node.
    let other = Config {
        host_profile: "compact",
        ..config
    };
    let wrong = SerialTransport::open(&mut board, &other, options).err();
    ensure!(matches!(wrong, Some(Error::WrongBitstream { .. })), "the same fabric");
    println!("{} cycles", board.cycles());
    Ok(())
}

#[test]
fn verilog_answers_and_transfers() -> anyhow::Result<()> {
    answers_and_transfers(&library(&design("board", &small())?)?)
}

/// A board at its pins, with the ports of its core: the oscillator is the clock, the button the reset.
const PINS: &str = "
module board_pins (
    input wire clk, input wire rst, input wire [15:0] bit_cycles, input wire uart_rx,
    output wire uart_tx, output wire [3:0] led
);
    wire high;
    portico_ulx3s_85f board (
        .clk_in(clk), .button(rst), .uart_rx(uart_rx), .uart_tx(uart_tx), .led(led), .wifi_gpio0(high)
    );
endmodule
";

/// The whole top of the ULX3S after synthesis, with its PLL, reset and block RAMs, as fast a line as the simulation takes.
#[test]
fn the_netlist_of_a_ulx3s_answers_and_transfers() -> anyhow::Result<()> {
    let (ulx3s, core) = (Board::named("ulx3s-85f")?, design("board", &small())?);
    let rates = Rates {
        bit_cycles: BIT_CYCLES as u16,
        ..Rates::new(&ulx3s, 50.0, 1_000_000)?
    };
    let netlist = netlist(&board_design(&ulx3s, &core, &rates)?, Memories::BlockRams)?;
    for cell in ["DP16KD #", "EHXPLLL #"] {
        let count = netlist.verilog.matches(cell).count();
        println!("{count} {cell}");
        ensure!(count > 0, "the netlist has no {cell}");
    }
    let at_its_pins = Netlist {
        top: "board_pins".into(),
        ports: core.ports,
        verilog: format!("{}{PINS}", netlist.verilog),
        cell_models: netlist.cell_models.clone(),
    };
    answers_and_transfers(&compiled_netlist(&at_its_pins)?)
}

/// The cells that constraints for Vivado name are registers of the board's Verilog, two behind each asynchronous input.
#[test]
fn constraints_name_the_synchronisers() -> anyhow::Result<()> {
    let core = design("board", &small())?;
    let module = |name: &str| core.modules.iter().find(|module| module.name == name);
    for name in ["arty-a7-35t", "arty-a7-100t"] {
        let board = Board::named(name)?;
        let lines = board.constraints.lines().filter(|line| line.contains("ASYNC_REG"));
        let cells = lines.flat_map(|line| line.split(|c: char| c.is_whitespace() || "{}]".contains(c)));
        let cells: Vec<&str> = cells.filter(|word| word.starts_with("core/")).collect();
        ensure!(cells.len() == 4, "{name}: {cells:?}");
        for cell in cells {
            let mut path: Vec<&str> = cell.split('/').skip(1).collect();
            let register = path.pop().and_then(|last| last.strip_suffix("_reg"));
            let mut text = &module(&core.top).context("the top")?.text;
            for instance in path {
                let end = format!(" {instance} (");
                let line = text.lines().find(|line| line.ends_with(&end)).context(cell)?;
                let inner = line.split_whitespace().next().context(cell)?;
                text = &module(inner).context(cell)?.text;
            }
            let written = format!("{} <= ", register.context(cell)?);
            ensure!(
                text.lines().any(|line| line.trim().starts_with(&written)),
                "{name}: {cell}"
            );
        }
    }
    Ok(())
}

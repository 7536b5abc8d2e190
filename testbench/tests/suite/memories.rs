//! The memories, in rust-hdl's simulator, as Verilog and as netlists with block RAMs, against a naive memory of bytes.
//!
//! The netlists also test the model of the block RAM: planted faults in it are caught.

use crate::promises::{
    memory::Memory,
    ports::{agree, Model, Named},
};
use portico_generate::design;
use portico_hdl::prim::{LaneRam, LutRam, Ram, TrueDualPortRam};
use portico_spec::Config;
use portico_synth::{Memories, Netlist};
use portico_testbench::{
    device::{
        hardware::{compiled, compiled_netlist, netlist},
        verilated::Verilated,
    },
    rtl_device,
};
use portico_verilog::{emit, Design, Options};
use rand::{rngs::SmallRng, Rng};
use rust_hdl::prelude::{Bits, Block};

const CYCLES: usize = 10_000;
const SEED: u64 = 0x5eed;

/// Words of a memory that is emitted alone.
const WORDS: usize = 1024;

fn verilog(block: &str, width: usize, fifo: usize) -> anyhow::Result<Named> {
    let config = Config {
        width,
        fifo,
        ..Config::default()
    };
    Ok(("Verilog", Box::new(compiled(&design(block, &config)?)?)))
}

fn block_rams(design: &Design) -> anyhow::Result<Netlist> {
    netlist(design, Memories::BlockRams)
}

fn device(netlist: &Netlist) -> anyhow::Result<Named> {
    Ok(("netlist", Box::new(Verilated::new(&compiled_netlist(netlist)?)?)))
}

/// One write and one read port. Inputs: lanes, address, data; enable, address.
struct Simple {
    memory: Memory,
    read: Option<u64>,
    /// One lane in place of one a byte.
    whole_words: bool,
}

impl Model for Simple {
    fn stimulus(&mut self, rng: &mut SmallRng) -> Vec<u64> {
        let (write, read) = (self.memory.address(rng), self.memory.address(rng));
        let lanes = self.memory.any_lanes(rng);
        vec![
            if self.whole_words { lanes & 1 } else { lanes },
            write,
            self.memory.any_word(rng),
            rng.gen_range(0..2),
            read,
        ]
    }

    fn outputs(&self, _inputs: &[u64]) -> Vec<Option<u64>> {
        vec![self.read]
    }

    fn clock(&mut self, inputs: &[u64]) {
        let &[lanes, write, data, enable, read] = inputs else {
            unreachable!("five inputs")
        };
        if enable == 1 {
            let collides = lanes != 0 && write == read;
            self.read = if collides { None } else { self.memory.word(read) };
        }
        let bytes = if self.whole_words { lanes * 0xff } else { lanes };
        self.memory.write(write, bytes, data);
    }
}

/// Holds devices with one write and one read port to the promises.
fn simple(devices: Vec<Named>, words: usize, width: usize, whole_words: bool) -> anyhow::Result<()> {
    let inputs = [
        if whole_words { "write_enable" } else { "write_lanes" },
        "write_address",
        "write_data",
        "read_enable",
        "read_address",
    ];
    let mut model = Simple {
        memory: Memory::new(words, width),
        read: None,
        whole_words,
    };
    agree(devices, &inputs, &["read_data"], &mut model, CYCLES, SEED)
}

#[test]
fn ram_keeps_what_is_written() -> anyhow::Result<()> {
    for width in [32, 64] {
        macro_rules! rtl {
            ($width:literal, $lanes:literal) => {
                Box::new(rtl_device!(
                    LaneRam::<$width, 10, $lanes>::new(WORDS);
                    write_lanes, write_address, write_data, read_enable, read_address
                ))
            };
        }
        let rtl: Named = ("rust-hdl", if width == 32 { rtl!(32, 4) } else { rtl!(64, 8) });
        simple(vec![rtl, verilog("ram", width, 4)?], WORDS, width, false)?;
    }
    Ok(())
}

/// A RAM of a shape that no top has: `words` words of `width` bits.
fn ram(block: &dyn Block, words: usize, width: usize) -> Design {
    let options = Options {
        generator: "Portico test".into(),
        licence: String::new(),
        prefix: "portico".into(),
        block: "ram".into(),
        configuration: vec![("width".into(), width.to_string()), ("words".into(), words.to_string())],
        keep_apart: vec![],
    };
    emit(block, &options).expect("a RAM can be emitted")
}

/// Block RAMs of 18 bits with byte enables, of 36 bits with and without, of 9 bits.
#[test]
fn a_netlist_of_a_ram_keeps_what_is_written() -> anyhow::Result<()> {
    let blocks: [(Box<dyn Block>, _, _, _, _); 4] = [
        (Box::new(LaneRam::<32, 10, 4>::default()), 1024, 32, false, 18),
        (Box::new(LaneRam::<32, 9, 4>::default()), 512, 32, false, 36),
        (Box::new(Ram::<Bits<32>, 7>::default()), 128, 32, true, 36),
        (Box::new(Ram::<Bits<8>, 11>::default()), 2048, 8, true, 9),
    ];
    for (block, words, width, whole_words, block_ram_width) in blocks {
        let netlist = block_rams(&ram(block.as_ref(), words, width))?;
        let mode = format!(".DATA_WIDTH_A(32'd{block_ram_width})");
        assert!(netlist.verilog.contains(&mode), "{words} words of {width} bits");
        simple(vec![device(&netlist)?], words, width, whole_words)?;
    }
    Ok(())
}

/// Two ports that read or write. Inputs of each: enable, lanes, address, data.
struct TrueDual {
    memory: Memory,
    reads: [Option<u64>; 2],
    /// Words lie in several block RAMs, and Yosys 0.70 lets those that a write leaves alone read: `read_data` is not kept.
    is_split: bool,
}

/// Byte lanes of a word that lie in one block RAM of 18 bits.
const LANES_OF_A_BLOCK_RAM: [u64; 2] = [0b0011, 0b1100];

impl Model for TrueDual {
    fn stimulus(&mut self, rng: &mut SmallRng) -> Vec<u64> {
        let mut port = || {
            let (lanes, address) = (self.memory.any_lanes(rng), self.memory.address(rng));
            [
                rng.gen_range(0..2),
                if rng.gen() { 0 } else { lanes },
                address,
                self.memory.any_word(rng),
            ]
        };
        [port(), port()].concat()
    }

    fn outputs(&self, _inputs: &[u64]) -> Vec<Option<u64>> {
        self.reads.to_vec()
    }

    fn clock(&mut self, inputs: &[u64]) {
        let ports = [&inputs[..4], &inputs[4..]];
        let written = ports.map(|port| if port[0] == 1 { port[1] } else { 0 });
        let same_word = ports[0][2] == ports[1][2];
        for k in 0..2 {
            if ports[k][0] == 1 && written[k] == 0 {
                let collides = same_word && written[1 - k] != 0;
                self.reads[k] = if collides { None } else { self.memory.word(ports[k][2]) };
            }
            let spares = LANES_OF_A_BLOCK_RAM.iter().any(|lanes| written[k] & lanes == 0);
            if self.is_split && written[k] != 0 && spares {
                self.reads[k] = None;
            }
        }
        for (port, lanes) in ports.iter().zip(written) {
            self.memory.write(port[2], lanes, port[3]);
        }
        if same_word {
            self.memory.forget(ports[0][2], written[0] & written[1]);
        }
    }
}

/// Holds devices with two ports to the promises.
fn true_dual(devices: Vec<Named>, width: usize, is_split: bool) -> anyhow::Result<()> {
    let inputs =
        ["a", "b"].map(|port| ["enable", "write_lanes", "address", "write_data"].map(|of| format!("{port}_{of}")));
    let inputs: Vec<&str> = inputs.iter().flatten().map(String::as_str).collect();
    let mut model = TrueDual {
        memory: Memory::new(WORDS, width),
        reads: [None; 2],
        is_split,
    };
    agree(
        devices,
        &inputs,
        &["a_read_data", "b_read_data"],
        &mut model,
        CYCLES,
        SEED,
    )
}

#[test]
fn true_dual_port_ram_keeps_what_either_port_writes() -> anyhow::Result<()> {
    for width in [32, 64] {
        macro_rules! rtl {
            ($width:literal, $lanes:literal) => {
                Box::new(rtl_device!(
                    TrueDualPortRam::<$width, 10, $lanes>::new(WORDS);
                    a.enable, a.write_lanes, a.address, a.write_data, b.enable, b.write_lanes, b.address, b.write_data
                ))
            };
        }
        let rtl: Named = ("rust-hdl", if width == 32 { rtl!(32, 4) } else { rtl!(64, 8) });
        true_dual(vec![rtl, verilog("true-dual-port-ram", width, 4)?], width, false)?;
    }
    Ok(())
}

fn true_dual_port_ram() -> anyhow::Result<Design> {
    let config = Config {
        width: 32,
        ..Config::default()
    };
    Ok(design("true-dual-port-ram", &config)?)
}

#[test]
fn a_netlist_of_a_true_dual_port_ram_keeps_what_either_port_writes() -> anyhow::Result<()> {
    true_dual(vec![device(&block_rams(&true_dual_port_ram()?)?)?], 32, true)
}

/// A netlist with one text of its models in place of another.
fn altered(netlist: &Netlist, from: &str, to: &str) -> Netlist {
    assert_eq!(netlist.cell_models.matches(from).count(), 1, "`{from}`");
    Netlist {
        cell_models: netlist.cell_models.replace(from, to),
        ..netlist.clone()
    }
}

#[test]
fn faults_in_the_model_of_the_block_ram_are_caught() -> anyhow::Result<()> {
    let (narrow, wide) = (
        block_rams(&true_dual_port_ram()?)?,
        block_rams(&ram(&LaneRam::<32, 9, 4>::default(), 512, 32))?,
    );
    for (what, is_wide, from, to) in [
        (
            "18 bits: byte enables are ignored",
            false,
            "lanes & {2{ {9{address[1]}}, {9{address[0]}} }}",
            "lanes",
        ),
        (
            "18 bits: byte enables are swapped",
            false,
            "{9{address[1]}}, {9{address[0]}} }}",
            "{9{address[0]}}, {9{address[1]}} }}",
        ),
        (
            "36 bits: a byte enable is ignored",
            true,
            "{ {9{address[3]}},",
            "{ {9{1'b1}},",
        ),
        (
            "the lowest bit of the word's address is ignored",
            false,
            "if (width <= 18 && address[4])",
            "if (1'b0)",
        ),
        (
            "a port that writes reads, too",
            false,
            "CEB & (~WEB | WRITEMODE_B == \"READBEFOREWRITE\")",
            "CEB",
        ),
        ("the clock enable is ignored", true, "reads_b = CEB", "reads_b = 1'b1"),
        (
            "of two writes to one row, one is lost",
            false,
            "(new_a & ~written_b | data_b & written_b)",
            "new_a",
        ),
    ] {
        let netlist = altered(if is_wide { &wide } else { &narrow }, from, to);
        let devices = vec![device(&netlist)?];
        let outcome = if is_wide {
            simple(devices, 512, 32, false)
        } else {
            true_dual(devices, 32, true)
        };
        let text = format!("{:#}", outcome.expect_err(what));
        assert!(text.contains("cycle"), "{what}: {text}");
        println!("{what}: {text}");
    }
    Ok(())
}

#[test]
fn a_netlist_with_a_block_ram_in_another_mode_does_not_compile() -> anyhow::Result<()> {
    let netlist = block_rams(&true_dual_port_ram()?)?;
    for (from, to) in [
        (".WRITEMODE_A(\"NORMAL\")", ".WRITEMODE_A(\"WRITETHROUGH\")"),
        (".REGMODE_B(\"NOREG\")", ".REGMODE_B(\"OUTREG\")"),
        (".CLKBMUX(\"CLKB\")", ".CLKBMUX(\"INV\")"),
        (".DATA_WIDTH_A(32'd18)", ".DATA_WIDTH_A(32'd16)"),
    ] {
        assert!(netlist.verilog.contains(from), "{from}");
        let netlist = Netlist {
            verilog: netlist.verilog.replace(from, to),
            ..netlist.clone()
        };
        let error = compiled_netlist(&netlist).expect_err(to).to_string();
        assert!(
            error.contains("DP16KD_with_a_parameter_without_a_model"),
            "{to}: {error}"
        );
    }
    Ok(())
}

/// A read of a word that is written gives neither the old word nor the new one.
#[test]
fn a_netlist_gives_noise_for_a_read_of_what_is_written() -> anyhow::Result<()> {
    let (_, mut device) = device(&block_rams(&ram(&LaneRam::<32, 9, 4>::default(), 512, 32))?)?;
    let [lanes, write, data, enable, read] = [
        "write_lanes",
        "write_address",
        "write_data",
        "read_enable",
        "read_address",
    ]
    .map(|name| device.require_input(name).expect("a port of a RAM"));
    let read_data = device.require_output("read_data")?;
    device.set(lanes, 15);
    device.set(enable, 1);
    let mut seen = vec![];
    for address in 0..4 {
        let (old, new) = (0x1111_1111 * address, 0x9999_9999 - address);
        device.set(write, address);
        device.set(read, address);
        for word in [old, new] {
            device.set(data, word);
            device.settle();
            device.tick();
        }
        device.settle();
        let noise = device.get(read_data);
        assert!(noise != old && noise != new && !seen.contains(&noise), "{noise:#x}");
        seen.push(noise);
    }
    Ok(())
}

/// One write port, one read port without a clock. Inputs: enable, address, data; address.
struct Asynchronous {
    memory: Memory,
}

impl Model for Asynchronous {
    fn stimulus(&mut self, rng: &mut SmallRng) -> Vec<u64> {
        let (write, read) = (self.memory.address(rng), self.memory.address(rng));
        vec![rng.gen_range(0..2), write, self.memory.any_word(rng), read]
    }

    fn outputs(&self, inputs: &[u64]) -> Vec<Option<u64>> {
        vec![self.memory.word(inputs[3])]
    }

    fn clock(&mut self, inputs: &[u64]) {
        let lanes = if inputs[0] == 1 { 0xff } else { 0 };
        self.memory.write(inputs[1], lanes, inputs[2]);
    }
}

#[test]
fn lut_ram_keeps_what_is_written() -> anyhow::Result<()> {
    let inputs = ["write_enable", "write_address", "write_data", "read_address"];
    macro_rules! rtl {
        ($width:literal, $address_bits:literal, $words:literal) => {
            Box::new(rtl_device!(
                LutRam::<Bits<$width>, $address_bits>::new($words);
                write_enable, write_address, write_data, read_address
            ))
        };
    }
    let blocks: [(usize, usize, Named); 2] = [
        (32, 3, ("rust-hdl", rtl!(32, 2, 3))),
        (64, 16, ("rust-hdl", rtl!(64, 4, 16))),
    ];
    for (width, words, rtl) in blocks {
        let mut model = Asynchronous {
            memory: Memory::new(words, width),
        };
        agree(
            vec![rtl, verilog("lut-ram", width, words)?],
            &inputs,
            &["read_data"],
            &mut model,
            CYCLES,
            SEED,
        )?;
    }
    Ok(())
}

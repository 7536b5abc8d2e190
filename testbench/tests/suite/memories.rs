//! The memories, in rust-hdl's simulator and as Verilog, against a naive memory of bytes.

use crate::promises::{
    memory::Memory,
    ports::{agree, Model, Named},
};
use portico_generate::design;
use portico_hdl::prim::{LutRam, Ram, TrueDualPortRam};
use portico_spec::Config;
use portico_testbench::{device::hardware::compiled, rtl_device};
use rand::{rngs::SmallRng, Rng};

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

/// One write and one read port. Inputs: lanes, address, data; enable, address.
struct Simple {
    memory: Memory,
    read: Option<u64>,
}

impl Model for Simple {
    fn stimulus(&mut self, rng: &mut SmallRng) -> Vec<u64> {
        let (write, read) = (self.memory.address(rng), self.memory.address(rng));
        vec![
            self.memory.any_lanes(rng),
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
        self.memory.write(write, lanes, data);
    }
}

#[test]
fn ram_keeps_what_is_written() -> anyhow::Result<()> {
    for width in [32, 64] {
        let inputs = [
            "write_lanes",
            "write_address",
            "write_data",
            "read_enable",
            "read_address",
        ];
        macro_rules! rtl {
            ($width:literal, $lanes:literal) => {
                Box::new(rtl_device!(
                    Ram::<$width, 10, $lanes>::new(WORDS);
                    write_lanes, write_address, write_data, read_enable, read_address
                ))
            };
        }
        let rtl: Named = ("rust-hdl", if width == 32 { rtl!(32, 4) } else { rtl!(64, 8) });
        let mut model = Simple {
            memory: Memory::new(WORDS, width),
            read: None,
        };
        agree(
            vec![rtl, verilog("ram", width, 4)?],
            &inputs,
            &["read_data"],
            &mut model,
            CYCLES,
            SEED,
        )?;
    }
    Ok(())
}

/// Two ports that read or write. Inputs of each: enable, lanes, address, data.
struct TrueDual {
    memory: Memory,
    reads: [Option<u64>; 2],
}

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
        }
        for (port, lanes) in ports.iter().zip(written) {
            self.memory.write(port[2], lanes, port[3]);
        }
        if same_word {
            self.memory.forget(ports[0][2], written[0] & written[1]);
        }
    }
}

#[test]
fn true_dual_port_ram_keeps_what_either_port_writes() -> anyhow::Result<()> {
    for width in [32, 64] {
        let inputs =
            ["a", "b"].map(|port| ["enable", "write_lanes", "address", "write_data"].map(|of| format!("{port}_{of}")));
        let inputs: Vec<&str> = inputs.iter().flatten().map(String::as_str).collect();
        macro_rules! rtl {
            ($width:literal, $lanes:literal) => {
                Box::new(rtl_device!(
                    TrueDualPortRam::<$width, 10, $lanes>::new(WORDS);
                    a.enable, a.write_lanes, a.address, a.write_data, b.enable, b.write_lanes, b.address, b.write_data
                ))
            };
        }
        let rtl: Named = ("rust-hdl", if width == 32 { rtl!(32, 4) } else { rtl!(64, 8) });
        let mut model = TrueDual {
            memory: Memory::new(WORDS, width),
            reads: [None; 2],
        };
        let devices = vec![rtl, verilog("true-dual-port-ram", width, 4)?];
        agree(
            devices,
            &inputs,
            &["a_read_data", "b_read_data"],
            &mut model,
            CYCLES,
            SEED,
        )?;
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
                LutRam::<$width, $address_bits>::new($words);
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

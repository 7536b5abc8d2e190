//! FPGA families: FIFO, router and mesh become cells of each family for which the pinned Yosys has memory cells. Area of engines.

use portico_generate::design;
use portico_spec::{mpe::SITES_BOUND, Config};
use portico_synth::{area, Area, Mode, Yosys};
use portico_verilog::Design;

/// A command of Yosys, and whether `make test` runs it; `make long` runs the others.
const FAMILIES: [(&str, bool); 15] = [
    ("synth_ecp5", true),
    ("synth_xilinx -family xc7", true),
    ("synth_ice40", true),
    ("synth_gatemate", true),
    ("synth_analogdevices", false),
    ("synth_anlogic", false),
    ("synth_efinix", false),
    ("synth_gowin", false),
    ("synth_intel -family max10", false),
    ("synth_intel_alm", false),
    ("synth_lattice -family xo2", false),
    ("synth_microchip -family polarfire", false),
    ("synth_nanoxplore", false),
    ("synth_nexus", false),
    ("synth_quicklogic -family qlf_k6n10f", false),
];

fn designs() -> [Design; 3] {
    let pair = Config {
        cols: 2,
        rows: 1,
        ..Config::default()
    };
    ["fifo", "router", "mesh"].map(|block| design(block, &pair).expect("the block is sound"))
}

/// No memory is left that the family has no cells for, and no warning is printed.
fn become_cells(in_make_test: bool) {
    let (yosys, designs) = (Yosys::locate().expect("Yosys is set up"), designs());
    for (command, _) in FAMILIES.iter().filter(|(_, here)| *here == in_make_test) {
        let script = |design: &Design| format!("{command} -top {}\nselect -assert-none t:$mem*", design.top);
        let jobs = designs.iter().map(|design| (design, script(design)));
        let log = yosys
            .run_each(jobs)
            .unwrap_or_else(|error| panic!("{command}: {error}"));
        for design in &designs {
            assert!(log.contains(&format!("\\{}", design.top)), "{command}: {}", design.top);
        }
    }
}

#[test]
fn common_families_have_cells_for_fifo_router_and_mesh() {
    become_cells(true);
}

#[test]
fn all_other_families_have_cells_for_fifo_router_and_mesh() {
    become_cells(false);
}

/// A LUT-RAM holds 16 words of 4 bits on an ECP5, 32 of 6 on Xilinx. The FIFO has a word of 33 bits; the router, for each of
/// its five ports, one of 32 and one of 5 beside it.
#[test]
fn families_with_lut_ram_hold_fifo_and_router_in_it() {
    let [fifo, router, _] = designs();
    let lut_rams = |design: &Design, mode| {
        let Area {
            lut_rams, block_rams, ..
        } = area(design, mode).expect("Yosys maps it");
        (lut_rams, block_rams)
    };
    assert_eq!(lut_rams(&fifo, Mode::Ecp5NoWideLut), (33_u64.div_ceil(4), 0));
    assert_eq!(lut_rams(&fifo, Mode::Xilinx7), (33_u64.div_ceil(6), 0));
    assert_eq!(lut_rams(&router, Mode::Ecp5NoWideLut), (5 * (32 / 4 + 1), 0));
}

/// An engine with one context, W = 32, and as many neighbours as by default.
#[test]
fn the_message_passing_engine_keeps_the_bound_of_its_area() {
    let config = Config {
        mpe: 1,
        ..Config::default()
    };
    let engine = design("mpe", &config).expect("the block is sound");
    let found = area(&engine, Mode::Ecp5NoWideLut).expect("Yosys maps it");
    assert!(found.sites() <= SITES_BOUND, "{} sites", found.sites());
    assert_eq!(found.block_rams, 1, "the rooms of its packets");
}

//! The emitted text of small circuits, as people will read it.

use crate::blocks::{self, all, emitted, Choices, Counter, Desk, Grid, Lights, Offsets, Pair, Settled, Shapes, Unit};
use portico_verilog::Error;
use rust_hdl::prelude::*;

fn text(block: &dyn Block, name: &str) -> String {
    emitted(block, name).expect("the circuit is sound").text()
}

#[test]
fn a_register_has_its_reset_lifted() {
    insta::assert_snapshot!(text(&Counter::default(), "counter"));
}

#[test]
fn a_state_machine_has_named_states_and_no_latch() {
    insta::assert_snapshot!(text(&Lights::default(), "lights"));
}

#[test]
fn records_slices_and_casts_keep_their_widths() {
    insta::assert_snapshot!(text(&Shapes::default(), "shapes"));
}

#[test]
fn records_in_memories_are_written_and_read_field_by_field() {
    insta::assert_snapshot!(text(&Desk::default(), "desk"));
}

#[test]
fn offsets_from_hardware_are_as_wide_as_they_need_be() {
    insta::assert_snapshot!(text(&Offsets::default(), "offsets"));
}

#[test]
fn choices_come_apart_where_nothing_ties_them() {
    insta::assert_snapshot!(text(&Choices::default(), "choices"));
}

#[test]
fn what_is_settled_at_elaboration_is_assigned() {
    insta::assert_snapshot!(text(&Settled::default(), "settled"));
}

#[test]
fn children_share_modules_and_connect_plainly() {
    insta::assert_snapshot!(text(&Pair::default(), "pair"));
}

#[test]
fn a_grid_is_wired_by_index_arithmetic() {
    insta::assert_snapshot!(text(&Grid::new(2, 2), "grid"));
}

#[test]
fn blocks_that_describe_themselves_lead_home() {
    insta::assert_snapshot!(text(&Unit::new(2), "unit"));
}

#[test]
fn a_constant_without_a_value_is_refused() {
    let error = emitted(&blocks::Store::<8>::default(), "store").unwrap_err();
    assert_eq!(
        error.to_string(),
        "store: constant `mask` has no value; the block's constructor must set it"
    );
}

#[test]
fn cells_of_a_grid_are_one_module_however_many() {
    let design = emitted(&Grid::new(5, 3), "grid").unwrap();
    let names: Vec<&str> = design.modules.iter().map(|module| module.name.as_str()).collect();
    assert_eq!(names, ["test_grid_cell", "test_grid"]);
    assert_eq!(design.text().matches("test_grid_cell cell_").count(), 15);
}

#[test]
fn a_grid_of_256_cells_is_two_modules() {
    let (cols, rows) = (16, 16);
    let design = emitted(&Grid::new(cols, rows), "grid").unwrap();
    let [cell, grid] = &design.modules[..] else {
        panic!("{} modules", design.modules.len());
    };
    assert_eq!(
        (cell.name.as_str(), grid.name.as_str()),
        ("test_grid_cell", "test_grid")
    );
    assert_eq!(grid.text.matches("    test_grid_cell cell_").count(), cols * rows);
    // Two links a cell, each with data and ready; those that end at the edge are ports and need no wire.
    assert_eq!(grid.text.matches("\n    wire ").count(), 2 * 2 * (cols - 1) * rows);
    assert_eq!(design.ports.len(), 1 + 2 * 2 * 2 * rows);
    let wired = "    test_grid_cell cell_136 (
        .clk(clk),
        .from_0_data(cell_135_to_0_data),
        .from_0_ready(cell_136_from_0_ready),
        .from_1_data(cell_135_to_1_data),
        .from_1_ready(cell_136_from_1_ready),
        .to_0_data(cell_136_to_0_data),
        .to_0_ready(cell_137_from_0_ready),
        .to_1_data(cell_136_to_1_data),
        .to_1_ready(cell_137_from_1_ready)
    );
";
    assert!(grid.text.contains(wired), "{}", grid.text);
}

/// Passes its input on within the cycle.
#[derive(LogicBlock, Default)]
struct Stage {
    pub a: Signal<In, Bit>,
    pub y: Signal<Out, Bit>,
}

impl Logic for Stage {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = !self.a.val();
    }
}

/// Stages one after the other; the last one's output is fed back where `_closed` is 1.
#[derive(LogicBlock)]
struct Chain {
    pub a: Signal<In, Bit>,
    pub y: Signal<Out, Bit>,
    stage: Vec<Stage>,
    last: Constant<Bits<16>>,
    _links: usize,
    _closed: usize,
}

impl Chain {
    fn new(length: usize, closed: bool) -> Self {
        Chain {
            a: Default::default(),
            y: Default::default(),
            stage: (0..length).map(|_| Stage::default()).collect(),
            last: Constant::new(bits(length as u64 - 1)),
            _links: length - 1,
            _closed: closed.into(),
        }
    }
}

impl Logic for Chain {
    #[hdl_gen]
    fn update(&mut self) {
        self.stage[0].a.next = self.a.val();
        for i in 0..self._links {
            self.stage[i + 1].a.next = self.stage[i].y.val();
        }
        for _i in 0..self._closed {
            self.stage[0].a.next = self.stage[self.last.val().index()].y.val();
        }
        self.y.next = self.stage[self.last.val().index()].y.val();
    }
}

#[test]
fn a_long_chain_within_a_cycle_is_fine_until_it_is_closed() {
    const LENGTH: usize = 4000;
    let design = emitted(&Chain::new(LENGTH, false), "chain").unwrap();
    assert_eq!(design.modules.len(), 2);
    assert!(design.modules[1]
        .text
        .contains(".a(stage_3997_y),\n        .y(stage_3998_y)"));
    let Err(Error::LogicLoop { cycle, .. }) = emitted(&Chain::new(LENGTH, true), "ring") else {
        panic!("the ring is not noticed");
    };
    assert_eq!(cycle.len(), 2 * LENGTH + 1);
    assert_eq!(cycle[..3], ["stage[0].a", "stage[0].y", "stage[1].a"]);
}

#[test]
fn the_same_circuit_gives_the_same_bytes() {
    for ((name, one), (_, other)) in all().into_iter().zip(all()) {
        assert_eq!(text(one.as_ref(), name), text(other.as_ref(), name));
    }
}

#[test]
fn files_hold_what_the_single_file_holds() {
    let design = emitted(&Pair::default(), "pair").unwrap();
    let files = design.files();
    let (list_name, list) = files.last().unwrap();
    assert_eq!(list_name, "test_pair.f");
    assert_eq!(list, "test_pair_memory.v\ntest_pair_counter.v\ntest_pair.v\n");
    for (module, (name, text)) in design.modules.iter().zip(&files) {
        assert_eq!(*name, format!("{}.v", module.name));
        assert!(text.contains(&module.text) && text.starts_with(&design.header));
    }
}

/// A primitive of a vendor: text that instantiates it, and a model for simulation.
#[derive(LogicBlock, Default)]
struct Buffered {
    pub a: Signal<In, Bit>,
    pub y: Signal<Out, Bit>,
    model: Stage,
}

impl Logic for Buffered {
    fn update(&mut self) {
        self.model.a.next = self.a.val();
        self.y.next = self.model.y.val();
    }

    fn hdl(&self) -> Verilog {
        Verilog::Custom("BUFFER buffer (.in(a), .out(y));\n".into())
    }
}

#[test]
fn a_block_given_as_text_brings_no_module_of_its_model_and_its_output_is_a_wire() {
    let design = emitted(&Buffered::default(), "buffered").unwrap();
    let [module] = &design.modules[..] else {
        panic!("{} modules", design.modules.len());
    };
    assert!(module.text.contains("    output wire y\n"), "{}", module.text);
    assert!(
        module.text.contains("    BUFFER buffer (.in(a), .out(y));\n"),
        "{}",
        module.text
    );
}

#[test]
fn the_header_is_one_line_whatever_the_configuration_says() {
    let mut options = blocks::options("counter");
    options.configuration = vec![("name".into(), "two\nlines".into()), ("depth".into(), "4".into())];
    let header = portico_verilog::emit(&Counter::default(), &options).unwrap().header;
    let (text, configuration) = header.rsplit_once(": ").unwrap();
    assert_eq!(configuration, "name = two lines, depth = 4");
    assert!(
        text.starts_with("// Test 1.0, block counter, configuration "),
        "{header}"
    );
    assert_eq!(header.lines().count(), 1);
}

#[test]
fn a_module_kept_apart_says_so() {
    let mut options = blocks::options("grid");
    options.keep_apart = vec!["cell".into()];
    let design = portico_verilog::emit(&Grid::new(2, 1), &options).unwrap();
    assert!(design.modules[0].text.contains("); /* verilator no_inline_module */"));
    assert!(!design.modules[1].text.contains("no_inline_module"));
}

//! The emitted text of small circuits, as people will read it.

mod blocks;

use blocks::{all, emitted, Choices, Counter, Grid, Lights, Offsets, Pair, Settled, Shapes};
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
fn cells_of_a_grid_are_one_module_however_many() {
    let design = emitted(&Grid::new(5, 3), "grid").unwrap();
    let names: Vec<&str> = design.modules.iter().map(|module| module.name.as_str()).collect();
    assert_eq!(names, ["test_cell", "test_grid"]);
    assert_eq!(design.text().matches("test_cell cell_").count(), 15);
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
    assert_eq!(list, "test_memory.v\ntest_counter.v\ntest_pair.v\n");
    for (module, (name, text)) in design.modules.iter().zip(&files) {
        assert_eq!(*name, format!("{}.v", module.name));
        assert!(text.contains(&module.text) && text.starts_with(&design.header));
    }
}

#[test]
fn a_module_kept_apart_says_so() {
    let mut options = blocks::options("grid");
    options.keep_apart = vec!["cell".into()];
    let design = portico_verilog::emit(&Grid::new(2, 1), &options).unwrap();
    assert!(design.modules[0].text.contains("); /* verilator no_inline_module */"));
    assert!(!design.modules[1].text.contains("no_inline_module"));
}

//! The list manager on every device, held to the golden model.

use crate::promises::list::{check, check_size};
use portico_hdl::portals::{ListManager, ListParameters};
use portico_spec::Config;
use portico_testbench::{
    device::hardware::{compiled, synthesised},
    model::golden_blocks,
    rtl_device,
};
use portico_verilog::{emit, Design, Options};

const SEED: u64 = 0x5eed;

fn design<const A: usize>(parameters: &ListParameters) -> Design {
    let options = Options {
        generator: "Portico test".into(),
        licence: String::new(),
        prefix: "portico".into(),
        block: "list-manager".into(),
        configuration: vec![
            ("entries".into(), parameters.entries.to_string()),
            ("buckets".into(), parameters.buckets.to_string()),
        ],
        keep_apart: vec![],
    };
    emit(&ListManager::<A>::new(parameters), &options).expect("the list manager can be emitted")
}

/// Few sequence numbers, so that they run out often.
fn with_few_numbers(entries: usize, buckets: usize) -> ListParameters {
    ListParameters {
        sequence_limit: 2 * entries as u64 + 3,
        ..ListParameters::new(entries, buckets)
    }
}

fn rtl<const A: usize>(parameters: &ListParameters, commands: usize) -> anyhow::Result<()> {
    let device = rtl_device!(
        ListManager::<A>::new(parameters);
        rst, s_axis.tdata, s_axis.tlast, s_axis.tvalid, m_axis.tready
    );
    let corners = check(device, parameters, commands, SEED)?;
    println!("{parameters:?}: {corners:?}");
    Ok(())
}

#[test]
fn golden_passes_its_own_suite() -> anyhow::Result<()> {
    for entries in [8, 64] {
        let device = golden_blocks::list_manager(entries);
        check(device, &ListParameters::new(entries, 0), 20_000, SEED)?;
    }
    Ok(())
}

#[test]
fn unhashed_lists_in_simulation() -> anyhow::Result<()> {
    rtl::<3>(&ListParameters::new(8, 0), 6_000)?;
    rtl::<6>(&ListParameters::new(64, 0), 6_000)
}

#[test]
fn hashed_lists_in_simulation() -> anyhow::Result<()> {
    rtl::<3>(&with_few_numbers(8, 4), 6_000)?;
    rtl::<6>(&with_few_numbers(64, 16), 6_000)
}

#[test]
fn lists_as_verilog() -> anyhow::Result<()> {
    for parameters in [
        ListParameters::new(64, 0),
        with_few_numbers(64, 16),
        with_few_numbers(64, 1),
    ] {
        check(compiled(&design::<6>(&parameters))?, &parameters, 60_000, SEED)?;
    }
    for parameters in [ListParameters::new(1024, 0), ListParameters::new(1024, 64)] {
        check(compiled(&design::<10>(&parameters))?, &parameters, 60_000, SEED)?;
    }
    Ok(())
}

#[test]
fn large_lists_as_verilog() -> anyhow::Result<()> {
    let size = |design: &Design, parameters: &ListParameters| -> anyhow::Result<()> {
        let corners = check_size(compiled(design)?, parameters, 500, SEED)?;
        println!("{parameters:?}: {corners:?}");
        Ok(())
    };
    for (entries, buckets) in [(4096, 0), (16_384, 256)] {
        let config = Config {
            entries,
            buckets,
            ..Config::default()
        };
        let design = portico_generate::design("list-manager", &config)?;
        size(&design, &ListParameters::new(entries, buckets))?;
    }
    // Numbers run out once the table is full.
    let parameters = ListParameters {
        sequence_limit: 4096 + 1,
        ..ListParameters::new(4096, 64)
    };
    size(&design::<12>(&parameters), &parameters)
}

/// With as many entries as a LUT-RAM of an ECP5 has words: it stands for the block RAM, which has no model.
#[test]
fn lists_as_a_netlist() -> anyhow::Result<()> {
    for parameters in [ListParameters::new(16, 0), with_few_numbers(16, 4)] {
        check(synthesised(&design::<4>(&parameters))?, &parameters, 10_000, SEED)?;
    }
    Ok(())
}

#[test]
fn every_block_can_be_emitted() {
    use portico_hdl::portals::list_manager::*;
    let options = Options {
        generator: "Portico test".into(),
        licence: String::new(),
        prefix: "portico".into(),
        block: "block".into(),
        configuration: vec![],
        keep_apart: vec![],
    };
    let parameters = with_few_numbers(64, 16);
    let emitted = [
        ("chain", emit(&Chain::<6>::new(64), &options)),
        ("list_ends", emit(&ListEnds::<6>::default(), &options)),
        ("free_list", emit(&FreeList::<6>::new(64), &options)),
        ("entry_table", emit(&EntryTable::<6>::new(64), &options)),
        ("matcher", emit(&Matcher::default(), &options)),
        ("walker", emit(&Walker::<6>::default(), &options)),
        ("command_reader", emit(&CommandReader::default(), &options)),
        ("list_counters", emit(&ListCounters::new(64), &options)),
        ("fields", emit(&Fields::default(), &options)),
        ("decoder", emit(&Decoder::default(), &options)),
        ("responder", emit(&Responder::<6>::default(), &options)),
        ("bucket_ends", emit(&BucketEnds::<6>::new(16), &options)),
        ("sequence_numbers", emit(&SequenceNumbers::<6>::new(64, 100), &options)),
        ("hash_index", emit(&HashIndex::<6>::new(64, 16, 100), &options)),
        ("chains", emit(&Chains::<6>::new(&parameters), &options)),
        (
            "unhashed chains",
            emit(&Chains::<6>::new(&ListParameters::new(64, 0)), &options),
        ),
        ("list_control", emit(&ListControl::default(), &options)),
        ("search_segments", emit(&SearchSegments::new(true), &options)),
        ("list_search", emit(&ListSearch::<6>::new(true), &options)),
        ("unhashed search", emit(&ListSearch::<6>::new(false), &options)),
        ("handle_check", emit(&HandleCheck::<6>::default(), &options)),
        ("editor", emit(&Editor::<6>::default(), &options)),
        ("command_outcome", emit(&CommandOutcome::default(), &options)),
        ("list manager", emit(&ListManager::<6>::new(&parameters), &options)),
        (
            "unhashed",
            emit(&ListManager::<6>::new(&ListParameters::new(64, 0)), &options),
        ),
    ];
    let faults: Vec<String> = emitted
        .iter()
        .filter_map(|(name, design)| Some(format!("{name}: {:?}", design.as_ref().err()?)))
        .collect();
    assert!(faults.is_empty(), "{faults:#?}");
}

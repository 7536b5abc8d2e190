//! What the generator promises: every block by name, the proof before the text, the prefix.
//!
//! They stand apart from the files that they test because this crate is long to compile: every block in every width.

use portico_generate::{design, generate, proof, Error, Top, TOPS};
use portico_spec::{ni::page::ADDRESS_WIDTHS, Config};

#[test]
fn keys_of_blocks_are_keys_of_the_configuration() {
    for top in TOPS {
        let recorded = top.configuration(&Config::default());
        assert_eq!(recorded.len(), top.keys.len(), "{}", top.name);
    }
}

#[test]
fn a_fabric_of_no_valid_configuration_is_refused() {
    let config = Config {
        cols: 0,
        ..Config::default()
    };
    assert!(matches!(proof::fabric(&config), Err(Error::Config(_))));
}

#[test]
fn networks_alone_have_a_proof() {
    for top in TOPS {
        let proof = proof::of(top, &Config::default()).expect("every network is free of deadlock");
        assert_eq!(
            proof.is_some(),
            ["mesh", "fabric", "board"].contains(&top.name),
            "{}",
            top.name
        );
    }
}

#[test]
fn a_block_that_is_none_is_named() {
    let error = design("teapot", &Config::default()).unwrap_err();
    assert_eq!(error.to_string(), "there is no block teapot");
}

#[test]
fn modules_begin_with_the_prefix() {
    let fifo = Top::named("fifo").expect("the FIFO is a block");
    let design = generate(fifo, &Config::default(), Some("chip")).unwrap().design;
    assert_eq!(design.top, "chip_fifo");
    assert!(design.modules.iter().all(|module| module.name.starts_with("chip_")));
}

/// The page table of a memory node stores the high halves of bases only where an address has 64 bits.
#[test]
fn addresses_of_memories_are_as_wide_as_configured() {
    for memory_address in ADDRESS_WIDTHS {
        let config = Config {
            cols: 2,
            rows: 1,
            memories: 1,
            memory_address,
            ..Config::from_toml("profile = 'leaf'").expect("a profile")
        };
        let design = design("fabric", &config).unwrap();
        for port in ["m_axi_0_awaddr", "m_axi_0_araddr"] {
            assert_eq!(design.port(port).map(|port| port.width), Some(memory_address), "{port}");
            let declared = format!("[{}:0] {port}", memory_address - 1);
            assert!(design.text().contains(&declared), "{declared}");
        }
        let mut modules = design.modules.iter();
        let table = modules.find(|module| module.name == "portico_fabric_page_table");
        let has_high_half = table.map(|table| table.text.contains("high_0"));
        assert_eq!(has_high_half, Some(memory_address == 64), "{memory_address} bits");
    }
}

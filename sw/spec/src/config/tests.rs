use super::*;
use crate::testing;
use proptest::prelude::*;
use std::collections::BTreeSet;

fn configs() -> impl Strategy<Value = Config> {
    (
        testing::meshes(),
        prop::sample::select(vec![32, 64]),
        2..=16usize,
        any::<bool>(),
        any::<prop::sample::Index>(),
        2..=8u32,
        1..=MAX_CORES,
        prop::sample::select(PROFILES),
        prop::sample::select(ADDRESS_WIDTHS.to_vec()),
    )
        .prop_map(
            |(mesh, width, fifo, monitors, memories, scratchpad, cores, host, memory_address)| Config {
                width,
                fifo,
                monitors,
                memories: memories.index(mesh.cols),
                memory_address,
                scratchpad: 1 << scratchpad,
                cores,
                host_profile: host.name,
                ..mesh
            },
        )
}

#[test]
fn defaults_are_valid_and_those_of_the_table() {
    assert_eq!(Config::from_toml(""), Ok(Config::default()));
    assert_eq!(Config::default().validate(), Ok(()));
    let table: Vec<_> = Config::fields()
        .iter()
        .map(|field| (field.name, field.default.to_string()))
        .collect();
    assert_eq!(Config::default().entries(), table);
}

#[test]
fn the_table_holds_the_contract() {
    let table: Vec<_> = Config::fields()
        .iter()
        .map(|field| format!("{} {} {}", field.name, field.allowed, field.default))
        .collect();
    assert_eq!(
        table,
        [
            "cols 1..=16 4",
            "rows 1..=16 4",
            "width 32 or 64 32",
            "fifo 2..=16 4",
            "edge_nodes 0..=16 0",
            "monitors true or false true",
            "memories 0..=15 0",
            "memory_address 32 or 64 64",
            "scratchpad 4, 8, 16, 32, 64, 128 or 256 64",
            "cores 1..=8 8",
            "windows 16, 32, 64, 128 or 256 256",
            "segments 16, 32, 64, 128 or 256 256",
            "events 16, 32 or 64 64",
            "slots 8, 16 or 32 32",
            "mailboxes 4, 8, 16, 32, 64 or 128 128",
            "shapers 1, 2, 4 or 8 8",
            "queues true or false true",
            "programs true or false true",
            "wide_atomics true or false true",
            "commands true or false true",
            "tile_ports true or false false",
            "registers_at_tiles true or false false",
            "host_profile full, compact or leaf \"leaf\"",
            "host_scratchpad 4, 8, 16, 32, 64, 128 or 256 16",
            "host_queues true or false false",
            "probe true or false false",
            "streams true or false false",
            "mpe 0, 1, 2 or 4 0",
            "mpe_neighbours 1..=8 7",
            "portals 0, 4, 16 or 64 0",
            "portals_log true or false false",
            "stages 2..=6 4",
            "entries 64, 128, 256, 512, 1024, 2048, 4096, 8192 or 16384 1024",
            "buckets 0, 16, 32, 64, 128 or 256 64",
            "heap 4, 8, 16, 32, 64, 128, 256, 512 or 1024 64",
            "block 64, 128, 256, 512, 1024, 2048 or 4096 64"
        ]
    );
}

/// For every key of the table: all that is allowed is taken, and what is next to it is refused by all three ways
/// in.
#[test]
fn every_key_keeps_its_range() {
    for field in Config::fields() {
        let allowed: Vec<usize> = match field.allowed {
            Allowed::Range(first, last) => (first..=last).collect(),
            Allowed::OneOf(choices) => choices.to_vec(),
            Allowed::Switch | Allowed::Profile => continue,
        };
        let neighbours = allowed.iter().flat_map(|&number| number.saturating_sub(1)..=number + 1);
        let probes: BTreeSet<usize> = neighbours.chain(0..=257).collect();
        for number in probes {
            let setting = format!("{} = {number}", field.name);
            let mut config = Config {
                cols: MAX_COLS,
                ..Config::default()
            };
            let before = config.clone();
            if allowed.contains(&number) {
                config.set(&setting).unwrap();
                assert!(
                    config.entries().contains(&(field.name, number.to_string())),
                    "{setting}"
                );
            } else {
                let error = config.set(&setting).unwrap_err();
                assert!(
                    matches!(error, ConfigError::OutOfRange { key, .. } if key == field.name),
                    "{error}"
                );
                assert_eq!(config, before, "a refused setting changes nothing");
                assert_eq!(Config::from_toml(&setting), Err(error.clone()));
                (field.put)(&mut config, &Value::Integer(number as i64));
                assert_eq!(config.validate(), Err(error));
            }
        }
    }
}

#[test]
fn keys_that_a_text_leaves_out_stay() {
    let config = Config {
        registers_at_tiles: true,
        ..Config::default()
    };
    let read = |text| config.clone().with_toml(text).unwrap();
    assert_eq!(read(""), config);
    assert!(read("profile = 'leaf'").registers_at_tiles);
    assert!(!read("registers_at_tiles = false").registers_at_tiles);
}

/// What is said of each fault of a text.
fn faults(text: &str) -> Vec<String> {
    let (config, mut faults) = Config::default().read_toml(text);
    faults.extend(config.faults(&faults));
    faults.iter().map(ConfigError::to_string).collect()
}

#[test]
fn every_fault_of_a_text_is_told_and_the_other_keys_are_read() {
    let text = "width = 48\nprofile = 'tiny'\nrows = 2\ncols = 'four'\nportals_log = true\nfifo = 1\n";
    let told = [
        "profile = \"tiny\" is not allowed: allowed is full, compact or leaf",
        "cols = \"four\" is not an integer: allowed is 1..=16",
        "fifo = 1 is not allowed: allowed is 2..=16",
        "width = 48 is not allowed: allowed is 32 or 64",
    ];
    assert_eq!(faults(text), told);
    let (config, _) = Config::default().read_toml(text);
    assert_eq!((config.rows, config.width, config.portals_log), (2, 32, true));
    assert_eq!(Config::from_toml(text).unwrap_err().to_string(), told[0]);
    assert_eq!(
        faults("rows = 2\ncols ="),
        [Config::from_toml("rows = 2\ncols =").unwrap_err().to_string()]
    );
    assert_eq!(faults("rows = 2"), [""; 0]);
}

#[test]
fn a_fault_of_several_keys_is_told_beside_those_of_other_keys_alone() {
    let memories = "memories = 4 is not allowed with cols = 4: allowed is 0..=3";
    let fifo = "fifo = 1 is not allowed: allowed is 2..=16";
    let log = "portals_log = true is not allowed with portals = 0: allowed is false";
    assert_eq!(
        faults("memories = 4\nfifo = 1\nportals_log = true"),
        [fifo, memories, log]
    );
    // Nobody knows whether four memories would be too many.
    assert_eq!(faults("memories = 4\ncols = 17").len(), 1);
    assert_eq!(faults("memories = 4\ncolls = 8").len(), 1);
    assert_eq!(faults("memories = 4\ncolour = 8")[1], memories);
    let config = Config {
        width: 64,
        mpe: 1,
        portals: 4,
        fifo: 0,
        ..Config::default()
    };
    let of_all = config.faults(&[]);
    assert!(
        matches!(
            of_all[..],
            [
                ConfigError::OutOfRange { key: "fifo", .. },
                ConfigError::MpeWidth { width: 64 },
                ConfigError::PortalsWidth { width: 64 }
            ]
        ),
        "{of_all:?}"
    );
    let width = [ConfigError::MpeWidth { width: 64 }];
    assert_eq!(config.faults(&width), of_all[..1]);
}

#[test]
fn settings_come_in_any_order() {
    let mut config = Config::default();
    config.set("edge_nodes=8").unwrap();
    assert_eq!(
        config.validate(),
        Err(ConfigError::EdgeNodes { edge_nodes: 8, cols: 4 })
    );
    config.set(" cols = 8 ").unwrap();
    config.set("monitors=false").unwrap();
    assert_eq!(config.validate(), Ok(()));
    assert_eq!((config.cols, config.edge_nodes, config.monitors), (8, 8, false));
}

#[test]
fn a_fabric_has_edge_nodes_for_host_and_memories() {
    let mut config = Config {
        cols: 1,
        edge_nodes: 1,
        ..Config::default()
    };
    assert_eq!(config.fabric(), Ok(config.clone()));
    config.memories = 1;
    let refused = config.validate();
    assert_eq!(refused, Err(ConfigError::Memories { memories: 1, cols: 1 }));
    assert_eq!(config.fabric().map(|_| ()), refused);
    config.cols = 16;
    config.memories = 15;
    assert_eq!(config.fabric().unwrap().edge_nodes, 16);
}

#[test]
fn a_number_beyond_every_type_is_refused() {
    let config = Config {
        fifo: usize::MAX,
        ..Config::default()
    };
    assert!(matches!(
        config.validate(),
        Err(ConfigError::OutOfRange { key: "fifo", .. })
    ));
}

proptest! {
    #[test]
    fn a_written_configuration_reads_back(config in configs()) {
        prop_assert_eq!(Config::from_toml(&config.to_toml()), Ok(config.clone()));
        let mut again = Config::default();
        for (key, value) in config.entries() {
            again.set(&format!("{key}={value}")).unwrap();
        }
        prop_assert_eq!(again, config);
    }
}

#[test]
fn a_block_is_smaller_than_the_heap() {
    let mut config = Config {
        heap: 4,
        block: 4096,
        ..Config::default()
    };
    let refused = ConfigError::Block {
        block: 4096,
        heap: 4,
        allowed: vec![64, 128, 256, 512, 1024, 2048],
    };
    assert_eq!(config.validate(), Err(refused));
    config.block = 2048;
    assert_eq!(config.validate(), Ok(()));
}

#[test]
fn a_message_passing_engine_has_words_of_32_bits() {
    let wide = Config {
        width: 64,
        mpe: 1,
        ..Config::default()
    };
    assert_eq!(
        wide.validate().unwrap_err().to_string(),
        "width = 64 is not allowed with a message-passing engine (key mpe): allowed is 32"
    );
    assert!(Config { width: 32, ..wide }.validate().is_ok());
}

#[test]
fn a_log_of_portals_needs_the_engine() {
    let logged = Config {
        portals_log: true,
        ..Config::default()
    };
    assert_eq!(
        logged.validate().unwrap_err().to_string(),
        "portals_log = true is not allowed with portals = 0: allowed is false"
    );
    assert!(Config { portals: 4, ..logged }.validate().is_ok());
}

#[test]
fn a_portals_engine_has_words_of_32_bits() {
    let wide = Config {
        width: 64,
        portals: 4,
        ..Config::default()
    };
    assert_eq!(
        wide.validate().unwrap_err().to_string(),
        "width = 64 is not allowed with a Portals engine (key portals): allowed is 32"
    );
    assert!(Config { width: 32, ..wide }.validate().is_ok());
}

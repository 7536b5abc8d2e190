//! Packets that come out as they should, and packets that do not.

use super::*;
use portico_spec::{Node, Port};
use proptest::{prelude::*, sample::Index};

fn config() -> Config {
    Config {
        cols: 3,
        rows: 2,
        edge_nodes: 2,
        ..Config::default()
    }
}

/// A packet from a terminal to a node with this payload.
fn packet(from: usize, destination: Node, payload: &[u64]) -> Vec<u64> {
    let source = config().terminal_node(from);
    let head = Head {
        destination,
        source,
        ..Head::default()
    };
    std::iter::once(head.encode().unwrap().into())
        .chain(payload.iter().copied())
        .collect()
}

/// The same, between terminals.
fn to(from: usize, to: usize, payload: &[u64]) -> Vec<u64> {
    packet(from, config().terminal_node(to), payload)
}

/// A network in which these packets are on their way.
fn loaded(packets: &[(usize, &[u64])]) -> Network {
    let mut network = Network::new(&config());
    for (terminal, packet) in packets {
        network.inject(*terminal, packet).unwrap();
    }
    network
}

#[test]
fn packets_of_a_pair_stay_in_order_and_pairs_are_independent() {
    let (first, second, other) = (to(0, 7, &[1]), to(0, 7, &[2]), to(4, 7, &[]));
    let mut network = loaded(&[(0, &first), (0, &second), (4, &other)]);
    assert!(network.outstanding_pairs().eq([(0, 7, 2), (4, 7, 1)]));
    for packet in [&other, &first, &second] {
        assert_eq!(network.deliver(7, packet), Ok(()));
    }
    assert_eq!((network.outstanding(), network.delivered()), (0, 3));
}

#[test]
fn a_packet_comes_out_where_its_head_says() {
    let mut network = Network::new(&config());
    for from in 0..8 {
        for destination in (0..8).filter(|&destination| from < 6 || from != destination) {
            let delivery = network.inject(from, &to(from, destination, &[]));
            assert_eq!(delivery, Ok(Delivery::Terminal(destination)));
        }
    }
    assert_eq!(network.outstanding(), 62);
}

#[test]
fn what_no_terminal_takes_is_counted_where_it_leaves() {
    let mut network = Network::new(&config());
    let exit = |x, y, port| Exit {
        router: Node { x, y },
        port,
    };
    let (east, south, edge) = (exit(2, 0, Port::East), exit(2, 1, Port::South), exit(1, 1, Port::South));
    let stray = |x, y| packet(1, Node { x, y }, &[5, 6]);
    assert_eq!(network.inject(1, &stray(3, 0)), Ok(Delivery::Misrouted(east)));
    assert_eq!(network.inject(1, &stray(15, 31)), Ok(Delivery::Misrouted(east)));
    assert_eq!(network.inject(1, &stray(2, 2)), Ok(Delivery::Misrouted(south)));
    assert_eq!(network.inject(1, &stray(1, 3)), Ok(Delivery::Misrouted(edge)));
    assert_eq!(network.inject(7, &to(7, 7, &[])), Ok(Delivery::Misrouted(edge)));
    assert_eq!([east, south, edge].map(|exit| network.misrouted_at(exit)), [2, 1, 2]);
    assert_eq!((network.misrouted(), network.outstanding()), (5, 0));
    assert_eq!(network.misrouted_at(exit(2, 1, Port::East)), 0);
    let unexpected = network.deliver(7, &stray(1, 3)).unwrap_err();
    assert_eq!(
        unexpected.to_string(),
        "terminal 7 received [231, 5, 6] from (1, 0), but no packet from there is outstanding"
    );
}

#[test]
fn an_illegal_stimulus_is_refused_and_not_noted() {
    let mut network = Network::new(&config());
    let mut refused = |terminal, packet: &[u64]| network.inject(terminal, packet).unwrap_err().to_string();
    let long = to(0, 1, &[0; MAX_PAYLOAD_FLITS + 1]);
    assert_eq!(
        refused(8, &long),
        "terminal = 8 injects, but does not exist: allowed is 0..=7"
    );
    assert_eq!(
        refused(0, &[]),
        "terminal 0 injects a packet of flits = 0: allowed is 1..=65"
    );
    assert_eq!(
        refused(0, &long),
        "terminal 0 injects a packet of flits = 66: allowed is 1..=65"
    );
    assert_eq!(
        refused(0, &to(0, 1, &[0, 1 << 32])),
        "terminal 0 injects word 2 = 0x100000000: allowed is a word of 32 bits"
    );
    assert_eq!(
        refused(0, &to(7, 1, &[])),
        "terminal 0 injects a head with source = (1, 2): allowed is (0, 0), its own node"
    );
    assert_eq!((network.outstanding(), network.misrouted()), (0, 0));
    assert!(network.inject(0, &long[..=MAX_PAYLOAD_FLITS]).is_ok());
}

#[test]
fn wide_words_travel_on_a_wide_mesh() {
    let mut network = Network::new(&Config { width: 64, ..config() });
    let wide = to(0, 5, &[u64::MAX]);
    assert_eq!(network.inject(0, &wide), Ok(Delivery::Terminal(5)));
    assert_eq!(network.deliver(5, &wide), Ok(()));
}

#[test]
fn every_planted_fault_is_told() {
    let (first, second) = (to(3, 5, &[1, 2]), to(3, 5, &[1, 3]));
    let mut network = loaded(&[(3, &first), (3, &second)]);
    let mut told = |terminal, packet: &[u64]| network.deliver(terminal, packet).unwrap_err().to_string();
    let due = "but the next from there is [2012, 1, 2]";
    let nothing = "but no packet from there is outstanding";
    let came = |packet: &str| format!("terminal 5 received {packet} from (0, 1)");
    assert_eq!(told(5, &[]), "terminal 5 received a packet without a flit");
    assert_eq!(
        told(5, &second),
        format!("{}, {due}: word 2 is 0x3 instead of 0x2", came("[2012, 1, 3]"))
    );
    assert_eq!(
        told(5, &first[..2]),
        format!("{}, {due}: 2 flits instead of 3", came("[2012, 1]"))
    );
    assert_eq!(
        told(5, &[0x2012, 1, 2, 0]),
        format!("{}, {due}: 4 flits instead of 3", came("[2012, 1, 2, 0]"))
    );
    assert_eq!(
        told(5, &[0x6012, 1, 2]),
        format!("terminal 5 received [6012, 1, 2] from (0, 3), {nothing}")
    );
    assert_eq!(
        told(4, &first),
        format!("terminal 4 received [2012, 1, 2] from (0, 1), {nothing}")
    );
    assert_eq!(
        told(99, &first),
        format!("terminal 99 received [2012, 1, 2] from (0, 1), {nothing}")
    );
    assert_eq!(network.deliver(5, &first), Ok(()));
    assert!(
        matches!(network.deliver(5, &first), Err(Mismatch::Different { .. })),
        "doubled"
    );
    assert_eq!(
        network.outstanding_pairs().collect::<Vec<_>>(),
        [(3, 5, 1)],
        "the second was lost"
    );
}

/// Source, destination and payload of a packet.
type Transfer = (usize, usize, Vec<u64>);

/// Packets, and the order in which they come out: any that keeps pairs in order.
fn traffic() -> impl Strategy<Value = (Vec<Transfer>, Vec<Index>)> {
    let payload = prop::collection::vec(0..=u64::from(u32::MAX), 0..4);
    prop::collection::vec((0..8usize, 0..6usize, payload), 1..40).prop_flat_map(|packets| {
        let order = prop::collection::vec(any::<Index>(), packets.len());
        (Just(packets), order)
    })
}

/// Injects all, and returns what comes out, in order, as (terminal, packet).
fn run(network: &mut Network, packets: &[Transfer], order: &[Index]) -> Vec<(usize, Vec<u64>)> {
    let mut pairs: BTreeMap<(usize, usize), VecDeque<Vec<u64>>> = BTreeMap::new();
    for (from, destination, payload) in packets {
        let packet = to(*from, *destination, payload);
        network.inject(*from, &packet).unwrap();
        pairs.entry((*from, *destination)).or_default().push_back(packet);
    }
    let mut pick = |index: &Index| {
        let pair = *pairs.keys().nth(index.index(pairs.len())).unwrap();
        let packet = pairs.get_mut(&pair).unwrap().pop_front().unwrap();
        pairs.retain(|_, queue| !queue.is_empty());
        (pair.1, packet)
    };
    order.iter().map(&mut pick).collect()
}

proptest! {
    #[test]
    fn every_legal_order_passes((packets, order) in traffic()) {
        let mut network = Network::new(&config());
        for (terminal, packet) in run(&mut network, &packets, &order) {
            prop_assert_eq!(network.deliver(terminal, &packet), Ok(()));
        }
        prop_assert_eq!(network.outstanding(), 0);
        prop_assert_eq!(network.delivered(), packets.len() as u64);
    }

    #[test]
    fn one_flipped_bit_one_lost_or_one_doubled_packet_is_always_found(
        (packets, order) in traffic(),
        victim in any::<Index>(),
        word in any::<Index>(),
        bit in 0..32u32,
        fault in 0..4,
    ) {
        let mut network = Network::new(&config());
        let mut out = run(&mut network, &packets, &order);
        let victim = victim.index(out.len());
        match fault {
            0 => {
                let packet = &mut out[victim].1;
                let word = word.index(packet.len());
                packet[word] ^= 1u64 << bit;
            }
            1 => drop(out.remove(victim)),
            2 => out.insert(victim, out[victim].clone()),
            _ => out[victim].0 = (out[victim].0 + 1) % 8,
        }
        let passed = out.iter().all(|(terminal, packet)| network.deliver(*terminal, packet).is_ok());
        // One of two equal neighbours may stand in for the other; only the count tells then.
        prop_assert!(!passed || network.outstanding() > 0);
    }
}

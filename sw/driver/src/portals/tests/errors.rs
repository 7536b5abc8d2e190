//! What is refused, with field, value and what is allowed.

use super::*;

fn told<V: std::fmt::Debug>(result: Result<V, Error>) -> String {
    result.unwrap_err().to_string()
}

#[test]
fn a_map_has_each_tile_once_and_stays() {
    let mut fabric = Fabric::open(GoldenTransport::new(&config(5)).unwrap()).unwrap();
    let mut refused = |map: &[Process]| told(set_map(&mut fabric, map));
    let wrong = Process { nid: 1, pid: 3 };
    assert_eq!(
        refused(&[0.into(), wrong]),
        "PTL_ARG_INVALID: pid = 3 is not allowed: allowed is 0..=0"
    );
    assert_eq!(
        refused(&[5.into()]),
        "PTL_ARG_INVALID: nid = 5 is not allowed: allowed is 0..=4"
    );
    assert_eq!(
        refused(&[2.into(), 1.into(), 2.into()]),
        "PTL_ARG_INVALID: nid = 2 is not allowed: allowed is each tile once"
    );
    assert_eq!(
        refused(&[]),
        "PTL_ARG_INVALID: map_size = 0 is not allowed: allowed is 1..=4"
    );
    let five: Vec<Process> = (0..5).map(Process::from).collect();
    assert_eq!(
        refused(&five),
        "PTL_ARG_INVALID: map_size = 5 is not allowed: allowed is 1..=4"
    );
    let early = told(Ni::open(&mut fabric, 3, Interface::Matching));
    assert!(early.starts_with("PTL_NO_INIT: tile 3 has no rank"), "{early}");
    let map: Vec<Process> = [4, 1, 3].map(Process::from).to_vec();
    set_map(&mut fabric, &map).unwrap();
    set_map(&mut fabric, &map).unwrap();
    assert_eq!(get_map(&fabric), map);
    assert_eq!(set_map(&mut fabric, &map[..2]), Err(Error::Ignored));
    assert_eq!(
        Ni::open(&mut fabric, 0, Interface::Matching),
        Err(Error::NoInit { tile: 0 })
    );
    let ni = Ni::open(&mut fabric, 3, Interface::Matching).unwrap();
    assert_eq!(
        (ni.get_id(&mut fabric), ni.get_phys_id(&mut fabric)),
        (Ok(2), Ok(3.into()))
    );
}

#[test]
fn a_fabric_without_engines_says_which_key_gives_them() {
    let config = Config {
        portals: 0,
        ..config(2)
    };
    let mut fabric = Fabric::open(GoldenTransport::new(&config).unwrap()).unwrap();
    let missing = "PTL_FAIL: node 0 is built without a Portals engine: set the key portals";
    assert_eq!(told(set_map(&mut fabric, &[0.into()])), missing);
    assert_eq!(told(Ni::open(&mut fabric, 0, Interface::Matching)), missing);
}

#[test]
fn values_that_the_hardware_does_not_have_are_refused() {
    let (mut fabric, ni, _) = two(Interface::Matching);
    let fabric = &mut fabric;
    let wide = 1 << 32;
    let ct = ni.ct_alloc(fabric).unwrap();
    let counts = |success, failure| CtEvent { success, failure };
    assert_eq!(
        told(ni.ct_set(fabric, ct, counts(wide, 0))),
        "PTL_ARG_INVALID: success = 4294967296 is not allowed: allowed is 0..=4294967295"
    );
    assert!(told(ni.ct_wait(fabric, ct, wide, TIMEOUT)).contains("test = 4294967296"));
    assert_eq!(
        told(ni.ct_inc(fabric, ct, counts(1, 1))),
        "PTL_ARG_INVALID: failure = 1 is not allowed: allowed is 0, as successes are incremented"
    );
    let pieces = Md {
        options: MdOptions::EVENT_CT_ACK | MdOptions::IOVEC,
        ..Md::default()
    };
    assert_eq!(
        told(ni.md_bind(fabric, &pieces)),
        "PTL_ARG_INVALID: options = PTL_MD_IOVEC is not allowed: allowed is a memory descriptor of one piece"
    );
    let beyond = Md {
        start: 0xff00,
        length: 0x101,
        ..Md::default()
    };
    assert_eq!(
        told(ni.md_bind(fabric, &beyond)),
        "PTL_ARG_INVALID: length = 257 is not allowed: allowed is 0..=256"
    );
    assert_eq!(
        ni.pt_alloc(fabric, PtOptions::FLOWCTRL, None, None),
        Err(Error::PtEqNeeded)
    );
    let eq = ni.eq_alloc(fabric, 2).unwrap();
    assert_eq!(
        told(ni.pt_alloc(fabric, PtOptions::FLOWCTRL, Some(eq), None)),
        "PTL_ARG_INVALID: options = PTL_PT_FLOWCTRL is not allowed: allowed is a portal index without flow control"
    );
    assert!(told(ni.pt_alloc(fabric, PtOptions::NONE, None, Some(64))).contains("pt_index_req = 64"));
    assert!(told(ni.eq_alloc(fabric, 4097)).contains("count = 4097 is not allowed: allowed is 1..=4096"));
    assert!(told(ni.set_uid(fabric, 4095)).contains("uid = 4095 is not allowed: allowed is 0..=4094"));

    let pt_index = ni.pt_alloc(fabric, PtOptions::NONE, Some(eq), None).unwrap();
    let mut refused = |me: Me, index| told(ni.me_append(fabric, index, &me, PtlList::Priority, 0));
    let me = Me::default();
    assert_eq!(
        refused(me, 7),
        "PTL_ARG_INVALID: pt_index = 7 is not allowed: allowed is an index that is allocated"
    );
    assert!(refused(
        Me {
            match_id: Some(2),
            ..me
        },
        pt_index
    )
    .contains("match_id = 2 is not allowed: allowed is 0..=1"));
    assert!(refused(Me { uid: Some(4095), ..me }, pt_index).contains("uid = 4095"));
    assert!(refused(Me { min_free: wide, ..me }, pt_index).contains("min_free = 4294967296"));
    let options = EntryOptions::IOVEC;
    assert!(refused(Me { options, ..me }, pt_index).contains("options = PTL_ME_IOVEC"));
    let mut unfound = |me: Me, index| told(ni.me_search(fabric, index, &me, SearchOp::Only, 0));
    assert!(unfound(me, 7).contains("pt_index = 7"));
    assert!(unfound(
        Me {
            match_id: Some(2),
            ..me
        },
        pt_index
    )
    .contains("match_id = 2 is not allowed: allowed is 0..=1"));
    assert!(unfound(Me { uid: Some(4095), ..me }, pt_index).contains("uid = 4095"));
    assert!(unfound(Me { min_free: wide, ..me }, pt_index).contains("min_free = 4294967296"));
    assert!(unfound(Me { length: wide, ..me }, pt_index).contains("length = 4294967296"));
    assert!(unfound(Me { options, ..me }, pt_index).contains("options = PTL_ME_IOVEC"));
    let mut refused = |me: Me, index| told(ni.me_append(fabric, index, &me, PtlList::Priority, 0));
    assert!(
        refused(Me { start: 0x1_0001, ..me }, pt_index).contains("start = 65537 is not allowed: allowed is 0..=65536")
    );
}

#[test]
fn a_put_is_checked_before_it_is_sent() {
    let (mut fabric, ni, _) = two(Interface::Matching);
    let md = Md {
        length: 100,
        ..Md::default()
    };
    let md = ni.md_bind(&mut fabric, &md).unwrap();
    let mut refused = |put: Put| told(ni.put(&mut fabric, &put));
    let put = Put::new(md, 10, 1);
    assert_eq!(
        refused(Put {
            local_offset: 91,
            ..put
        }),
        "PTL_ARG_INVALID: length = 10 is not allowed: allowed is 0..=9"
    );
    assert!(refused(Put { target: 2, ..put }).contains("target_id = 2 is not allowed: allowed is 0..=1"));
    assert!(refused(Put { pt_index: 64, ..put }).contains("pt_index = 64 is not allowed: allowed is 0..=63"));
    assert!(refused(Put {
        remote_offset: 1 << 32,
        ..put
    })
    .contains("remote_offset = 4294967296"));
    let far = Get {
        local_offset: 101,
        ..Get::new(md, 0, 1)
    };
    assert!(told(ni.get(&mut fabric, &far)).contains("local_offset = 101 is not allowed: allowed is 0..=100"));
}

#[test]
fn what_runs_out_is_told_with_its_size() {
    let (mut fabric, ni, _) = two(Interface::Matching);
    let fabric = &mut fabric;
    let error = loop {
        if let Err(error) = ni.md_bind(fabric, &Md::default()) {
            break error;
        }
    };
    assert_eq!(
        error.to_string(),
        "PTL_NO_SPACE: tile 0 cannot allocate another memory descriptor: it has 64 in all"
    );
    for index in 0..64 {
        assert_eq!(ni.pt_alloc(fabric, PtOptions::NONE, None, None), Ok(index));
    }
    assert_eq!(
        told(ni.pt_alloc(fabric, PtOptions::NONE, None, None)),
        "PTL_PT_FULL: all 64 portal indices of the matching interface of tile 0 are allocated"
    );
    assert_eq!(
        told(ni.pt_alloc(fabric, PtOptions::NONE, None, Some(5))),
        "PTL_PT_IN_USE: pt_index = 5 of the matching interface of tile 0 is allocated"
    );
    let limits = ni.limits(fabric).unwrap();
    assert_eq!(
        (
            limits.max_entries,
            limits.max_unexpected_headers,
            limits.max_pt_index,
            limits.max_msg_size
        ),
        (64, 64, 63, 64 << 10)
    );
    for _ in 0..limits.max_entries {
        ni.me_append(fabric, 0, &Me::default(), PtlList::Priority, 0).unwrap();
    }
    assert_eq!(
        told(ni.me_append(fabric, 0, &Me::default(), PtlList::Priority, 0)),
        "PTL_NO_SPACE: tile 0 cannot allocate another place for an entry: it has 64 in all"
    );
    assert_eq!(
        told(ni.pt_free(fabric, 0)),
        "PTL_PT_IN_USE: pt_index = 0 of the matching interface of tile 0 has entries, headers, or messages in progress"
    );
    let mut queues = 0;
    while ni.eq_alloc(fabric, 2).is_ok() {
        queues += 1;
    }
    assert_eq!(queues, limits.max_eqs);
}

#[test]
fn a_ring_that_was_written_over_is_told() {
    let (mut fabric, ni, _) = two(Interface::Matching);
    let eq = ni.eq_alloc(&mut fabric, 2).unwrap();
    let region = ni.engine(&mut fabric).unwrap().eqs.row(eq.0).unwrap().region;
    fabric.write(0, region.base, &[0xffff_ffff]).unwrap();
    let address = region.base;
    let (tile, word) = (0, 0xffff_ffff);
    assert_eq!(ni.eq_get(&mut fabric, eq), Err(Error::Damaged { tile, address, word }));
}

//! How many accesses each function makes, as its documentation says.

use super::*;

/// Accesses of the host in which some work ends.
fn accesses<R>(fabric: &mut Fabric<GoldenTransport>, work: impl FnOnce(&mut Fabric<GoldenTransport>) -> R) -> (R, u16) {
    let host = fabric.host_node();
    let event = fabric.nodes[host].build.events - 1;
    let count = |fabric: &Fabric<_>| fabric.nodes[host].issued[event].unwrap_or_default();
    let before = count(fabric);
    let result = work(fabric);
    let after = count(fabric);
    (result, after.wrapping_sub(before))
}

#[test]
fn each_function_makes_the_accesses_that_it_says() {
    let mut fabric = Fabric::open(GoldenTransport::new(&config(2)).unwrap()).unwrap();
    let fabric = &mut fabric;
    let map = [0.into(), 1.into()];
    assert_eq!(accesses(fabric, |fabric| set_map(fabric, &map)), (Ok(()), 2 * 4));
    let (ni, opened) = accesses(fabric, |fabric| Ni::open(fabric, 0, Interface::Matching).unwrap());
    assert_eq!(opened, 9);
    let (plain, opened) = accesses(fabric, |fabric| Ni::open(fabric, 0, Interface::NonMatching).unwrap());
    assert_eq!(opened, 0);
    assert_eq!(accesses(fabric, |fabric| ni.set_uid(fabric, 1)).1, 1);
    let drops = accesses(fabric, |fabric| ni.ni_status(fabric, StatusRegister::DropCount));
    assert_eq!(drops, (Ok(0), 1));

    // The first wait of the golden fabric is over at once: commands end within the access that sends them.
    let (eq, made) = accesses(fabric, |fabric| ni.eq_alloc(fabric, 16).unwrap());
    assert_eq!(made, 3);
    let (ct, made) = accesses(fabric, |fabric| ni.ct_alloc(fabric).unwrap());
    assert_eq!(made, 1);
    let (pt_index, made) = accesses(fabric, |fabric| {
        ni.pt_alloc(fabric, PtOptions::NONE, Some(eq), None).unwrap()
    });
    assert_eq!(made, 1);
    let md = Md {
        ct: Some(ct),
        options: MdOptions::EVENT_CT_ACK,
        ..Md::default()
    };
    let (md, made) = accesses(fabric, |fabric| ni.md_bind(fabric, &md).unwrap());
    assert_eq!(made, 1);
    let me = Me {
        options: EntryOptions::OP_PUT | EntryOptions::OP_GET,
        ..Me::default()
    };
    let append = |fabric: &mut _| ni.me_append(fabric, pt_index, &me, PtlList::Priority, 0).unwrap();
    let (me, made) = accesses(fabric, append);
    assert_eq!(made, 3);
    let put = Put {
        ack: AckReq::CtAck,
        ..Put::new(md, 0, 0)
    };
    assert_eq!(accesses(fabric, |fabric| ni.put(fabric, &put)), (Ok(()), 1));
    assert_eq!(
        accesses(fabric, |fabric| ni.ct_wait(fabric, ct, 1, TIMEOUT).unwrap()).1,
        1
    );
    assert_eq!(
        accesses(fabric, |fabric| ni.get(fabric, &Get::new(md, 0, 0))),
        (Ok(()), 1)
    );
    for kind in [EventKind::Link, EventKind::Put, EventKind::Get] {
        let (event, made) = accesses(fabric, |fabric| ni.eq_wait(fabric, eq, TIMEOUT).unwrap());
        assert_eq!((event.kind, made), (kind, 2));
    }
    assert_eq!(
        accesses(fabric, |fabric| ni.eq_get(fabric, eq)),
        (Err(Error::EqEmpty), 1)
    );
    assert_eq!(
        accesses(fabric, |fabric| ni.ct_set(fabric, ct, CtEvent::default())),
        (Ok(()), 2)
    );
    assert_eq!(accesses(fabric, |fabric| ni.ct_get(fabric, ct).unwrap()).1, 1);
    for change in [Ni::pt_disable, Ni::pt_enable] {
        assert_eq!(accesses(fabric, |fabric| change(ni, fabric, pt_index)), (Ok(()), 2));
    }
    for operation in [SearchOp::Only, SearchOp::Delete] {
        let search = |fabric: &mut _| ni.me_search(fabric, pt_index, &Me::default(), operation, 0);
        assert_eq!(accesses(fabric, search), (Ok(()), 2));
    }
    assert_eq!(accesses(fabric, |fabric| ni.me_unlink(fabric, me)), (Ok(()), 2));
    assert_eq!(accesses(fabric, |fabric| ni.pt_free(fabric, pt_index)), (Ok(()), 2));
    assert_eq!(accesses(fabric, |fabric| ni.md_release(fabric, md)), (Ok(()), 2));
    assert_eq!(accesses(fabric, |fabric| ni.ct_free(fabric, ct)), (Ok(()), 1));
    assert_eq!(accesses(fabric, |fabric| ni.eq_free(fabric, eq)), (Ok(()), 2));
    assert_eq!(accesses(fabric, |fabric| plain.close(fabric)), (Ok(()), 0));
    assert_eq!(accesses(fabric, |fabric| ni.close(fabric)), (Ok(()), 9));
}

/// Disable, search and free of an index, the unlink of an entry, and the last interface of the tile.
#[test]
fn a_close_makes_the_accesses_that_it_says() {
    let (mut fabric, _, ni) = two(Interface::Matching);
    for pt_index in 0..3 {
        assert_eq!(ni.pt_alloc(&mut fabric, PtOptions::NONE, None, None), Ok(pt_index));
        let appended = ni.me_append(&mut fabric, pt_index, &Me::default(), PtlList::Overflow, 0);
        appended.unwrap();
    }
    let (closed, made) = accesses(&mut fabric, |fabric| ni.close(fabric));
    assert_eq!((closed, made), (Ok(()), 3 * (2 + 2 + 2 + 2) + 9));
}

/// A queue of commands has room for six puts; the seventh looks at the event that counts them.
#[test]
fn the_seventh_put_looks_for_room() {
    let (mut fabric, ni, _) = two(Interface::Matching);
    let md = ni.md_bind(&mut fabric, &Md::default()).unwrap();
    let made: Vec<u16> = (0..13)
        .map(|_| accesses(&mut fabric, |fabric| ni.put(fabric, &Put::new(md, 0, 1)).unwrap()).1)
        .collect();
    assert_eq!(made, [1, 1, 1, 1, 1, 1, 2, 1, 1, 1, 1, 1, 2]);
}

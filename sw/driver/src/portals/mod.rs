//! Portals 4.3 over the Portals engines of tiles (key `portals`): puts and gets that the target matches in hardware.
//!
//! The functions of Portals are methods of [`Ni`], an interface of a tile, without `Ptl` and in snake case: `PtlMEAppend` is
//! [`Ni::me_append`]. `PtlNIInit` and `PtlNIFini` are [`Ni::open`] and [`Ni::close`], `PtlSetMap` and `PtlGetMap` are [`set_map`] and
//! [`get_map`]. The host drives the interfaces of all tiles. Addresses are those of the tile's memory.
//!
//! Each function says how many *accesses* it makes: one access is a read or write of registers or memory that lie together, a get or
//! put of the host.
//!
//! | part | functions |
//! | --- | --- |
//! | interface | `Ni::open`, `close`, `ni_status`, `limits`, `get_id`, `get_phys_id`, `get_uid`, `set_uid`; `set_map`, `get_map` |
//! | portal indices | `pt_alloc`, `pt_free`, `pt_enable`, `pt_disable` |
//! | memory descriptors | `md_bind`, `md_release` |
//! | entries | `me_append`, `me_unlink`, `le_append`, `le_unlink` |
//! | headers of unexpected messages | `me_search`, `le_search` |
//! | counters | `ct_alloc`, `ct_free`, `ct_get`, `ct_wait`, `ct_poll`, `ct_set`, `ct_inc` |
//! | event queues | `eq_alloc`, `eq_free`, `eq_get`, `eq_wait`, `eq_poll` |
//! | data | `put`, `get` |
//!
//! ```
//! use portico::{portals::{self, *}, Config, Fabric, GoldenTransport};
//!
//! let config = Config { cols: 2, rows: 1, edge_nodes: 1, portals: 4, ..Config::default() };
//! let mut fabric = Fabric::open(GoldenTransport::new(&config)?)?;
//! portals::set_map(&mut fabric, &[0.into(), 1.into()])?;
//! let (ni, target) = (Ni::open(&mut fabric, 0, Interface::Matching)?, Ni::open(&mut fabric, 1, Interface::Matching)?);
//!
//! // Tile 1 takes puts with match bits 0x50 to 0x5f from anybody.
//! let eq = target.eq_alloc(&mut fabric, 8)?;
//! let pt_index = target.pt_alloc(&mut fabric, PtOptions::NONE, Some(eq), None)?;
//! let me = Me {
//!     start: 0x203, length: 100, match_bits: 0x50, ignore_bits: 0xf, options: EntryOptions::OP_PUT, ..Me::default()
//! };
//! target.me_append(&mut fabric, pt_index, &me, PtlList::Priority, 7)?;
//! assert_eq!(target.eq_get(&mut fabric, eq)?.kind, EventKind::Link);
//!
//! // Tile 0 puts 5 bytes and waits for the acknowledgement.
//! fabric.write(0, 0x100, &[0x4433_2211, 0x55])?;
//! let ct = ni.ct_alloc(&mut fabric)?;
//! let md = Md { start: 0x100, length: 5, ct: Some(ct), options: MdOptions::EVENT_CT_ACK, ..Md::default() };
//! let md = ni.md_bind(&mut fabric, &md)?;
//! let put = Put { ack: AckReq::CtAck, pt_index, match_bits: 0x5a, remote_offset: 1, ..Put::new(md, 5, 1) };
//! ni.put(&mut fabric, &put)?;
//! assert_eq!(ni.ct_wait(&mut fabric, ct, 1, 10_000)?.success, 1);
//!
//! let event = target.eq_get(&mut fabric, eq)?;
//! assert_eq!((event.kind, event.mlength, event.start, event.user_ptr), (EventKind::Put, 5, 0x204, 7));
//! assert_eq!(fabric.read(1, 0x204, 2)?, [0x4433_2211, 0x55]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub use self::{
    ct::CtEvent,
    entry::{Le, Me},
    error::Error,
    event::{Event, EventKind, NiFail, PtlList},
    handle::{CtHandle, EqHandle, Interface, LeHandle, MdHandle, MeHandle},
    limits::NiLimits,
    map::{get_map, set_map, Process},
    md::Md,
    ni::{Ni, StatusRegister},
    options::{EntryOptions, MdOptions, PtOptions},
    search::SearchOp,
    transfer::{AckReq, Get, Put},
};
pub(crate) use state::State;

mod command;
mod ct;
mod entry;
mod eq;
mod error;
mod event;
mod handle;
mod limits;
mod map;
mod md;
mod ni;
mod options;
mod pt;
mod search;
mod state;
#[cfg(test)]
mod tests;
mod transfer;

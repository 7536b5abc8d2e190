//! The engine as software sees it, behind the registers of its node. Events and counts are written out from the rules.

mod acknowledgements;
mod appends;
mod bench;
mod commands;
mod events;
mod headers;
mod in_use;
mod messages;
mod refusals;
mod rings;
mod searches;
mod unexpected;
mod unlinks;
mod waiting;
mod wrong;

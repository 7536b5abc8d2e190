//! The engine as software sees it, behind the registers of its node. Events and counts are written out from the rules.

mod bench;
mod commands;
mod messages;

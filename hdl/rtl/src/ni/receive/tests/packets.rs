//! Packets and windows, put together for tests.

use super::bench::tag_register;
use portico_spec::{
    flit::{KIND_OFFSET, LAST_OFFSET, SOURCE_OFFSET, TAG_OFFSET},
    ni::{
        command::SEGMENT_OFFSET,
        packet::{
            DataKind, Operation, OPERATION_OFFSET, ROW_OFFSET, SLOT_OFFSET, STRIDED_OFFSET, STRIDE_OFFSET, WIDE_OFFSET,
        },
        registers::TagRegister,
        window::{Mode, EVENT_ENABLE_OFFSET, EVENT_OFFSET, SLOTS_OFFSET, SLOT_WORDS_OFFSET},
    },
};

pub const SOURCE: u64 = 0x0a5;

pub fn head(kind: u64, tag: u8, last: bool) -> u64 {
    super::bench::NODE
        | SOURCE << SOURCE_OFFSET
        | u64::from(tag) << TAG_OFFSET
        | kind << KIND_OFFSET
        | u64::from(last) << LAST_OFFSET
}

pub fn address(offset: u64, slot: u64) -> u64 {
    offset | slot << SLOT_OFFSET
}

pub fn put(tag: u8, last: bool, offset: u64, slot: u64, payload: &[u64]) -> Vec<u64> {
    [&[head(DataKind::Put as u64, tag, last), address(offset, slot)], payload].concat()
}

pub fn put_rows(tag: u8, last: bool, offset: u64, slot: u64, (row, stride): (u64, u64), payload: &[u64]) -> Vec<u64> {
    let address = address(offset, slot) | 1 << STRIDED_OFFSET;
    let geometry = row << ROW_OFFSET | stride << STRIDE_OFFSET;
    [&[head(DataKind::Put as u64, tag, last), address, geometry], payload].concat()
}

pub fn reply(slot: u8, last: bool, offset: u64, payload: &[u64]) -> Vec<u64> {
    [&[head(DataKind::Reply as u64, slot, last), address(offset, 0)], payload].concat()
}

pub fn stream(tag: u8, last: bool, payload: &[u64]) -> Vec<u64> {
    [&[head(DataKind::Stream as u64, tag, last)], payload].concat()
}

pub fn message(tag: u8, handle: u64, payload: &[u64]) -> Vec<u64> {
    [
        &[head(DataKind::Message as u64, tag, true), handle << SEGMENT_OFFSET],
        payload,
    ]
    .concat()
}

pub fn atomic(
    tag: u8,
    offset: u64,
    slot: u64,
    operation: Operation,
    wide: bool,
    half: bool,
    operands: &[u64],
) -> Vec<u64> {
    let address = address(offset, slot)
        | (operation as u64) << OPERATION_OFFSET
        | u64::from(wide) << WIDE_OFFSET
        | u64::from(half) << STRIDED_OFFSET;
    [&[head(DataKind::Atomic as u64, tag, true), address], operands].concat()
}

/// The control register of a window.
pub fn control(mode: Mode, event: Option<u64>) -> u64 {
    mode as u64 | event.map_or(0, |event| 1 << EVENT_ENABLE_OFFSET | event << EVENT_OFFSET)
}

pub fn queue_control(event: Option<u64>, slot_words: u64, slots: u64) -> u64 {
    control(Mode::Queue, event) | slot_words << SLOT_WORDS_OFFSET | slots << SLOTS_OFFSET
}

/// The register writes that open a window.
pub fn opening(tag: u8, base: u64, size: u64, control: u64, geometry: u64) -> Vec<(u64, u64)> {
    let fields = [
        (TagRegister::Base, base),
        (TagRegister::Size, size),
        (TagRegister::Pointer, 0),
        (TagRegister::Geometry, geometry),
        (TagRegister::Ends, 0),
        (TagRegister::Released, 0),
        (TagRegister::Control, control),
    ];
    fields.map(|(field, value)| (tag_register(tag, field), value)).to_vec()
}

//! What groups of tiles have in common: their tiles, the tree that joins them, addresses of members, folds.

use portico::{
    collective::{Addresses, Operation, Shape},
    Error,
};

use crate::{
    pointer::{array, structure},
    status::Failure,
};

/// How members of a group are joined: one of PORTICO_SHAPE_*.
pub type portico_shape_kind = u32;

/// A chain: even rows from west to east, odd rows from east to west.
pub const PORTICO_SHAPE_LINEAR: portico_shape_kind = 0;
/// Each rank with the one that lacks its lowest bit that is set.
pub const PORTICO_SHAPE_BINOMIAL: portico_shape_kind = 1;
/// Each rank r with rank (r - 1) / `number`.
pub const PORTICO_SHAPE_KARY: portico_shape_kind = 2;
/// Along column `number`, then along the rows.
pub const PORTICO_SHAPE_COLUMNS: portico_shape_kind = 3;
/// Along row `number`, then along the columns.
pub const PORTICO_SHAPE_ROWS: portico_shape_kind = 4;
/// Along the centre column, then along the rows.
pub const PORTICO_SHAPE_CENTRE: portico_shape_kind = 5;
/// All with rank 0; on two levels if its list is too short.
pub const PORTICO_SHAPE_STAR: portico_shape_kind = 6;
/// These pairs of ranks.
pub const PORTICO_SHAPE_OWN: portico_shape_kind = 7;
/// The member in the middle of each quarter of the group's rectangle, again and again.
pub const PORTICO_SHAPE_QUAD: portico_shape_kind = 8;

/// Two ranks that are joined.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct portico_pair {
    /// One rank.
    pub one: u32,
    /// The other.
    pub other: u32,
}

/// The tree that joins the members of a group.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct portico_shape {
    /// Which tree.
    pub kind: portico_shape_kind,
    /// Number of the shapes that have one.
    pub number: u32,
    /// Pairs of PORTICO_SHAPE_OWN; may be NULL for others.
    pub pairs: *const portico_pair,
    /// How many pairs.
    pub count: usize,
}

/// Where words lie in the memories of members: byte addresses, multiples of 4.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct portico_addresses {
    /// The address in all members, if `each` is NULL.
    pub same: u32,
    /// An address for each rank. May be NULL.
    pub each: *const u32,
    /// How many addresses `each` has: the size of the group.
    pub count: usize,
}

/// How two words are folded: one of PORTICO_FOLD_*.
pub type portico_fold = u32;

/// Integer sum, which wraps.
pub const PORTICO_FOLD_INTEGER_SUM: portico_fold = 0;
/// The lesser signed integer.
pub const PORTICO_FOLD_INTEGER_MIN: portico_fold = 2;
/// The greater signed integer.
pub const PORTICO_FOLD_INTEGER_MAX: portico_fold = 3;
/// Bits that both have.
pub const PORTICO_FOLD_AND: portico_fold = 4;
/// Bits that either has.
pub const PORTICO_FOLD_OR: portico_fold = 5;
/// Bits that one alone has.
pub const PORTICO_FOLD_XOR: portico_fold = 6;
/// Floating-point sum, rounded to nearest even.
pub const PORTICO_FOLD_FLOAT_SUM: portico_fold = 8;
/// The minimum of IEEE 754-2019, 9.6.
pub const PORTICO_FOLD_FLOAT_MIN: portico_fold = 10;
/// The maximum of IEEE 754-2019, 9.6.
pub const PORTICO_FOLD_FLOAT_MAX: portico_fold = 11;

/// The rank of a tile that is no member.
pub const PORTICO_NO_RANK: u32 = 0xffff_ffff;

pub(crate) fn operation(fold: portico_fold) -> Result<Operation, Failure> {
    Operation::from_code(fold).ok_or_else(|| Failure::choice("fold", fold))
}

/// The rank of a tile, as this interface gives it.
pub(crate) fn rank(found: Option<usize>) -> u32 {
    found.map_or(PORTICO_NO_RANK, |rank| rank as u32)
}

/// # Safety
/// A pointer that is not NULL points to so many tiles.
pub(crate) unsafe fn tiles(tiles: *const u32, count: usize) -> Result<Vec<usize>, Failure> {
    // SAFETY: promised above.
    let tiles = unsafe { array("tiles", tiles, count) }?;
    // More tiles than any fabric has need no copy.
    let (field, value, min, max) = ("number of tiles", count as u64, 0, 256);
    if value > max {
        return Err(Error::OutOfRange { field, value, min, max }.into());
    }
    Ok(tiles.iter().map(|&tile| tile as usize).collect())
}

/// # Safety
/// A pointer that is not NULL points to a shape, with as many pairs as it says.
pub(crate) unsafe fn shape(shape: *const portico_shape) -> Result<Shape, Failure> {
    // SAFETY: promised above.
    let given = unsafe { structure("shape", shape) }?;
    let number = given.number as usize;
    Ok(match given.kind {
        PORTICO_SHAPE_LINEAR => Shape::Linear,
        PORTICO_SHAPE_BINOMIAL => Shape::Binomial,
        PORTICO_SHAPE_KARY => Shape::Kary(number),
        PORTICO_SHAPE_COLUMNS => Shape::Columns(number),
        PORTICO_SHAPE_ROWS => Shape::Rows(number),
        PORTICO_SHAPE_CENTRE => Shape::Centre,
        PORTICO_SHAPE_STAR => Shape::Star,
        PORTICO_SHAPE_QUAD => Shape::Quad,
        PORTICO_SHAPE_OWN => {
            // SAFETY: promised above.
            let pairs = unsafe { array("shape->pairs", given.pairs, given.count) }?;
            Shape::Own(
                pairs
                    .iter()
                    .map(|pair| (pair.one as usize, pair.other as usize))
                    .collect(),
            )
        }
        kind => return Err(Failure::choice("shape->kind", kind)),
    })
}

/// # Safety
/// A pointer that is not NULL points to addresses, with as many for each rank as it says.
pub(crate) unsafe fn addresses(name: &str, addresses: *const portico_addresses) -> Result<Addresses, Failure> {
    // SAFETY: promised above.
    let given = unsafe { structure(name, addresses) }?;
    if given.each.is_null() {
        return Ok(Addresses::Same(given.same));
    }
    // SAFETY: promised above.
    Ok(Addresses::Each(
        unsafe { array(name, given.each, given.count) }?.to_vec(),
    ))
}

/// Lengths of blocks, a row for each sender.
///
/// # Safety
/// A pointer that is not NULL points to so many lengths.
pub(crate) unsafe fn matrix(
    name: &'static str,
    lengths: *const u32,
    count: usize,
    size: usize,
) -> Result<Vec<Vec<u32>>, Failure> {
    // SAFETY: promised above.
    let lengths = unsafe { array(name, lengths, count) }?;
    if count != size * size {
        let (field, value, expected) = ("number of lengths", count as u64, (size * size) as u64);
        let (min, max) = (expected, expected);
        return Err(Error::OutOfRange { field, value, min, max }.into());
    }
    Ok(lengths.chunks(size.max(1)).map(<[u32]>::to_vec).collect())
}

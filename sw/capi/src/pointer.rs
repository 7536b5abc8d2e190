//! What pointers of the caller stand for. Each is checked for NULL; what else the caller promises of it, the header says.

use std::{
    ffi::{c_char, CStr},
    slice,
};

use crate::status::{portico_status, Failure};

fn null(name: &str) -> Failure {
    Failure::new(portico_status::PORTICO_E_NULL, format_args!("{name} is NULL"))
}

/// Where the caller wants a result.
pub(crate) struct Out<T>(*mut T);

impl<T> Out<T> {
    /// Writes the result.
    pub fn set(self, value: T) {
        // SAFETY: `out` was promised that the pointer may be written.
        unsafe { self.0.write(value) };
    }
}

/// The place of a result.
///
/// # Safety
/// A pointer that is not NULL may be written.
pub(crate) unsafe fn out<T>(name: &str, pointer: *mut T) -> Result<Out<T>, Failure> {
    if pointer.is_null() {
        return Err(null(name));
    }
    Ok(Out(pointer))
}

/// A structure of the caller.
///
/// # Safety
/// A pointer that is not NULL points to such a structure.
pub(crate) unsafe fn structure<T: Copy>(name: &str, pointer: *const T) -> Result<T, Failure> {
    if pointer.is_null() {
        return Err(null(name));
    }
    // SAFETY: promised above.
    Ok(unsafe { pointer.read() })
}

fn check_count<T>(name: &str, count: usize) -> Result<(), Failure> {
    let most = isize::MAX as usize / size_of::<T>();
    if count > most {
        return Err(Failure::new(
            portico_status::PORTICO_E_ARGUMENT,
            format_args!("elements of {name} = {count} is not allowed: allowed is 0..={most}"),
        ));
    }
    Ok(())
}

/// An array of the caller.
///
/// # Safety
/// A pointer that is not NULL points to so many elements, which stay as they are while the slice is used.
pub(crate) unsafe fn array<'a, T>(name: &str, pointer: *const T, count: usize) -> Result<&'a [T], Failure> {
    if pointer.is_null() {
        return Err(null(name));
    }
    check_count::<T>(name, count)?;
    // SAFETY: promised above.
    Ok(unsafe { slice::from_raw_parts(pointer, count) })
}

/// An array for a result, whose elements may have no value yet.
pub(crate) struct OutArray<T> {
    pointer: *mut T,
    count: usize,
}

impl<T: Copy> OutArray<T> {
    /// Checks that it has room for so many elements.
    pub fn check_room(&self, name: &str, wanted: usize) -> Result<(), Failure> {
        if wanted > self.count {
            let count = self.count;
            return Err(Failure::new(
                portico_status::PORTICO_E_SHORT_BUFFER,
                format_args!("elements of {name} = {count} is not allowed: allowed is {wanted} and more"),
            ));
        }
        Ok(())
    }

    /// Writes its first elements.
    ///
    /// # Panics
    /// There are more than it has room for.
    pub fn set(&self, values: &[T]) {
        assert!(values.len() <= self.count, "the room was checked");
        // SAFETY: `out_array` was promised that so many elements may be written. Nothing else in this call reads them.
        unsafe { self.pointer.copy_from_nonoverlapping(values.as_ptr(), values.len()) };
    }
}

/// An array for a result.
///
/// # Safety
/// A pointer that is not NULL may be written so many elements.
pub(crate) unsafe fn out_array<T>(name: &str, pointer: *mut T, count: usize) -> Result<OutArray<T>, Failure> {
    if pointer.is_null() {
        return Err(null(name));
    }
    check_count::<T>(name, count)?;
    Ok(OutArray { pointer, count })
}

/// A text of the caller.
///
/// # Safety
/// A pointer that is not NULL points to bytes with a NUL behind them, which stay as they are while the text is used.
pub(crate) unsafe fn text<'a>(name: &str, pointer: *const c_char) -> Result<&'a str, Failure> {
    if pointer.is_null() {
        return Err(null(name));
    }
    // SAFETY: promised above.
    let bytes = unsafe { CStr::from_ptr(pointer) };
    let text = bytes.to_str();
    text.map_err(|error| {
        Failure::new(
            portico_status::PORTICO_E_ARGUMENT,
            format_args!("{name} is no text in UTF-8: {error}"),
        )
    })
}

/// Writes a text with a NUL behind it; as much as fits, and nothing into 0 bytes.
///
/// # Safety
/// A pointer that is not NULL may be written so many bytes.
pub(crate) unsafe fn copy_text(text: &str, pointer: *mut c_char, size: usize) -> Result<(), Failure> {
    // SAFETY: promised above.
    let array = unsafe { out_array("text", pointer.cast::<u8>(), size) }?;
    let fits = array.check_room("text", text.len() + 1);
    if size > 0 {
        let whole = text.len().min(size - 1);
        let end = (0..=whole).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
        array.set(&[&text.as_bytes()[..end], &[0]].concat());
    }
    fits
}

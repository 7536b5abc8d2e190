//! Programs of the user for the micro-cores.

use std::ffi::c_char;

use portico::{
    program::{assemble, disassemble, Program},
    Error, Fabric,
};

use crate::{
    carrier::Carrier,
    completion::{initiator, portico_completion, End},
    handle::{call, guarded, handles, portico_fabric, State},
    pointer::{array, copy_text, out, out_array, text},
    segment::portico_segment,
    status::portico_status,
};

/// A program in a node's program memory. It belongs to the thread that has the fabric.
pub struct portico_program;

handles! {
    portico_program: Program, "program";
}

/// Translates the text of a program into instructions. `words` has room for `size`; 256 are enough for every program that can be
/// loaded. `count` gets their number.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_ARGUMENT of a text that is no UTF-8, PORTICO_E_ASSEMBLY with the line,
/// PORTICO_E_SHORT_BUFFER.
#[no_mangle]
pub unsafe extern "C" fn portico_assemble(
    program: *const c_char,
    words: *mut u32,
    size: usize,
    count: *mut usize,
) -> portico_status {
    guarded(|| {
        let (program, words) = unsafe { (text("program", program)?, out_array("words", words, size)?) };
        let out = unsafe { out("count", count) }?;
        let instructions = assemble(program).map_err(Error::from)?;
        words.check_room("words", instructions.len())?;
        words.set(&instructions);
        out.set(instructions.len());
        Ok(())
    })
}

/// Writes the text of instructions, with a NUL behind it. A text that is longer than `size` - 1 bytes is cut.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_INSTRUCTION, PORTICO_E_SHORT_BUFFER of a text that is cut.
#[no_mangle]
pub unsafe extern "C" fn portico_disassemble(
    words: *const u32,
    count: usize,
    text: *mut c_char,
    size: usize,
) -> portico_status {
    guarded(|| {
        unsafe { out("text", text) }?;
        let words = unsafe { array("words", words, count) }?;
        let program = disassemble(words).map_err(Error::from)?;
        unsafe { copy_text(&program, text, size) }
    })
}

/// Loads instructions.
///
/// # Safety
/// As of the functions of the header.
unsafe fn load(
    fabric: *mut portico_fabric,
    words: *const u32,
    count: usize,
    program: *mut *mut portico_program,
    load: impl FnOnce(&mut Fabric<Carrier>, &[u32]) -> Result<Program, Error>,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        // SAFETY: promised above.
        let (out, words) = unsafe { (out("program", program)?, array("words", words, count)?) };
        out.set(items.add(load(fabric, words)?));
        Ok(())
    })
}

/// Loads instructions into a node, after a check: all of them exist, every loop has its end, and the last one stops.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_INSTRUCTION and PORTICO_E_PROGRAM with the first instruction that is wrong,
/// PORTICO_E_EXHAUSTED, PORTICO_E_NO_SUCH_NODE, PORTICO_E_NOT_BUILT, or the fabric's.
#[no_mangle]
pub unsafe extern "C" fn portico_program_load(
    fabric: *mut portico_fabric,
    node: u32,
    words: *const u32,
    count: usize,
    program: *mut *mut portico_program,
) -> portico_status {
    unsafe {
        load(fabric, words, count, program, |fabric, words| {
            fabric.load(node as usize, words)
        })
    }
}

/// Loads any words without a check, to test faulty programs on the hardware. A program that never stops keeps its micro-core and
/// its event until the next reset.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_EXHAUSTED, PORTICO_E_NO_SUCH_NODE, PORTICO_E_NOT_BUILT, or the fabric's.
#[no_mangle]
pub unsafe extern "C" fn portico_program_load_unchecked(
    fabric: *mut portico_fabric,
    node: u32,
    words: *const u32,
    count: usize,
    program: *mut *mut portico_program,
) -> portico_status {
    unsafe {
        load(fabric, words, count, program, |fabric, words| {
            fabric.load_unchecked(node as usize, words)
        })
    }
}

/// Node of a program, and its first place in the program memory there.
///
/// Errors: PORTICO_E_NULL.
#[no_mangle]
pub unsafe extern "C" fn portico_program_info(
    fabric: *mut portico_fabric,
    program: *mut portico_program,
    node: *mut u32,
    start: *mut u32,
) -> portico_status {
    call(fabric, |state| {
        let (node, start) = unsafe { (out("node", node)?, out("start", start)?) };
        let program = state.items.get(program)?;
        node.set(program.node() as u32);
        start.set(program.start());
        Ok(())
    })
}

/// Releases the places of a program, which should not be running. The handle is stale then.
///
/// Errors: PORTICO_E_NULL.
#[no_mangle]
pub extern "C" fn portico_program_unload(fabric: *mut portico_fabric, program: *mut portico_program) -> portico_status {
    call(fabric, |State { fabric, items }| {
        Ok(items.take(program)?.unload(fabric)?)
    })
}

/// Runs a program of the segment's initiator on a segment, with `count` arguments in registers 2 and up. Complete when its end of
/// transfer is acknowledged or, if it sends none, when it stops.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_WRONG_NODE, PORTICO_E_WRONG_KIND, PORTICO_E_OUT_OF_RANGE of the number of arguments, or of the
/// operation as of portico_put().
#[no_mangle]
pub unsafe extern "C" fn portico_run(
    fabric: *mut portico_fabric,
    program: *mut portico_program,
    segment: *mut portico_segment,
    arguments: *const u32,
    count: usize,
    completion: *const portico_completion,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        let arguments = unsafe { array("arguments", arguments, count) }?;
        let end = unsafe { End::read(completion) }?;
        let (program, remote) = (items.get(program)?, items.get(segment)?);
        let node = initiator(fabric, remote.initiator() as u32)?;
        let operation = node.run(program, remote, arguments)?;
        end.of(operation, items).map(|_| ())
    })
}

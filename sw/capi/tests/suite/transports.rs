//! Transports: functions of the caller, mapped memory, a serial line.

use std::{
    ffi::{c_int, c_void, CString},
    ptr,
    sync::{
        atomic::{AtomicBool, Ordering},
        mpsc, Arc,
    },
    thread,
};

#[cfg(unix)]
use portico::serial::Terminal;
use portico::{GoldenTransport, Transport};
use portico_capi::{portico_status::*, *};
use portico_golden::bridge::Bridge;
use portico_spec::{ni::registers::SPACE_BYTES, Config};

use crate::bench::{self, fails, get, linear, must, segment, window, SMALL, WAIT};

/// What a transport of the tests has.
struct Context {
    golden: GoldenTransport,
    /// Accesses until one fails.
    left: u32,
    /// A fabric that the transport itself reads.
    own: *mut portico_fabric,
    nested: portico_status,
    /// Told when a wait begins, and waits for the answer.
    stop: Option<(mpsc::Sender<()>, mpsc::Receiver<()>)>,
}

impl Context {
    fn new(config: &str) -> Box<Context> {
        Box::new(Context {
            golden: GoldenTransport::new(&Config::from_toml(config).unwrap()).unwrap(),
            left: u32::MAX,
            own: ptr::null_mut(),
            nested: PORTICO_OK,
            stop: None,
        })
    }

    unsafe fn of<'a>(context: *mut c_void) -> &'a mut Context {
        unsafe { &mut *context.cast() }
    }

    /// Whether an access may be made.
    fn spend(&mut self) -> bool {
        self.left = self.left.saturating_sub(1);
        self.left > 0
    }
}

unsafe extern "C" fn read(context: *mut c_void, address: u32, value: *mut u32) -> c_int {
    let context = unsafe { Context::of(context) };
    if !context.spend() {
        return 5;
    }
    if !context.own.is_null() {
        let mut word = 0;
        context.nested = unsafe { portico_read(context.own, 0, 0, &mut word, 1) };
    }
    unsafe { value.write(context.golden.read(address).unwrap()) };
    0
}

unsafe extern "C" fn write(context: *mut c_void, address: u32, value: u32) -> c_int {
    let context = unsafe { Context::of(context) };
    match context.spend() && context.golden.write(address, value).is_ok() {
        true => 0,
        false => 6,
    }
}

unsafe extern "C" fn read_block(context: *mut c_void, address: u32, words: *mut u32, count: usize) -> c_int {
    let words = unsafe { std::slice::from_raw_parts_mut(words, count) };
    unsafe { Context::of(context) }
        .golden
        .read_block(address, words)
        .unwrap();
    0
}

unsafe extern "C" fn write_block(context: *mut c_void, address: u32, words: *const u32, count: usize) -> c_int {
    let words = unsafe { std::slice::from_raw_parts(words, count) };
    unsafe { Context::of(context) }
        .golden
        .write_block(address, words)
        .unwrap();
    0
}

unsafe extern "C" fn cycles(context: *mut c_void) -> u64 {
    unsafe { Context::of(context) }.golden.cycles()
}

unsafe extern "C" fn wait(context: *mut c_void, cycles: u64) {
    let context = unsafe { Context::of(context) };
    context.golden.wait(cycles);
    if let Some((begun, go_on)) = &context.stop {
        begun.send(()).unwrap();
        go_on.recv().unwrap();
    }
}

unsafe extern "C" fn interrupt(context: *mut c_void) -> c_int {
    unsafe { Context::of(context) }.golden.interrupt().into()
}

fn functions(context: &mut Context) -> portico_transport {
    portico_transport {
        context: ptr::from_mut(context).cast(),
        read: Some(read),
        write: Some(write),
        read_block: None,
        write_block: None,
        cycles: Some(cycles),
        wait: Some(wait),
        interrupt: None,
    }
}

fn open(transport: &portico_transport, config: &str) -> Result<*mut portico_fabric, portico_status> {
    let (config, mut fabric) = (CString::new(config).unwrap(), ptr::null_mut());
    match unsafe { portico_open_custom(transport, config.as_ptr(), &mut fabric) } {
        PORTICO_OK => Ok(fabric),
        status => Err(status),
    }
}

#[test]
fn a_transport_of_the_caller_carries_everything() {
    for with_blocks in [false, true] {
        let mut context = Context::new(SMALL);
        let mut transport = functions(&mut context);
        if with_blocks {
            transport.read_block = Some(read_block);
            transport.write_block = Some(write_block);
            transport.interrupt = Some(interrupt);
        }
        let fabric = open(&transport, SMALL).unwrap();
        bench::write(fabric, 0, 0x40, &[7, 8, 9]);
        let segment = segment(fabric, 0, window(fabric, 2, 0, 64));
        must(unsafe { portico_put(fabric, segment, 16, 0x40, &linear(12), &WAIT) });
        assert_eq!(bench::read(fabric, 2, 16), [7, 8, 9]);

        let event = get(|event| unsafe { portico_event_take(fabric, 4, event) });
        must(portico_event_configure(fabric, event, 0, PORTICO_FIRES_AT_LEAST, true));
        let interrupts: bool = get(|interrupts| unsafe { portico_interrupt(fabric, interrupts) });
        assert_eq!(interrupts, with_blocks);
        must(portico_verify(fabric));
        must(portico_close(fabric));
    }
}

#[test]
fn what_a_transport_lacks_and_an_access_that_fails_are_told() {
    let mut context = Context::new(SMALL);
    let whole = functions(&mut context);
    let lacks = |transport: &portico_transport, text| {
        let status = open(transport, SMALL).unwrap_err();
        fails(status, PORTICO_E_NULL, text);
    };
    lacks(&portico_transport { read: None, ..whole }, "transport->read is NULL");
    lacks(&portico_transport { write: None, ..whole }, "transport->write is NULL");
    lacks(
        &portico_transport { cycles: None, ..whole },
        "transport->cycles is NULL",
    );
    lacks(&portico_transport { wait: None, ..whole }, "transport->wait is NULL");

    let fabric = open(&whole, SMALL).unwrap();
    context.left = 20;
    let mut words = [0; 64];
    let status = unsafe { portico_read(fabric, 4, 0, words.as_mut_ptr(), 64) };
    fails(status, PORTICO_E_TRANSPORT, "the function of the transport returned 5");
    // The transport carries again, and the fabric goes on.
    context.left = u32::MAX;
    bench::write(fabric, 4, 0, &[1]);
    must(portico_close(fabric));
}

#[test]
fn another_configuration_is_refused_with_both_values() {
    let mut context = Context::new(SMALL);
    let transport = functions(&mut context);
    for (config, text) in [
        ("cols = 3\nrows = 2", "cols is 2, expected 3"),
        ("cols = 2\nrows = 2\ncores = 2", "cores is 8, expected 2"),
    ] {
        let status = open(&transport, config).unwrap_err();
        fails(status, PORTICO_E_WRONG_BITSTREAM, text);
    }
}

#[test]
fn a_call_inside_of_a_call_is_refused() {
    let mut context = Context::new(SMALL);
    let fabric = open(&functions(&mut context), SMALL).unwrap();
    context.own = fabric;
    let _: [u32; 1] = bench::read(fabric, 4, 0);
    assert_eq!(context.nested, PORTICO_BUSY);

    // The same of another thread, while a wait goes on.
    context.own = ptr::null_mut();
    let ((begun, has_begun), (end, may_end)) = (mpsc::channel(), mpsc::channel());
    context.stop = Some((begun, may_end));
    let number = fabric.addr();
    let waits = thread::spawn(move || portico_wait(ptr::without_provenance_mut(number), 10));
    has_begun.recv().unwrap();
    fails(portico_verify(fabric), PORTICO_BUSY, "in another call");
    fails(portico_close(fabric), PORTICO_BUSY, "in another call");
    end.send(()).unwrap();
    must(waits.join().unwrap());
    context.stop = None;
    must(portico_close(fabric));
}

/// A board behind a pseudo-terminal.
#[cfg(unix)]
#[test]
fn a_serial_line_reaches_a_board() {
    let mut terminal = Terminal::open().unwrap();
    let [path, config] = [terminal.path(), SMALL].map(|text| CString::new(text).unwrap());
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = stop.clone();
    let board = thread::spawn(move || {
        let golden = Context::new(SMALL).golden;
        let mut bridge = Bridge::new(golden, SPACE_BYTES as u32);
        while !stopped.load(Ordering::Relaxed) {
            terminal.serve(&mut bridge).unwrap();
        }
    });
    let fabric = get(|fabric| unsafe { portico_open_serial(path.as_ptr(), 115_200, config.as_ptr(), fabric) });
    bench::write(fabric, 2, 0x40, &[1, 2]);
    assert_eq!(bench::read(fabric, 2, 0x40), [1, 2]);
    must(portico_close(fabric));
    let other = CString::new("cols = 3\nrows = 2").unwrap();
    let opened = unsafe { portico_open_serial(path.as_ptr(), 115_200, other.as_ptr(), &mut ptr::null_mut()) };
    fails(opened, PORTICO_E_WRONG_BITSTREAM, "cols is 2, expected 3");
    stop.store(true, Ordering::Relaxed);
    board.join().unwrap();
}

/// A file in the place of a device: it has no fabric.
#[test]
fn mapped_memory_without_a_fabric_is_refused() {
    let file = tempfile::NamedTempFile::new().unwrap();
    file.as_file().set_len(SPACE_BYTES as u64).unwrap();
    let [path, config] = [file.path().to_str().unwrap(), SMALL].map(|text| CString::new(text).unwrap());
    let opened = unsafe { portico_open_uio(path.as_ptr(), 0, config.as_ptr(), 50e6, &mut ptr::null_mut()) };
    fails(opened, PORTICO_E_WRONG_BITSTREAM, "magic is 0, expected 20559");
    let opened = unsafe { portico_open_uio(path.as_ptr(), 4096, config.as_ptr(), 50e6, &mut ptr::null_mut()) };
    fails(opened, PORTICO_E_TRANSPORT, "1048576 bytes, expected 1052672 at least");
}

#[test]
fn a_device_that_is_none_is_told() {
    let [path, config] = ["/dev/portico-none", SMALL].map(|text| CString::new(text).unwrap());
    let mut fabric = ptr::null_mut();
    let mut uio = |hertz| unsafe { portico_open_uio(path.as_ptr(), 0, config.as_ptr(), hertz, &mut fabric) };
    fails(uio(50e6), PORTICO_E_TRANSPORT, "/dev/portico-none: no such device");
    fails(uio(0.0), PORTICO_E_ARGUMENT, "hertz = 0 is not allowed");
    fails(uio(f64::NAN), PORTICO_E_ARGUMENT, "hertz = NaN");
    let serial = unsafe { portico_open_serial(path.as_ptr(), 115_200, config.as_ptr(), &mut fabric) };
    fails(serial, PORTICO_E_TRANSPORT, "no device /dev/portico-none");
}

//! What a test outside of the library cannot plant.

use std::{ffi::CString, panic, ptr, sync::Mutex};

use portico::{Config, Fabric, GoldenTransport, Transport, TransportError};

use crate::{
    carrier::Carrier,
    handle::{add_fabric, call, guarded},
    portico_status::*,
    *,
};

/// A golden fabric whose reads panic from a moment on.
struct Failing {
    golden: GoldenTransport,
    left: u32,
}

impl Transport for Failing {
    portico::forward_transport!(golden: config, write, cycles, wait, interrupt);

    fn read(&mut self, address: u32) -> Result<u32, TransportError> {
        self.left -= 1;
        assert!(self.left > 0, "planted");
        self.golden.read(address)
    }
}

fn last_error() -> String {
    let mut text = [0u8; 512];
    assert_eq!(
        unsafe { portico_error_text(text.as_mut_ptr().cast(), text.len()) },
        PORTICO_OK
    );
    let text = text.split(|&byte| byte == 0).next().unwrap();
    String::from_utf8(text.to_vec()).unwrap()
}

/// Runs without the messages that a panic writes to standard error. One test at a time: the hook is that of the process.
fn quietly(work: impl FnOnce()) {
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock();
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    work();
    panic::set_hook(hook);
}

#[test]
fn no_panic_crosses_the_border() {
    let config = Config::from_toml("cols = 2\nrows = 1").unwrap();
    let golden = GoldenTransport::new(&config).unwrap();
    let left = 2000;
    let fabric = Fabric::open(Carrier::other(Failing { golden, left })).unwrap();
    let fabric = add_fabric(fabric);
    let mut event = ptr::null_mut();
    assert_eq!(unsafe { portico_event_take(fabric, 1, &mut event) }, PORTICO_OK);
    let other = CString::new("cols = 2").unwrap();
    quietly(|| {
        let mut words = [0; 100];
        let read = |words: &mut [u32]| unsafe { portico_read(fabric, 2, 0, words.as_mut_ptr(), words.len()) };
        let statuses: Vec<_> = (0..21).map(|_| read(&mut words)).collect();
        let at = statuses.iter().position(|&status| status == PORTICO_INTERNAL);
        assert!(statuses[..at.unwrap()].iter().all(|&status| status == PORTICO_OK));
        assert_eq!(
            last_error(),
            "an earlier call of the fabric ended with an internal error: close it"
        );
        // Nothing works any more but the close, which ends its handles too.
        assert_eq!(read(&mut words), PORTICO_CLOSED);
        assert_eq!(portico_event_release(fabric, event), PORTICO_CLOSED);
        assert_eq!(portico_close(fabric), PORTICO_OK);
        assert_eq!(portico_event_release(fabric, event), PORTICO_E_STALE);
    });
    // Other fabrics do not notice.
    let mut fabric = ptr::null_mut();
    assert_eq!(unsafe { portico_open_golden(other.as_ptr(), &mut fabric) }, PORTICO_OK);
    assert_eq!(portico_event_release(fabric, event), PORTICO_E_STALE);
    assert_eq!(portico_close(fabric), PORTICO_OK);
}

#[test]
fn a_panic_leaves_its_text() {
    let text = |panic: fn()| {
        quietly(|| {
            let ended = guarded(|| {
                panic();
                Ok(())
            });
            assert_eq!(ended, PORTICO_INTERNAL);
        });
        last_error()
    };
    assert_eq!(text(|| panic!("one")), "internal error: one");
    assert_eq!(text(|| panic!("{} and {}", 1, 2)), "internal error: 1 and 2");
    assert_eq!(text(|| panic::panic_any(7)), "internal error: without a text");
    assert_eq!(call(ptr::null(), |_| panic!("never run")), PORTICO_E_NULL);
}

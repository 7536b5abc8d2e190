//! Fabrics: opened over a transport, and closed.

use std::ffi::{c_char, CStr};

use portico::{
    serial::{Options, PortLine},
    verify, verify_tiles, Config, Error, Fabric, GoldenTransport, SerialTransport, Transport, TransportError,
    UioTransport,
};

use crate::{
    carrier::{portico_transport, Carrier, Custom},
    handle::{add_fabric, call, guarded, portico_fabric, remove_fabric},
    pointer::{out, text},
    status::{portico_status, Failure},
};

/// Version of the library: equal to PORTICO_VERSION if this header is of the same version.
#[no_mangle]
pub extern "C" fn portico_version() -> *const c_char {
    const VERSION: &CStr = match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
        Ok(version) => version,
        Err(_) => panic!("a version has no NUL in it"),
    };
    VERSION.as_ptr()
}

/// # Safety
/// As of [`text`].
unsafe fn configuration(config: *const c_char) -> Result<Config, Failure> {
    // SAFETY: promised above.
    let text = unsafe { text("config", config) }?;
    let config = Config::from_toml(text).and_then(|config| config.fabric());
    Ok(config.map_err(Error::from)?)
}

/// Opens a fabric that is a device, if it is the one of the configuration.
fn device(transport: impl Transport + Send + 'static) -> Result<Fabric<Carrier>, Error> {
    let mut carrier = Carrier::other(transport);
    verify(&mut carrier)?;
    let mut fabric = Fabric::open(carrier)?;
    verify_tiles(&mut fabric)?;
    Ok(fabric)
}

/// Opens the reference model in this process. `config` is the text of a portico.toml; a text without a key is the default fabric.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_ARGUMENT of a text that is no UTF-8, PORTICO_E_CONFIG.
#[no_mangle]
pub unsafe extern "C" fn portico_open_golden(
    config: *const c_char,
    fabric: *mut *mut portico_fabric,
) -> portico_status {
    guarded(|| {
        let (config, out) = unsafe { (configuration(config)?, out("fabric", fabric)?) };
        let carrier = Carrier::Golden(GoldenTransport::new(&config)?);
        out.set(add_fabric(Fabric::open(carrier)?));
        Ok(())
    })
}

/// Opens a fabric in the memory of this computer: the space of its host node from byte `offset` of a device such as /dev/uio0 on.
/// Map N of a UIO device has the offset of N pages. `hertz` is the clock of the fabric. The fabric must have been reset since an
/// earlier program has used it.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_ARGUMENT, PORTICO_E_CONFIG, PORTICO_E_TRANSPORT if the file cannot be opened or mapped,
/// PORTICO_E_WRONG_BITSTREAM with both values if the configuration is not the fabric's.
#[no_mangle]
pub unsafe extern "C" fn portico_open_uio(
    path: *const c_char,
    offset: u64,
    config: *const c_char,
    hertz: f64,
    fabric: *mut *mut portico_fabric,
) -> portico_status {
    guarded(|| {
        let (path, config, out) = unsafe { (text("path", path)?, configuration(config)?, out("fabric", fabric)?) };
        // A sleep of a time that is no number would end the program.
        if !hertz.is_normal() || hertz < 1.0 {
            return Err(Failure::new(
                portico_status::PORTICO_E_ARGUMENT,
                format_args!("hertz = {hertz} is not allowed: allowed is 1 and more"),
            ));
        }
        out.set(add_fabric(device(UioTransport::map(path, offset, &config, hertz)?)?));
        Ok(())
    })
}

/// Opens a fabric behind the UART bridge of a board, and resets it. `path` is a serial port such as /dev/ttyUSB0, `baud` its rate
/// in bits a second, 1,000,000 unless the bridge was built for another.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_ARGUMENT, PORTICO_E_CONFIG, PORTICO_E_TRANSPORT of the port or without an answer,
/// PORTICO_E_WRONG_BITSTREAM with both values if the configuration is not the fabric's.
#[no_mangle]
pub unsafe extern "C" fn portico_open_serial(
    path: *const c_char,
    baud: u32,
    config: *const c_char,
    fabric: *mut *mut portico_fabric,
) -> portico_status {
    guarded(|| {
        let (path, config, out) = unsafe { (text("path", path)?, configuration(config)?, out("fabric", fabric)?) };
        let line = PortLine::open(path, baud).map_err(|error| Error::from(TransportError::from(error)))?;
        let transport = SerialTransport::connect(line, &config, Options::default()).map_err(Error::from)?;
        out.set(add_fabric(device(transport)?));
        Ok(())
    })
}

/// Opens a fabric over functions of the caller, which are copied. Their context must live until the fabric is closed.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_ARGUMENT, PORTICO_E_CONFIG, PORTICO_E_TRANSPORT if a function returns another number than 0,
/// PORTICO_E_WRONG_BITSTREAM with both values if the configuration is not the fabric's, PORTICO_E_TIMEOUT.
#[no_mangle]
pub unsafe extern "C" fn portico_open_custom(
    transport: *const portico_transport,
    config: *const c_char,
    fabric: *mut *mut portico_fabric,
) -> portico_status {
    guarded(|| {
        let (config, out) = unsafe { (configuration(config)?, out("fabric", fabric)?) };
        let custom = unsafe { Custom::new(transport, config) }?;
        out.set(add_fabric(device(custom)?));
        Ok(())
    })
}

/// Compares the registers of the host node and of tile 0 with the configuration. Every open but that of the reference model has
/// done this.
///
/// Errors: PORTICO_E_WRONG_BITSTREAM with the first field that differs, or the fabric's.
#[no_mangle]
pub extern "C" fn portico_verify(fabric: *mut portico_fabric) -> portico_status {
    call(fabric, |state| {
        verify(state.fabric.transport())?;
        Ok(verify_tiles(&mut state.fabric)?)
    })
}

/// Closes a fabric. All of its handles are stale from then on. Operations under way go on.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_STALE, PORTICO_BUSY.
#[no_mangle]
pub extern "C" fn portico_close(fabric: *mut portico_fabric) -> portico_status {
    guarded(|| remove_fabric(fabric))
}

//! A fabric in the memory of this computer: the AXI4-Lite port of its host node, mapped by `/dev/uioN`.

use std::{
    fs::OpenOptions,
    hint,
    io::ErrorKind,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use memmap2::{MmapOptions, MmapRaw};
use portico_spec::{
    ni::registers::{address_at, ControlRegister, SPACE_BYTES},
    Config,
};

use crate::{Error, Transport, TransportError};

/// A sleep of the operating system may take that much longer than it is asked for.
const OVERSLEEP: Duration = Duration::from_micros(100);

/// Accesses to mapped memory, of a processor beside the fabric on one chip.
///
/// An access counts a cycle, though it takes more, and `wait` counts what it is asked for: the driver's time-outs count
/// accesses. There is no SLVERR: the processor's bus turns it into a fault that ends the program. There is no reset
/// either: the fabric must have been reset since an earlier program used it.
///
/// ```no_run
/// use portico::{Config, Fabric, UioTransport};
///
/// let config = Config { edge_nodes: 1, ..Config::default() };
/// let mut fabric = Fabric::open(UioTransport::open("/dev/uio0", 0, &config, 50e6)?)?;
/// fabric.write(5, 0x100, &[1, 2, 3, 4])?;
/// # Ok::<(), portico::Error>(())
/// ```
#[derive(Debug)]
pub struct UioTransport {
    map: MmapRaw,
    config: Config,
    host: usize,
    clock: f64,
    cycles: u64,
}

impl UioTransport {
    /// Maps the host node's space from byte `offset` of a file or device on, and checks that the fabric is the configured
    /// one. Map N of a UIO device has the offset of N pages. `clock` is that of the fabric in hertz.
    ///
    /// # Errors
    /// As [`UioTransport::map`] and [`verify`](crate::verify).
    pub fn open(path: impl AsRef<Path>, offset: u64, config: &Config, clock: f64) -> Result<UioTransport, Error> {
        let mut transport = UioTransport::map(path, offset, config, clock)?;
        crate::verify(&mut transport)?;
        Ok(transport)
    }

    /// As [`UioTransport::open`], without the check: for what tells nothing of itself.
    ///
    /// # Errors
    /// [`Error::Config`] if a value is not allowed. [`TransportError::Failed`] if the file cannot be opened or mapped, or is too short.
    pub fn map(path: impl AsRef<Path>, offset: u64, config: &Config, clock: f64) -> Result<UioTransport, Error> {
        let config = config.fabric()?;
        let path = path.as_ref();
        let failed = |what: String| TransportError::Failed(format!("{}: {what}", path.display()));
        if !offset.is_multiple_of(4) {
            return Err(failed(format!("offset = {offset} must be a multiple of 4")).into());
        }
        let file = OpenOptions::new().read(true).write(true).open(path).map_err(|error| {
            failed(match error.kind() {
                ErrorKind::NotFound => {
                    "no such device: check that the kernel's UIO driver has found the fabric".to_owned()
                }
                ErrorKind::PermissionDenied => {
                    "no permission to open it: let a udev rule give the user's group access".to_owned()
                }
                _ => error.to_string(),
            })
        })?;
        // An access behind the end of a file would end the program. A device has no length that tells.
        let about = file.metadata().map_err(|error| failed(error.to_string()))?;
        let end = offset.saturating_add(SPACE_BYTES as u64);
        if about.is_file() && about.len() < end {
            return Err(failed(format!("{} bytes, expected {end} at least", about.len())).into());
        }
        let map = MmapOptions::new().offset(offset).len(SPACE_BYTES).map_raw(&file);
        let map = map.map_err(|error| failed(format!("cannot map {SPACE_BYTES} bytes from {offset}: {error}")))?;
        Ok(UioTransport {
            map,
            host: config.tiles(),
            config,
            clock,
            cycles: 0,
        })
    }

    /// Where a word lies; counts the access.
    fn word(&mut self, address: u32) -> Result<*mut u32, TransportError> {
        let limit = SPACE_BYTES as u32;
        if address >= limit || !address.is_multiple_of(4) {
            return Err(TransportError::Address { address, limit });
        }
        self.cycles += 1;
        Ok(self.map.as_mut_ptr().wrapping_add(address as usize).cast())
    }
}

impl Transport for UioTransport {
    fn config(&self) -> &Config {
        &self.config
    }

    fn read(&mut self, address: u32) -> Result<u32, TransportError> {
        let word = self.word(address)?;
        // SAFETY: the word lies in the map. It is aligned: 4 divides its address, the offset of the map and a page.
        Ok(u32::from_le(unsafe { word.read_volatile() }))
    }

    fn write(&mut self, address: u32, value: u32) -> Result<(), TransportError> {
        let word = self.word(address)?;
        // SAFETY: as of `read`; the map may be written.
        unsafe { word.write_volatile(value.to_le()) };
        Ok(())
    }

    fn cycles(&self) -> u64 {
        self.cycles
    }

    /// Sleeps as long as the operating system can, and spins the rest.
    fn wait(&mut self, cycles: u64) {
        self.cycles += cycles;
        let (begun, time) = (Instant::now(), Duration::from_secs_f64(cycles as f64 / self.clock));
        thread::sleep(time.saturating_sub(OVERSLEEP));
        while begun.elapsed() < time {
            hint::spin_loop();
        }
    }

    /// Reads the registers that tell which events interrupt.
    fn interrupt(&mut self) -> bool {
        [ControlRegister::InterruptLow, ControlRegister::InterruptHigh]
            .map(|register| address_at(&self.config, self.host, register, 0))
            .into_iter()
            .any(|address| self.read(address).is_ok_and(|events| events != 0))
    }
}

#[cfg(test)]
mod tests {
    use std::{
        fs::{self, File},
        io::{Seek, SeekFrom, Write},
    };

    use super::*;
    use crate::GoldenTransport;

    /// Offset of the space in the file: map 1 of a device, with any size of pages.
    const OFFSET: u64 = 1 << 16;

    fn config() -> Config {
        Config {
            edge_nodes: 1,
            ..Config::default()
        }
    }

    fn file(bytes: u64) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().set_len(bytes).unwrap();
        file
    }

    fn put(mut file: &File, address: u32, word: u32) {
        file.seek(SeekFrom::Start(OFFSET + u64::from(address))).unwrap();
        file.write_all(&word.to_le_bytes()).unwrap();
    }

    #[test]
    fn words_lie_at_their_addresses() {
        let file = file(OFFSET + SPACE_BYTES as u64);
        let mut transport = UioTransport::map(file.path(), OFFSET, &config(), 50e6).unwrap();
        put(file.as_file(), 0x44, 0x0102_0304);
        assert_eq!(transport.read(0x44), Ok(0x0102_0304));
        let words = [1, 2, 0x8000_0003];
        transport.write_block(0xf_fff4, &words).unwrap();
        let mut found = [0; 3];
        transport.read_block(0xf_fff4, &mut found).unwrap();
        assert_eq!((found, transport.cycles()), (words, 7));
        let limit = 0x10_0000;
        for address in [2, limit] {
            let refused = TransportError::Address { address, limit };
            assert_eq!(transport.read(address), Err(refused.clone()));
            assert_eq!(transport.write(address, 0), Err(refused));
        }
        drop(transport);
        let bytes = fs::read(file.path()).unwrap();
        assert_eq!(bytes[bytes.len() - 12..], [1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0x80]);
        assert!(bytes[..OFFSET as usize].iter().all(|&byte| byte == 0));
    }

    #[test]
    fn registers_tell_the_fabric_and_its_interrupt() {
        let file = file(OFFSET + SPACE_BYTES as u64);
        let blank = UioTransport::open(file.path(), OFFSET, &config(), 50e6).unwrap_err();
        assert_eq!(
            blank.to_string(),
            "wrong bitstream behind the port: magic is 0, expected 20559 (register id); use the configuration that the \
             bitstream was generated from"
        );
        let mut golden = GoldenTransport::new(&config()).unwrap();
        let host = config().tiles();
        for register in [
            ControlRegister::Id,
            ControlRegister::Node,
            ControlRegister::Tiles,
            ControlRegister::Memory,
            ControlRegister::Build,
            ControlRegister::BuildEngines,
        ] {
            let address = address_at(&config(), host, register, 0);
            put(file.as_file(), address, Transport::read(&mut golden, address).unwrap());
        }
        let mut transport = UioTransport::open(file.path(), OFFSET, &config(), 50e6).unwrap();
        assert!(!transport.interrupt());
        put(
            file.as_file(),
            address_at(&config(), host, ControlRegister::InterruptHigh, 0),
            4,
        );
        assert!(transport.interrupt());
        let before = transport.cycles();
        transport.wait(5);
        assert_eq!(transport.cycles() - before, 5);
    }

    #[test]
    fn what_cannot_be_mapped_is_told() {
        let told = |path: &Path, offset| {
            UioTransport::map(path, offset, &config(), 50e6)
                .unwrap_err()
                .to_string()
        };
        let none = told(Path::new("/dev/uio-none"), 0);
        assert!(none.starts_with("/dev/uio-none: no such device: "), "{none}");
        let short = file(OFFSET);
        let text = told(short.path(), 0);
        assert!(text.ends_with(": 65536 bytes, expected 1048576 at least"), "{text}");
        let odd = file(2 * SPACE_BYTES as u64);
        assert!(UioTransport::map(odd.path(), 12, &config(), 50e6).is_ok());
        let text = told(odd.path(), 6);
        assert!(text.ends_with(": offset = 6 must be a multiple of 4"), "{text}");
    }
}

//! `--on`: a board in place of a model.

use clap::Args;
use portico::{
    serial::{Options, PortLine, DEFAULT_BAUD},
    verify_tiles, Error, Fabric, SerialTransport, Transport, TransportError, UioTransport,
};
use portico_spec::Config;
use std::{fmt, ops::RangeInclusive, time::Duration};

/// Clock of a board unless it is given, in MHz.
const CLOCK: f64 = 50.0;
/// Clocks that a board may have, in MHz.
const CLOCKS: RangeInclusive<f64> = 1.0..=1000.0;

/// Seconds that a simulated board may take for an answer, even beside other work.
pub const SIMULATED_PATIENCE: f64 = 20.0;
/// Seconds that may be asked for.
const PATIENCES: RangeInclusive<f64> = 0.01..=3600.0;

/// Where a board is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Port {
    /// Through the UART bridge.
    Serial { path: String, baud: u32 },
    /// Through memory that a UIO driver maps.
    Uio { path: String },
}

impl fmt::Display for Port {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Port::Serial { path, baud } => write!(f, "serial:{path}:{baud}"),
            Port::Uio { path } => write!(f, "uio:{path}"),
        }
    }
}

/// The board on which to run.
#[derive(Args, Clone, Debug)]
pub struct OnArgs {
    /// On a board instead: serial:PATH or serial:PATH:BAUD through its UART bridge (1000000 baud unless given), uio:PATH
    /// through mapped memory
    #[arg(long, value_name = "PORT", value_parser = port, conflicts_with_all = ["golden", "vcd"])]
    on: Option<Port>,
    /// Clock of the board's fabric, in MHz [default: 50]
    #[arg(long, value_name = "MHZ", value_parser = clock, requires = "on")]
    clock: Option<f64>,
    /// Seconds that the serial port waits for an answer before it asks again; a simulated board takes longer than a real one
    /// [default: 0.25]
    #[arg(long, value_name = "SECONDS", value_parser = patience, requires = "on")]
    patience: Option<f64>,
}

fn port(text: &str) -> Result<Port, String> {
    let known = text.split_once(':').filter(|(_, path)| !path.is_empty());
    match known {
        Some(("uio", path)) => Ok(Port::Uio { path: path.into() }),
        Some(("serial", path)) => {
            let is_number = |baud: &str| !baud.is_empty() && baud.bytes().all(|byte| byte.is_ascii_digit());
            let split = path.rsplit_once(':').filter(|(_, baud)| is_number(baud));
            let (path, baud) = match split {
                Some((path, baud)) => (path, baud.parse().ok().filter(|&baud| baud > 0).ok_or(baud)),
                None => (path, Ok(DEFAULT_BAUD)),
            };
            let baud = baud.map_err(|baud| format!("baud {baud} is not allowed: allowed is 1..={}", u32::MAX))?;
            Ok(Port::Serial {
                path: path.into(),
                baud,
            })
        }
        _ => Err("allowed are serial:PATH, serial:PATH:BAUD and uio:PATH".into()),
    }
}

fn clock(text: &str) -> Result<f64, String> {
    let clock = text.parse().ok().filter(|clock| CLOCKS.contains(clock));
    clock.ok_or_else(|| format!("allowed is {} to {} MHz", CLOCKS.start(), CLOCKS.end()))
}

fn patience(text: &str) -> Result<f64, String> {
    let patience = text.parse().ok().filter(|patience| PATIENCES.contains(patience));
    patience.ok_or_else(|| format!("allowed is {} to {} seconds", PATIENCES.start(), PATIENCES.end()))
}

impl OnArgs {
    /// Whether it is a board with a UART bridge, as `portico bitstream`, `vivado` and `bridge` make it.
    pub fn is_serial(&self) -> bool {
        matches!(self.on, Some(Port::Serial { .. }))
    }

    /// The board, if one is asked for: its fabric is reset where that is possible, and has `config`.
    ///
    /// # Errors
    /// There is no such device, nobody answers, or the fabric is another.
    pub fn open(&self, config: &Config) -> anyhow::Result<Option<(&Port, Box<dyn Transport>)>> {
        let Some(port) = &self.on else {
            return Ok(None);
        };
        let mut options = Options {
            clock: 1e6 * self.clock.unwrap_or(CLOCK),
            ..Options::default()
        };
        if let Some(patience) = self.patience {
            options.timeout = Duration::from_secs_f64(patience);
        }
        Ok(Some((port, port.open(config, options)?)))
    }
}

/// The fabric behind a transport of a board, whose tiles are those of the configuration.
///
/// # Errors
/// [`Error::WrongBitstream`], or nobody answers.
pub fn fabric(transport: &mut dyn Transport) -> Result<Fabric<&mut dyn Transport>, Error> {
    let mut fabric = Fabric::open(transport)?;
    verify_tiles(&mut fabric)?;
    Ok(fabric)
}

impl Port {
    fn open(&self, config: &Config, options: Options) -> Result<Box<dyn Transport>, Error> {
        Ok(match self {
            Port::Serial { path, baud } => {
                let line = PortLine::open(path, *baud).map_err(TransportError::from)?;
                Box::new(SerialTransport::open(line, config, options)?)
            }
            Port::Uio { path } => Box::new(UioTransport::open(path, 0, config, options.clock)?),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_is_a_scheme_a_path_and_a_baud_rate() {
        let serial = |path: &str, baud| {
            let path = path.to_owned();
            Ok(Port::Serial { path, baud })
        };
        assert_eq!(port("serial:/dev/ttyUSB0"), serial("/dev/ttyUSB0", 1_000_000));
        assert_eq!(port("serial:/dev/ttyUSB0:9600"), serial("/dev/ttyUSB0", 9600));
        assert_eq!(port("serial:/dev/by:path"), serial("/dev/by:path", 1_000_000));
        let path = "/dev/uio0".to_owned();
        assert_eq!(port("uio:/dev/uio0"), Ok(Port::Uio { path }));
        for text in ["", "serial", "serial:", "uio:", "/dev/ttyUSB0", "usb:1"] {
            assert!(port(text).unwrap_err().starts_with("allowed are serial:PATH"), "{text}");
        }
        for baud in ["0", "4294967296"] {
            let text = port(&format!("serial:a:{baud}")).unwrap_err();
            assert!(text.starts_with(&format!("baud {baud} is not allowed")), "{text}");
        }
        for text in ["0", "-1", "0.9", "1001", "inf", "NaN", "fast"] {
            assert_eq!(clock(text), Err("allowed is 1 to 1000 MHz".to_owned()), "{text}");
        }
        assert_eq!(clock("62.5"), Ok(62.5));
    }
}

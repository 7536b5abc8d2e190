//! A device under test at the level of its streams: flits offered, flits accepted, flits emitted, a clock cycle at a time.

use crate::device::{Device, Input, Output, PortError};
use portico_spec::Flit;

/// Cycles for which `rst` is held: one suffices for synchronous logic, more show that it stays in reset.
const RESET_CYCLES: usize = 4;

/// What moved in one cycle, by stream.
#[derive(Clone, Copy, Debug)]
pub struct Handshakes<'a> {
    /// Whether the flit offered to each input was accepted.
    pub accepted: &'a [bool],
    /// The flit that each output handed over.
    pub emitted: &'a [Option<Flit>],
}

/// Input and output streams of flits, all in one clock domain.
pub trait StreamDevice {
    /// Number of input streams.
    fn inputs(&self) -> usize;

    /// Number of output streams.
    fn outputs(&self) -> usize;

    /// Resets the device, in mid-flight too: all flits inside are lost.
    fn reset(&mut self);

    /// One clock cycle: `offered` has a place for each input, `ready` tells which outputs may hand over a flit.
    ///
    /// # Panics
    /// `offered` or `ready` have another length than the device has streams.
    fn cycle(&mut self, offered: &[Option<Flit>], ready: &[bool]) -> Handshakes<'_>;
}

/// One AXI4-Stream input: `s_axis_<k>_tdata`, `_tlast`, `_tvalid`, `_tready`.
#[derive(Clone, Copy, Debug)]
struct Sink {
    data: Input,
    last: Input,
    valid: Input,
    ready: Output,
}

/// One AXI4-Stream output: `m_axis_<k>_tdata`, `_tlast`, `_tvalid`, `_tready`.
#[derive(Clone, Copy, Debug)]
struct Origin {
    data: Output,
    last: Output,
    valid: Output,
    ready: Input,
}

/// Any [`Device`] with streams `s_axis_<k>` and `m_axis_<k>`, k from 0; a sole stream may lack its `_0`.
///
/// Ports are found once; a cycle allocates nothing and drives only what changes.
#[derive(Debug)]
pub struct PortStreams<D> {
    device: D,
    sinks: Vec<Sink>,
    origins: Vec<Origin>,
    offered: Vec<Option<Flit>>,
    ready: Vec<bool>,
    accepted: Vec<bool>,
    emitted: Vec<Option<Flit>>,
}

impl<D: Device> PortStreams<D> {
    /// Finds the streams and resets the device.
    ///
    /// # Errors
    /// The device lacks a port of one of the streams.
    pub fn new(device: D, inputs: usize, outputs: usize) -> Result<Self, PortError> {
        let sinks = (0..inputs).map(|k| {
            let stream = stream_name(&device, "s_axis", k, inputs);
            Ok(Sink {
                data: device.require_input(&format!("{stream}_tdata"))?,
                last: device.require_input(&format!("{stream}_tlast"))?,
                valid: device.require_input(&format!("{stream}_tvalid"))?,
                ready: device.require_output(&format!("{stream}_tready"))?,
            })
        });
        let origins = (0..outputs).map(|k| {
            let stream = stream_name(&device, "m_axis", k, outputs);
            Ok(Origin {
                data: device.require_output(&format!("{stream}_tdata"))?,
                last: device.require_output(&format!("{stream}_tlast"))?,
                valid: device.require_output(&format!("{stream}_tvalid"))?,
                ready: device.require_input(&format!("{stream}_tready"))?,
            })
        });
        let mut streams = Self {
            sinks: sinks.collect::<Result<_, _>>()?,
            origins: origins.collect::<Result<_, _>>()?,
            offered: vec![None; inputs],
            ready: vec![false; outputs],
            accepted: vec![false; inputs],
            emitted: vec![None; outputs],
            device,
        };
        streams.reset();
        Ok(streams)
    }

    /// The device, for its ports that are no streams.
    pub fn device(&mut self) -> &mut D {
        &mut self.device
    }
}

/// A one-element array has an index in its name, a single interface has not; either may be the only stream.
fn stream_name(device: &impl Device, prefix: &str, k: usize, streams: usize) -> String {
    let has = |stream: &str| {
        let valid = format!("{stream}_tvalid");
        device.input(&valid).is_some() || device.output(&valid).is_some()
    };
    if streams == 1 && has(prefix) {
        prefix.to_owned()
    } else {
        format!("{prefix}_{k}")
    }
}

impl<D: Device> StreamDevice for PortStreams<D> {
    fn inputs(&self) -> usize {
        self.sinks.len()
    }

    fn outputs(&self) -> usize {
        self.origins.len()
    }

    fn reset(&mut self) {
        for sink in &self.sinks {
            self.device.set(sink.valid, 0);
        }
        for origin in &self.origins {
            self.device.set(origin.ready, 0);
        }
        self.offered.fill(None);
        self.ready.fill(false);
        self.device.reset(RESET_CYCLES);
    }

    fn cycle(&mut self, offered: &[Option<Flit>], ready: &[bool]) -> Handshakes<'_> {
        assert_eq!(
            (offered.len(), ready.len()),
            (self.sinks.len(), self.origins.len()),
            "one place for each input and output stream"
        );
        for ((sink, driven), &offered) in self.sinks.iter().zip(&mut self.offered).zip(offered) {
            if *driven != offered {
                if let Some(flit) = offered {
                    self.device.set(sink.data, flit.data);
                    self.device.set(sink.last, u64::from(flit.last));
                }
                self.device.set(sink.valid, u64::from(offered.is_some()));
                *driven = offered;
            }
        }
        for ((origin, driven), &ready) in self.origins.iter().zip(&mut self.ready).zip(ready) {
            if *driven != ready {
                self.device.set(origin.ready, u64::from(ready));
                *driven = ready;
            }
        }
        self.device.settle();
        for ((accepted, sink), offered) in self.accepted.iter_mut().zip(&self.sinks).zip(offered) {
            *accepted = offered.is_some() && self.device.get(sink.ready) != 0;
        }
        for ((emitted, origin), &ready) in self.emitted.iter_mut().zip(&self.origins).zip(ready) {
            let handed = ready && self.device.get(origin.valid) != 0;
            *emitted = handed.then(|| Flit {
                data: self.device.get(origin.data),
                last: self.device.get(origin.last) != 0,
            });
        }
        self.device.tick();
        Handshakes {
            accepted: &self.accepted,
            emitted: &self.emitted,
        }
    }
}

//! A device under test at the level of its streams: flits offered, flits accepted, flits emitted, a clock cycle at a time.

use super::{Device, Input, Output, PortError};
use portico_spec::Flit;
use std::fmt::Display;

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
        let inputs: Vec<_> = (0..inputs).map(|k| stream_name(&device, "s_axis", k, inputs)).collect();
        let outputs: Vec<_> = (0..outputs)
            .map(|k| stream_name(&device, "m_axis", k, outputs))
            .collect();
        Self::named(device, &inputs, &outputs)
    }

    /// Finds the streams of these names, such as `s_axis_local`, and resets the device.
    ///
    /// # Errors
    /// The device lacks a port of one of the streams.
    pub fn named<S: Display>(device: D, inputs: &[S], outputs: &[S]) -> Result<Self, PortError> {
        let sinks = inputs.iter().map(|stream| {
            Ok(Sink {
                data: device.require_input(&format!("{stream}_tdata"))?,
                last: device.require_input(&format!("{stream}_tlast"))?,
                valid: device.require_input(&format!("{stream}_tvalid"))?,
                ready: device.require_output(&format!("{stream}_tready"))?,
            })
        });
        let origins = outputs.iter().map(|stream| {
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
            offered: vec![None; inputs.len()],
            ready: vec![false; outputs.len()],
            accepted: vec![false; inputs.len()],
            emitted: vec![None; outputs.len()],
            device,
        };
        streams.reset();
        Ok(streams)
    }

    /// The device, for its ports that are no streams.
    pub fn device(&mut self) -> &mut D {
        &mut self.device
    }

    /// Whether input `k` had room in the cycle that ended last, with or without a flit offered to it.
    pub fn has_room(&self, k: usize) -> bool {
        self.device.get(self.sinks[k].ready) != 0
    }

    /// The flit that output `k` showed in the cycle that ended last, handed over or not.
    pub fn shown(&self, k: usize) -> Option<Flit> {
        let origin = &self.origins[k];
        (self.device.get(origin.valid) != 0).then(|| Flit {
            data: self.device.get(origin.data),
            last: self.device.get(origin.last) != 0,
        })
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
        for (k, &ready) in ready.iter().enumerate() {
            self.emitted[k] = if ready { self.shown(k) } else { None };
        }
        self.device.tick();
        Handshakes {
            accepted: &self.accepted,
            emitted: &self.emitted,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{device::rtl::RtlDevice, rtl_device};
    use portico_hdl::prim::{StreamIn, StreamOut};
    use rand::{rngs::SmallRng, Rng, SeedableRng};
    use rust_hdl::prelude::*;
    use std::collections::VecDeque;

    /// Two streams that change places, a register each; ready goes through, so that it must be read in its own cycle.
    #[derive(LogicBlock, Default)]
    struct Crossing {
        clk: Signal<In, Clock>,
        rst: Signal<In, Bit>,
        s_axis: [StreamIn<32>; 2],
        m_axis: [StreamOut<32>; 2],
        data: [DFF<Bits<32>>; 2],
        last: [DFF<Bit>; 2],
        full: [DFF<Bit>; 2],
    }

    impl Logic for Crossing {
        #[hdl_gen]
        fn update(&mut self) {
            for i in 0..2 {
                self.data[i].clock.next = self.clk.val();
                self.last[i].clock.next = self.clk.val();
                self.full[i].clock.next = self.clk.val();
                self.data[i].d.next = self.data[i].q.val();
                self.last[i].d.next = self.last[i].q.val();
                self.full[i].d.next = self.full[i].q.val();
                self.m_axis[1 - i].tdata.next = self.data[i].q.val();
                self.m_axis[1 - i].tlast.next = self.last[i].q.val();
                self.m_axis[1 - i].tvalid.next = self.full[i].q.val();
                self.s_axis[i].tready.next = !self.full[i].q.val() | self.m_axis[1 - i].tready.val();
                if !self.full[i].q.val() | self.m_axis[1 - i].tready.val() {
                    self.full[i].d.next = self.s_axis[i].tvalid.val();
                    self.data[i].d.next = self.s_axis[i].tdata.val();
                    self.last[i].d.next = self.s_axis[i].tlast.val();
                }
                if self.rst.val() {
                    self.full[i].d.next = false;
                }
            }
        }
    }

    fn crossing() -> RtlDevice<Crossing> {
        rtl_device!(
            Crossing::default();
            rst,
            s_axis[0].tdata, s_axis[0].tlast, s_axis[0].tvalid, m_axis[0].tready,
            s_axis[1].tdata, s_axis[1].tlast, s_axis[1].tvalid, m_axis[1].tready
        )
    }

    #[test]
    fn what_is_accepted_comes_out_once_in_order_at_the_right_stream() {
        let seed = 0x5eed;
        let mut rng = SmallRng::seed_from_u64(seed);
        let mut streams = PortStreams::new(crossing(), 2, 2).unwrap();
        let mut expected = [VecDeque::new(), VecDeque::new()];
        let (mut offered, mut moved, mut full_speed) = ([None; 2], 0, 0);
        for cycle in 0..3_000 {
            if cycle == 1_500 {
                streams.reset();
                expected.iter_mut().for_each(VecDeque::clear);
                offered = [None; 2];
            }
            for offer in &mut offered {
                let flit = Flit {
                    data: rng.gen::<u32>().into(),
                    last: rng.gen(),
                };
                *offer = offer.or(rng.gen_bool(0.7).then_some(flit));
            }
            let ready: [bool; 2] = rng.gen();
            let Handshakes { accepted, emitted } = streams.cycle(&offered, &ready);
            for k in 0..2 {
                if let Some(flit) = emitted[k] {
                    assert!(
                        ready[k],
                        "seed {seed:#x}, cycle {cycle}: a stream that was not ready gave a flit"
                    );
                    assert_eq!(Some(flit), expected[1 - k].pop_front(), "seed {seed:#x}, cycle {cycle}");
                    moved += 1;
                }
            }
            for k in 0..2 {
                if accepted[k] {
                    full_speed += usize::from(emitted[1 - k].is_some());
                    expected[k].extend(offered[k].take());
                }
            }
        }
        assert!(
            moved > 2_000 && full_speed > 500,
            "{moved} flits, {full_speed} while another left"
        );
        assert!(
            expected.iter().all(|queue| queue.len() <= 1),
            "a register holds one flit"
        );
    }

    /// Ports by name alone.
    struct Names(Vec<String>);

    impl Names {
        fn of(streams: &[&str]) -> Self {
            let port = |stream: &&str| ["tdata", "tlast", "tvalid", "tready"].map(|field| format!("{stream}_{field}"));
            Self(streams.iter().flat_map(port).collect())
        }

        fn find(&self, name: &str) -> Option<usize> {
            self.0.iter().position(|known| known == name)
        }
    }

    impl Device for Names {
        fn input(&self, name: &str) -> Option<Input> {
            self.find(name).map(Input)
        }

        fn output(&self, name: &str) -> Option<Output> {
            self.find(name).map(Output)
        }

        fn set(&mut self, _port: Input, _value: u64) {}

        fn get(&self, _port: Output) -> u64 {
            0
        }

        fn settle(&mut self) {}

        fn tick(&mut self) {}

        fn reset(&mut self, _cycles: usize) {}
    }

    #[test]
    fn streams_are_found_by_any_name_and_seen_while_they_wait() {
        let names = ["s_axis_1", "s_axis_0"];
        let mut streams = PortStreams::named(crossing(), &names, &["m_axis_0", "m_axis_1"]).unwrap();
        let flit = Flit { data: 7, last: true };
        streams.cycle(&[Some(flit), None], &[false; 2]);
        assert_eq!((streams.shown(0), streams.has_room(0)), (None, true));
        let emitted = streams.cycle(&[None; 2], &[false; 2]).emitted;
        assert_eq!(emitted, [None; 2]);
        assert_eq!([streams.shown(0), streams.shown(1)], [Some(flit), None]);
        assert_eq!([streams.has_room(0), streams.has_room(1)], [false, true]);
        let error = PortStreams::named(crossing(), &["s_axis_2"], &[]).err();
        assert_eq!(error.unwrap().name, "s_axis_2_tdata");
    }

    #[test]
    fn a_sole_stream_may_lack_its_index() {
        let shape = |names: &[&str], inputs, outputs| {
            let streams = PortStreams::new(Names::of(names), inputs, outputs);
            streams.map(|streams| (streams.inputs(), streams.outputs()))
        };
        assert_eq!(shape(&["s_axis", "m_axis"], 1, 1), Ok((1, 1)));
        assert_eq!(shape(&["s_axis_0", "m_axis_0"], 1, 1), Ok((1, 1)));
        assert_eq!(shape(&["s_axis", "m_axis_0", "m_axis_1"], 1, 2), Ok((1, 2)));
        let error = shape(&["s_axis", "m_axis_0"], 1, 2).unwrap_err();
        assert_eq!(error.name, "m_axis_1_tdata");
    }
}

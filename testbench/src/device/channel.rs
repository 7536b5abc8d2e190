//! A channel that a design drives, and the rule that what is offered stays.

use crate::device::{Device, Input, Output, PortError};

/// A channel that a design drives: valid, ready, and what must not change while it waits.
pub struct Channel {
    name: &'static str,
    valid: Output,
    ready: Input,
    payload: Vec<Output>,
    is_ready: bool,
    waiting: Option<Vec<u64>>,
}

impl Channel {
    pub fn new(device: &impl Device, prefix: &str, name: &'static str, payload: &[&str]) -> Result<Self, PortError> {
        let port = |field: &str| format!("{prefix}_{name}{field}");
        let payload = payload.iter().map(|field| device.require_output(&port(field)));
        Ok(Self {
            name,
            valid: device.require_output(&port("valid"))?,
            ready: device.require_input(&port("ready"))?,
            payload: payload.collect::<Result<_, _>>()?,
            is_ready: false,
            waiting: None,
        })
    }

    pub fn drive(&mut self, device: &mut impl Device, is_ready: bool) {
        self.is_ready = is_ready;
        device.set(self.ready, u64::from(is_ready));
    }

    /// What is offered now need not stay.
    pub fn reset(&mut self) {
        self.waiting = None;
    }

    /// The payload that passes in this cycle.
    pub fn observe(&mut self, device: &impl Device) -> Option<Vec<u64>> {
        let is_valid = device.get(self.valid) == 1;
        let payload: Vec<u64> = self.payload.iter().map(|port| device.get(*port)).collect();
        if let Some(waiting) = &self.waiting {
            assert!(is_valid, "{}valid fell before it was taken", self.name);
            assert_eq!(waiting, &payload, "{} changed before it was taken", self.name);
        }
        self.waiting = (is_valid && !self.is_ready).then(|| payload.clone());
        (is_valid && self.is_ready).then_some(payload)
    }
}

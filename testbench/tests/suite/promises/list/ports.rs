//! The ports of a list manager.

use portico_testbench::device::{Device, Input, Output, PortError};

/// What a test drives and looks at.
pub struct Ports {
    pub s_tdata: Input,
    pub s_tlast: Input,
    pub s_tvalid: Input,
    pub s_tready: Output,
    pub m_tdata: Output,
    pub m_tlast: Output,
    pub m_tvalid: Output,
    pub m_tready: Input,
    pub initialising: Output,
    pub occupancy: [Output; 3],
    pub searches: Output,
    pub compared: Output,
    pub longest: Output,
}

impl Ports {
    /// Finds them.
    ///
    /// # Errors
    /// The device lacks one.
    pub fn of(device: &dyn Device) -> Result<Self, PortError> {
        Ok(Self {
            s_tdata: device.require_input("s_axis_tdata")?,
            s_tlast: device.require_input("s_axis_tlast")?,
            s_tvalid: device.require_input("s_axis_tvalid")?,
            s_tready: device.require_output("s_axis_tready")?,
            m_tdata: device.require_output("m_axis_tdata")?,
            m_tlast: device.require_output("m_axis_tlast")?,
            m_tvalid: device.require_output("m_axis_tvalid")?,
            m_tready: device.require_input("m_axis_tready")?,
            initialising: device.require_output("initialising")?,
            occupancy: [
                device.require_output("occupancy_priority")?,
                device.require_output("occupancy_overflow")?,
                device.require_output("occupancy_unexpected")?,
            ],
            searches: device.require_output("searches")?,
            compared: device.require_output("compared")?,
            longest: device.require_output("longest")?,
        })
    }
}

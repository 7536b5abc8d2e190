//! Registers of the engine: rows of its tables.

use portico_spec::{
    ni::registers::PortalsRegister,
    portals::engine::{item, LENGTH_WIDTH, RANK_PRESENT_OFFSET, RANK_WIDTH, USER_WIDTH},
};

use super::{
    super::{
        bits::{bit, field},
        segment::node,
    },
    Portals,
};

impl Portals {
    /// A register of a row; 0 if there is none, or if it is only written.
    pub fn read(&self, row: usize, register: PortalsRegister) -> u32 {
        let counter = self.reports.counters.get(row);
        let value = match register {
            PortalsRegister::Portal => self.target.portals.get(row).map(|portal| portal.read()),
            PortalsRegister::CtSuccess => counter.map(|counter| counter.success),
            PortalsRegister::CtFailure => counter.map(|counter| counter.failure),
            PortalsRegister::EqDropped => self.reports.rings.get(row).map(|ring| ring.dropped.into()),
            PortalsRegister::Status => self.target.status.get(row).copied(),
            _ => None,
        };
        value.unwrap_or_default()
    }

    /// Writes a register of a row, if there is one.
    pub fn write(&mut self, row: usize, register: PortalsRegister, data: u32) {
        match register {
            PortalsRegister::Rank => {
                if let Some(rank) = self.ranks.get_mut(row) {
                    *rank = bit(data, RANK_PRESENT_OFFSET).then(|| node(data));
                }
            }
            PortalsRegister::Portal => {
                if let Some(portal) = self.target.portals.get_mut(row) {
                    portal.write(data);
                }
            }
            PortalsRegister::MdStart | PortalsRegister::MdLength | PortalsRegister::MdOptions => {
                self.write_descriptor(row, register, data);
            }
            PortalsRegister::CtSuccess | PortalsRegister::CtFailure | PortalsRegister::CtEvent => {
                self.write_counter(row, register, data);
            }
            PortalsRegister::EqBase | PortalsRegister::EqSize | PortalsRegister::EqTaken | PortalsRegister::EqEvent => {
                self.write_ring(row, register, data)
            }
            PortalsRegister::Setting => match row {
                item::USER => self.setting.user = field(data, 0, USER_WIDTH) as u16,
                item::ENABLE => self.setting.enabled = bit(data, 0),
                item::RANK => self.setting.rank = field(data, 0, RANK_WIDTH) as u8,
                _ => {}
            },
            PortalsRegister::Status => {
                if let Some(status) = self.target.status.get_mut(row) {
                    *status = 0;
                }
            }
            PortalsRegister::EqDropped => {}
        }
    }

    fn write_descriptor(&mut self, row: usize, register: PortalsRegister, data: u32) {
        let Some(descriptor) = self.descriptors.get_mut(row) else {
            return;
        };
        match register {
            PortalsRegister::MdStart => descriptor.start = field(data, 0, LENGTH_WIDTH),
            PortalsRegister::MdLength => descriptor.length = field(data, 0, LENGTH_WIDTH),
            _ => descriptor.options = data,
        }
    }

    fn write_counter(&mut self, row: usize, register: PortalsRegister, data: u32) {
        let Some(counter) = self.reports.counters.get_mut(row) else {
            return;
        };
        match register {
            PortalsRegister::CtSuccess => counter.success = data,
            PortalsRegister::CtFailure => counter.failure = data,
            _ => counter.event = data,
        }
    }

    fn write_ring(&mut self, row: usize, register: PortalsRegister, data: u32) {
        let Some(ring) = self.reports.rings.get_mut(row) else {
            return;
        };
        match register {
            PortalsRegister::EqBase => ring.base = field(data, 0, LENGTH_WIDTH),
            PortalsRegister::EqSize => ring.resize(data),
            PortalsRegister::EqTaken => ring.taken = data as u16,
            _ => ring.event = data,
        }
    }
}

//! A transport for tests.

use portico_spec::{ni::registers::BASE_BYTES, Config};

use crate::{Fabric, GoldenTransport, Transport, TransportError};

/// A golden fabric that fails in one access, or refuses one write, once.
#[derive(Debug)]
pub(crate) struct Failing {
    golden: GoldenTransport,
    /// Accesses before the one that fails: reads, and writes of the host's memory.
    pub left: Option<usize>,
    /// The address of the write that is refused.
    pub refused: Option<u32>,
}

impl Failing {
    /// Without faults.
    pub fn new(config: &Config) -> Failing {
        Failing {
            golden: GoldenTransport::new(config).unwrap(),
            left: None,
            refused: None,
        }
    }

    fn check(&mut self) -> Result<(), TransportError> {
        self.left = match self.left {
            Some(0) => {
                self.left = None;
                return Err(TransportError::Failed("unplugged".to_owned()));
            }
            left => left.map(|left| left - 1),
        };
        Ok(())
    }
}

impl Transport for Failing {
    crate::forward_transport!(golden: config, cycles, wait, interrupt);

    fn read(&mut self, address: u32) -> Result<u32, TransportError> {
        self.check()?;
        self.golden.read(address)
    }

    fn write(&mut self, address: u32, value: u32) -> Result<(), TransportError> {
        // Half a command would be nobody's to mend.
        if address < BASE_BYTES as u32 {
            self.check()?;
        }
        if self.refused == Some(address) {
            self.refused = None;
            return Err(TransportError::slave_error(address));
        }
        self.golden.write(address, value)
    }
}

/// How many events of each tile can be taken.
pub(crate) fn free_events<T: Transport>(fabric: &mut Fabric<T>) -> Vec<usize> {
    let tiles = 0..fabric.config().tiles();
    let free = tiles.map(|tile| {
        let mut taken = vec![];
        while let Ok(event) = fabric.take_event(tile) {
            taken.push(event);
        }
        taken.iter().for_each(|&event| fabric.nodes[tile].events.give(event));
        taken.len()
    });
    free.collect()
}

//! Whether the fabric behind a transport is the configured one.

use portico_spec::ni::registers::{address_at, ControlRegister, Place, IDENTITY};

use crate::{fabric::host, Config, Error, Fabric, Transport};

/// Compares the registers of the host node that describe the fabric with the configuration: identity, tiles, build, engines,
/// memory, node. It only reads, so it changes nothing in a wrong fabric.
///
/// ```
/// use portico::{verify, Config, GoldenTransport};
///
/// let config = Config { edge_nodes: 1, ..Config::default() };
/// verify(&mut GoldenTransport::new(&config)?)?;
/// # Ok::<(), portico::Error>(())
/// ```
///
/// # Errors
/// [`Error::WrongBitstream`] names the first field that differs. [`Error::NoHost`], [`Error::Transport`].
pub fn verify<T: Transport + ?Sized>(transport: &mut T) -> Result<(), Error> {
    let config = transport.config().clone();
    let host = host(&config)?;
    for (register, expected) in [
        (ControlRegister::Id, IDENTITY),
        (ControlRegister::Tiles, config.tiles_register()),
        (ControlRegister::Build, config.build_of(host).register()),
        (ControlRegister::BuildEngines, config.build_of(host).engines_register()),
        (ControlRegister::Memory, config.memory_bytes(host)),
        (ControlRegister::Node, config.terminal_node(host).number().into()),
    ] {
        let found = transport.read(address_at(&config, host, register, 0))?;
        if register == ControlRegister::Tiles && found != expected {
            check_width(transport, &config, host)?;
        }
        compare(register, found, expected)?;
    }
    Ok(())
}

/// Compares the registers of tile 0 that describe tiles with the configuration: build, engines, memory. The host node has
/// fewer features than a tile, so [`verify`] cannot tell these. It reads through the fabric, so [`verify`] comes first.
///
/// # Errors
/// [`Error::WrongBitstream`] names the first field that differs. [`Error::Timeout`], [`Error::Transport`].
pub fn verify_tiles<T: Transport>(fabric: &mut Fabric<T>) -> Result<(), Error> {
    let tile = 0;
    for (register, expected) in [
        (ControlRegister::Build, fabric.config().build_of(tile).register()),
        (
            ControlRegister::BuildEngines,
            fabric.config().build_of(tile).engines_register(),
        ),
        (ControlRegister::Memory, fabric.config().memory_bytes(tile)),
    ] {
        compare(register, fabric.peek(tile, register, 0)?, expected)?;
    }
    Ok(())
}

/// Names the first field of the register that differs.
pub(crate) fn compare(register: ControlRegister, found: u32, expected: u32) -> Result<(), Error> {
    let register = &ControlRegister::REGISTERS[register.number()];
    for field in register.fields.iter().rev() {
        let (found, expected) = (field.take(found), field.take(expected));
        if found != expected {
            return Err(Error::WrongBitstream {
                field: field.name,
                register: register.name,
                found,
                expected,
            });
        }
    }
    Ok(())
}

/// Registers are one word apart. With another word width, all registers except the first appear at wrong addresses.
fn check_width<T: Transport + ?Sized>(transport: &mut T, config: &Config, host: usize) -> Result<(), Error> {
    let other = Config {
        width: if config.width == 32 { 64 } else { 32 },
        ..config.clone()
    };
    let found = transport.read(address_at(&other, host, ControlRegister::Tiles, 0))?;
    match found == config.tiles_register() {
        true => Err(Error::WrongBitstream {
            field: "width",
            register: "tiles",
            found: other.width as u32,
            expected: config.width as u32,
        }),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{GoldenTransport, TransportError};
    use portico_spec::ni::registers::MAGIC;

    /// A fabric that is taken for another, and whether it may be written.
    struct Taken(GoldenTransport, Config, bool);

    impl Transport for Taken {
        crate::forward_transport!(0: read, cycles, wait, interrupt);

        fn config(&self) -> &Config {
            &self.1
        }

        fn write(&mut self, address: u32, word: u32) -> Result<(), TransportError> {
            assert!(self.2, "nothing of a fabric that may be another is written");
            self.0.write(address, word)
        }
    }

    /// A fabric in which one register reads another value.
    struct Altered(GoldenTransport, u32, u32);

    impl Transport for Altered {
        crate::forward_transport!(0: config, write, cycles, wait, interrupt);

        fn read(&mut self, address: u32) -> Result<u32, TransportError> {
            let found = self.0.read(address)?;
            Ok(if address == self.1 { self.2 } else { found })
        }
    }

    #[test]
    fn a_field_that_differs_is_named() {
        let config = Config {
            edge_nodes: 1,
            ..Config::default()
        };
        verify(&mut GoldenTransport::new(&config).unwrap()).unwrap();
        for (setting, told) in [
            ("cols=3", "cols is 4, expected 3 (register tiles);"),
            ("rows=2", "rows is 4, expected 2 (register tiles);"),
            ("edge_nodes=2", "edge_nodes is 1, expected 2 (register tiles);"),
            ("cores=2", ""),
            ("probe=true", ""),
            ("streams=true", ""),
            ("tile_ports=true", ""),
            ("queues=false", ""),
            ("scratchpad=16", ""),
            ("host_queues=true", "queues is 0, expected 1 (register build);"),
            ("host_profile=full", "wide_atomics is 0, expected 1 (register build);"),
            ("host_scratchpad=32", "bytes is 16384, expected 32768 (register memory)"),
            ("width=64", "width is 32, expected 64 (register tiles)"),
        ] {
            let mut other = config.clone();
            other.set(setting).unwrap();
            let checked = verify(&mut Taken(GoldenTransport::new(&config).unwrap(), other, false));
            // The host has its own profile, whatever tiles have.
            let text = checked.err().map_or(String::new(), |error| error.to_string());
            assert!(
                text.contains(told) && text.is_empty() == told.is_empty(),
                "{setting}: {text}"
            );
        }
        let golden = GoldenTransport::new(&config).unwrap();
        let none = verify(&mut Taken(golden, Config::default(), false)).unwrap_err();
        assert_eq!(none, Error::NoHost);
    }

    #[test]
    fn another_version_is_named_with_the_one_that_is_expected() {
        let config = Config {
            edge_nodes: 1,
            ..Config::default()
        };
        let id = address_at(&config, config.tiles(), ControlRegister::Id, 0);
        let golden = GoldenTransport::new(&config).unwrap();
        let refused = verify(&mut Altered(golden, id, MAGIC << 16 | 1)).unwrap_err();
        let text = "version is 1, expected 2 (register id)";
        assert!(refused.to_string().contains(text), "{refused}");
    }

    #[test]
    fn a_memory_node_with_addresses_of_another_width_is_not_opened() {
        let of = |memory_address| {
            let config = Config {
                memories: 1,
                memory_address,
                ..Config::default()
            };
            config.fabric().unwrap()
        };
        for (real, believed) in [(64, 32), (32, 64)] {
            let transport = Taken(GoldenTransport::new(&of(real)).unwrap(), of(believed), true);
            let refused = Fabric::open(transport).err().unwrap().to_string();
            let text = format!("memory_address is {real}, expected {believed} (register build_engines);");
            assert!(refused.contains(&text), "{refused}");
        }
    }

    #[test]
    fn a_field_of_tiles_that_differs_is_named() {
        let config = Config {
            edge_nodes: 1,
            ..Config::default()
        };
        for (setting, told) in [
            ("cores=2", "cores is 8, expected 2 (register build);"),
            ("tile_ports=true", "tile_ports is 0, expected 1 (register build);"),
            ("probe=true", "probe is 0, expected 1 (register build_engines);"),
            ("streams=true", "streams is 0, expected 1 (register build_engines);"),
            (
                "registers_at_tiles=true",
                "registers_at_tiles is 0, expected 1 (register build_engines);",
            ),
            ("mpe=1", "mpe is 0, expected 1 (register build_engines);"),
            ("programs=false", "programs is 1, expected 0 (register build);"),
            ("scratchpad=16", "bytes is 65536, expected 16384 (register memory)"),
            ("monitors=true", ""),
        ] {
            let mut other = config.clone();
            other.set(setting).unwrap();
            let transport = Taken(GoldenTransport::new(&config).unwrap(), other, true);
            let checked = verify_tiles(&mut Fabric::open(transport).unwrap());
            let text = checked.err().map_or(String::new(), |error| error.to_string());
            assert!(
                text.contains(told) && text.is_empty() == told.is_empty(),
                "{setting}: {text}"
            );
        }
    }
}

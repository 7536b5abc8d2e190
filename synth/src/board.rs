//! FPGA boards: what `constraints/<name>/` says of each. The program holds these files, so that it needs no folder to run.

use crate::{Area, SynthError, Target};
use serde::{Deserialize, Serialize};

/// Files of a board: its name, `board.toml`, the constraints.
struct Files {
    name: &'static str,
    toml: &'static str,
    constraints: &'static str,
}

macro_rules! files {
    ($name:literal, $extension:literal) => {
        Files {
            name: $name,
            toml: include_str!(concat!("../../constraints/", $name, "/board.toml")),
            constraints: include_str!(concat!("../../constraints/", $name, "/", $name, ".", $extension)),
        }
    };
}

/// Every board, in the order in which lists show them.
const BOARDS: [Files; 4] = [
    files!("ulx3s-85f", "lpf"),
    files!("ecpix5-85f", "lpf"),
    files!("arty-a7-35t", "xdc"),
    files!("arty-a7-100t", "xdc"),
];

/// A board: its FPGA, what hangs on the FPGA, and where each pin is.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Board {
    /// Name by which it is chosen, such as `ulx3s-85f`.
    #[serde(skip)]
    pub name: &'static str,
    /// Its name for people.
    pub title: String,
    /// Family of the FPGA.
    pub family: Target,
    /// The FPGA as its vendor orders it, with package and speed grade.
    pub part: String,
    /// Its name in openFPGALoader.
    pub loader: String,
    /// Where its pins are published: addresses.
    pub sources: Vec<String>,
    /// How nextpnr is told of the FPGA; on an ECP5.
    pub ecp5: Option<Ecp5>,
    /// The oscillator.
    pub clock: Clock,
    /// The button that resets the fabric.
    pub button: Button,
    /// The serial line to the host.
    pub uart: Uart,
    /// Four LEDs.
    pub leds: Leds,
    /// Outputs that the board wants at 1.
    #[serde(default)]
    pub high: Vec<High>,
    /// How much the FPGA holds.
    pub capacity: Capacity,
    /// Text of the constraints: LPF on an ECP5, else XDC.
    #[serde(skip)]
    pub constraints: &'static str,
}

/// An ECP5, as nextpnr is told of it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ecp5 {
    /// Option that names the device, without its dashes, such as `85k`.
    pub device: String,
    /// Package, such as `CABGA381`.
    pub package: String,
    /// Speed grade.
    pub speed: u32,
}

/// The oscillator of a board.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Clock {
    /// Pin of the FPGA.
    pub pin: String,
    /// Frequency in MHz.
    pub mhz: f64,
    /// Clock of the fabric unless another is asked for, in MHz.
    pub fabric_mhz: f64,
}

/// The level at which something is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Active {
    /// A button reads 1 while it is pressed; an LED is lit by 1.
    High,
    /// A button reads 0 while it is pressed; an LED is lit by 0.
    Low,
}

/// A push button.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Button {
    /// Its name on the board.
    pub label: String,
    /// Pin of the FPGA.
    pub pin: String,
    /// Level while it is pressed.
    pub active: Active,
}

/// A serial line.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Uart {
    /// Where it comes out.
    pub line: String,
    /// Pin by which the FPGA sends to the host.
    pub tx: String,
    /// Pin by which the FPGA receives from the host.
    pub rx: String,
}

/// Four LEDs.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Leds {
    /// Their names on the board.
    pub label: String,
    /// Pins of the FPGA, LED 0 first.
    pub pins: [String; 4],
    /// Level that lights them.
    pub active: Active,
}

/// An output that is always 1.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct High {
    /// Port of the top.
    pub port: String,
    /// Pin of the FPGA.
    pub pin: String,
}

/// How many cells of each kind an FPGA has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Capacity {
    /// Sites of LUTs.
    pub luts: u64,
    /// Flip-flops.
    pub ffs: u64,
    /// Block RAMs: DP16KD, or RAMB36E1.
    pub block_rams: u64,
    /// Multipliers: MULT18X18D, or DSP48E1.
    pub dsps: u64,
    /// Where these numbers are published.
    pub source: String,
}

impl Capacity {
    /// Each kind of cell of which an area has more, with both numbers; none if it fits. For ECP5: see [`Area::sites`].
    pub fn excess(&self, area: &Area) -> Vec<String> {
        let kinds = [
            ("sites of LUT4", area.sites(), self.luts),
            ("flip-flops", area.ffs, self.ffs),
            ("block RAMs DP16KD", area.block_rams, self.block_rams),
            ("multipliers MULT18X18D", area.dsps, self.dsps),
        ];
        let over = kinds.into_iter().filter(|(_, needed, there)| needed > there);
        over.map(|(kind, needed, there)| format!("{needed} {kind} of {there}"))
            .collect()
    }
}

impl Board {
    /// Names of all boards.
    pub fn names() -> Vec<&'static str> {
        BOARDS.iter().map(|files| files.name).collect()
    }

    /// All boards.
    pub fn all() -> Vec<Board> {
        BOARDS.iter().map(read).collect()
    }

    /// The board of this name.
    ///
    /// # Errors
    /// [`SynthError::UnknownBoard`], with the names that there are.
    pub fn named(name: &str) -> Result<Board, SynthError> {
        let found = BOARDS.iter().find(|files| files.name == name).map(read);
        found.ok_or_else(|| SynthError::UnknownBoard {
            name: name.into(),
            known: Board::names(),
        })
    }

    /// Refuses a board whose FPGA is not of this family.
    ///
    /// # Errors
    /// [`SynthError::Family`], with the command for the family that it is of.
    pub fn expect(&self, family: Target) -> Result<(), SynthError> {
        if self.family == family {
            return Ok(());
        }
        Err(SynthError::Family {
            board: self.name.into(),
            family: self.family,
            instead: match self.family {
                Target::Ecp5 => "use `portico bitstream`, which needs no Vivado",
                Target::Xilinx => "use `portico vivado` for a project, and Vivado for the bitstream",
            },
        })
    }

    /// Name of the module that is the top on this board.
    pub fn top(&self) -> String {
        format!("portico_{}", self.name.replace('-', "_"))
    }

    /// File name of its constraints.
    pub fn constraints_file(&self) -> String {
        let extension = match self.family {
            Target::Ecp5 => "lpf",
            Target::Xilinx => "xdc",
        };
        format!("{}.{extension}", self.name)
    }
}

/// The board that these files are of.
///
/// # Panics
/// They do not read as one, which a test excludes.
fn read(files: &Files) -> Board {
    let read: Result<Board, _> = toml::from_str(files.toml);
    let board = read.unwrap_or_else(|error| panic!("constraints/{}/board.toml: {error}", files.name));
    Board {
        name: files.name,
        constraints: files.constraints,
        ..board
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use std::fs;

    /// Pins by port, as the board's description has them.
    fn described(board: &Board) -> BTreeMap<String, String> {
        let single = [
            ("clk_in", &board.clock.pin),
            ("button", &board.button.pin),
            ("uart_rx", &board.uart.rx),
            ("uart_tx", &board.uart.tx),
        ];
        let single = single.map(|(port, pin)| (port.to_owned(), pin.clone()));
        let leds = board.leds.pins.iter().enumerate();
        single
            .into_iter()
            .chain(leds.map(|(led, pin)| (format!("led[{led}]"), pin.clone())))
            .chain(board.high.iter().map(|high| (high.port.clone(), high.pin.clone())))
            .collect()
    }

    /// Pins by port, and the ports that have a standard of 3.3 V, as the constraints have them.
    fn constrained(board: &Board) -> (BTreeMap<String, String>, Vec<String>) {
        let (mut pins, mut at_3v3) = (BTreeMap::new(), Vec::new());
        for line in board.constraints.lines() {
            let line = line.trim();
            let quoted: Vec<&str> = line.split('"').collect();
            let words: Vec<&str> = line.split(|c: char| c.is_whitespace() || "{}".contains(c)).collect();
            let port = line
                .rsplit_once("get_ports {")
                .map(|(_, port)| port.trim_end_matches("}]"));
            let put = match (
                line.starts_with("LOCATE COMP"),
                words.iter().position(|word| *word == "PACKAGE_PIN"),
            ) {
                (true, _) => pins.insert(quoted[1].to_owned(), quoted[3].to_owned()),
                (_, Some(at)) => {
                    at_3v3.extend(line.contains("IOSTANDARD LVCMOS33").then(|| port.unwrap().to_owned()));
                    pins.insert(port.unwrap().to_owned(), words[at + 1].to_owned())
                }
                _ => None,
            };
            assert_eq!(put, None, "{}: one pin a port: {line}", board.name);
            if line.starts_with("IOBUF PORT") && line.contains("IO_TYPE=LVCMOS33") {
                at_3v3.push(quoted[1].to_owned());
            }
        }
        at_3v3.sort();
        (pins, at_3v3)
    }

    #[test]
    fn constraints_place_exactly_the_pins_of_the_description() {
        for board in Board::all() {
            let (pins, at_3v3) = constrained(&board);
            assert_eq!(pins, described(&board), "{}", board.name);
            assert_eq!(at_3v3, pins.keys().cloned().collect::<Vec<_>>(), "{}", board.name);
            let clock = match board.family {
                Target::Ecp5 => format!("FREQUENCY PORT \"clk_in\" {} MHZ;", board.clock.mhz),
                Target::Xilinx => {
                    let period = 1000.0 / board.clock.mhz;
                    format!("create_clock -name clk_in -period {period:.3} [get_ports {{clk_in}}]")
                }
            };
            assert!(board.constraints.contains(&clock), "{}: {clock}", board.name);
        }
    }

    #[test]
    fn every_folder_of_constraints_is_a_board_and_has_a_page() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../constraints");
        let mut folders: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        folders.sort();
        let mut names = Board::names();
        names.sort();
        assert_eq!(folders, names);
        for board in Board::all() {
            let page = fs::read_to_string(format!("{folder}/{}/README.md", board.name)).unwrap();
            for pin in described(&board).values() {
                assert!(page.contains(pin), "{} names {pin}", board.name);
            }
            assert!(page.starts_with(&format!("# {}\n", board.title)), "{page}");
            assert!(board.sources.iter().all(|source| source.starts_with("https://")));
            assert_eq!(board.ecp5.is_some(), board.family == Target::Ecp5, "{}", board.name);
            assert!(page.contains(&board.top()), "{page}");
        }
    }

    #[test]
    fn an_unknown_board_is_refused_with_those_that_there_are() {
        assert_eq!(Board::named("ecpix5-85f").unwrap().top(), "portico_ecpix5_85f");
        assert_eq!(
            Board::named("ulx4s").unwrap_err().to_string(),
            "board = \"ulx4s\" is not known: the boards are ulx3s-85f, ecpix5-85f, arty-a7-35t, arty-a7-100t"
        );
    }

    #[test]
    fn what_does_not_fit_is_told_with_both_numbers() {
        let capacity = Board::named("ulx3s-85f").unwrap().capacity;
        let mut area = Area {
            luts: 83_000,
            carry: 20,
            lut_rams: 100,
            block_rams: 208,
            ..Area::default()
        };
        assert_eq!(area.sites(), 83_640);
        assert_eq!(capacity.excess(&area), [""; 0]);
        area.luts += 1;
        area.dsps = 157;
        assert_eq!(
            capacity.excess(&area),
            ["83641 sites of LUT4 of 83640", "157 multipliers MULT18X18D of 156"]
        );
    }
}

//! A compiled design: found in the cache or built, loaded, and shared by its models.

use crate::cache::{self, Folder};
use crate::compile::{Job, OBJECT};
use crate::loaded::Loaded;
use crate::port::Slot;
use crate::source::Layout;
use crate::{Direction, Input, Model, Options, Port, SimError, Source};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Compiles a design, unless the cache has it, and loads it.
///
/// # Errors
/// A missing tool, Verilog that Verilator refuses or, with [`Options::lint`], warns of, a trace that cannot be had, or
/// a folder that cannot be written: see [`SimError`].
pub fn build(source: impl Into<Source>, options: &Options) -> Result<Library, SimError> {
    let source = source.into();
    let layout = Layout::new(&source.ports);
    let folder = Folder::find(options)?;
    let cache = &folder.path;
    let job = Job::new(&source, &layout, options)?;
    let made = cache::entry(cache, &job.key(), |aside| job.compile(cache, aside));
    let (entry, cached) = made.inspect_err(|_| folder.stays())?;
    cache::note_use(&entry)?;
    let loaded = Loaded::load(&entry.join(OBJECT), source, layout, options.trace)?;
    Ok(Library {
        ports: loaded.ports.clone(),
        held: vec![],
        loaded: Arc::new(loaded),
        entry,
        cached,
        _folder: folder,
    })
}

/// A compiled design, from which models are made; a clone is the same library.
#[derive(Clone)]
pub struct Library {
    loaded: Arc<Loaded>,
    ports: Vec<Port>,
    held: Vec<(Input, u64)>,
    entry: PathBuf,
    cached: bool,
    _folder: Folder,
}

impl Library {
    /// A new model, independent of all others.
    pub fn model(&self) -> Model {
        let mut model = Model::new(self.loaded.clone());
        self.held.iter().for_each(|&(input, value)| model.set(input, value));
        model
    }

    /// The same library with an input less: all its models have `input` at `value` before their first evaluation, and
    /// [`ports`](Library::ports) leaves it out.
    ///
    /// # Errors
    /// [`SimError::NoPort`], as [`Model::input`].
    ///
    /// # Panics
    /// Its models, if the value has more bits than the input.
    pub fn holding(&self, input: &str, value: u64) -> Result<Self, SimError> {
        let placed = self.loaded.find(Direction::Input, input)?;
        let mut held = self.clone();
        held.held.push((Input(Slot::of(placed)), value));
        held.ports.retain(|port| port.name != input);
        Ok(held)
    }

    /// Name of the top module.
    pub fn top(&self) -> &str {
        &self.loaded.top
    }

    /// Ports of the top, the clock among them, but those that are held.
    pub fn ports(&self) -> &[Port] {
        &self.ports
    }

    /// Whether nothing was compiled, because the cache had it.
    pub fn cached(&self) -> bool {
        self.cached
    }

    /// Its folder in the cache: the Verilog, the log of the tools, the shared object.
    pub fn folder(&self) -> &Path {
        &self.entry
    }
}

impl fmt::Debug for Library {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Library")
            .field("top", &self.loaded.top)
            .field("folder", &self.entry)
            .field("cached", &self.cached)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{counter, quick};
    use crate::{Optimise, Trace};
    use std::fs;

    #[test]
    fn shifts_in_a_row_are_not_merged_into_one_that_wraps() {
        let text = "
module shifts (input wire [7:0] a, input wire [2:0] b, input wire [2:0] c, output wire [7:0] y, output wire [7:0] z);
    assign y = (a >> b) >> c;
    assign z = (a << b) << c;
endmodule
";
        let source = Source::new("shifts", text);
        let source = source
            .input("a", 8)
            .input("b", 3)
            .input("c", 3)
            .output("y", 8)
            .output("z", 8);
        let mut model = build(source, &quick()).unwrap().model();
        let [a, b, c] = ["a", "b", "c"].map(|name| model.input(name).unwrap());
        let (y, z) = (model.output("y").unwrap(), model.output("z").unwrap());
        model.set(a, 0xff);
        for (by, then) in (0..8).flat_map(|by| (0..8).map(move |then| (by, then))) {
            model.set(b, by);
            model.set(c, then);
            model.settle();
            let expected = (0xff >> (by + then), (0xff << (by + then)) & 0xff);
            assert_eq!((model.get(y), model.get(z)), expected, "by {by}, then {then}");
        }
    }

    #[test]
    fn the_cache_answers_the_second_time_and_tells_apart_what_differs() {
        let folder = tempfile::tempdir().unwrap();
        let options = Options {
            cache: Some(folder.path().into()),
            ..quick()
        };
        let first = build(counter(), &options).unwrap();
        let again = build(counter(), &options).unwrap();
        assert_eq!((first.cached(), again.cached()), (false, true));
        assert_eq!(first.folder(), again.folder());

        let mut other = counter();
        other.text = other.text.replace("8'd1;", "8'd2;");
        let other = build(other, &options).unwrap();
        assert!(!other.cached());
        let mut models = [first, other].map(|library| library.model());
        let counts = models.each_mut().map(|model| {
            let (enable, count) = (model.input("enable").unwrap(), model.output("count").unwrap());
            model.reset(1);
            model.set(enable, 1);
            model.run(10);
            model.settle();
            model.get(count)
        });
        assert_eq!(counts, [10, 20]);

        for options in [
            Options {
                trace: Trace::Vcd,
                ..options.clone()
            },
            Options {
                lint: false,
                ..options.clone()
            },
            Options {
                optimise: Optimise::Speed,
                ..options.clone()
            },
        ] {
            assert!(!build(counter(), &options).unwrap().cached(), "{options:?}");
        }
    }

    #[test]
    fn an_input_that_is_held_has_its_value_before_anything_runs() {
        let library = build(counter(), &quick()).unwrap();
        let counting = library.holding("enable", 1).unwrap();
        let names = |library: &Library| library.ports().iter().map(|port| port.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&library), ["clk", "rst", "enable", "count", "last"]);
        assert_eq!(names(&counting), ["clk", "rst", "count", "last"]);
        let counts = [&library, &counting].map(|library| {
            let mut model = library.model();
            model.run(7);
            model.settle();
            model.get(model.output("count").unwrap())
        });
        assert_eq!(counts, [0, 7]);
        assert!(library
            .holding("enabel", 1)
            .unwrap_err()
            .to_string()
            .contains("`enable`"));
    }

    #[test]
    fn broken_verilog_is_reported_with_its_log() {
        let folder = tempfile::tempdir().unwrap();
        let options = Options {
            cache: Some(folder.path().into()),
            ..quick()
        };
        let mut broken = counter();
        broken.text = broken.text.replace("assign last = &count;", "assign last = &cuont;");
        let error = build(broken, &options).unwrap_err();
        let SimError::Build { log, .. } = &error else {
            panic!("{error}")
        };
        assert!(fs::read_to_string(log).unwrap().contains("--top-module"));
        let message = error.to_string();
        for part in [
            "verilating of `counter`",
            "cuont",
            "counter.v:",
            &log.display().to_string(),
        ] {
            assert!(message.contains(part), "{message}");
        }
    }

    #[test]
    fn a_warning_is_an_error_unless_lint_is_off() {
        let text = "module top (input wire [7:0] a, output wire [3:0] y); assign y = a; endmodule";
        let source = Source::new("top", text).input("a", 8).output("y", 4);
        let error = build(source.clone(), &quick()).unwrap_err();
        assert!(error.to_string().contains("WIDTHTRUNC"), "{error}");
        let mut model = build(source, &Options { lint: false, ..quick() }).unwrap().model();
        let (a, y) = (model.input("a").unwrap(), model.output("y").unwrap());
        model.set(a, 0xa5);
        model.settle();
        assert_eq!(model.get(y), 5);
    }

    #[test]
    fn a_wrong_port_name_is_answered_with_near_ones() {
        let model = build(counter(), &quick()).unwrap().model();
        let message = |found: Result<(), SimError>| found.unwrap_err().to_string();
        let unknown = message(model.output("cuont").map(drop));
        assert_eq!(unknown, "`counter` has no output `cuont`; near names: `count`");
        let clock = message(model.input("clk").map(drop));
        assert!(clock.contains("ticks drive"), "{clock}");
        let direction = message(model.input("count").map(drop));
        assert_eq!(direction, "`counter` has no input `count`: it is not an input");
        let nothing = message(model.input("zzz").map(drop));
        assert_eq!(nothing, "`counter` has no input `zzz`; it has 2 inputs");
    }

    #[test]
    fn extra_files_and_what_they_include_count_for_the_cache() {
        let folder = tempfile::tempdir().unwrap();
        let (cells, body) = (folder.path().join("cells.v"), folder.path().join("body.vh"));
        let module = "module cell_not (input wire a, output wire y);\n`include \"body.vh\"\nendmodule\n";
        fs::write(&cells, module).unwrap();
        let text = "module top (input wire a, output wire y); cell_not one (.a(a), .y(y)); endmodule";
        let mut source = Source::new("top", text).input("a", 1).output("y", 1);
        source.extra.push(cells);
        let options = Options {
            cache: Some(folder.path().join("cache")),
            ..quick()
        };
        for (assignment, expected) in [("assign y = ~a;\n", 1), ("assign y = a;\n", 0)] {
            fs::write(&body, assignment).unwrap();
            let library = build(source.clone(), &options).unwrap();
            assert!(!library.cached());
            let mut model = library.model();
            model.settle();
            assert_eq!(model.get(model.output("y").unwrap()), expected);
        }
        // The same files in another folder are the same design.
        let elsewhere = tempfile::tempdir().unwrap();
        for name in ["cells.v", "body.vh"] {
            fs::copy(folder.path().join(name), elsewhere.path().join(name)).unwrap();
        }
        source.extra = vec![elsewhere.path().join("cells.v")];
        assert!(build(source, &options).unwrap().cached());
    }
}

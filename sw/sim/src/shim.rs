//! The C++ between Rust and a Verilated model, and the makefile that links both.
//!
//! The shim has a C interface, so that nothing depends on C++ names, and moves all ports at once between the model and
//! two flat buffers of 32-bit words ([`Layout`] says which port lies where): one call a cycle, however many ports.

use crate::source::{Layout, Placed};
use crate::Trace;
use std::fmt::Write;

/// Name of Verilator's classes and files.
pub(crate) const PREFIX: &str = "Vportico";

/// Header that every file of a model reads; precompiled beside the runtime, since it takes most of a small model's time.
pub(crate) const HEADER: &str = "common.h";

/// Compiles the shim as one of the model's classes, and links all with Verilator's runtime, the archive `RUNTIME`.
///
/// `PARTS` says what is compiled at once: `whole.o`, or `fast.o` and `slow.o`, the code that runs every cycle and the code that
/// runs once. To read the headers for each of Verilator's files takes longer than to compile what is in it. `COMMON` takes the
/// precompiled header, which only code of its level of optimisation can use.
pub(crate) const MAKEFILE: &str = "\
VM_CLASSES_FAST = shim
include Vportico.mk
fast.cpp: $(addsuffix .cpp, $(VM_FAST))
slow.cpp: $(addsuffix .cpp, $(VM_SLOW))
whole.cpp: $(addsuffix .cpp, $(VM_FAST) $(VM_SLOW))
fast.cpp slow.cpp whole.cpp:
\t$(VERILATOR_INCLUDER) -DVL_INCLUDE_OPT=include $^ > $@
slow.o: override OPT_FAST = $(OPT_SLOW)
slow.o whole.o: CPPFLAGS += $(COMMON)
model.so: $(PARTS) $(RUNTIME)
\t$(LINK) -shared -o $@ $^ $(LDFLAGS) $(LDLIBS)
common.h.gch: common.h
\t$(CXX) $(OPT_SLOW) $(CXXFLAGS) $(CPPFLAGS) -x c++-header -o $@ $<
";

/// Text of the common header for models that write this waveform.
pub(crate) fn header(trace: Trace) -> String {
    let tracer = match trace {
        Trace::None => "",
        Trace::Vcd => "#include \"verilated_vcd_c.h\"\n",
        Trace::Fst => "#include \"verilated_fst_c.h\"\n",
    };
    format!("#include \"verilated.h\"\n{tracer}#include <cstdint>\n#include <cstring>\n#include <memory>\n")
}

/// All but the copying of ports and the class of the tracer.
///
/// The waveform shows inputs changing at the falling edge: a cycle is dumped once low, just before its rising edge,
/// and once high. Nanoseconds are the time unit that the build gives to the design.
const FRAME: &str = r#"
namespace {
constexpr uint64_t HALF_CYCLE = 5;

struct Shim {
    VerilatedContext context;
    Vportico top{&context, "TOP"};
    std::unique_ptr<Tracer> tracer;
    uint64_t time = 0;

    Shim() { context.traceEverOn(true); }
    void dump(uint64_t at) {
        if (tracer) tracer->dump(at);
    }
    void settle(const uint32_t* inputs, uint32_t* outputs) {
        drive_clock(top, 0);
        load(top, inputs);
        top.eval();
        store(top, outputs);
    }
    void edge() {
        dump(time);
        drive_clock(top, 1);
        top.eval();
        dump(time + HALF_CYCLE);
        time += 2 * HALF_CYCLE;
    }
    void close() {
        if (!tracer) return;
        dump(time);
        tracer->close();
        tracer.reset();
    }
};
}

extern "C" {
void* portico_create() { return new Shim; }
void portico_destroy(Shim* shim) {
    shim->close();
    shim->top.final();
    delete shim;
}
void portico_settle(Shim* shim, const uint32_t* inputs, uint32_t* outputs) { shim->settle(inputs, outputs); }
void portico_edge(Shim* shim) { shim->edge(); }
void portico_run(Shim* shim, const uint32_t* inputs, uint32_t* outputs, uint64_t cycles) {
    for (uint64_t cycle = 0; cycle < cycles; ++cycle) {
        shim->settle(inputs, outputs);
        shim->edge();
    }
}
bool portico_run_until(Shim* shim, const uint32_t* inputs, uint32_t* outputs, const Awaited* awaited, uint64_t* ticks) {
    for (*ticks = 0;; ++*ticks) {
        shim->settle(inputs, outputs);
        uint64_t seen = outputs[awaited->word];
        if (awaited->words > 1) seen |= uint64_t(outputs[awaited->word + 1]) << 32;
        if (seen == awaited->value) return true;
        if (*ticks == awaited->limit) return false;
        shim->edge();
    }
}
bool portico_trace_open(Shim* shim, const char* path) { return open_trace(*shim, path); }
void portico_trace_close(Shim* shim) { shim->close(); }
}
"#;

/// The tracer where there is one: a model's signals can be registered with a tracer only while it is closed.
const TRACED: &str = r"
template <typename S>
bool open_trace(S& shim, const char* path) {
    shim.tracer = std::make_unique<Tracer>();
    shim.top.trace(shim.tracer.get(), 99);
    shim.tracer->open(path);
    if (!shim.tracer->isOpen()) shim.tracer.reset();
    return bool(shim.tracer);
}
";

const UNTRACED: &str = r"
struct Tracer {
    void dump(uint64_t) {}
    void close() {}
};
template <typename S>
bool open_trace(S&, const char*) { return false; }
";

/// The shim of a top with these ports.
pub(crate) fn shim(layout: &Layout, trace: Trace) -> String {
    let tracer = match trace {
        Trace::None => UNTRACED.to_string(),
        Trace::Vcd => format!("using Tracer = VerilatedVcdC;{TRACED}"),
        Trace::Fst => format!("using Tracer = VerilatedFstC;{TRACED}"),
    };
    let mut text = format!(
        "{}#include \"{PREFIX}.h\"\n\nstruct Awaited {{ uint32_t word, words; uint64_t value, limit; }};\n{tracer}\n",
        header(trace)
    );
    let clock = if layout.clocked { "top.clk = level;" } else { "" };
    let _ = writeln!(
        text,
        "static inline void drive_clock(Vportico& top, int level) {{ {clock} }}"
    );
    text += "static inline void load(Vportico& top, const uint32_t* in) {\n";
    layout.inputs.iter().for_each(|placed| text += &load(placed));
    text += "}\nstatic inline void store(Vportico& top, uint32_t* out) {\n";
    layout.outputs.iter().for_each(|placed| text += &store(placed));
    text + "}\n" + FRAME
}

/// Verilator holds a port in 8, 16, 32 or 64 bits, or, if it is wider, in an array of 32-bit words.
fn load(Placed { port, word }: &Placed) -> String {
    let name = member(&port.name);
    match port.width {
        0..=32 => format!("    top.{name} = in[{word}];\n"),
        33..=64 => format!("    top.{name} = uint64_t(in[{}]) << 32 | in[{word}];\n", word + 1),
        _ => format!("    std::memcpy(top.{name}.data(), in + {word}, sizeof(top.{name}));\n"),
    }
}

fn store(Placed { port, word }: &Placed) -> String {
    let name = member(&port.name);
    match port.width {
        0..=32 => format!("    out[{word}] = top.{name};\n"),
        33..=64 => format!(
            "    out[{word}] = uint32_t(top.{name});\n    out[{}] = uint32_t(top.{name} >> 32);\n",
            word + 1
        ),
        _ => format!("    std::memcpy(out + {word}, top.{name}.data(), sizeof(top.{name}));\n"),
    }
}

/// A port's name as Verilator writes it in C++, where two underscores in a row are its own.
fn member(name: &str) -> String {
    name.replace("__", "___05F")
}

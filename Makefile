# `make` sets up and runs the main job; `make test` sets up and passes the tests; `make help` lists the rest.

# Cargo alone knows where it puts programs: CARGO_TARGET_DIR, its settings and a target of its own decide.
PORTICO = cargo run --quiet --release -p portico-cli --
# The fabric of the main job.
DEMO = --set cols=4 --set rows=4 --set mpe=1
# Where the commands write: `make OUT=DIR` names another folder, for a checkout that cannot be written.
OUT = build

# Cargo passes that folder on in variables that part at colons.
ifneq (,$(if $(CARGO_TARGET_DIR),,$(findstring :,$(CURDIR))))
$(error cargo puts no program below a folder with a colon in its name: rename $(CURDIR), or set CARGO_TARGET_DIR to another)
endif

.PHONY: run test quick long slowest first formal bench figures synth wheel doc clean tools help program
.DEFAULT_GOAL = run

run: tools program ## Verilate a 4x4 mesh and a 4x4 fabric; hold traffic, a halo exchange, a transpose and an allreduce against golden
	@echo "make: traffic over a mesh of 4x4 routers, every packet checked"
	$(PORTICO) sim mesh --set cols=4 --set rows=4 --traffic uniform --rate 0.3 --packet 4 --cycles 20000 --seed 1 --out $(OUT)/demo
	@echo "make: one fabric of 4x4 tiles, for all that follows; tiles put the edges of their blocks into their neighbours' borders, by lists"
	$(PORTICO) run halo $(DEMO)
	@echo "make: tiles transpose a matrix of 16 KiB, by lists"
	$(PORTICO) run transpose $(DEMO)
	@echo "make: message-passing engines add vectors of all tiles"
	$(PORTICO) run allreduce $(DEMO)

test: tools ## format, lints, all tests but those of `make long`, documentation, with the time of each
	testbench/run.sh

quick: tools ## format, lints, unit tests, and the suites without their longest tests
	testbench/run.sh --quick

long: tools ## the tests that take long; notes in testbench/long.txt with which files each passed
	testbench/long.sh

slowest: tools ## all tests, then the slowest of them with their seconds
	testbench/slowest.sh

first: ## processor time and disk space of the first `make program` and the first `make`, in clones
	testbench/first.sh

formal: tools ## prove the properties of the primitives with SymbiYosys, and that the proofs catch planted faults
	hdl/formal/run.sh
	hdl/formal/run.sh --mutants

bench: tools program ## all benchmarks, each figure beside its bound; JSON and plots in build
	$(PORTICO) bench noc --out $(OUT)/noc
	$(PORTICO) bench onesided --set memories=1 --out $(OUT)/onesided
	$(PORTICO) bench collectives --out $(OUT)/collectives
	$(PORTICO) bench exchange --out $(OUT)/exchange
	$(PORTICO) bench lists --out $(OUT)/lists
	$(PORTICO) bench mpi --out $(OUT)/mpi
	$(PORTICO) bench portals --out $(OUT)/portals
	$(PORTICO) bench blocks --out $(OUT)/blocks
	$(PORTICO) bench soak --json $(OUT)/soak.json

figures: tools program ## measure anew what the tables of the pages show, and write them
	testbench/first.sh
	$(PORTICO) bench onesided --set memories=1 --set tile_ports=true --set streams=true --json docs/figures/onesided.json
	$(PORTICO) bench noc --mesh 4x4,8x8 --pattern uniform --packet 1,4 --fifo 2,4,8 --load 1 --json docs/figures/noc.json
	$(PORTICO) bench collectives --quick --json docs/figures/collectives.json
	$(PORTICO) sweep examples/sizes.toml --out $(OUT)/sizes
	cp $(OUT)/sizes/sweep.json docs/figures/sizes.json
	$(PORTICO) bench exchange --json docs/figures/exchange.json
	$(PORTICO) bench exchange --set profile=leaf --set segments=128 --set scratchpad=16 --set monitors=true --set commands=true \
		--set mpe=1 --mesh 2x2,3x3,4x4,5x5,6x6,7x7 --words 4 --runs 10 --json docs/figures/alltoall.json
	$(PORTICO) bench lists --json docs/figures/lists.json
	$(PORTICO) bench mpi --set mpe=2 --json docs/figures/mpi.json
	$(PORTICO) bench mpi --mesh 4x4 --tree mapped --words 1,1024 --json docs/figures/mpi-one.json
	$(PORTICO) bench portals --json docs/figures/portals.json
	$(PORTICO) bench blocks --quick --json docs/figures/blocks.json
	$(PORTICO) bench area --json docs/figures/area.json
	$(PORTICO) bench clock --seeds 1 --limit 8 --only router,mpe,memory-node --json docs/figures/clock.json
	$(PORTICO) figures

synth: tools program ## area and clock of the router on ECP5
	$(PORTICO) synth router --target ecp5 --out $(OUT)/synth

wheel: ## the package for Python: build/wheels/portico-*.whl
	sw/python/wheel.sh $(OUT)/wheels --profile wheel

doc: ## documentation of the crates, in target/doc
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps

program:
	@cargo build --release -p portico-cli || { test -w . || \
		echo "make: this folder cannot be written: set CARGO_TARGET_DIR to another for what cargo writes, and give make OUT=DIR for what portico writes" >&2; exit 1; }

tools: ## the pinned EDA tools, in .tools or the folder that PORTICO_TOOLS names
	synth/install-tools.sh

clean: ## remove all that was built; .tools and a folder that CARGO_TARGET_DIR names stay
	rm -rf build target

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 10

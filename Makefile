# `make` sets up and runs the main job; `make test` sets up and passes the tests; `make help` lists the rest.

PORTICO = target/release/portico

.PHONY: run test quick long slowest formal bench figures synth doc clean tools help program
.DEFAULT_GOAL = run

run: tools program ## Verilate a 4x4 mesh and a 4x4 fabric; hold traffic, a halo exchange, a transpose and an allreduce against golden
	$(PORTICO) sim mesh --set cols=4 --set rows=4 --traffic uniform --rate 0.3 --packet 4 --cycles 20000 --seed 1 --out build/demo
	$(PORTICO) run halo --set cols=4 --set rows=4
	$(PORTICO) run transpose --set cols=4 --set rows=4
	$(PORTICO) run allreduce --set cols=4 --set rows=4

test: tools ## format, lints, all tests but those of `make long`, documentation, with the time of each
	testbench/run.sh

quick: tools ## format, lints, unit tests, and the suites without their longest tests
	testbench/run.sh --quick

long: tools ## the tests that take long; notes in testbench/long.txt with which files each passed
	testbench/long.sh

slowest: tools ## all tests, then the slowest of them with their seconds
	testbench/slowest.sh

formal: tools ## prove the properties of the primitives with SymbiYosys, and that the proofs catch planted faults
	hdl/formal/run.sh
	hdl/formal/run.sh --mutants

bench: tools program ## all benchmarks, each figure beside its bound; JSON and plots in build
	$(PORTICO) bench noc --out build/noc
	$(PORTICO) bench onesided --set memories=1 --out build/onesided
	$(PORTICO) bench collectives --out build/collectives
	$(PORTICO) bench exchange --out build/exchange
	$(PORTICO) bench mpi --out build/mpi
	$(PORTICO) bench blocks --out build/blocks
	$(PORTICO) bench soak --json build/soak.json

figures: tools program ## measure anew what the tables of the pages show, and write them
	$(PORTICO) bench onesided --set memories=1 --json docs/figures/onesided.json
	$(PORTICO) bench noc --mesh 4x4,8x8 --pattern uniform --packet 1,4 --fifo 2,4,8 --load 1 --json docs/figures/noc.json
	$(PORTICO) bench collectives --quick --json docs/figures/collectives.json
	$(PORTICO) bench exchange --json docs/figures/exchange.json
	$(PORTICO) bench mpi --json docs/figures/mpi.json
	$(PORTICO) bench blocks --quick --json docs/figures/blocks.json
	$(PORTICO) bench area --json docs/figures/area.json
	$(PORTICO) bench clock --seeds 1 --limit 8 --only router,mpe,memory-node --json docs/figures/clock.json
	$(PORTICO) figures

synth: tools program ## area and clock of the router on ECP5
	$(PORTICO) synth router --target ecp5 --out build/synth

doc: ## documentation of the crates, in target/doc
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps

program:
	cargo build --release -p portico-cli

tools: ## the pinned EDA tools, in .tools
	synth/install-tools.sh

clean: ## remove all that was built; .tools stays
	rm -rf build target

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 10

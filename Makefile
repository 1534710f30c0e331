# The two commands that matter: `make` and `make test`. `make help` lists the other common targets, `make help-all` all targets.

GO ?= go
SIZE ?= lecture
FUZZTIME ?= 30s
# Which benchmarks, and below which folder.
BENCH ?= .
BENCHED ?= .
CHECK_SIZES ?= smoke,lecture
# More flags for run: RUN=--fresh measures all anew.
RUN ?=
# Notebooks at a time. What measures times runs alone.
J ?= 2
# Packages tested at a time. Some tests wait, so there is one package more than there are processors.
P ?= $(shell expr $$(getconf _NPROCESSORS_ONLN || echo 1) + 1)
# The names of experiments begin with these: the papers' packages, without the year. What there is the
# packages declare, each in its experiments.go, and 'make list' says.
EXPERIMENTS := $(sort $(shell ls paper/*/lab.go | sed -E 's,paper/([a-z0-9]*[a-z])[0-9]*/.*,\1,'))
# The interpreter reaches into Go's runtime: with a Go that is newer than those that were
# tried it may not link. Then the newest of them does the work (GOFLAGS=-tags=untried: no).
NEWEST := $(lastword $(shell cat kernel/toolchain/tried.txt))
MINOR = $(shell echo "$(1)" | sed -nE 's/.*go1\.([0-9]+).*/\1/p')
GOVERSION := $(shell $(GO) env GOVERSION)
ifeq ($(findstring untried,$(GOFLAGS)),)
ifeq ($(shell [ "0$(call MINOR,$(GOVERSION))" -gt "0$(call MINOR,$(NEWEST))" ] && echo newer),newer)
export GOTOOLCHAIN := $(NEWEST)
ifeq ($(shell GOTOOLCHAIN=$(NEWEST) $(GO) env GOVERSION 2>/dev/null),$(NEWEST))
$(info This project has not been tried with $(GOVERSION) yet, so $(NEWEST) is used (GOTOOLCHAIN=$(NEWEST)).)
else
$(error This project has not been tried with $(GOVERSION) yet, and $(NEWEST) could not be downloaded. Install $(NEWEST) from https://go.dev/dl and run 'make GO=/path/to/it/bin/go', or try $(GOVERSION) anyway: make GOFLAGS=-tags=untried)
endif
endif
endif
NOTEBOOKS := $(sort $(wildcard notebooks/*.ipynb))
BIN := bin/overcomplete
# The program has its own source in it (packed), from which it makes one with the modules that a
# notebook imports. That one is built like this one, so that the compiler has done most of it:
# without paths and without cgo. Only suite must know where the program is from.
comma := ,
TAGS := packed$(patsubst -tags=%,$(comma)%,$(filter -tags=%,$(GOFLAGS)))
# Stack traces, profiles of cells and pprof need no symbol table; debuggers and perf do: make STRIP= build.
STRIP ?= -s -w
PATH_OF_MODULE := $(shell sed -n 's/^module //p' go.mod)

.DEFAULT_GOAL := all
.PHONY: all build list times budget notebooks figures report site record check-results install uninstall test short race bench bench-cells generate check-generated gophernotes browser python frontends live live-test live-page live-browsers jupyterlite jupyterlite-extension scaleout fuzz random go-programs rename rename-check clean help help-all

all: build ## build, run all notebooks, write figures and a report, print the scoreboard (without make: go run ./cmd/overcomplete all)
	@$(BIN) all -j $(J) --size $(SIZE) $(RUN)

build: ## build bin/overcomplete
	@[ -e $(BIN) ] || echo "Building $(BIN). The first build takes a few minutes."
	@CGO_ENABLED=0 $(GO) run -trimpath ./kernel/internal/selfsource/pack
	@CGO_ENABLED=0 $(GO) build -buildvcs=auto -trimpath -tags=$(TAGS) -ldflags="$(STRIP) -X '$(PATH_OF_MODULE)/suite.checkout=$(CURDIR)'" -o $(BIN) ./cmd/overcomplete

notebooks: build ## run all notebooks without Jupyter (SIZE=smoke|lecture|medium|full; J=2 runs two at a time); outputs go to notebooks/run and figures/run
	@$(BIN) run -j $(J) --size $(SIZE) $(RUN) $(NOTEBOOKS)

list: build ## list the experiments by name ('make bradley-table2' runs only that one, with SIZE=full at the paper's own size)
	@$(BIN) list

times: build ### list the processor time that each experiment took here, the most expensive first
	@$(BIN) list --time --size $(SIZE)

budget: build ### measure everything again, and fail if a notebook takes far more than its budget in notebooks/budget.txt
	@$(BIN) all --fresh -j 1 --size $(SIZE)
	@$(BIN) list --time --budget --size $(SIZE)

$(addsuffix -%,$(EXPERIMENTS)): build
	@$(BIN) run --only $@ --size $(SIZE) $(RUN)

figures: notebooks ### run the notebooks, which write the figures, and list the figures
	@ls figures/run/*/*.svg

report: build ## print the last run's results beside the published ones, and write the site (figures/run/site)
	@$(BIN) report

site: build ## write a site to publish: the course, the report and notebooks that run in the browser (OUT=site; takes a few minutes the first time)
	@$(BIN) site --out $(or $(OUT),site)

jupyterlite: build ### write a JupyterLite with the lectures and a kernel that runs in the browser (OUT=site-jupyterlite; needs npm; takes a few minutes the first time)
	@$(BIN) lite $(or $(OUT),site-jupyterlite) notebooks/lecture-*.ipynb

jupyterlite-extension: ### bundle the kernel extension for JupyterLite again after its source has changed (needs npm)
	@cd kernel/live/jupyterlite/app && npm install --ignore-scripts --no-audit --no-fund && npm run --silent extension && npm test

# As VS Code names systems.
VSIX_ALL := linux-x64 linux-arm64 darwin-x64 darwin-arm64 win32-x64 win32-arm64
VSIX ?= $(shell echo $$($(GO) env GOOS)-$$($(GO) env GOARCH) | sed 's/windows/win32/; s/amd64/x64/')
.PHONY: vsix vsix-check
vsix: ### make the VS Code extension, with the program inside, in dist/ (VSIX=win32-x64 makes the one for Windows, VSIX=all those of all systems; needs npm)
	@$(GO) run -trimpath ./kernel/internal/selfsource/pack
	@mkdir -p dist
	@cd kernel/vscode && npm ci --ignore-scripts --no-audit --no-fund --silent && npm run --silent check
	@set -e; for t in $(if $(filter all,$(VSIX)),$(VSIX_ALL),$(VSIX)); do \
		os=$$(echo $${t%-*} | sed s/win32/windows/); program=kernel/vscode/bin/$$t/overcomplete; [ $$os != windows ] || program=$$program.exe; \
		CGO_ENABLED=0 GOOS=$$os GOARCH=$$(echo $${t#*-} | sed s/x64/amd64/) $(GO) build -buildvcs=auto -trimpath -tags=$(TAGS) -ldflags="$(STRIP)" -o $$program ./cmd/overcomplete; \
		$(GO) run ./cmd/dist -notices kernel/vscode/bin/$$t/NOTICES.txt -targets $$os/$$(echo $${t#*-} | sed s/x64/amd64/); \
		node kernel/vscode/build.mjs --vsix dist/go-notebooks-$$t.vsix --target $$t $$program; ls -sh dist/go-notebooks-$$t.vsix; \
	done

vsix-check: ### make the VS Code extension for this machine, and drive it in the real editor in Chromium (needs npm, which fetches the editor)
	@kernel/vscode/test/run.sh

record: build ### run all notebooks and make the results the committed record (look at them before you commit)
	@$(BIN) run --size $(SIZE) --record $(NOTEBOOKS)

check-results: build ## run all notebooks again at smoke and lecture size, and compare with the expected results (CHECK_SIZES=smoke)
	@$(BIN) check --size $(CHECK_SIZES)

install: build ## register the kernel with Jupyter and VS Code for this user
	@$(BIN) install --user

uninstall: build ## undo install
	@$(BIN) uninstall --user

# With the flags of the build, so that nothing is compiled twice. The time is for a machine that has much else to
# do: go test would end a package after ten minutes.
test: ## vet and test everything
	CGO_ENABLED=0 $(GO) vet -trimpath ./...
	CGO_ENABLED=0 $(GO) test -trimpath -vet=off -p $(P) -timeout 60m ./...

short: ### run the tests that take little, with the flags of the build, so that little is compiled
	CGO_ENABLED=0 $(GO) test -trimpath -vet=off -p $(P) -short ./...

race: ### test with the race detector
	$(GO) test -timeout 60m -race -gcflags=github.com/goplus/ixgo=-d=checkptr=0 ./kernel/... ./paper/... ./data/... ./kernel-helpers/...

# PEERS=peers leaves out PyTorch, which is 3 GB; PEERS= takes those that are installed.
PEERS ?= peers torch
bench: ### time the code with each instruction set, against numpy, scikit-learn and PyTorch at fixed versions from PyPI (PEERS=peers leaves out PyTorch's 3 GB; PEERS= uses what is installed); x-peer is how many times as fast
	@for set in $(PEERS); do $(GO) run ./internal/pyenv/make $$set >/dev/null || echo "$$set: could not be installed; the system's versions are used"; done
	@$(GO) run ./kernel-helpers/internal/peer/bench -go '$(GO)' -bench '$(BENCH)' \
		$$(grep -rl --include='*_test.go' '^func Benchmark' $(BENCHED) | xargs -n1 dirname | sort -u)
	@$(MAKE) --no-print-directory bench-cells

bench-cells: build ### time cells against CPython, GoNB and compiled Go, if installed (CELLS='-run sort -quick'; BEFORE=commit also times that commit's kernel); writes kernel/bench/RESULTS.md
	@$(GO) run ./kernel/bench -kernel $(BIN) $(if $(BEFORE),-before $(BEFORE)) $(CELLS)

generate: ### regenerate the interpreter's bindings (checked in under kernel/internal/bindings)
	$(GO) run ./kernel/bind/gen

check-generated: ### fail if the checked-in bindings are out of date
	$(GO) run ./kernel/bind/gen -check

fuzz: ### fuzz each parser (FUZZTIME=30s for each)
	@for d in $$(grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n1 dirname | sort -u); do \
		for f in $$($(GO) test -list '^Fuzz' $$d | grep ^Fuzz); do \
			echo "== $$d $$f"; $(GO) test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) $$d || exit 1; done; done

go-programs: ### run Go's own test programs as cells, including the slow ones (make test runs the others); needs a Go distribution with its folder "test"
	$(GO) test -count=1 -timeout 0 -v -run TestGoPrograms ./kernel/internal/conformance -slow

# The seed is another each day, unless it is given.
random: ### compare random programs in cells with compiled Go, at every level, also with goroutines (PROGRAMS=10000 SEED=n; takes several hours)
	$(GO) test -count=1 -timeout 0 -v -run 'TestRandom(Programs|Concurrent)' ./kernel/internal/ixengine -programs $(or $(PROGRAMS),10000) -concurrent $(or $(PROGRAMS),10000) -seed $(or $(SEED),$(shell date +%Y%m%d)0000000)

gophernotes: ### build bin/gophernotes 0.7.5 for comparisons (downloads Go 1.21.13, which it needs)
	@cd kernel/internal/compat/gophernotes && GOTOOLCHAIN=go1.21.13 CGO_ENABLED=0 $(GO) build -o ../../../bin/gophernotes github.com/gopherdata/gophernotes

browser: ### test all front ends step by step: the classic Notebook, JupyterLab 4, Notebook 7, live pages, JupyterLite (skips those not installed)
	cd kernel/internal/browser && $(GO) test -count=1 -timeout 30m -v -p 1 ./...

python: ### install JupyterLab, Notebook and their clients for the tests, at fixed versions from PyPI, unless installed; prints the folder
	@$(GO) run ./internal/pyenv/make

frontends: ### test the classic Notebook, JupyterLab 4 and Notebook 7, unless the tests passed with these files in the last week
	@GO="$(GO)" .ci/frontends

live: live-test site ### test the kernel for browsers under node, and write the site with it

live-test: build ### test the kernel for browsers under node, and check that a notebook gives the same results as with this machine's kernel
	@if command -v node >/dev/null; then $(GO) run ./kernel/live/node/livetest && OVERCOMPLETE_LIVE=1 $(GO) test -count=1 -run TestBaseImports ./kernel/live && $(BIN) check -live notebooks/lecture-pca.ipynb; \
	else echo "node is not installed: the kernel for browsers is not tested"; fi

live-page: ### bundle the script of live pages again from kernel/live/page (needs npm)
	@command -v npm >/dev/null || { echo "npm is not installed: install it with node (apt-get install npm)" >&2; exit 1; }
	cd kernel/live/page && npm ci --ignore-scripts --no-audit --no-fund && node build.mjs

live-browsers: ### test the live pages in Chromium and Firefox, unless the tests passed with these files in the last week
	@GO="$(GO)" .ci/live-browsers

.PHONY: axe
axe: ### measure with axe-core whether everyone can use the pages, in Chromium, unless they passed with these files in the last week (needs npm)
	@GO="$(GO)" .ci/axe

scaleout: ### build and test bin/scaleout, the expensive stages as Apache Beam pipelines (takes a few minutes the first time)
	cd paper/scaleout && $(GO) build -o ../../bin/scaleout ./cmd/scaleout && $(GO) test ./...

rename: ### change the module's import path: make rename MODULE=github.com/you/overcomplete
	@$(GO) run ./internal/module/rename $(or $(MODULE),$(error name the new import path: make rename MODULE=github.com/you/overcomplete))
	@$(GO) run ./kernel/bind/gen

rename-check: ### rename the module in a clone of the last commit, and test what might depend on the old path (WITH=go1.27.0 uses that Go)
	@tmp=$$(mktemp -d) && trap 'rm -rf "$$tmp"' EXIT && git clone -q . "$$tmp/clone" && cd "$$tmp/clone" && \
		$(MAKE) --no-print-directory rename MODULE=example.org/you/overcomplete && \
		$(if $(WITH),export GOTOOLCHAIN=$(WITH) &&) $(GO) vet ./... && \
		$(GO) test -short -timeout 60m ./internal/... ./ui/... ./data ./kernel-helpers/figure ./kernel-helpers/internal ./kernel/... ./paper/lab ./paper/record ./paper/lecturepca ./suite/... ./cmd/...

clean: ## remove the files that make has written (the committed record stays)
	rm -rf bin dist figures/run notebooks/run

# Targets that people use have a comment of ##, the others one of ###.
help: ## show this list ('make help-all' lists all targets)
	@grep -hE '^[a-z0-9-]+:.* ## ' $(MAKEFILE_LIST) | sed -E 's/:.* ## /\t/' | awk -F '\t' '{printf "  make %-16s %s\n", $$1, $$2}'

help-all: ### list all targets
	@grep -hE '^[a-z0-9-]+:.* ###? ' $(MAKEFILE_LIST) | sed -E 's/:.* ###? /\t/' | awk -F '\t' '{printf "  make %-22s %s\n", $$1, $$2}'

.PHONY: dist dist-check wheels wheel-check arm64 arm64-test wasm staticcheck workflows

dist: ### make a release's archives and wheels, with checksums, in dist/ (DIST=linux/amd64 makes only those of that system; ADDRESS=https://... also writes recipes for conda and Homebrew that fetch them from there; needs git)
	$(GO) run ./cmd/dist $(if $(filter-out native all,$(DIST)),-targets $(DIST)) $(if $(ADDRESS),-address $(ADDRESS))

dist-check: ### build the archive for this machine, unpack it, and try it without Go (DIST=all also builds the others and checks their contents)
	OVERCOMPLETE_DIST=$(or $(DIST),native) $(GO) test -count=1 -timeout 60m -v -run TestRelease ./cmd/dist

wheels: ### make wheels for pip in dist/, with the program and the kernel, and one with the extension of JupyterLite (DIST=linux/amd64 or DIST=jupyterlite makes only that one; needs no Python)
	$(GO) run ./cmd/dist -wheels $(if $(filter-out native all,$(DIST)),-targets $(DIST))

wheel-check: ### build the wheel for this machine, and try it in a new Python environment: pip, JupyterLab, a notebook, pip uninstall
	OVERCOMPLETE_WHEEL=1 $(GO) test -count=1 -timeout 30m -v -run TestPip ./cmd/dist

# Packages whose tests start programs are left out: the emulator is not there for those. Nor is glibc, which gpu/opencl needs.
ARM64_PACKAGES ?= $$($(GO) list ./kernel-helpers/... | grep -Ev '/gpu/(opencl|separate)$$') ./data/... ./kernel/internal/ixengine/... ./paper/record
arm64: ### run the library's tests on an emulated arm64 processor (qemu-user on Linux; ARM64_PACKAGES=./kernel-helpers/gemm tests one package; takes an hour)
	@command -v qemu-aarch64 >/dev/null || { echo "qemu-aarch64 is not installed: install qemu-user (apt-get install qemu-user)" >&2; exit 1; }
	GOARCH=arm64 CGO_ENABLED=0 $(GO) test -p 1 -timeout 60m -exec qemu-aarch64 $(ARM64_PACKAGES)

# Packages with assembly for arm64. Of those that train something only the tests of the assembly are run, of
# gemm not those of goroutines and memory.
NEON_PACKAGES := ./internal/simd ./internal/finite ./kernel-helpers/vmath ./kernel-helpers/gemm ./kernel-helpers/sparseapprox ./kernel-helpers/features
NEON_TRAINING := ./kernel-helpers/s3c ./kernel-helpers/nnls ./kernel-helpers/nmf ./kernel-helpers/tsne ./kernel-helpers/vision
arm64-test: ### test the assembly for arm64, emulated (qemu-user on Linux; skipped without it; takes a minute)
	GOARCH=arm64 $(GO) vet $(NEON_PACKAGES) $(NEON_TRAINING)
	GOOS=darwin GOARCH=arm64 $(GO) vet $(NEON_PACKAGES) $(NEON_TRAINING)
	@if command -v qemu-aarch64 >/dev/null; then \
		GOARCH=arm64 CGO_ENABLED=0 $(GO) test -short -exec qemu-aarch64 -skip 'Determinism|Allocations|Panics|Concurrent|ProductLarge|Decompositions' $(NEON_PACKAGES) && \
		GOARCH=arm64 CGO_ENABLED=0 $(GO) test -short -exec qemu-aarch64 -run 'Guard|Vectors|Sweep|Repel|Updates|Sigmoid|Screen|Gather' $(NEON_TRAINING) && \
		GOARCH=arm64 CGO_ENABLED=0 $(GO) test -short -exec qemu-aarch64 -run 'Methods?(Arguments|EnterTyped|OfWords)|PanicsInMethods|StaleResults' ./kernel/internal/ixengine; \
	else echo "qemu-aarch64 is not installed (apt-get install qemu-user): the assembly for arm64 is not tested"; fi

# Packages with vectors in WebAssembly, and what they stand on.
WASM_PACKAGES ?= ./internal/simd ./internal/wasmhost ./internal/quickpng ./kernel-helpers/vmath ./kernel-helpers/gemm ./kernel-helpers/sparseapprox ./kernel-helpers/nnls ./kernel-helpers/s3c
wasm: ### run the library's tests in WebAssembly under node, with vector instructions (WASM_PACKAGES=./kernel-helpers/gemm tests one package)
	@command -v node >/dev/null || { echo "node is not installed: install version 20 or newer (apt-get install nodejs)" >&2; exit 1; }
	GOOS=js GOARCH=wasm $(GO) test -p 1 -short -tags livesimd -exec "$(CURDIR)/kernel/live/node/exec.sh" $(WASM_PACKAGES)
	GOOS=js GOARCH=wasm $(GO) vet $(WASM_PACKAGES)

staticcheck: ### build bin/staticcheck and run it on everything
	@cd .github/lint && $(GO) build -o ../../bin/staticcheck honnef.co/go/tools/cmd/staticcheck
	bin/staticcheck ./...

workflows: ### check .github/workflows with actionlint (skipped if it cannot be downloaded)
	@cd .github/lint && if $(GO) mod download; then $(GO) test -count=1 .; else echo "workflows: skipped, because actionlint could not be downloaded"; fi

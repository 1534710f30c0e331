# The two commands that matter: `make` and `make test`. `make help` tells the rest.

GO ?= go
SIZE ?= lecture
FUZZTIME ?= 30s
CHECK_SIZES ?= smoke,lecture
# More flags for run: RUN=--fresh measures all anew.
RUN ?=
# Notebooks at a time. One: what some of them measure is time.
J ?= 1
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
$(info This is $(GOVERSION), with which nobody has tried this yet: $(NEWEST) is used (GOTOOLCHAIN=$(NEWEST)).)
else
$(error This is $(GOVERSION), with which nobody has tried this yet, and $(NEWEST) could not be downloaded. Install $(NEWEST) from https://go.dev/dl and run 'make GO=/path/to/it/bin/go', or try it as it is: make GOFLAGS=-tags=untried)
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
PATH_OF_MODULE := $(shell sed -n 's/^module //p' go.mod)

.DEFAULT_GOAL := all
.PHONY: all build list times budget notebooks figures report record check-results install uninstall test race bench generate check-generated gophernotes browser scaleout fuzz rename rename-check clean help

all: build ## build, run the suite on built-in data, write figures and a report, print the scoreboard (without make: go run ./cmd/overcomplete all)
	@$(BIN) all -j $(J) --size $(SIZE) $(RUN)

build: ## build bin/overcomplete
	@[ -e $(BIN) ] || echo "Building $(BIN), which takes one to two minutes the first time."
	@$(GO) run ./kernel/internal/selfsource/pack
	@CGO_ENABLED=0 $(GO) build -buildvcs=auto -trimpath -tags=$(TAGS) -ldflags="-X '$(PATH_OF_MODULE)/suite.checkout=$(CURDIR)'" -o $(BIN) ./cmd/overcomplete

notebooks: build ## run all notebooks without Jupyter (SIZE=smoke|lecture|medium|full, J=2 for two at a time); outputs in notebooks/run and figures/run
	@$(BIN) run -j $(J) --size $(SIZE) $(RUN) $(NOTEBOOKS)

list: build ## list the experiments by name: make bradley-table2 runs that one alone, SIZE=full at the paper's own size
	@$(BIN) list

times: build ## list what each experiment took here in processor time, the dearest first
	@$(BIN) list --time --size $(SIZE)

budget: build ## measure all anew, and fail if a notebook takes far more than notebooks/budget.txt has for it
	@$(BIN) all --fresh --size $(SIZE)
	@$(BIN) list --time --budget --size $(SIZE)

$(addsuffix -%,$(EXPERIMENTS)): build
	@$(BIN) run --only $@ --size $(SIZE) $(RUN)

figures: notebooks ## write the figures (the notebooks do) and say where they are
	@ls figures/run/*/*.svg

report: build ## print every claim of the last run beside what was published, and write the site (figures/run/site)
	@$(BIN) report

record: build ## run all notebooks and make the results the committed record (after looking at them)
	@$(BIN) run --size $(SIZE) --record $(NOTEBOOKS)

check-results: build ## run all anew at smoke and lecture size, and compare with what is expected (CHECK_SIZES=smoke)
	@$(BIN) check --size $(CHECK_SIZES)

install: build ## make the kernel known to Jupyter and VS Code for this user
	@$(BIN) install --user

uninstall: build ## undo install
	@$(BIN) uninstall --user

test: ## vet and test everything
	$(GO) vet ./...
	$(GO) test ./...

race: ## test with the race detector
	$(GO) test -race ./kernel/... ./paper/... ./data/... ./kernel-helpers/...

bench: ## time the code, against numpy, scikit-learn and the like where they are installed: x-peer is how many times as fast
	@for d in $$(grep -rl --include='*_test.go' '^func Benchmark' . | xargs -n1 dirname | sort -u); do \
		$(GO) test -timeout 30m -run '^$$' -bench . $$d || exit 1; done

generate: ## regenerate the interpreter's bindings (checked in under kernel/internal/bindings)
	$(GO) run ./kernel/bind/gen

check-generated: ## fail if the checked-in bindings are not current
	$(GO) run ./kernel/bind/gen -check

fuzz: ## fuzz each parser for a while (FUZZTIME=30s each)
	@for d in $$(grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n1 dirname | sort -u); do \
		for f in $$($(GO) test -list '^Fuzz' $$d | grep ^Fuzz); do \
			echo "== $$d $$f"; $(GO) test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) $$d || exit 1; done; done

gophernotes: ## build bin/gophernotes 0.7.5, to compare with (downloads the Go 1.21.13 that it needs)
	@cd kernel/internal/compat/gophernotes && GOTOOLCHAIN=go1.21.13 CGO_ENABLED=0 $(GO) build -o ../../../bin/gophernotes github.com/gopherdata/gophernotes

browser: ## the classic Notebook in Chromium, step by step (skips where there is none)
	cd kernel/internal/browser && $(GO) test -v .

scaleout: ## build bin/scaleout, the expensive stages as Apache Beam pipelines, and test it (the first time some minutes)
	cd paper/scaleout && $(GO) build -o ../../bin/scaleout ./cmd/scaleout && $(GO) test ./...

rename: ## give the module another import path: make rename MODULE=github.com/you/overcomplete
	@$(GO) run ./internal/module/rename $(or $(MODULE),$(error which? make rename MODULE=github.com/you/overcomplete))
	@$(GO) run ./kernel/bind/gen

rename-check: ## clone the last commit, give the module another path there, and test what might know the old one
	@tmp=$$(mktemp -d) && trap 'rm -rf "$$tmp"' EXIT && git clone -q . "$$tmp/clone" && cd "$$tmp/clone" && \
		$(MAKE) --no-print-directory rename MODULE=example.org/you/overcomplete && \
		$(GO) vet ./... && \
		$(GO) test ./internal/... ./ui/... ./data ./kernel-helpers/figure ./kernel-helpers/internal ./kernel/... ./paper/lab ./paper/record ./paper/lecturepca ./suite/... ./cmd/...

clean: ## remove what make wrote (the committed record stays)
	rm -rf bin dist figures/run notebooks/run

help: ## this list
	@grep -E '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | awk -F '\t' '{printf "  make %-16s %s\n", $$1, $$2}'

.PHONY: dist dist-check arm64 staticcheck workflows

dist: ## the archives of a release, with checksums, in dist/ (DIST=linux/amd64 for one of them; needs git)
	$(GO) run ./cmd/dist $(if $(filter-out native all,$(DIST)),-targets $(DIST))

dist-check: ## build the archive for this machine, unpack it, try it without Go (DIST=all: build the others too, and look at what is in them)
	OVERCOMPLETE_DIST=$(or $(DIST),native) $(GO) test -count=1 -timeout 60m -v -run TestRelease ./cmd/dist

# Packages whose tests start programs are left out: the emulator is not there for those.
ARM64_PACKAGES ?= ./kernel-helpers/... ./data/... ./kernel/internal/ixengine/... ./paper/record
arm64: ## the library's tests on another processor, emulated (qemu-user on Linux; ARM64_PACKAGES=./kernel-helpers/gemm for one; an hour)
	@command -v qemu-aarch64 >/dev/null || { echo "qemu-aarch64 is not here: install qemu-user (apt-get install qemu-user)" >&2; exit 1; }
	GOARCH=arm64 CGO_ENABLED=0 $(GO) test -p 1 -timeout 60m -exec qemu-aarch64 $(ARM64_PACKAGES)

staticcheck: ## build bin/staticcheck and run it on everything
	@cd .github/lint && $(GO) build -o ../../bin/staticcheck honnef.co/go/tools/cmd/staticcheck
	bin/staticcheck ./...

workflows: ## check .github/workflows (by actionlint; skips where it cannot be downloaded)
	@cd .github/lint && if $(GO) mod download; then $(GO) test -count=1 .; else echo "workflows: skipped, for actionlint cannot be downloaded"; fi

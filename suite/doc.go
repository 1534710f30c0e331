// Package suite knows the papers' notebooks as lists of experiments: it names
// them, says how long each takes, runs one alone, and keeps the results of each, so that
// nothing is measured again without need.
//
// # Experiments
//
// The cells of a notebook say what there is; there is no other list. A cell that
// opens a paper's Lab,
//
//	lab, err := bradley2008.New(size, uint64(seed))
//
// makes each later cell that does no more than call a method of it, and show what it
// gives, an experiment. Its [Target] is called after the paper's package, without the year, and
// the method: lab.Table2() is "bradley-table2". All other cells are plain: they run
// each time.
//
// # When results are kept
//
// What a cell shows, its rows, figures and sheets (see record.Listen) are kept in
// the user's cache, with all that they depend on ([Inputs]): the source of the cell and of
// the cells that it needs, the parameters that these mention, the code that
// they reach (package reach), the modules that this code imports, the data sets and files that
// the session had asked for by then, the Go version and the processor. Kept results are
// used only if all of this is as it was, and their files have the checksums that
// they had; else the experiment runs, and [Step].Why says what has changed.
//
// A result is not kept if it cannot be known what it depends on: if a cell that it needs
// has commands, reads files or the clock, or draws without a seed; if such a cell failed; if
// the program is older than the source or was built from another folder; if a figure that the
// experiment announced was not written by it.
//
// # Which cells an experiment needs
//
// Those that define what it mentions, or may change what is in it: by another name
// (o := lab.Options(); o.Steps = 3), by its address, by a function of a cell, or by a call of
// another module's function. Those also that set a package's variable, or call a function of the
// project for nothing but its effect (gemm.Use()). The project's functions are trusted not
// to change what they are given, and a lab's methods not to change what others give.
//
// # Two runs at once
//
// Both would write to figures/run/PAPER, and one would keep the other's figures. So a run
// locks the labs that it uses, and another one, of a copy of the notebook too, ends before it
// begins. Entries in
// the cache are never changed: any number of runs, of several clones too, may read and add
// them. A process that is killed leaves a folder that begins with a point, which is
// dropped after a day.
//
// # Files in reading order
//
// cells.go reads the cells of a notebook; targets.go names the experiments; inputs.go
// says what one depends on; store.go keeps entries; plan.go decides which cells run; memory.go
// goes through a run; lock_*.go keeps others away meanwhile. ledger.go keeps what the cells
// took, reference.go and budget.go say whether that is too much, and expect.go what a run will
// take.
//
// # What it costs
//
// Each result has the processor time that it took, and the list of a notebook's times (Times) that of
// its plain cells too. Seconds of two machines, or of a busy hour and a quiet one, do not
// compare; so the reference product, always the same, is timed before each notebook, and budgets
// are multiples of that. What experiments share is paid for by the first that runs: only
// the times of a notebook that was measured whole add up to what it takes.
//
// # Traps
//
// An experiment must not change what others give: lab.Faster() before lab.Table2()
// would be skipped when its own result is kept. A cell that sets a field, lab.Steps = 10,
// is seen to.
//
// Code is followed by the names in it, not by what runs: a change that cannot matter may
// cause a run, a change that matters cannot fail to. What a program does by reflection
// on names, or reads from the environment, is not seen, but for the variables that choose
// among variants of code (see platform).
//
// Whether the program is that of the source is told by times: a file that was changed while the
// program was being built, or replaced by one with an older time (cp -p, mv), or deleted,
// is not noticed until something else is.
//
// A kernel that has lost its runner (kill -9) may go on for two seconds, without the lock.
// Windows has no lock.
package suite

// Package suite runs the experiments of the papers, one alone or a notebook of them, says how
// long each takes, and keeps the results of each, so that nothing is measured again
// without need.
//
// # Experiments
//
// Each paper's package declares its experiments (see lab.Paper) in its file experiments.go:
//
//	{Name: "table2", Method: (*Lab).Table2},
//
// is "bradley-table2", after the package without the year. [Suite.RunDirect] calls the method,
// without a notebook or a kernel.
//
// A notebook is a view of the declaration. A cell that opens a paper's Lab,
//
//	lab, err := bradley2008.New(size, uint64(seed))
//
// makes each later cell that does no more than call a method of it, and show what it
// gives, an experiment, called after the package and the method. All other cells are
// plain: they run each time. A test holds the papers' notebooks and their declarations together;
// a notebook of somebody's own may call what it likes.
//
// # When results are kept
//
// What a cell shows, its rows, figures and sheets (see record.Listen) are kept in
// the user's cache, with all that they depend on ([Inputs]): the source of the cell and of
// the cells that it needs, the parameters that these mention, the code that
// they reach (package reach), the modules that this code imports, the kernel with its interpreter
// and its tables of what cells can import, the data sets and files that
// the session had asked for by then, the Go version and the processor. Kept results are
// used only if all of this is as it was, and their files have the checksums that
// they had; else the experiment runs, and [Step].Why says what has changed.
//
// A cell that calls a declared experiment with the arguments that are declared, of a lab that was
// opened as above and that no other cell has touched, shares its results with the experiment
// that runs without the notebook: each uses what the other has measured. What was measured
// without a kernel does not depend on one.
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
// cells.go reads the cells of a notebook; targets.go names the experiments; declared.go finds
// the cells that share results with declared experiments; inputs.go
// says what one depends on; store.go keeps entries; plan.go decides which cells run; memory.go
// goes through a run of a notebook, direct.go runs declared experiments without one;
// lock_*.go keeps others away meanwhile. ledger.go keeps what the cells
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
// cause a run. A change that matters causes one, with these exceptions: what a program does by
// reflection on names, or reads from the environment, is not seen, but for the variables
// that choose among variants of code (see platform); what main sets before an experiment
// runs; and the traps of package reach. 'overcomplete run --fresh' trusts nothing.
//
// Whether the program is that of the source is told by times: a file that was changed while the
// program was being built, or replaced by one with an older time (cp -p, mv), or deleted,
// is not noticed until something else is.
//
// A kernel that has lost its runner (kill -9) may go on for two seconds, without the lock.
// Windows has no lock.
package suite

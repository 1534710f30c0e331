// Package suite runs the experiments of the papers, one at a time or a whole notebook,
// reports how long each takes, and keeps the results of each, so that nothing is measured
// again without need.
//
// # Experiments
//
// Each paper's package declares its experiments (see lab.Paper) in its file experiments.go:
//
//	{Name: "table2", Method: (*Lab).Table2},
//
// declares the experiment "bradley-table2", named after the package without the year.
// [Suite.RunDirect] calls the method, without a notebook or a kernel.
//
// A notebook is a view of the declaration. A cell that opens a paper's Lab,
//
//	lab, err := bradley2008.New(size, uint64(seed))
//
// turns each later cell that only calls a method of it, and shows what the method returns, into
// an experiment, which is named after the package and the method. All other cells are plain:
// they run each time. A test checks that the papers' notebooks agree with their declarations; a
// user's own notebook may call what it likes.
//
// # When results are kept
//
// What a cell shows, with its rows, figures and sheets (see record.Listen), is kept in the user's
// cache, together with everything that it depends on ([Inputs]): the source of the cell and of
// the cells that it needs, the parameters that these mention, the code that they reach (package
// reach), the modules that this code imports, the kernel with its interpreter and its tables of
// what cells can import, the data sets and files that the session had asked for by then, the Go
// version and the processor. Kept results are used only if all of this is unchanged and their
// files still have the same checksums. Otherwise the experiment runs, and [Step].Why says what
// has changed.
//
// A cell shares its results with an experiment that runs without the notebook if it calls that
// declared experiment with the declared arguments, on a lab that was opened as above and that no
// other cell has touched: each uses what the other has measured. What was measured without a
// kernel does not depend on one.
//
// A result is not kept if it cannot be known what it depends on: if a cell that it needs has
// commands, reads files or the clock, or draws random numbers without a seed; if such a cell
// failed; if the program is older than the source or was built from another folder; or if the
// experiment announced a figure and did not write it.
//
// # Which cells an experiment needs
//
// An experiment needs the cells that define the names it mentions, and the cells that may change
// their values: through another name (o := lab.Options(); o.Steps = 3), through an address,
// through a function of a cell, or by a call of another module's function. It also needs the
// cells that set a package's variable, or that call a function of the project only for its
// effect (gemm.Use()). The project's functions are trusted not to change their arguments, and a
// lab's methods not to change the results of other methods.
//
// # Two runs at once
//
// Two runs would both write to figures/run/PAPER, and one would keep the other's figures. So
// a run locks the labs that it uses, and a second run fails before it begins, even if it runs
// a copy of the notebook. Entries in the cache are never changed: any number of runs, even of
// several clones, may read and add them. A process that is killed leaves a folder whose name
// begins with a dot, which is deleted after a day.
//
// # Files in reading order
//
// cells.go reads the cells of a notebook; targets.go names the experiments; declared.go finds
// the cells that share results with declared experiments; inputs.go says what an experiment
// depends on; store.go keeps entries; plan.go decides which cells run; memory.go accompanies a
// run of a notebook; direct.go runs declared experiments without one; lock_*.go keeps other
// runs away meanwhile, alone.go other cells from what measures times. recorded.go shows the
// record of dear experiments, whole.go leaves notebooks that have not changed. ledger.go keeps the times that the cells took, reference.go and
// budget.go decide whether these are too long, and expect.go predicts what a run will take.
//
// # What it costs
//
// Each result has the processor time that it took, and a notebook's list of times (Times) has the
// processor time of its plain cells too. Seconds cannot be compared between two machines, or
// between a busy hour and a quiet one. So the reference product, which is always the same, is timed
// before each notebook, and budgets are multiples of its time. Work that experiments share is
// charged to the first that runs: only the times of a notebook that was measured whole add up to
// what it takes.
//
// # Traps
//
// An experiment must not change the results of others: lab.Faster() before lab.Table2()
// would be skipped when its own result is kept. A cell that sets a field, lab.Steps = 10,
// is taken into account.
//
// Code is followed by the names in it, not by what runs, so a change that cannot matter may
// cause a run. A change that matters causes one, with these exceptions: what a program does by
// reflection on names; what it reads from the environment, other than the variables that
// choose among variants of code (see platform); what main sets before an experiment runs; and
// the traps of package reach. 'overcomplete run --fresh' uses no kept results.
//
// Whether the program was built from the present source is judged by the times of files: a file
// that was changed while the program was being built, or replaced by one with an older time (cp
// -p, mv), or deleted, is not noticed until another file changes.
//
// A kernel whose runner was killed (kill -9) may continue for two seconds, without the lock.
// Windows has no lock.
package suite

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
// Results are kept of declared experiments alone: of a cell that only calls one of them, with the declared
// arguments, on a lab that was opened as above with a size and a seed that are plain values. The arguments of such a call
// cannot come from a file, a clock or the network, so no list of what cells may read is needed. No cell above may use
// the lab for anything but experiments and data (methods in lab.Paper.Data return copies), set a variable of a package,
// or have commands, whose effects are not known. What a cell changes of its own process (the environment, the working
// directory, the number of threads) is asked of that process before anything is kept or shown. All other calls run each
// time, and [Step].Why says why.
//
// What such a cell shows, with its rows, figures and sheets (see record.Listen), is kept in the user's cache, with
// everything that it depends on ([Inputs]): its source, the size and the seed, the code that it reaches (package
// reach), the modules that this code imports, the kernel with its interpreter and its tables of what cells can import,
// the data sets and files that the session had asked for by then, the Go version and the processor. Kept results are
// used only if all of this is unchanged and their files still have the same checksums. Otherwise the experiment runs.
//
// An experiment that runs without the notebook and the cell that shows it share their results. What was measured
// without a kernel does not depend on one.
//
// A result is not kept either if a cell that the experiment needs failed, if the program is older than the source or was
// built from another folder, or if the experiment announced a figure and did not write it.
//
// # Which cells run
//
// Plain cells run each time. If one reads a variable that an experiment's cell declares, that experiment runs too,
// because kept outputs have no variables. With --only, experiments that were not asked for are left out, and so are the
// plain cells that need them.
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
// A declared experiment must not change what others return. A cell that calls a function of a package and uses what it
// returns is trusted not to set variables of packages; a call as a statement, pkg.Use(3), is not.
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

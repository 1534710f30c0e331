// Package suite runs the experiments of the papers, one at a time or a whole notebook, reports how long each
// takes, and keeps their results, so that nothing is measured again unnecessarily.
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
// turns later cells into experiments: a cell that only calls a method of the Lab and shows the result is an
// experiment named after the package and the method. All other cells are plain: they run each time. A test
// checks that the papers' notebooks agree with their declarations; a user's own notebook may call anything.
//
// # When results are kept
//
// Only results of declared experiments are kept. The cell of such an experiment must do nothing but call the
// experiment, with the declared arguments, on a lab that was opened as above, with plain values for size and seed. The
// arguments of these calls cannot come from a file, a clock or the network, so no list of what cells may read is
// needed. Earlier cells may use the lab only for experiments and data (methods in lab.Paper.Data return copies).
// Earlier cells must not set a package-level variable, and must not contain commands, because the effects of commands
// are unknown. Before anything is kept or shown, the suite asks the process that runs the cells whether its
// environment, its working directory or its number of threads has changed. All other calls run each time, and
// [Step].Why gives the reason.
//
// The output of such a cell, with its rows, figures and sheets (see record.Listen), is kept in the user's cache,
// together with a list of everything that the result depends on ([Inputs]): the cell's source, the size and the seed,
// the code that the experiment reaches (package reach), the modules that this code imports, the kernel with its
// interpreter and its tables of importable packages, the data sets and files that the session had used by the end of
// the cell, the Go version and the processor. Kept results are used only if all of this is unchanged and their files
// still have the same checksums. Otherwise the experiment runs.
//
// Runs with and without the notebook share kept results: the cell that shows an experiment uses a result that was
// measured without the notebook, and vice versa. Results that were measured without a kernel do not depend on the
// kernel.
//
// A result is also not kept in the following cases: the experiment needs a cell that failed; the program is older than
// the source, or was built from another folder; the experiment announced a figure and did not write it.
//
// # Which cells run
//
// Plain cells run each time. If a plain cell reads a variable that an experiment's cell declares, that experiment
// runs too, because kept outputs have no variables. With --only, experiments that were not requested are left out,
// and so are the plain cells that need them.
//
// # Two runs at once
//
// Two runs of one paper would both write to figures/run/PAPER, and one might keep figures that the other
// wrote. So a run locks the labs that it uses, and a second run fails before it begins, even if it runs a
// copy of the notebook. Entries in the cache are never changed: any number of runs, even of several clones,
// may read and add them. A killed process leaves a folder with a name that begins with a dot. Such folders
// are deleted after a day.
//
// # Files in reading order
//
// cells.go reads the cells of a notebook; targets.go names the experiments; declared.go finds the cells that
// show declared experiments, and decides whether their results can be kept; inputs.go determines the
// dependencies of an experiment; store.go keeps entries; plan.go decides which cells run; memory.go uses and
// keeps results during a run of a notebook, and locks its labs; direct.go runs declared experiments without a
// notebook; alone.go keeps other cells from running while a cell measures times. recorded.go shows the record
// of slow experiments, notebookrun.go skips notebooks that have not changed. costs.go keeps the times that
// the cells took, predicts the time of a run, and times the reference product; budget.go decides whether the
// times are too long.
//
// # Costs
//
// Each result includes the processor time that it took. A notebook's list of times (Times) also includes the
// processor time of its plain cells. Seconds cannot be compared between two machines, or between a busy hour and a
// quiet one. So the reference product, which is always the same, is timed before each notebook, and budgets are
// multiples of its time. Work that experiments share is charged to the first experiment that runs, so the times add
// up to the cost of the notebook only if the whole notebook was measured at once.
//
// # Traps
//
// A declared experiment must not change the results of other experiments. If a cell calls a function of a package and
// uses its result, the suite assumes that the function sets no package-level variables. It does not assume this if the
// call is a statement of its own, pkg.Use(3). But if a cell first stores the function in a variable, use := pkg.Use,
// the suite assumes it even for such statements.
//
// The code that a result depends on is found by following names, not by executing it. So a change that
// cannot affect the result may still cause a run.
//
// Every change that affects the result causes a run, unless it acts through one of the following: reflection on names;
// environment variables, other than those that choose among variants of code (see platform); settings that main makes
// before an experiment runs; and the traps of package reach. 'overcomplete run --fresh' uses no kept results.
//
// File times decide whether the program was built from the present source. Three changes are not noticed
// until another file changes: a file that changed during the build, a file that was replaced by one with an
// older time (cp -p, mv), and a deleted file.
//
// If the runner of a kernel is killed (kill -9), the kernel may continue for two seconds without the lock. There is no lock
// on Windows.
package suite

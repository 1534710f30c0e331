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
// # Files in reading order
//
// cells.go reads the cells of a notebook; targets.go names the experiments; inputs.go
// says what one depends on; store.go keeps entries; plan.go decides which cells run; memory.go
// goes through a run.
//
// # Traps
//
// An experiment must not change what others give: lab.Faster() before lab.Table2()
// would be skipped when its own result is kept. A cell that sets a field, lab.Steps = 10,
// is seen to.
//
// Code is followed by the names in it, not by what runs: a change that cannot matter may
// cause a run, a change that matters cannot fail to. What a program does by reflection
// on names, or reads from the environment, is not seen.
package suite

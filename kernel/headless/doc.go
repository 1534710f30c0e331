// Package headless runs notebooks without Jupyter: it reads a notebook, runs
// its code cells in process, one after the other in one fresh kernel, and
// writes a notebook with the outputs.
//
// # Invariants
//
// Two runs of the same notebook give the same bytes, apart from what stands in
// the notebook's metadata under overcomplete.timing, where all timing is. A
// file is replaced at once and as a whole, or not at all. While the notebook
// runs, the working directory is the notebook's folder; it is restored after.
// Outputs of an earlier run are dropped before the first cell runs, so that
// old and new ones are never mixed.
//
// # Tags
//
// These tags of cells, all conventions of Jupyter's tools, are heeded:
//
//	parameters           declares variables that Options.Set may change
//	injected-parameters  what was set, written after the parameters cell
//	skip-execution       the cell does not run and keeps its outputs
//	raises-exception     the cell may fail, and the run goes on
//
// # Traps
//
// The working directory and the standard output belong to the process: run one
// notebook at a time. A cell that has been told to stop and does not is given
// up after Options.Grace; it still runs in this process then, which should
// therefore end soon, and Result.Abandoned says so.
package headless

// Package headless runs notebooks without Jupyter: it reads a notebook, runs its code cells one after the other in a
// new kernel, and writes a notebook with the outputs.
//
// # Invariants
//
// Two runs of the same notebook give the same bytes, apart from times, which are all in the notebook's metadata under
// overcomplete.timing. A file is replaced atomically or not at all. While the notebook runs, the working directory is
// the notebook's folder; afterwards it is restored. The outputs of an earlier run are dropped before the first cell
// runs, so that old and new outputs are never mixed.
//
// # Tags
//
// These cell tags, all of them conventions of Jupyter's tools, have an effect:
//
//	parameters           declares variables that Options.Set may change; names and
//	                     values are checked against the cell before anything runs;
//	                     a line %params above its code does the same
//	injected-parameters  the cell with the assignments of Options.Set; it follows the parameters
//	                     cell of a written copy, and is never added to the notebook itself; all
//	                     changed parameters are recorded in the metadata of the copy and of
//	                     the notebook (notebook.ParameterChanges)
//	skip-execution       the cell does not run and keeps its outputs
//	raises-exception     the cell may fail, and the run goes on
//	solution             a solution to an exercise, code or text: if the parameters cell declares
//	                     a variable named solutions with the value false, the cell does
//	                     not run and is left out of the written file; the notebook itself
//	                     keeps the cell; with Options.Record the cell runs all the same
//
// # Kernels
//
// Process is a kernel in its own process, which runs Serve. Several notebooks can run at once, each in its own
// Process. If the kernel dies, the error names the cell that was running, and all output so far is kept. A cell that
// does not stop is killed with its process. Here returns a kernel in this process. The notebook then uses the working
// directory and the standard output of this process, so only one notebook can run at a time. A cell that does not stop
// when asked to is abandoned after Options.Grace, and Result.Abandoned is set. The cell still runs in this process,
// which should therefore end soon.
//
// # Other modules
//
// With Options.Modules a notebook may import packages of other modules. All cells are searched for imports of such
// packages, which are compiled before the kernel starts. The versions are recorded in the notebook's metadata under
// overcomplete.modules.
//
// # Memory
//
// Options.Memory, which package suite sets, may skip cells with known outputs. The written file is the same as if
// these cells had run.
//
// # Reading order
//
// run.go runs a notebook from the first cell to the last; params.go and declared.go set its parameters and find
// mistakes in them before anything runs; collect.go keeps what cells show; process.go and serve.go are the two sides
// of a kernel in another process, here.go the kernel in this one; modules.go brings in other modules; direct.go calls
// a compiled function without a kernel and collects its output; progress.go shows what is running.
package headless

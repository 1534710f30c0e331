// Package conformance contains only a test, which runs, as cells, programs that were written independently of
// this project. These are Go's own test programs, from the folder test of a Go installation, the examples
// in the documentation of the standard library and of gonum, and packages of the standard library, each with its
// own tests.
//
// Each program is one cell, including its package clause, in a session of its own. It is unchanged, except that the
// files of a package are put together, and the package is renamed to main. The output must be what Go's own test runner
// (cmd/internal/testdir) or package testing expects. testdata/failing.txt lists the programs that do not pass, each
// with the reason. The test fails if any other program fails, or if a listed program passes.
//
// TestFolder runs the programs of any folder, for example those of a book, and compares them with the compiled
// programs.
package conformance

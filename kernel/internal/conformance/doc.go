// Package conformance contains only a test: it runs Go's own test programs, from the folder test of a Go
// installation, as cells. They were written independently of this project.
//
// Each program is one unchanged cell, including its package clause, in a session of its own. The output must
// be what Go's own test runner (cmd/internal/testdir) expects. testdata/failing.txt lists the programs that
// do not pass, each with the reason. The test fails if any other program fails, or if a listed program
// passes.
package conformance

// Package conformance contains only a test: it runs Go's own test programs, those of the folder test of a Go
// installation, as cells. Nobody here wrote them.
//
// Each program is one cell of a session of its own, as it stands, package clause and all; what it prints must be
// what Go's own runner (cmd/internal/testdir) wants of it. testdata/failing.txt lists the programs that do not pass,
// each with the reason. The test fails if another fails, and if one of these passes.
package conformance

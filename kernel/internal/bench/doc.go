// Package bench contains only tests. They start kernels as processes, as a front end does, and talk to them
// over the wire. They answer the two questions below.
//
// The command kernel/bench measures the cost of cells, program by program, against compiled Go and CPython,
// with the programs in the folder programs.
//
// # Does it last? (reliability_test.go)
//
// The tests run many cells in one session, interrupt and restart the kernel many times, and connect several
// clients at once. They also send messages that are malformed, unsigned, replayed, huge or truncated. The usual
// tests are short. The long tests, which draw the figures and measure the numbers of RESULTS.md, run with
//
//	OVERCOMPLETE_LONG=1 go test -timeout 30m -run Long -v ./kernel/internal/bench
//
// # Is it quick? (speed_test.go)
//
//	go test -run '^$' -bench . ./kernel/internal/bench
//
// runs the kernel against ipykernel, GoNB and gophernotes, in turn. A kernel that is not installed is left
// out, and the reason is reported.
//
// # Reading order
//
//	process_test.go      a kernel as a process: start, run a cell, processor time, memory
//	reliability_test.go  the short tests
//	abuse_test.go        messages that no front end sends
//	long_test.go         the long tests, and their figures
//	speed_test.go        the comparisons, and how the other kernels are started
//
// # Traps
//
// Other programs share the machine. So times are compared with times of the same run, and the bounds of the
// tests are far from the usual values: the tests detect an unintended wait and memory that grows with each
// cell, not a slowdown of ten percent.
//
// Processor times are those of the kernel's process. For GoNB they include the compilers that it runs.
package bench

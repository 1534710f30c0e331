// Package bench has no code of its own: its tests start kernels as processes, as a
// front end does, and talk to them over the wire. They ask two things.
//
// # Does it last? (reliability_test.go)
//
// Many cells in one session, many interrupts, restarts, several clients at once, and
// messages that are malformed, unsigned, replayed, huge or half. The usual tests are
// short; the long ones, which draw the figures and the numbers of RESULTS.md, run with
//
//	OVERCOMPLETE_LONG=1 go test -timeout 30m -run Long -v ./kernel/internal/bench
//
// # Is it quick? (speed_test.go)
//
//	go test -run '^$' -bench . ./kernel/internal/bench
//
// races the kernel against ipykernel, GoNB and gophernotes, in turns. A kernel that is
// not on the machine is left out, with the reason.
//
// # Reading order
//
//	process_test.go      a kernel as a process: start, run a cell, processor time, memory
//	reliability_test.go  the short tests
//	abuse_test.go        messages that no front end sends
//	long_test.go         the long tests
//	figures_test.go      their figures
//	peers_test.go        how the other kernels are started
//	speed_test.go        the races
//
// # Traps
//
// Other programs share the machine. So times are compared with times of the
// same run, and the tests' bounds are far from what is usual: they find a wait
// that should not be there and memory that grows with each cell, not ten per cent.
//
// Processor times are those of the kernel's process; GoNB's contain those of its compilers.
package bench

// Command bench measures what cells cost beside CPython, GoNB and compiled Go, and
// writes RESULTS.md and, where asked to, the same as JSON.
//
//	make bench-cells                          # all, some minutes
//	make bench-cells CELLS='-run sort -quick' # some rows, at a tenth of the size
//	make bench-cells BEFORE=5c073ff           # with the kernel of a commit in the same run
//
// # What is measured
//
// Each program of package programs runs as a cell, as compiled Go from the same
// source, as a cell of GoNB, and in CPython. The peers take turns, in another order
// each round; the first turn of each is kept apart, and the rest gives the median. All
// must show the checksum of compiled Go: a faster wrong answer is no answer.
//
// A time is the smaller of that by the clock and that of the processors; watch.go says why.
// The time of a cell and of GoNB is that of a front end, from the message that sends
// the cell to the last message that comes of it. The times of CPython and compiled Go
// are taken inside, around the call, which is the comparison that is harder for cells.
//
// What has no compiled counterpart is in a table of its own: an empty cell, the first
// cell, memory, loops that run once, calls from compiled code into cells, interrupts.
//
// # Before
//
// baseline.json has the figures of an earlier engine. Times of different runs are not
// compared as they are: those of the file are multiplied by what compiled Go, or else
// CPython, takes now over what it took then. With -before the earlier kernel runs in the same
// run instead.
//
// # Reading order
//
//	main.go         flags, and the whole run
//	rows.go         the programs, their sizes and goals
//	../internal/bench/programs
//	                what they do; text.go makes cells of them
//	race.go         turns and medians
//	peers.go, others.go, entries.go
//	                who takes part in a race, for both tables
//	compiled.go, python.go, cells.go
//	                a program as compiled Go, in CPython, in a kernel
//	watch.go, processor_linux.go, processor_other.go
//	                what a turn takes
//	process.go      a kernel as a process, a cell over the wire
//	kinds.go        how the kernels are started, and what is missing
//	start.go, once.go, interrupts.go, callbacks.go
//	                the rows of the second table
//	before.go       an earlier kernel: built from a commit, or its figures from a file
//	result.go, goal.go, report.go, machine.go
//	                figures, whether they meet their goals, and the tables
package main

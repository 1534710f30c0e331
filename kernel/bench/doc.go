// Command bench compares the speed of cells with the speed of CPython, GoNB and compiled Go. It writes
// RESULTS.md and, on request, the same results as JSON.
//
//	make bench-cells                          # all, some minutes
//	make bench-cells CELLS='-run sort -quick' # some rows, at a tenth of the size
//	make bench-cells BEFORE=5c073ff           # with the kernel of a commit in the same run
//
// # Measurements
//
// Each program of package programs runs as a cell, as compiled Go from the same source, as a cell of GoNB, and
// in CPython. The peers take turns, in a different order each round; the first turn of each peer is recorded
// separately, and the median is over its later turns. Every peer must print the same checksum as compiled Go,
// so wrong answers do not count.
//
// A time is the smaller of wall-clock and processor time (watch.go says why). For interrupts, however, it is the
// wall-clock time. For cells and GoNB the time is measured as a front end sees it, from the message that sends the cell to the
// last resulting message. For CPython and compiled Go the time is measured inside the process, around the call, which
// puts cells at a disadvantage.
//
// Measurements without a compiled counterpart are in a table of their own: an empty cell, the first cell,
// memory, loops that run once, calls from compiled code into cells, interrupts.
//
// # Before
//
// baseline.json has the figures of an earlier engine. Times of different runs are not compared directly: the times in
// the file are multiplied by the ratio of the times that compiled Go took in the two runs (or CPython, if the program
// has no compiled counterpart). With -before the earlier kernel takes part in the same run instead.
//
// # Reading order
//
//	main.go         flags, the machine, and the whole run
//	rows.go         the programs, their sizes and goals
//	../internal/bench/programs
//	                the programs; text.go turns them into cells
//	race.go         the sides of a race, their turns and medians
//	peers.go, others.go
//	                the participants in a race, for both tables
//	turners.go      a program as compiled Go, in CPython, in a kernel
//	watch.go, processor_linux.go, processor_other.go
//	                the time of a turn
//	process.go      a kernel as a process, a cell over the wire
//	kinds.go        starting the kernels, and which ones are missing
//	start.go, once.go, interrupts.go
//	                the rows of the second table
//	before.go       an earlier kernel: built from a commit, or its figures from a file
//	result.go, report.go
//	                figures, goals and tables
package main

// Package grade runs the notebooks of students and says what their exercises are worth.
//
// A notebook's saved outputs count for nothing. Its cells run in a process of its own; then the grader has that
// process call the student's functions, with cases of its own, and judges the results here, in another
// process. So whatever a cell prints, declares or overwrites, the references are not where it could reach
// them.
//
// The process has limits: of time, memory and disk; on Linux it sees no files but those of its folder, no network
// and no other process. What a system cannot limit, Run says, and goes on only if Options.Unconfined allows it.
//
// # Files
//
//	grade.go       Run: the submissions of a folder, a line for each
//	find.go        which submissions there are
//	folder.go      the files that one process may see: copied, counted, removed
//	student.go     one submission: its cells, then its functions
//	process.go     the process, from outside: what it says, and its end
//	message.go     what the two processes say to each other
//	serve.go       the process, from inside: a kernel
//	confine_*.go   its limits, from inside
//	spawn_*.go     its limits, from outside
//	sheet.go       the lines as CSV
package grade

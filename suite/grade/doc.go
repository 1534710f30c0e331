// Package grade runs the notebooks of students and awards points for their exercises.
//
// A notebook's saved outputs are ignored. Its cells run in a separate process. Then the grader makes that process call
// the student's functions with the grader's cases. The grader judges the results in its own process. So whatever a
// cell prints, declares or overwrites, it cannot reach the reference solutions.
//
// The process has limits on time, memory and disk. On Linux it sees only the files in its folder, and has no access to
// the network or to other processes. If the system cannot apply a limit, Run says which, and continues only if
// Options.Unconfined is set.
//
// The package is not a module of its own, because it depends on this program anyway: the student's process runs this
// program's kernel, and the cases come from the exercises that notebooks check. Only the limits need another module,
// which is linked on Linux only.
//
// # Files
//
//	grade.go       Run: the submissions of a folder, a line for each
//	find.go        the submissions
//	folder.go      the files that one process may see: copied, counted, removed
//	student.go     one submission: its cells, then its functions
//	process.go     the process, from outside: its answers, and its end
//	message.go     the messages between the two processes
//	serve.go       the process, from inside: a kernel
//	confine_*.go   its limits, from inside
//	spawn_*.go     its limits, from outside
//	sheet.go       the lines as CSV
package grade

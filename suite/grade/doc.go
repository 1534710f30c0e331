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
//	grade.go       grades all submissions
//	find.go        finds the submissions in a folder
//	folder.go      copies, counts and removes the files that a student's process may see
//	student.go     grades one submission: runs its cells, then its functions
//	message.go     defines the messages between the grader and the process
//	process.go     starts and ends a student's process, and asks it for answers
//	serve.go       runs a kernel in the student's process
//	confine_*.go   set the limits that the student's process applies to itself, and those that the grader
//	               applies when it starts the process
//	system_*.go    end the process and those that it started, and find the space that a file occupies
//	sheet.go       writes the results as CSV
package grade

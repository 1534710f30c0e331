// Package procgroup starts programs so that all that they start can be ended with
// them.
//
// On Unix this is a process group, on Windows a job. What a program starts
// before its job is made, some ten microseconds after the program, is not in it.
package procgroup

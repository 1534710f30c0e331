// Package capture catches what a process writes to its standard output and
// error, whoever writes it: interpreted code, compiled code through os.Stdout, the
// log package, the runtime's println. It also finds out when somebody wants to
// read the standard input (Stdin).
//
// # Order
//
// The two streams are two pipes, and what is written to one and then to the
// other would be read in any order. Writers that go through Writer wait, when the
// stream changes, until the other pipe has been read to its end; the kernel
// gives cells fmt and log functions that do. Flush waits for both.
//
// A wait works by a mark: a byte sequence, random for each capture, that is
// written to the pipe and taken out by the reader.
package capture

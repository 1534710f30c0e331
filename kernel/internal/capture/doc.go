// Package capture catches what a process writes to its standard output and error,
// whether interpreted code writes it, compiled code through os.Stdout, the log
// package, or the runtime's println. It also detects when code waits to read the
// standard input (Stdin).
//
// # Order
//
// The two streams are two pipes, so text that is written first to one and then to
// the other could be read in any order. Writers that Writer returns wait, when
// the stream changes, until the other pipe has been read to its end; the kernel
// gives cells fmt and log functions that use them. Flush waits for both.
//
// A wait works by a mark: a byte sequence, random for each capture, that is
// written to the pipe and taken out by the reader.
package capture

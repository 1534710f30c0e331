// Package capture captures what a process writes to its standard output and error, whether it is written by
// interpreted code, by compiled code through os.Stdout, by the log package, or by the runtime's println. It
// also detects when code waits to read the standard input (Stdin).
//
// # Order
//
// The two streams are two pipes, so text written first to one and then to the other could be read in any
// order. When the stream changes, writers returned by Writer wait until the other pipe has been read to its
// end; the kernel gives cells fmt and log functions that use them. Flush waits for both.
//
// A wait works by a mark: a byte sequence, random for each capture, that is written to the pipe and removed by
// the reader.
package capture

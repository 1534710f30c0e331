// Package capture captures what a process writes to its standard output and error, whether it is written by
// interpreted code, by compiled code through os.Stdout, by the log package, or by the runtime's println. It
// also detects when code waits to read the standard input (Stdin).
//
// # Order
//
// The two streams are two pipes, so text written first to one and then to the other could be read in any
// order. When the stream changes, a writer returned by Writer waits until the other pipe has been read to its
// end. The kernel gives cells fmt and log functions that use these writers. Flush waits for both.
//
// To wait, a mark is written to the pipe; the reader recognizes and removes it. A mark is a byte sequence
// that is random for each capture.
package capture

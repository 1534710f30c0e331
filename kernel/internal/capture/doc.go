// Package capture captures what a process writes to its standard output and error, whether it is written by
// interpreted code, by compiled code through os.Stdout, by the log package, or by the runtime's println. It
// also detects when code waits to read the standard input (Stdin).
//
// # Order
//
// The two streams are two pipes, so text written first to one and then to the other could be read in any order.
// Therefore, if the latest write went to the other stream, a writer returned by Writer first waits until that stream's
// pipe has been read to its end. The kernel gives cells fmt and log functions that use these writers. Flush waits until
// both pipes have been read.
//
// To wait for a pipe, a Capture writes a mark to it, and waits until the goroutine that reads the pipe has found
// the mark. That goroutine removes the mark from the text. A mark is a byte sequence that is random for each
// Capture.
package capture

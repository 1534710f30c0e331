// Package separate runs the drivers of package gpu in a program of their own, so that the program that uses them stays
// static on Linux, and does not crash or hang if a driver does. This project's Jupyter kernel uses devices in this
// way: the separate program cmd/overcomplete-gpu calls Serve, and the kernel calls Register.
//
// The separate program is started when a device is first asked for, and ends when the program that started it ends.
// Calls are forwarded to it one at a time. The request and the answer are encoded with encoding/gob and go through
// pipes. On Linux, the contents of buffers go through memory that both programs share; elsewhere they go through the
// pipes, too. Results have the same bits as if the driver were called directly.
//
// A call ends when the notebook cell that made it is interrupted (see ui/cell), or after five minutes. If the driver
// has not answered by then, or has crashed, the call returns an error that names the call, and the next call starts
// the separate program again. After that, the programs that Build has returned are built again when they are next run.
// The content of the earlier buffers is lost, and calls that use them return an error.
//
// # Files
//
//   - driver.go: the gpu.Driver, and its devices, buffers and programs.
//   - process.go: starts, calls and ends the separate program.
//   - serve.go: what the separate program does.
//   - shared_linux.go: the memory that both programs share.
package separate

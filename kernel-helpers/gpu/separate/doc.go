// Package separate runs the drivers of package gpu in a program of their own, so that the program that uses them stays
// static on Linux, and a driver that crashes or hangs takes nothing else with it. The kernel has its devices in this
// way: cmd/overcomplete-gpu calls Serve, and the kernel Register.
//
// The program is started when a device is first asked for, and ends with the program that started it. Its calls are
// forwarded one at a time: a frame of encoding/gob each way through pipes, and the numbers of buffers through memory
// that both programs share (on Linux; elsewhere through the pipes). Results are those of the driver, bit for bit.
//
// A call ends with the cell that made it (ui/cell), or after five minutes. If the driver does not answer then, or has
// crashed, the call returns an error that names it, and the next call starts the program again. Programs are built
// again when they are run; buffers are lost, and say so.
//
// # Files
//
//   - driver.go: the gpu.Driver, and its devices, buffers and programs.
//   - process.go: the program that runs.
//   - serve.go: what runs in it.
//   - shared_linux.go: memory that both have.
package separate

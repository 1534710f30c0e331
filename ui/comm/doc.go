// Package comm keeps the comms of a kernel: named channels over which a front
// end and the kernel send each other JSON objects while and between cells.
// Widgets are built on them.
//
//	m.Target("counter", func(c *comm.Comm, open comm.Message) func() {
//		n := 0
//		c.Receive(func(comm.Message) func() {
//			n++
//			return func() { c.Send(map[string]any{"n": n}) }
//		})
//		return nil
//	})
//
// # At once, and in turn
//
// A function that is told of a message is called at once, in the order of
// arrival, also while a cell runs: it takes note and must not block. What it
// returns, if anything, is called later by the goroutine that runs cells, one
// after the other and never beside a cell: code of cells belongs there, for it
// shares variables with them. So a value that a slider has is the new one at once,
// and the callback of the slider runs when the cell has ended.
//
// # Invariants
//
//   - Messages of one comm are noted in the order in which they arrive.
//   - A comm that is closed, by whichever side, sends and receives nothing more.
//   - A panic in a function of this package's users is reported to the Manager's
//     log and is the end of that message only.
//
// # The current manager
//
// A kernel that serves a front end attaches its Manager with Attach. Where there
// is none, as in an ordinary program or a run without a front end, Current is nil.
package comm

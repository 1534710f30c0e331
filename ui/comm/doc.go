// Package comm manages the comms of a kernel: named channels over which a front end and the kernel send each other
// JSON objects, both while cells run and between cells. Widgets are built on comms.
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
// # At once, and between cells
//
// A message handler is called at once, in the order of arrival, even while a cell runs: it records the message and
// must not block. If the handler returns a function, the goroutine that runs cells calls that function later. It calls
// such functions one at a time, and never while a cell runs. Code from cells belongs in the returned function, because
// it shares variables with the cells. So the value of a slider changes at once, and the callback of the slider runs
// when the cell has ended.
//
// # Invariants
//
//   - Messages of one comm are handled in the order in which they arrive.
//   - A comm that is closed, by either side, sends and receives nothing more.
//   - A panic in a function that a user of this package supplies is written to the Manager's log, and ends only the handling of the current message.
//
// # The current manager
//
// A kernel that serves a front end attaches its Manager with Attach. If no Manager is attached, as in an ordinary
// program or a run without a front end, Current returns nil.
package comm

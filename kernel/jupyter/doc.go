// Package jupyter serves front ends: it handles the requests that arrive on a
// kernel's sockets (package wire), runs the cells with an Executor, and sends
// replies and output (messaging protocol 5.4).
//
// # Goroutines
//
//	shell    reads requests; puts executes into a queue, notes messages of comms and
//	         queues their callbacks, answers all others at once
//	control  reads and answers interrupt, shutdown, debug and kernel_info
//	stdin    reads the answers to input requests
//	worker   runs the queued executes and callbacks one after the other
//
// So requests such as kernel_info, is_complete and complete are answered while
// a cell runs, and an interrupt never waits behind a cell.
//
// # Invariants
//
//   - Every request gets exactly one reply, even if it is malformed or unknown or its
//     handling panics. busy and idle are published around it, with its header as
//     their parent.
//
//   - The output of a cell is published before its execute_reply, the reply
//     before idle.
//
//   - After a request that was answered while a cell runs, busy is published
//     again for that cell, because front ends show the latest status.
//
//   - Text of one stream written within 20 ms shares a message, within 200 ms if it is
//     long (pace); text, pictures and errors keep their order. A
//     rune that is split between two writes arrives whole.
//
//   - When a cell fails (stop_on_error) or is interrupted, exactly the executes
//     that were sent before its reply are aborted. Executes that are sent in response
//     to the reply run.
//
//   - A front end's message to a comm updates the comm's state at once, even while a
//     cell runs. The callback of the message never runs at the same time as a cell or
//     another callback, and is not aborted with the executes.
//
//   - The output of a callback goes where display.Redirect sends it: below its control.
//     Only if it was not redirected, it is published with the front end's message as its parent.
//     Updates of output shown elsewhere are always published.
//
//   - The user is asked only one question at a time. An answer that names another
//     question is dropped.
//
// # Handing over to another program
//
// When a cell needs another program (kernel.Replace), the server hands over: it waits until no message is being
// handled, saves its state (Handover), and replaces the program by exec. The process, the sockets and the
// cell's number stay the same; the cell starts again in the other program, without a second busy and
// execute_input. If a step before exec fails, or exec itself, this server continues unchanged, and the Executor
// gets the cell again, with the reason (kernel.Stay). The hand-over is not tried if the program does not know
// the Format, or while comms are open. Meanwhile:
//
//	a request            is answered by the one program or by the other, once
//	an interrupt_request ends the cell, in the one or in the other
//	a signal             ends it too, except in the milliseconds in which it is ignored (Interrupts)
//	a shutdown_request   ends the process
//	the program dies     as if the kernel had: Jupyter starts it again
//
// testdata/handover.txt is a recording.
//
// # Stale cells
//
// If the front end supports it, the metadata of an execute_request name the cell of the notebook (cellId) and
// the deleted cells (deletedCells). The metadata of the execute_reply list the stale cells (overcomplete.stale;
// docs/commands.md has the form). Other front ends may ignore them.
//
// # Extension points
//
// Options has functions for completion, inspection, history and further message types; if they are nil the
// replies are valid and empty. Package comm keeps the comms; the server's Manager is comm.Current while
// Run runs. The Output that the Executor is given is also the cell's kernel.Inputter and the callbacks'
// kernel.Redirecter. Options.Notebook is the file that may contain the controls of an earlier kernel.
package jupyter

// Package jupyter serves front ends: it handles the requests that arrive on a kernel's sockets (package wire), runs
// the cells with an Executor, and sends replies and output (messaging protocol 5.4).
//
// # Goroutines
//
//	shell    reads requests; queues execute requests, passes on comm messages and
//	         queues their callbacks, answers all others at once
//	control  reads and answers interrupt, shutdown, debug and kernel_info
//	stdin    reads the answers to input requests
//	worker   runs the queued execute requests and callbacks one after the other
//
// So requests such as kernel_info, is_complete and complete are answered while a cell runs, and an interrupt never
// waits behind a cell.
//
// # Invariants
//
//   - Every request gets exactly one reply, even if it is malformed or unknown or its handling panics. Status busy is
//     published before the handling and status idle after it, both with the request's header as their parent.
//
//   - The output of a cell is published before its execute_reply, and the reply
//     before idle.
//
//   - After a request that was answered while a cell runs, busy is published
//     again for that cell, because front ends show the latest status.
//
//   - Text that is written to one stream within 20 ms shares a message; the time grows to 200 ms if the text is long
//     (pace). Text, pictures and errors keep their order. A rune that is split between two writes arrives whole.
//
//   - When a cell fails (stop_on_error) or is interrupted, exactly the execute requests
//     that were sent before its reply are aborted. Execute requests that are sent in response
//     to the reply run.
//
//   - A front end's message to a comm updates the comm's state at once, even while a
//     cell runs. The callback of the message never runs at the same time as a cell or
//     another callback, and is not aborted with the execute requests.
//
//   - The output of a callback goes where display.Redirect sends it: below the callback's control. Output that was not
//     redirected is published with the front end's message as its parent. Updates (update_display_data) are always
//     published, because the output that they change may be shown elsewhere.
//
//   - The user is asked only one question at a time. An answer that names another
//     question is dropped.
//
// # Handing over to another program
//
// When a cell needs another program (kernel.Replace), the server hands over: it waits until no message is being
// handled, saves its state (Handover), and calls exec to replace the program. The process, the sockets and the cell's
// number stay the same. The cell starts again in the other program, without a second busy or execute_input. If exec
// or a step before it fails, this server continues unchanged, and the Executor gets the cell again, with the reason
// (kernel.Stay). The server does not try a hand-over to a program that does not know the Format, nor while comms are
// open. During a hand-over:
//
//	a request            is answered once, by the old or the new program
//	an interrupt_request ends the cell, in the old or the new program
//	a signal             also ends the cell, except in the milliseconds in which signals are ignored (Interrupts)
//	a shutdown_request   ends the process
//	a crash              is a crash of the kernel: Jupyter starts the kernel again
//
// testdata/handover.txt is a recording of the messages during a hand-over.
//
// # Stale cells
//
// If the front end supports it, the metadata of an execute_request name the cell of the notebook (cellId) and the
// deleted cells (deletedCells). The metadata of the execute_reply list the stale cells (overcomplete.stale;
// docs/commands.md describes the format). Other front ends may ignore this list.
//
// # Extension points
//
// Options has functions for completion, inspection, history and further message types; if a function is nil, the
// replies are valid and empty. Package comm keeps the comms. While Run runs, comm.Current returns the server's
// comm.Manager. The Output that the Executor receives is also the cell's kernel.Inputter and the callbacks'
// kernel.Redirecter. Options.Notebook names the notebook's file, which may contain controls (widgets) that an earlier
// kernel has shown.
package jupyter

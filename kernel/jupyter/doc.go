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
//   - Text of one stream written within 20 ms shares a message, of a long text
//     that within 200 ms (pace); text, pictures and errors keep their order. A
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
//   - What a callback shows goes where display.Redirect sends it, which is below its control;
//     it is published with the message of the front end as its parent only if it was sent nowhere.
//     Updates of what was shown elsewhere are always published.
//
//   - Only one question at a time is put to the user. An answer that names another
//     question is dropped.
//
// # Another program goes on
//
// When a cell needs another program (kernel.Replace), the server hands over: it waits until nobody
// handles a message, writes down what it knows (Handover), and replaces the program by exec.
// The process, the sockets and the cell's number stay the same; the cell begins again in the other
// program, without a second busy and execute_input. Whatever fails before, or in exec, leaves this server as
// it was, and the Executor is asked again, with the reason (kernel.Stay). It is not tried at all if
// the program does not say that it knows the Format, or while comms are open. What happens meanwhile:
//
//	a request            is answered by the one program or by the other, once
//	an interrupt_request ends the cell, in the one or in the other
//	a signal             ends it too, but for the milliseconds in which it is ignored (Interrupts)
//	a shutdown_request   ends the process
//	the program dies     as if the kernel had: Jupyter starts it again
//
// testdata/handover.txt is a recording.
//
// # Stale cells
//
// The metadata of an execute_request say which cell of the notebook it is (cellId) and which have been deleted
// (deletedCells), where the front end says it; the metadata of the execute_reply say which cells show what is no longer so
// (overcomplete.stale; docs/commands.md has the form). A front end that does not know them loses nothing.
//
// # Seams
//
// Options has functions for completion, inspection, history and further message
// types; where they are nil the replies are valid and empty. Package comm keeps the
// comms; the server's Manager is comm.Current while Run runs. The Output that the
// Executor is given is also the kernel.Inputter through which a cell reads from the
// user, and the kernel.Redirecter of callbacks. Options.Notebook says where the controls are that an
// earlier kernel has left in the file.
package jupyter

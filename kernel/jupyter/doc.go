// Package jupyter answers a front end: it takes the requests that arrive on a
// kernel's sockets (package wire), has an Executor run the cells, and sends
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
// So kernel_info, is_complete, complete and the like are answered while a cell
// runs, and an interrupt never waits behind it.
//
// # Invariants
//
//   - Every request gets exactly one reply, also a malformed or unknown one and
//     one whose handling panics, and busy and idle around it with its header
//     as their parent.
//
//   - The output of a cell is published before its execute_reply, the reply
//     before idle.
//
//   - After a request that was answered while a cell runs, busy is published
//     again for that cell: front ends show the latest status.
//
//   - Text of one stream written within 20 ms shares a message; text, pictures
//     and errors keep their order. A rune that is split between two writes
//     arrives whole.
//
//   - When a cell fails (stop_on_error) or is interrupted, exactly the executes
//     that were sent before its reply are aborted: those sent in answer
//     to the reply run.
//
//   - What a front end sends to a comm is noted at once, also while a cell runs; the
//     callback that it leads to never runs beside a cell or another callback, and is
//     not aborted with the executes.
//
//   - One question at a time is put to the user. An answer that says it is for another
//     question is dropped.
//
// # Seams
//
// Completion, inspection, history and further message types are in Options; while
// they are nil the replies are valid and empty. Comms are kept by package comm,
// whose Manager is the process's while Run runs. A cell reads
// from the user through the kernel.Inputter that the Output given to the Executor is.
package jupyter

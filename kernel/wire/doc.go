// Package wire carries Jupyter messages: the connection file, the five
// ZeroMQ sockets of a kernel, and the signed multi-part messages on them
// (messaging protocol 5.4).
//
// # Layers
//
//	ConnectionInfo   content of the connection file: addresses, ports, key
//	Sockets          the kernel's side: shell, control, stdin, iopub, heartbeat
//	Client           a front end's side, for checks, tests and measurements
//	Codec            Message <-> frames, with signature and replay protection
//	conn             one ZMTP 3.0 connection: frames <-> bytes
//
// # Why not the sockets of zmq4
//
// The ZMTP handshake is that of github.com/go-zeromq/zmq4 (Open), but the sockets on top of it are implemented
// in this package. On a shared machine the sockets of zmq4 v0.17.0 are not robust enough:
//
//   - its listener shakes hands with one peer at a time and without a time
//     limit, so one peer that connects and sends nothing blocks all others;
//   - it tries to allocate a frame of any length that the peer announces, and a READY command with a wrong property
//     length causes an index out of range; both crash the process;
//   - ROUTER and PUB write to a peer while they hold the lock that adding and
//     removing peers needs, so a peer that stops reading blocks everyone
//     (zmq4's issue 132), and PUB's queue for such a peer is unbounded;
//   - closing a PUB socket leaks its goroutine.
//
// In this package each connection has its own goroutines and its own queue. The handshake has a deadline, a
// size limit and a recover. Lengths are checked before anything is allocated, and buffers grow with the bytes
// that have arrived.
//
// # Invariants
//
//   - A message that is malformed, has a wrong signature, or has been received
//     before is logged and dropped; nothing is ever sent in answer to it.
//   - Messages to one peer arrive in the order in which they were sent.
//   - Nothing is lost on iopub while the subscriber reads: a slow subscriber slows
//     the publisher down, and a subscriber that reads nothing at all for 30 s is
//     disconnected. (PUB sockets usually drop messages; a lost "idle" hangs a client.)
//   - A reply to a peer that has gone is dropped.
//   - Peers that have signed nothing share a bounded amount of memory and have time
//     limits; their idle connections are closed to make room for others
//     (strangers.go).
//
// # Handing over to another program
//
// Hold stops the sockets between two bytes and returns a State. A program that inherits the open files
// (State.Exec, on Unix systems) continues from the State with Resume. The peers notice nothing: the program
// inherits listeners, connections, subscriptions, partly read messages, unsent bytes and unfinished handshakes.
// If the other program cannot be started, Release continues in this program. Goroutines stop in their next Read
// (hold.go): the reader of messages keeps a partial message in its fields (zmtp.go), and a writer keeps the
// rest of its queue (conn.go). Goroutines that handle messages stop in their next Recv.
//
// # Traps
//
// An empty key disables signing, as the protocol requires. It also disables the detection of replayed messages.
package wire

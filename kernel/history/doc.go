// Package history remembers what was executed, in this session and in earlier
// ones, and answers the protocol's history requests from it.
//
// # Files
//
// Each session appends to a file of its own, so that several kernels at once
// never write to the same one:
//
//	DIR/00000042.jsonl   {"line":1,"source":"x := 6"}
//	                     {"line":1,"output":"6"}
//
// The number is the session's; it is taken, by creating the file and failing if it
// is there, when the first cell is executed. Each record is one write of one
// line at the end of the file: a kernel that is killed loses nothing that it
// has run, and leaves at worst half a last line, which readers skip.
//
// Folder and files can be read by their owner only. Cells may hold passwords:
// OVERCOMPLETE_HISTORY=off keeps everything in memory and touches no file.
//
// # Bounds
//
// A new session removes the oldest files until at most 500 and 32 MB are left. A
// session stops writing at 4 MB, and holds the latest 32 MB of its cells in
// memory; a cell is cut at 256 kB, an output at 16 kB.
// A file that cannot be written is no error of the cell: the session goes on in
// memory.
package history

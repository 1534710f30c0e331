// Package history records the cells that were executed, in this session and in
// earlier ones, and answers the protocol's history requests.
//
// # Files
//
// Each session appends to a file of its own, so that several kernels at once
// never write to the same one:
//
//	DIR/00000042.jsonl   {"line":1,"source":"x := 6"}
//	                     {"line":1,"output":"6"}
//
// The number is that of the session. The session takes it when the first cell is
// executed, by creating the file and failing if it exists. Each record is written
// as one line, in one write, at the end of the file: a kernel that is killed loses
// nothing that it has run, and leaves at worst half a last line, which readers
// skip.
//
// The folder and the files can be read by their owner only. Since cells may
// hold passwords, OVERCOMPLETE_HISTORY=off keeps everything in memory and
// touches no file.
//
// # Bounds
//
// A new session removes the oldest files until at most 500 files and 32 MB are
// left. A session stops writing at 4 MB, and holds the latest 32 MB of its cells
// in memory. A cell is cut at 256 kB, an output at 16 kB. A file that cannot be
// written does not fail the cell: the session continues in memory.
package history

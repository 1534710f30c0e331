// Package history records the executed cells of this session and earlier ones, and answers the protocol's
// history requests.
//
// # Files
//
// Each session appends to its own file, so that kernels that run at the same time never write to the same file:
//
//	DIR/00000042.jsonl   {"line":1,"source":"x := 6"}
//	                     {"line":1,"output":"6"}
//
// The number identifies the session. The session chooses a number when its first cell runs, by creating a file
// that must not exist yet. Each record is one line, appended in one write. So a killed kernel loses no cell
// that it has run. At worst it leaves an incomplete last line, which readers skip.
//
// Only the user who owns the folder and the files can read them. Because cells may contain passwords,
// OVERCOMPLETE_HISTORY=off keeps everything in memory and touches no file.
//
// # Bounds
//
// A new session removes the oldest files until at most 500 files and 32 MB are left. A session stops writing
// when its file has 4 MB, and keeps the latest 32 MB of its cells in memory. A cell is truncated at 256 kB, an
// output at 16 kB. A file that cannot be written does not fail the cell: the session continues in memory.
package history

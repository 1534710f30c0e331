package grade

import "encoding/json"

// The grader and a student's process exchange JSON, one message a line: requests on the standard input of the
// process, answers on its standard output. A cell that looks for it can write there as well. What it could forge
// is a result, which must be right to count.

// A request is what the grader asks for.
type request struct {
	Op string // begin, run, try

	// begin
	Folder   string `json:",omitempty"` // that the process may see
	Memory   uint64 `json:",omitempty"` // bytes
	Disk     uint64 `json:",omitempty"` // bytes
	Enclosed bool   `json:",omitempty"` // it has a network of its own, which leads nowhere, and is root
	Mounts   bool   `json:",omitempty"` // it has mounts of its own, and so a disk of its own
	Alone    bool   `json:",omitempty"` // it sees no other process

	// run: a cell
	Number      int         `json:",omitempty"` // of the cell, from 1
	ID, Source  string      `json:",omitempty"`
	Set         [][2]string `json:",omitempty"` // variables to set after it: name, value
	CellSeconds float64     `json:",omitempty"`

	// try: a function
	Task string `json:",omitempty"`
	Seed uint64 `json:",omitempty"`
}

// An answer is what the process says to one request.
type answer struct {
	// Free names what could not be limited; to begin.
	Free []string `json:",omitempty"`
	// Fault says what went wrong: in the cell, in the function's call, in what is not a function.
	Fault string `json:",omitempty"`
	// Result is what the function returned, as exercise.Task.Encode writes it.
	Result json.RawMessage `json:",omitempty"`
}

// wroteTooMuch is in the fault of a cell that filled the disk.
const wroteTooMuch = "the disk was full: it wrote more than it may"

// longest is the longest message that is read, in bytes.
const longest = 8 << 20

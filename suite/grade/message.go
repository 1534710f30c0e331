package grade

import (
	"encoding/json"
)

// A request is a message from the grader to a student's process.
type request struct {
	Op string // begin, run, try

	// begin
	Folder   string `json:",omitempty"` // the only folder that the process may see
	Memory   uint64 `json:",omitempty"` // bytes
	Disk     uint64 `json:",omitempty"` // bytes
	Enclosed bool   `json:",omitempty"` // the process has its own network namespace without connections, and is root
	Mounts   bool   `json:",omitempty"` // the process has its own mounts, so it can have its own disk
	Alone    bool   `json:",omitempty"` // the process sees no other process

	// run: a cell
	Number      int         `json:",omitempty"` // number of the cell, from 1
	ID, Source  string      `json:",omitempty"`
	Set         [][2]string `json:",omitempty"` // variables to set after the cell: name, value
	CellSeconds float64     `json:",omitempty"`

	// try: a function
	Task string `json:",omitempty"`
	Seed uint64 `json:",omitempty"`
}

// An answer is the reply of a student's process to one request.
type answer struct {
	// Free lists the limits that could not be applied (begin).
	Free []string `json:",omitempty"`
	// Fault says what went wrong in the cell or in the function call, or that the function does not exist.
	Fault string `json:",omitempty"`
	// Result is the function's result, as exercise.Task.Encode writes it.
	Result json.RawMessage `json:",omitempty"`
}

// wroteTooMuch marks the fault of a cell that filled the disk.
const wroteTooMuch = "the disk was full: the notebook wrote more than it may"

// longest limits the length of a message, in bytes.
const longest = 8 << 20

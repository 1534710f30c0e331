// Package paired writes a notebook as a text that reads as Go does, and reads it back: for reviews and
// for editors, in which the JSON of a notebook with its outputs is no good to anybody.
//
//	//go:build ignore
//
//	// A notebook as text, without its outputs: 'overcomplete pair' takes it to the notebook and back.
//	// %%% {"kernelspec":{"display_name":"Go (overcomplete)","language":"go","name":"overcomplete"}}
//
//	// %% [markdown] id=intro
//	// # A title
//	//
//	// Text.
//
//	// %% id=sizes {"tags":["parameters"]}
//	size := "lecture"
//
// The text has no outputs, no execution counts and nothing else that running a notebook writes (see
// volatile.go), so that its differences are those of what somebody wrote. The go command leaves such a file
// alone, because of its first line: a cell's statements are no Go file.
//
// # The format
//
// The text is UTF-8. A cell begins with a line of // and two percent signs: then the type in brackets unless it is
// code, the id, the metadata as JSON in one line; each may be missing. A line of //, %%+ and JSON below it has
// what else the cell has, if anything: attachments, and the source where it cannot stand as lines.
// Then come the lines of the cell, of a code cell as they are, of others behind // and a blank. Between two cells
// is one empty line that belongs to none. Lines of the notebook's metadata begin with // and three percent
// signs, and stand above all cells.
//
// A line of a cell that would be taken for one of these has another blank behind its //, and so has any line that
// then would look like that one.
//
// # Files in reading order
//
//	text.go      a notebook as text
//	parse.go     a text as a notebook
//	volatile.go  what the text does not have, and Merge keeps
//
// # Invariants
//
// Parse(Text(n)) is n but for what is volatile, and with Merge(Parse(Text(n)), n) it is n; Text(Parse(b)) is b for all b
// that Text has written. A text that somebody has written by hand may lack ids and the like:
// it becomes one that Text could have written, and from then on stays as it is.
package paired

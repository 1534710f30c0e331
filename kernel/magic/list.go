package magic

import "strings"

// An Info describes a command.
type Info struct {
	Name  string // with its mark: "%who", "%%time"
	Usage string // the whole line
	Doc   string // one sentence
	// Code is set where the rest of the line (of the cell, for %%) is Go.
	Code bool
}

// list is in the order of %help.
var list = []Info{
	{"%help", "%help", "this list", false},
	{"%time", "%time STATEMENT", "run a statement once and tell the time and the memory it takes", true},
	{"%%time", "%%time", "the same for the whole cell", true},
	{"%timeit", "%timeit [-n RUNS] [-r REPEATS] STATEMENT", "run a statement as often as it takes and tell the median time, bytes and allocations of one run; variables that it declares are its own", true},
	{"%%timeit", "%%timeit [-n RUNS] [-r REPEATS]", "the same for the whole cell", true},
	{"%who", "%who [PATTERN...]", "the session's variables, with types, sizes and values", false},
	{"%reset", "%reset [NAME...]", "forget the session's variables, or those that are named, and free what they hold; functions and types stay", false},
	{"%params", "%params [NAME=VALUE...]", "above a cell's code: its variables are the notebook's parameters; anywhere else: show them, or set them", false},
	{"%goroutines", "%goroutines [stop [ID...]]", "what cells have left running, and how to end it", false},
	{"%cd", "%cd [FOLDER]", "change the working directory (no folder: to the home directory, -: back)", false},
	{"%env", "%env [NAME[=VALUE]]", "show or set environment variables", false},
	{"%data", "%data", "the real data sets, and which are on this machine", false},
	{"%%writefile", "%%writefile [-a] FILE", "write the rest of the cell to a file, with -a to its end", false},
	{"%%native", "%%native", "compile the cell's functions with the Go toolchain, where there is one; they run in a process of their own", true},
	{"%go111module", "%go111module on|off", "does nothing: accepted for gophernotes, whose imports need it", false},
	{"$", "$ COMMAND or !COMMAND", "run a line in the shell; a backslash at its end continues it", false},
}

// List gives all commands.
func List() []Info { return append([]Info(nil), list...) }

// Find gives a command by name.
func Find(name string) (Info, bool) {
	for _, i := range list {
		if i.Name == name {
			return i, true
		}
	}
	return Info{}, false
}

// nearest is the command that name is probably meant to be, "" if none is near.
func nearest(name string) string {
	best, dist := "", min(3, len(strings.TrimLeft(name, "%")))
	for _, i := range list {
		if i.Name == "$" {
			continue
		}
		if strings.TrimLeft(i.Name, "%") == strings.TrimLeft(strings.ToLower(name), "%") {
			return i.Name
		}
		if d := distance(strings.TrimLeft(i.Name, "%"), strings.TrimLeft(strings.ToLower(name), "%")); d < dist {
			best, dist = i.Name, d
		}
	}
	return best
}

// distance is the number of letters to insert, remove, replace, or exchange with their
// neighbour, that makes b of a (optimal string alignment).
func distance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		for j := range rows[i] {
			switch {
			case i == 0:
				rows[i][j] = j
				continue
			case j == 0:
				rows[i][j] = i
				continue
			}
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			d := min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, rows[i-2][j-2]+1)
			}
			rows[i][j] = d
		}
	}
	return rows[len(a)][len(b)]
}

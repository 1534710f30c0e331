package magic

import (
	"strings"

	"overcomplete/internal/module"
	"overcomplete/internal/spelling"
)

// An Info describes a command.
type Info struct {
	Name  string // with its percent signs: "%who", "%%time"
	Usage string // syntax of the whole line
	Doc   string // one sentence
	// Code is set if the rest of the line (for %%, the rest of the cell) is Go.
	Code bool
}

// Fmt is the name of the command that formats a cell. Such a cell does not run.
const Fmt = "%fmt"

// list has the commands in the order in which %help shows them.
var list = []Info{
	{"%help", "%help", "show this list", false},
	{"%time", "%time STATEMENT", "run a statement once and report the time and the memory it takes", true},
	{"%%time", "%%time", "run the whole cell once and report the time and the memory it takes", true},
	{"%timeit", "%timeit [-n RUNS] [-r REPEATS] STATEMENT", "run a statement as often as it takes and report the median time, bytes and allocations of one run; variables that it declares are its own", true},
	{"%%timeit", "%%timeit [-n RUNS] [-r REPEATS]", "run the whole cell as often as it takes and report the median time, bytes and allocations of one run", true},
	{"%who", "%who [PATTERN...]", "list the session's variables, with types, sizes and values", false},
	{"%reset", "%reset [NAME...]", "forget the session's variables, or only the named ones, and free the memory they hold; functions and types stay", false},
	{"%params", "%params [NAME=VALUE...]", "above a cell's code: its variables are the notebook's parameters; anywhere else: show them, or set them", false},
	{Fmt, Fmt, "format the cell as gofmt does, in its place, instead of running it: the line goes when that is done", false},
	{"%goroutines", "%goroutines [stop [ID...]]", "list the goroutines that cells have left running, and stop them", false},
	{"%stale", "%stale [on|off]", "list the cells whose outputs are older than what they use, and why; on: tell after each cell", false},
	{"%cd", "%cd [FOLDER]", "change the working directory (no folder: to the home directory, -: back)", false},
	{"%env", "%env [NAME[=VALUE]]", "show or set environment variables", false},
	{"%get", "%get [-u] MODULE[@VERSION]...", "pin modules for this notebook, @latest or no version for the newest, and print the pins as lines to keep; -u: newer ones of what they need too", false},
	{"%mod", "%mod [tidy|reload [PACKAGE...]|source PACKAGE...|off|on|cgo on|cgo off]", "list the modules in use; drop pins that nothing needs; run edited packages anew; run a compiled package from source, for its generic functions; refuse other modules; allow cgo", false},
	{"%data", "%data", "list the real data sets and say which are on this machine", false},
	{"%%prof", "%%prof [cpu|heap] [-rate HZ|BYTES] [-o FILE]", "run the whole cell once and show which lines and compiled functions take its processor time, or its memory, as a flame graph; -o also writes a profile for go tool pprof", true},
	{"%%test", "%%test [-run RE] [-bench RE] [-v] [-short] [-count N] [-timeout D]", "run the cell, and then the tests, examples, benchmarks and fuzz targets that it declares, as go test does", true},
	{"%%writefile", "%%writefile [-a] FILE", "write the rest of the cell to a file, with -a to its end", false},
	{"%%native", "%%native", "compile the cell's functions with the Go toolchain, where there is one; they run in a process of their own", true},
	{"%go111module", "%go111module on|off", "do nothing: accepted because imports in gophernotes need it", false},
	{"$", "$ COMMAND or !COMMAND", "run a line in the shell; a backslash at its end continues it", false},
}

// List returns all commands.
func List() []Info { return append([]Info(nil), list...) }

// Find returns the command with the given name.
func Find(name string) (Info, bool) {
	for _, i := range list {
		if i.Name == name {
			return i, true
		}
	}
	return Info{}, false
}

// fetched explains how cells import packages of other modules.
const fetched = "cells import a package of any module and it is fetched; %get MODULE@VERSION says which version"

// insteadOf maps commands of IPython to advice about their replacements in this kernel.
var insteadOf = map[string]string{
	"pip": fetched, "conda": fetched, "mamba": fetched, "go": "%get MODULE@VERSION pins a module, and $ go runs the go command", "install": fetched,
	"matplotlib": "plots show themselves where a cell ends with one, see gonum.org/v1/plot or " + module.Package("kernel-helpers/figure"),
	"pylab":      "plots show themselves where a cell ends with one, see gonum.org/v1/plot or " + module.Package("kernel-helpers/figure"),
	"pwd":        "$ pwd", "ls": "$ ls", "ll": "$ ls -l", "cat": "$ cat FILE", "mkdir": "$ mkdir FOLDER", "rm": "$ rm FILE", "mv": "$ mv FROM TO", "cp": "$ cp FROM TO", "man": "$ COMMAND --help",
	"bash": "each line for the shell begins with $, a backslash at its end continues it", "sh": "each line for the shell begins with $, a backslash at its end continues it",
	"sx": "$ COMMAND", "system": "$ COMMAND",
	"run": "paste the file into a cell, or $ go run FILE.go with a Go toolchain", "load": "paste the file into a cell, or $ cat FILE", "edit": "write into a cell",
	"whos": "%who", "who_ls": "%who", "reset_selective": "%reset NAME", "xdel": "%reset NAME", "magic": "%help", "lsmagic": "%help", "quickref": "%help",
	"set_env": "%env NAME=VALUE", "prun": "%%prof", "memit": "%time tells the memory too", "file": "%%writefile FILE", "python": "cells are Go", "html": "display.HTML(`...`)",
	"latex": "display.Latex(`...`)", "markdown": "display.Markdown(`...`)", "javascript": "display.JavaScript(`...`)", "capture": "a cell that ends with a semicolon shows no value",
	"history": "the arrow keys of the front end", "debug": "the debugger is the beetle in JupyterLab's toolbar, and a panic names the lines of the cells that it went through", "pdb": "the debugger is the beetle in JupyterLab's toolbar: it can stop at panics", "load_ext": "there are no extensions", "autoreload": "functions that are declared again count at once",
	"pinfo": "Shift-Tab behind a name shows its documentation", "pdoc": "Shift-Tab behind a name shows its documentation", "doc": "Shift-Tab behind a name shows its documentation",
}

// nearest returns the command that the given name probably means, or "" if none is similar.
func nearest(name string) string {
	bare := strings.ToLower(strings.TrimLeft(name, "%"))
	var names []string
	for _, i := range list {
		if n := strings.TrimLeft(i.Name, "%"); n == bare {
			return i.Name // the same name with % for %%, or the reverse
		} else if n != "$" {
			names = append(names, n)
		}
	}
	near := spelling.Near(bare, names)
	for _, i := range list {
		if len(near) > 0 && strings.TrimLeft(i.Name, "%") == near[0] {
			return i.Name
		}
	}
	return ""
}

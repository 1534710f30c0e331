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

// Main is the line that, in GoNB, begins the function main of a cell.
const Main = "%%"

// list has the commands in the order in which %help shows them.
var list = []Info{
	{"%help", "%help", "show this list", false},
	{"%time", "%time STATEMENT", "run a statement once and report the time and memory it takes", true},
	{"%%time", "%%time", "run the whole cell once and report the time and memory it takes", true},
	{"%timeit", "%timeit [-n RUNS] [-r REPEATS] STATEMENT", "run a statement as often as measuring requires, and report the median time, bytes and allocations of one run; variables that it declares stay local to it", true},
	{"%%timeit", "%%timeit [-n RUNS] [-r REPEATS]", "run the whole cell as often as measuring requires, and report the median time, bytes and allocations of one run", true},
	{"%who", "%who [PATTERN...]", "list the session's variables, with types, sizes and values", false},
	{"%reset", "%reset [NAME...]", "forget all of the session's variables, or only the named variables, functions and imports, and free their memory", false},
	{"%params", "%params [NAME=VALUE...]", "above a cell's code: make the cell's variables the notebook's parameters; anywhere else: show or set the parameters", false},
	{Fmt, Fmt, "format the cell in place as gofmt does, instead of running it; the line disappears afterwards", false},
	{"%goroutines", "%goroutines [stop [ID...]]", "list the goroutines that cells have left running, and stop them", false},
	{"%stale", "%stale [on|off]", "list the cells whose outputs are older than what they use, and why; on: report this after each cell", false},
	{"%cd", "%cd [FOLDER]", "change the working directory (without a folder: to the home directory; -: back to the previous one)", false},
	{"%env", "%env [NAME[=VALUE]]", "show or set environment variables", false},
	{"%args", "%args [ARG...]", "set the arguments of the cells' program, os.Args[1:], which package flag reads (without ARG: no arguments)", false},
	{"%get", "%get [-u] MODULE[@VERSION]...", "pin modules for this notebook (@latest or no version: the newest), and print the pins as lines to keep; -u: also use newer versions of the modules that they need", false},
	{"%mod", "%mod [tidy|reload [PACKAGE...]|source PACKAGE...|off|on|cgo on|cgo off]", "list the modules in use; tidy: drop pins that nothing needs; reload: run edited packages again; source: run a compiled package from source, for its generic functions; off: refuse other modules; cgo on: allow cgo", false},
	{"%data", "%data", "list the real data sets and say which are on this machine", false},
	{"%gpu", "%gpu", "list the graphics cards and other devices that cells can use, or say why there are none", false},
	{"%%cache", "%%cache FILE [INPUT]...", "keep the variables that the cell declares in a file, and take them from the file when the cell runs again with the same code, the same values of what it uses and the same input files", true},
	{"%%prof", "%%prof [cpu|heap] [-rate HZ|BYTES] [-o FILE]", "run the whole cell once, and show as a flame graph which lines and compiled functions take its processor time, or its memory; -o also writes a profile for go tool pprof", true},
	{"%%test", "%%test [-run RE] [-bench RE] [-v] [-short] [-count N] [-timeout D]", "run the cell, and then the tests, examples, benchmarks and fuzz targets that it declares, as go test does", true},
	{"%%writefile", "%%writefile [-a] FILE", "write the rest of the cell to a file; -a appends to the file", false},
	{"%%native", "%%native", "compile the cell's functions with the Go toolchain, if installed; they run in a separate process", true},
	{"%go111module", "%go111module on|off", "do nothing; accepted for notebooks of gophernotes, where imports need it", false},
	{Main, Main + " [ARG...]", "accepted for notebooks of GoNB, where the lines below it are the function main; with arguments: like %args, followed by flag.Parse", false},
	{"$", "$ COMMAND or !COMMAND", "run a line in the shell; a backslash at the end continues the line", false},
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
const fetched = "import a package of any module in a cell, and the kernel fetches the module; %get MODULE@VERSION selects the version"

// insteadOf maps commands of IPython to advice about their replacements in this kernel.
var insteadOf = map[string]string{
	"pip": fetched, "conda": fetched, "mamba": fetched, "go": "%get MODULE@VERSION pins a module; $ go ... runs the go command", "install": fetched,
	"matplotlib": "a cell that ends with a plot shows the plot; see gonum.org/v1/plot or " + module.Package("kernel-helpers/figure"),
	"pylab":      "a cell that ends with a plot shows the plot; see gonum.org/v1/plot or " + module.Package("kernel-helpers/figure"),
	"pwd":        "$ pwd", "ls": "$ ls", "ll": "$ ls -l", "cat": "$ cat FILE", "mkdir": "$ mkdir FOLDER", "rm": "$ rm FILE removes a file, and %reset NAME a variable", "mv": "$ mv FROM TO", "cp": "$ cp FROM TO", "man": "$ COMMAND --help",
	"bash": "begin each shell line with $; a backslash at the end continues the line", "sh": "begin each shell line with $; a backslash at the end continues the line",
	"sx": "$ COMMAND", "system": "$ COMMAND",
	"run": "paste the file into a cell, or use $ go run FILE.go if the Go toolchain is installed", "load": "paste the file into a cell, or show it with $ cat FILE", "edit": "edit the text in a cell",
	"whos": "%who", "who_ls": "%who", "reset_selective": "%reset NAME", "xdel": "%reset NAME", "magic": "%help", "lsmagic": "%help", "quickref": "%help",
	"set_env": "%env NAME=VALUE", "prun": "%%prof", "memit": "%time also reports the memory", "file": "%%writefile FILE", "python": "cells are Go", "html": "display.HTML(`...`)",
	"latex": "display.Latex(`...`)", "markdown": "display.Markdown(`...`)", "javascript": "display.JavaScript(`...`)", "capture": "a cell that ends with a semicolon shows no value",
	"history": "use the front end's arrow keys", "debug": "click the bug icon in JupyterLab's toolbar to use the debugger; a panic also lists the cell lines that it went through", "pdb": "click the bug icon in JupyterLab's toolbar to use the debugger, which can stop at panics", "load_ext": "this kernel has no extensions", "autoreload": "a redeclared function takes effect at once",
	"pinfo": "press Shift-Tab after a name to see its documentation", "pdoc": "press Shift-Tab after a name to see its documentation", "doc": "press Shift-Tab after a name to see its documentation",
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

// Command overcomplete is the Jupyter kernel for Go, the headless runner of
// notebooks and the scoreboard of the papers, in one binary.
package main

import (
	"fmt"
	"io"
	"os"
	"runtime"

	"overcomplete/internal/spelling"
)

// A command is one subcommand. run receives the arguments after the subcommand's name and returns the exit
// code.
type command struct {
	name, what string
	run        func(args []string) int
	common     bool // for everyday use; help lists the other commands only with --all
}

func commands() []command {
	return []command{
		{"all", "run all notebooks, and write a report: what make does", runEverything, true},
		{"run", "run notebooks without Jupyter, write their outputs and figures", runRun, true},
		{"list", "list the experiments, which run and make know by name", runList, true},
		{"check", "find what has changed: run notebooks anew and compare with what is expected", runCheck, false},
		{"export", "write notebooks as HTML, slides or Markdown to read, or as Go programs", runExport, true},
		{"fmt", "format the cells of notebooks as gofmt does", runFmt, true},
		{"handout", "write what students get of a notebook: no solutions; for nbgrader too", runHandout, true},
		{"grade", "grade a folder of students' notebooks: a line with the points of each", runGrade, true},
		{"report", "write the report as a site, and print the scoreboard", runReport, true},
		{"site", "write the course, the report and notebooks that run in the browser as one site", runSite, false},
		{"lite", "write JupyterLite with the kernel and notebooks, or the kernel's extension for one", runLite, false},
		{"new-paper", "begin a paper: a package, its test and its notebook", runNewPaper, false},
		{"protocol", "keep the declared rules of the papers beside their record", runProtocol, false},
		{"data", "list, download and check the real data sets", runData, true},
		{"s3c", "the long run of spike-and-slab sparse coding, in stages, on several machines", runS3C, false},
		{"doctor", "find what keeps the kernel from working, and how to fix it", runDoctor, true},
		{"install", "make the kernel known to Jupyter and VS Code", runInstall, true},
		{"uninstall", "remove what install wrote", runUninstall, true},
		{"kernel", "be a kernel (Jupyter calls this with a connection file)", runKernel, false},
		{"version", "print the version", runVersion, false},
	}
}

func main() {
	if len(os.Args) < 2 {
		usage(os.Stderr, false)
		os.Exit(2)
	}
	switch os.Args[1] {
	case "help", "-h", "-help", "--help", "-all", "--all":
		os.Exit(help(os.Args[1:]))
	}
	for _, c := range append(commands(), command{name: workerCommand, run: runWorker}, command{name: referenceCommand, run: runReference}, command{name: liveKernelCommand, run: runLiveKernel}, command{name: gradeKernelCommand, run: runGradeKernel}) {
		if c.name == os.Args[1] {
			os.Exit(c.run(os.Args[2:]))
		}
	}
	os.Exit(reportUnknown(os.Args[1]))
}

// help lists the common commands or all of them, or shows a command's usage.
func help(args []string) int {
	all := false
	for _, arg := range args {
		switch arg {
		case "help", "-h", "-help", "--help":
		case "-all", "--all":
			all = true
		default:
			for _, c := range commands() {
				if c.name == arg {
					return c.run([]string{"-h"})
				}
			}
			return reportUnknown(arg)
		}
	}
	usage(os.Stdout, all)
	return 0
}

// reportUnknown reports a command name that does not exist.
func reportUnknown(name string) int {
	var names []string
	for _, c := range commands() {
		names = append(names, c.name)
	}
	hint := spelling.DidYouMean(spelling.Near(name, names))
	if hint != "" {
		hint = ": " + hint
	}
	fmt.Fprintf(os.Stderr, "overcomplete: no command %q%s ('overcomplete help' lists them)\n", name, hint)
	return 2
}

// usage writes the list of commands.
func usage(w io.Writer, all bool) {
	fmt.Fprint(w, "overcomplete: a Jupyter kernel for Go, and papers about learned representations to run in it.\n\nCommands:\n")
	for _, c := range commands() {
		if c.common || all {
			fmt.Fprintf(w, "  %-10s %s\n", c.name, c.what)
		}
	}
	if !all {
		fmt.Fprint(w, "\n'overcomplete help --all' lists the others too.")
	}
	fmt.Fprint(w, "\n'overcomplete COMMAND -h' lists a command's flags.\n")
}

func runVersion([]string) int {
	fmt.Printf("overcomplete %s, %s %s/%s\n", buildVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return 0
}

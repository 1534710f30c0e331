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

// A command is one subcommand. Its function, called run, receives the arguments after the subcommand's name and returns
// the exit code.
type command struct {
	name, what string
	run        func(args []string) int
	common     bool // for everyday use; help lists the other commands only with --all
}

func commands() []command {
	return []command{
		{"all", "run all notebooks and write a report, as make does", runEverything, true},
		{"run", "run notebooks without Jupyter, and write their outputs and figures", runRun, true},
		{"list", "list the experiments that 'run --only' and make can run by name", runList, true},
		{"check", "run notebooks again and compare their results with the expected ones", runCheck, false},
		{"export", "write notebooks as HTML, slides or Markdown, or as Go programs", runExport, true},
		{"fmt", "format the cells of notebooks as gofmt does", runFmt, true},
		{"handout", "write the students' version of a notebook, without solutions; also for nbgrader", runHandout, true},
		{"grade", "grade a folder of students' notebooks, and write a line with each one's points", runGrade, true},
		{"report", "print results beside published ones, and write them as a site", runReport, true},
		{"site", "write one site with the course, the report and notebooks that run in the browser", runSite, false},
		{"lite", "write JupyterLite with the kernel and notebooks, or only the kernel's extension", runLite, false},
		{"new-paper", "start a new paper: a package, its test and its notebook", runNewPaper, false},
		{"protocol", "bring the papers' declared rules up to date with their records", runProtocol, false},
		{"audit", "check verdicts, counts and histories by another program, from git and results alone", runAudit, false},
		{"data", "list, download and check the real data sets", runData, true},
		{"s3c", "run spike-and-slab sparse coding at full size, in stages, on one or several machines", runS3C, false},
		{"doctor", "find out what keeps the kernel from working, and how to fix it", runDoctor, true},
		{"install", "register the kernel with Jupyter and VS Code", runInstall, true},
		{"uninstall", "remove the files that install has written", runUninstall, true},
		{"kernel", "run the kernel (Jupyter calls this with a connection file)", runKernel, false},
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
	fmt.Fprintf(os.Stderr, "overcomplete: unknown command %q%s ('overcomplete help' lists the commands)\n", name, hint)
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
		fmt.Fprint(w, "\n'overcomplete help --all' lists all commands.")
	}
	fmt.Fprint(w, "\n'overcomplete COMMAND -h' lists a command's flags.\n")
}

func runVersion([]string) int {
	fmt.Printf("overcomplete %s, %s %s/%s\n", buildVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return 0
}

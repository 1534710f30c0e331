// Command overcomplete is the Jupyter kernel for Go, the headless runner of
// notebooks and the scoreboard of the papers, in one binary.
package main

import (
	"fmt"
	"os"
	"runtime"
)

// command is one subcommand; run is given the arguments after its name and
// returns the exit code.
type command struct {
	name, what string
	run        func(args []string) int
}

func commands() []command {
	return []command{
		{"all", "run all notebooks, and write a report: what make does", runEverything},
		{"run", "run notebooks without Jupyter, write their outputs and figures", runRun},
		{"list", "list the experiments, which run and make know by name", runList},
		{"check", "find what has changed: run notebooks anew and compare with what is expected", runCheck},
		{"export", "write notebooks as HTML, slides or Markdown to read, or as Go programs", runExport},
		{"fmt", "format the cells of notebooks as gofmt does", runFmt},
		{"handout", "write what students get of a notebook: no solutions; for nbgrader too", runHandout},
		{"grade", "grade a folder of students' notebooks: a line with the points of each", runGrade},
		{"report", "write the report as a site, and print the scoreboard", runReport},
		{"site", "write the course, the report and notebooks that run in the browser as one site", runSite},
		{"lite", "write JupyterLite with the kernel and notebooks, or the kernel's extension for one", runLite},
		{"new-paper", "begin a paper: a package, its test and its notebook", runNewPaper},
		{"protocol", "keep the declared rules of the papers beside their record", runProtocol},
		{"data", "list, download and check the real data sets", runData},
		{"s3c", "the long run of spike-and-slab sparse coding, in stages, on several machines", runS3C},
		{"doctor", "find what keeps the kernel from working, and how to fix it", runDoctor},
		{"install", "make the kernel known to Jupyter and VS Code", runInstall},
		{"uninstall", "remove what install wrote", runUninstall},
		{"kernel", "be a kernel (Jupyter calls this with a connection file)", runKernel},
		{"version", "print the version", runVersion},
	}
}

func main() {
	if len(os.Args) < 2 || os.Args[1] == "help" || os.Args[1] == "-h" || os.Args[1] == "--help" {
		usage()
		if len(os.Args) < 2 {
			os.Exit(2)
		}
		return
	}
	for _, c := range append(commands(), command{name: workerCommand, run: runWorker}, command{name: referenceCommand, run: runReference}, command{name: liveKernelCommand, run: runLiveKernel}, command{name: gradeKernelCommand, run: runGradeKernel}) {
		if c.name == os.Args[1] {
			os.Exit(c.run(os.Args[2:]))
		}
	}
	fmt.Fprintf(os.Stderr, "overcomplete: no command %q\n\n", os.Args[1])
	usage()
	os.Exit(2)
}

func usage() {
	fmt.Fprintln(os.Stderr, "overcomplete: a Jupyter kernel for Go, and papers about learned representations to run in it.\n\nCommands:")
	for _, c := range commands() {
		fmt.Fprintf(os.Stderr, "  %-10s %s\n", c.name, c.what)
	}
	fmt.Fprintln(os.Stderr, "\n'overcomplete COMMAND -h' lists a command's flags.")
}

func runVersion([]string) int {
	fmt.Printf("overcomplete %s, %s %s/%s\n", buildVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return 0
}

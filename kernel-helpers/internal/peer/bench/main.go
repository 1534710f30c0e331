// Command bench runs the benchmarks of packages, one package after the other. If a package compares itself with other
// libraries, its benchmarks run once for each instruction set of the machine (for example AVX-512 and AVX2). Before
// each run, the command prints a line that names the instruction set ("isa: ..."). At the beginning, it prints the
// versions of the other libraries.
//
//	go run ./kernel-helpers/internal/peer/bench [-go command] [-bench regexp] directory...
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"overcomplete/internal/module"
	"overcomplete/kernel-helpers/internal/peer"
)

var (
	goCommand = flag.String("go", "go", "the go `command`")
	which     = flag.String("bench", ".", "the benchmarks whose names match the `regexp`")
)

func main() {
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "bench: name the directories of the packages")
		os.Exit(2)
	}
	for _, module := range []string{"numpy", "scipy", "sklearn", "torch"} {
		version := peer.Versions(module)
		if version == "" {
			version = module + ": not here"
		}
		fmt.Println("peer:", version)
	}
	for _, dir := range flag.Args() {
		if err := run(dir); err != nil {
			fmt.Fprintf(os.Stderr, "bench: %s: %v\n", dir, err)
			os.Exit(1)
		}
	}
}

// run runs the benchmarks of one package.
func run(dir string) error {
	compares, err := comparesWithPeers(dir)
	if err != nil {
		return err
	}
	sets := peer.Sets()
	if !compares {
		sets = sets[:1]
	}
	for _, s := range sets {
		fmt.Println("isa:", s.Name)
		cmd := exec.Command(*goCommand, "test", "-timeout", "30m", "-run", "^$", "-bench", *which, ".")
		cmd.Dir, cmd.Stdout, cmd.Stderr = dir, os.Stdout, os.Stderr
		cmd.Env = append(os.Environ(), s.Env...)
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("with %s: %w", s.Name, err)
		}
	}
	return nil
}

// comparesWithPeers reports whether the tests of the package import package peer.
func comparesWithPeers(dir string) (bool, error) {
	cmd := exec.Command(*goCommand, "list", "-f", `{{join .TestImports " "}} {{join .XTestImports " "}}`, ".")
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.Output()
	return slices.Contains(strings.Fields(string(out)), module.Package("kernel-helpers/internal/peer")), err
}

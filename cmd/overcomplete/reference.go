package main

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"overcomplete/suite"
)

// referenceCommand is the subcommand that measures the reference product. The measurement needs a process of its own:
// it uses a fixed instruction set (suite.ReferenceISA), and a process chooses its instruction set when it starts.
const referenceCommand = "run-reference"

// runReference prints the processor time in seconds of the reference product, a fixed matrix product that serves as
// the unit of cost.
func runReference([]string) int {
	fmt.Println(suite.Reference())
	return 0
}

// measureReference returns a function that measures the processor time of the reference product, in seconds (see
// suite.Reference). For this, the function runs the program whose path is binary. The function returns 0 if the time
// cannot be measured, for example on machines without the required instructions.
func measureReference(binary string) func() float64 {
	return func() float64 {
		cmd := exec.Command(binary, referenceCommand)
		cmd.Env = append(os.Environ(), "OVERCOMPLETE_GEMM="+suite.ReferenceISA)
		out, err := cmd.Output()
		if err != nil {
			return 0
		}
		seconds, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
		if err != nil {
			return 0
		}
		return seconds
	}
}

package reach_test

import (
	"fmt"

	"overcomplete/suite/reach"
)

// The example finds the code that this package's function DiffModules reaches.
func ExampleCode_Reach() {
	code, err := reach.Scan("../..")
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := code.Reach("overcomplete/suite/reach.DiffModules")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range r.Parts {
		fmt.Println(p.File, p.Decl)
	}
	_, err = code.Reach("overcomplete/suite/reach.Dif")
	fmt.Println(err)
	// Output:
	// suite/reach/diff.go DiffModules
	// suite/reach/diff.go shortLine
	// reach: no Dif in overcomplete/suite/reach; near it: Diff, DiffModules
}

func ExampleDiff() {
	then := []reach.Part{
		{File: "kernel-helpers/klcoding/egd.go", Decl: "Descent.step", Hash: "5f70bf18a086007b"},
		{File: "paper/x/table2.go", Decl: "Lab.Table2", Hash: "2c26b46b68ffc68f"},
	}
	now := []reach.Part{
		{File: "kernel-helpers/klcoding/egd.go", Decl: "Descent.step", Hash: "fcde2b2edba56bf4"},
		{File: "kernel-helpers/klcoding/egd.go", Decl: "length", Hash: "baa5a0964d3320fb"},
		{File: "paper/x/table2.go", Decl: "Lab.Table2", Hash: "2c26b46b68ffc68f"},
	}
	for _, line := range reach.Diff(then, now) {
		fmt.Println(line)
	}
	// Output:
	// code changed: kernel-helpers/klcoding/egd.go (Descent.step)
	// code added: kernel-helpers/klcoding/egd.go (length)
}

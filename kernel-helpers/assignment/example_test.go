package assignment_test

import (
	"fmt"

	"overcomplete/kernel-helpers/assignment"
)

// Two workers, three jobs: worker 1 does job 0, although job 1 would cost it less, since
// worker 0 would then lose more.
func ExampleSolve() {
	cost := [][]float64{
		{4, 1, 3},
		{2, 1.5, 5},
	}
	fmt.Println(assignment.Solve(cost))
	// Output: [1 0]
}

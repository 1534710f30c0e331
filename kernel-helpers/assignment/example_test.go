package assignment_test

import (
	"fmt"

	"overcomplete/kernel-helpers/assignment"
)

// There are two workers and three jobs. Job 1 is cheapest for both workers. Worker 0 gets it, because worker
// 0 would lose more by taking another job.
func ExampleSolve() {
	cost := [][]float64{
		{4, 1, 3},
		{2, 1.5, 5},
	}
	fmt.Println(assignment.Solve(cost))
	// Output: [1 0]
}

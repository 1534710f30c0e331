// Package assignment solves the assignment problem: each of n workers gets one of m
// jobs, no job is used twice, and the sum of the costs is as small as possible.
//
//	cost := [][]float64{{4, 1, 3}, {2, 1.5, 5}} // one row per worker, one column per job
//	assignment.Solve(cost)                      // [1 0]: worker 0 gets job 1
//
// Typical uses are to match clusters with classes, or the columns of a learned basis with the columns of the
// true basis. To maximize the sum, negate the costs.
//
// # Method
//
// The Hungarian algorithm (H. Kuhn 1955, J. Munkres 1957) with potentials u and v,
//
//	u_i + v_j <= cost_ij, with equality on the assignment,
//
// which prove that the assignment is optimal. Rows are added one at a time, each by one shortest augmenting
// path (R. Jonker and A. Volgenant 1987): O(n²m) operations. Trying all assignments, as the test does, is
// feasible up to about ten rows; the simplex method on the linear program is also correct, but every vertex
// is degenerate.
package assignment

import (
	"fmt"
	"math"
)

// Solve returns, for each row of an n×m cost matrix, the column assigned to it, so that the total cost is
// minimal and no column is used twice. If several assignments have the minimal cost, Solve always returns the
// same one. Solve panics unless all rows have the same length, there are at least as many columns as rows,
// and all costs are finite.
func Solve(cost [][]float64) []int {
	n := len(cost)
	if n == 0 {
		return nil
	}
	m := len(cost[0])
	for i, r := range cost {
		if len(r) != m || m < n {
			panic(fmt.Sprintf("assignment: Solve: row %d of %d has %d columns, the first row has %d", i, n, len(r), m))
		}
		for j, v := range r {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				panic(fmt.Sprintf("assignment: Solve: cost[%d][%d] is %v", i, j, v))
			}
		}
	}
	// Rows and columns are numbered from 1; column 0 means 'no column yet'.
	u, v := make([]float64, n+1), make([]float64, m+1)
	row, way := make([]int, m+1), make([]int, m+1)
	for i := 1; i <= n; i++ {
		row[0] = i
		j0 := 0
		dist := make([]float64, m+1)
		used := make([]bool, m+1)
		for j := range dist {
			dist[j] = math.Inf(1)
		}
		for row[j0] != 0 {
			used[j0] = true
			i0, j1, delta := row[j0], 0, math.Inf(1)
			for j := 1; j <= m; j++ {
				if used[j] {
					continue
				}
				if c := cost[i0-1][j-1] - u[i0] - v[j]; c < dist[j] {
					dist[j], way[j] = c, j0
				}
				if dist[j] < delta {
					delta, j1 = dist[j], j
				}
			}
			for j := 0; j <= m; j++ {
				if used[j] {
					u[row[j]] += delta
					v[j] -= delta
				} else {
					dist[j] -= delta
				}
			}
			j0 = j1
		}
		for j0 != 0 {
			row[j0] = row[way[j0]]
			j0 = way[j0]
		}
	}
	out := make([]int, n)
	for j := 1; j <= m; j++ {
		if row[j] > 0 {
			out[row[j]-1] = j - 1
		}
	}
	return out
}

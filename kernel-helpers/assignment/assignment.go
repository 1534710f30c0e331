// Package assignment solves the assignment problem: each of n workers gets one of m jobs, no job is used twice, and
// the sum of the costs is as small as possible.
//
//	cost := [][]float64{{4, 1, 3}, {2, 1.5, 5}} // one row per worker, one column per job
//	assignment.Solve(cost)                      // [1 0]: worker 0 gets job 1
//
// If there are more workers than jobs, each job is used, and the other workers get none. A cost of +Inf forbids a
// pair; Match returns an error if every assignment contains a forbidden pair.
//
// Typical uses are to match clusters with classes, or the columns of a learned basis with the columns of the true
// basis. To maximize the sum, negate the costs.
//
// # Method
//
// Match uses the Hungarian algorithm (H. Kuhn 1955, J. Munkres 1957). It finds potentials u and v with v_j <= 0 and
//
//	u_i + v_j <= cost_ij, with equality on the assignment,
//
// so any assignment costs at least the sum of all u_i and all v_j. The assignment found costs exactly that much,
// because v_j = 0 for each column that it does not use. So it is optimal up to the rounding of its costs or, with
// forbidden pairs, up to the rounding of all finite costs. Rows are added one at a time, each by one shortest
// augmenting path (R. Jonker and A. Volgenant 1987): O(n²m) operations for n <= m. If there is no such path, the rows
// that the search has reached have finite costs in too few columns, so there is no assignment (P. Hall 1935).
//
// There are two simpler methods. The first tries all assignments, as the test does; it is feasible up to about ten
// rows. The second solves the linear program by the simplex method. It is correct too, but every vertex is degenerate.
package assignment

import (
	"fmt"
	"math"
	"slices"
)

// Solve returns, for each row of an n×m cost matrix, the column assigned to it, as Match does. It panics
// where Match returns an error. If all costs are finite, Match returns no error.
func Solve(cost [][]float64) []int {
	column, err := match("Solve", cost)
	if err != nil {
		panic(err.Error())
	}
	return column
}

// Match returns, for each row of an n×m cost matrix, the column assigned to it, so that min(n, m) rows have a column,
// no column is used twice, and the total cost is minimal. If n > m, n − m rows have no column and get −1. A cost of
// +Inf forbids the pair of its row and column. If several assignments have the minimal cost, Match always returns the
// same one. Match returns an error if a cost is NaN or −Inf, or if every assignment has a forbidden pair. It panics
// unless all rows have the same length.
func Match(cost [][]float64) (column []int, err error) { return match("Match", cost) }

func match(fn string, cost [][]float64) ([]int, error) {
	n := len(cost)
	if n == 0 {
		return nil, nil
	}
	m := len(cost[0])
	top := 0.0 // the largest finite cost
	for i, r := range cost {
		if len(r) != m {
			panic(fmt.Sprintf("assignment: %s: row %d of %d has %d columns, the first row has %d", fn, i, n, len(r), m))
		}
		for j, v := range r {
			if math.IsNaN(v) || math.IsInf(v, -1) {
				return nil, fmt.Errorf("assignment: %s: cost[%d][%d] is %v", fn, i, j, v)
			}
			if v < math.Inf(1) {
				top = max(top, math.Abs(v))
			}
		}
	}
	// Potentials and paths are sums of up to n+m costs, which must not overflow.
	if _, e := math.Frexp(float64(n + m)); top > math.Ldexp(1, 1020-e) {
		cost = matrix(n, m, func(i, j int) float64 { return math.Ldexp(cost[i][j], -4-e) })
	}
	if n <= m {
		column, rows, columns := hungarian(cost, m)
		return column, forbidden(fn, "rows", "columns", rows, columns)
	}
	row, columns, rows := hungarian(matrix(m, n, func(j, i int) float64 { return cost[i][j] }), n)
	if row == nil {
		return nil, forbidden(fn, "columns", "rows", columns, rows)
	}
	column := slices.Repeat([]int{-1}, n)
	for j, i := range row {
		column[i] = j
	}
	return column, nil
}

// matrix returns the n×m matrix with the elements at(i, j).
func matrix(n, m int, at func(i, j int) float64) [][]float64 {
	out := make([][]float64, n)
	for i := range out {
		out[i] = make([]float64, m)
		for j := range out[i] {
			out[i][j] = at(i, j)
		}
	}
	return out
}

// forbidden returns an error that says that the given rows have finite costs only in the given columns, of which
// there are fewer. It returns nil if rows is nil.
func forbidden(fn, rowsName, columnsName string, rows, columns []int) error {
	if rows == nil {
		return nil
	}
	return fmt.Errorf("assignment: %s: every assignment has a cost of +Inf: the %d %s %v have finite costs only in the %d %s %v", fn, len(rows), rowsName, rows, len(columns), columnsName, columns)
}

// hungarian returns the column assigned to each row of cost, an n×m matrix with n <= m. If no assignment has only
// finite costs, column is nil, and rows and columns give the reason: these rows have finite costs only in these
// columns, of which there are fewer.
func hungarian(cost [][]float64, m int) (column, rows, columns []int) {
	n := len(cost)
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
				// Among equal distances, a column without a row ends the path.
				if dist[j] < delta || dist[j] == delta && row[j] == 0 && row[j1] != 0 {
					delta, j1 = dist[j], j
				}
			}
			if math.IsInf(delta, 1) {
				for j, r := range row {
					if used[j] {
						rows = append(rows, r-1)
						if j > 0 {
							columns = append(columns, j-1)
						}
					}
				}
				slices.Sort(rows)
				return nil, rows, columns
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
	column = make([]int, n)
	for j := 1; j <= m; j++ {
		if row[j] > 0 {
			column[row[j]-1] = j - 1
		}
	}
	return column, nil, nil
}

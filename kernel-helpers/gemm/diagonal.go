package gemm

// triangle computes one triangle of C = alpha A B + beta C, for C n×n. It is the upper triangle if upper is true, and
// the lower one otherwise. The diagonal belongs to both triangles. The elements of C outside the computed triangle are
// neither read nor written. Tiles on the diagonal compute some of these elements, but do not store them.
func (q *kernels[T]) triangle(threads int, upper bool, n, k int, alpha T, a, b view[T], beta T, c []T, ldc int) {
	if beta != 0 && beta != 1 {
		// Scale C before computing the tiles. Scaling inside the tiles would round beta C in diagonal tiles
		// but not in other tiles, and the instruction set decides which elements belong to diagonal tiles.
		for i := range n {
			from, to := 0, i+1
			if upper {
				from, to = i, n
			}
			scale(1, to-from, beta, c[i*ldc+from:], to-from)
		}
		beta = 1
	}
	j := q.job()
	j.m, j.n, j.k, j.alpha, j.a, j.b, j.beta, j.c, j.ldc = n, n, k, alpha, a, b, beta, c, ldc
	j.packA, j.packB, j.part = true, true, lowerPart
	if upper {
		j.part = upperPart
	}
	j.run(max(1, min(threads, n*n/128*k/(worthThread/64))))
	q.giveBack(j)
}

// Of the panels p of B, where from <= p < until, panels returns those that are needed for the rows r0 to r1−1 of C: the
// panels p where first <= p < end. Panels are counted from column n0, where the block of columns begins.
func (j *job[T]) panels(r0, r1, from, until, n0 int) (first, end int) {
	width := 2 * j.q.lanes
	switch j.part {
	case upperPart: // columns from r0 on
		from = max(from, (r0-n0)/width)
	case lowerPart: // columns before r1
		until = min(until, ceil(max(0, r1-n0), width))
	}
	return from, until
}

// crosses reports whether some elements of a tile are outside the calculated part of C. The tile has the rows r0 to
// r1−1 and the given number of columns, beginning with column j0.
func (j *job[T]) crosses(r0, r1, j0, cols int) bool {
	switch j.part {
	case upperPart:
		return j0 < r1-1
	case lowerPart:
		return j0+cols-1 > r0
	}
	return false
}

// addCorner copies the tile t, which crosses the diagonal, to its place in C. It copies only the elements inside the
// calculated part of C. If beta is 1, it adds them to C; if beta is 0, it overwrites C.
func (j *job[T]) addCorner(r0, r1, j0, cols int, beta T, t []T, width int) {
	for r := r0; r < r1; r++ {
		from, to := 0, cols
		if j.part == upperPart {
			from = max(0, r-j0)
		} else {
			to = min(cols, r-j0+1)
		}
		tile := t[(r-r0)*width:]
		for i := from; i < to; i++ {
			c := &j.c[r*j.ldc+j0+i]
			if beta == 0 {
				*c = tile[i]
			} else {
				*c += tile[i]
			}
		}
	}
}

package tsne

//go:generate go run ./gen -out neon_arm64.s -stubs neon_arm64.go -pkg tsne

// The inner loops in Go. In each, with t = 1 + ‖y_i − y_j‖² and w = 1/t:
//
//	repulsion   acc += (m w, m w² (x_i − x_j), m w² (y_i − y_j))
//	attraction  f += p_ij w (y_i − y_j)

func repelCellsGo(x, y, mass []float32, own *block, acc *sums[float32]) {
	y, mass = y[:len(x)], mass[:len(x)]
	for c := range lanes {
		xi, yi := own.x[c], own.y[c]
		z, fx, fy := acc.z[c], acc.x[c], acc.y[c]
		for k := range x {
			dx, dy := xi-x[k], yi-y[k]
			w := 1 / (1 + (dx*dx + dy*dy))
			mw := mass[k] * w
			z += mw
			mw *= w
			fx += mw * dx
			fy += mw * dy
		}
		acc.z[c], acc.x[c], acc.y[c] = z, fx, fy
	}
}

func repelPointsGo(x, y []float32, own *block, acc *sums[float32]) {
	y = y[:len(x)]
	for c := range lanes {
		xi, yi := own.x[c], own.y[c]
		z, fx, fy := acc.z[c], acc.x[c], acc.y[c]
		for k := range x {
			dx, dy := xi-x[k], yi-y[k]
			w := 1 / (1 + (dx*dx + dy*dy))
			z += w
			w *= w
			fx += w * dx
			fy += w * dy
		}
		acc.z[c], acc.x[c], acc.y[c] = z, fx, fy
	}
}

// repelAmong adds the repulsion among the first n points of a block. A point is left out of its
// own sum, because adding w = 1 and subtracting it again would cost digits.
func repelAmong(n int, own *block, acc *sums[float32]) {
	for c := range n {
		xi, yi := own.x[c], own.y[c]
		for k := range c {
			dx, dy := xi-own.x[k], yi-own.y[k]
			w := 1 / (1 + (dx*dx + dy*dy))
			acc.z[c] += w
			acc.z[k] += w
			w *= w
			acc.x[c] += w * dx
			acc.y[c] += w * dy
			acc.x[k] -= w * dx
			acc.y[k] -= w * dy
		}
	}
}

func attractGo(col []int32, p, pos []float32, i int) (fx, fy float32) {
	p = p[:len(col)]
	xi, yi := pos[2*i], pos[2*i+1]
	for c, j := range col {
		dx, dy := xi-pos[2*j], yi-pos[2*j+1]
		pw := p[c] / (1 + (dx*dx + dy*dy))
		fx += pw * dx
		fy += pw * dy
	}
	return fx, fy
}

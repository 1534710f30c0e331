package sparseapprox

// A block32 holds the data of coordinate descent for m atoms, in float32 and in units of λ. Rows and vectors are padded
// to a length of stride, which exceeds m and is a multiple of 16. The padding is finite but meaningless.
type block32 struct {
	m, stride  int
	a          []float32 // G for these atoms, m rows
	w, q       []float32
	g, inverse []float32 // G_jj and 1/G_jj
}

// load fills b with the given atoms. The first b.m of them must be those that b already holds. q and w have one element
// for each of the n atoms of the Coder.
func (b *block32) load(s *gram32, n int, atoms []int, q, w []float32) {
	m := len(atoms)
	if m >= b.stride {
		b.stride = max(64, 2*b.stride, (m+16)&^15)
		b.a = make([]float32, b.stride*b.stride)
		v := make([]float32, 4*b.stride)
		for _, part := range []*[]float32{&b.w, &b.q, &b.g, &b.inverse} {
			*part, v = v[:b.stride:b.stride], v[b.stride:]
		}
		b.m = 0
	}
	for i := b.m; i < m; i++ {
		// Because G is symmetric, reading the contiguous rows of the new atoms is enough.
		g, row := s.g[atoms[i]*n:(atoms[i]+1)*n], b.a[i*b.stride:(i+1)*b.stride]
		for t, j := range atoms[:i+1] {
			row[t] = g[j]
			b.a[t*b.stride+i] = g[j]
		}
		b.g[i], b.inverse[i] = s.diag[atoms[i]], s.inverse[atoms[i]]
	}
	b.m = m
	for i, j := range atoms {
		b.w[i], b.q[i] = w[j], q[j]
	}
}

// sweepPortable goes through the atoms once and computes, for each atom i,
//
//	v = (t − clamp(t, low, 1))/g_i with t = q_i + g_i w_i,  q -= a_i (v − w_i),  w_i <- v
//
// It returns the largest change of a q_i that was caused by the change of its own w_i. low is −1, or −∞ if the prior
// demands w >= 0.
func (b *block32) sweepPortable(low float32) (change float32) {
	for i := range b.m {
		old := b.w[i]
		t := b.q[i] + b.g[i]*old
		v := (t - min(max(t, low), 1)) * b.inverse[i]
		b.w[i] = v
		if d := old - v; d != 0 {
			axpy32(d, b.a[i*b.stride:i*b.stride+b.m], b.q[:b.m])
			if d *= b.g[i]; d < 0 {
				d = -d
			}
			if d > change { // faster than max, which has to check for NaN
				change = d
			}
		}
	}
	return change
}

package dictionary

import "gonum.org/v1/gonum/mat"

// warmStart returns the warm starts for the m signals from..to-1 of the pass, one per column (k×m), or nil if there
// are none. k is the length of the longest warm start.
func (l *learner) warmStart(from, to int) *mat.Dense {
	if !l.opt.Warm {
		return nil
	}
	k := 0
	for i := from; i < to; i++ {
		k = max(k, l.st.warm[l.signal(i)].size)
	}
	if k == 0 {
		return nil
	}
	m := to - from
	w := make([]float64, k*m)
	for i := range m {
		c := l.st.warm[l.signal(from+i)]
		for e, j := range c.at {
			w[int(j)*m+i] = c.v[e]
		}
	}
	return mat.NewDense(k, m, w)
}

// keep stores the columns of its first argument, the field Warm of the Codes that the coder returned. The columns are
// used the next time that the same signals are coded. The second argument is the position of the first of these signals
// in the pass.
func (l *learner) keep(warm *mat.Dense, from int) {
	if !l.opt.Warm || warm == nil {
		return
	}
	k, m := warm.Dims()
	cells := make([]cell, m)
	for j := range k {
		for i, v := range warm.RawRowView(j) {
			if v != 0 {
				cells[i].at = append(cells[i].at, uint32(j))
				cells[i].v = append(cells[i].v, v)
			}
		}
	}
	for i, c := range cells {
		c.size = k
		l.st.warm[l.signal(from+i)] = c
	}
}

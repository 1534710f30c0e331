package sparseapprox

import "math"

// A support is a set P of atoms with independent columns, the signs that their coefficients have or will get, and the
// factor of G_PP.
type support struct {
	p     []int
	sign  []float64
	f     factor
	g, to []float64
}

func (s *support) reset() {
	s.p, s.sign = s.p[:0], s.sign[:0]
	s.f.reset()
}

// add adds atom j to P. It returns false if the atom is in the span of P.
func (s *support) add(c *Coder, j int, sign float64) bool {
	row := c.gram(j)
	s.g = s.g[:0]
	for _, i := range s.p {
		s.g = append(s.g, row[i])
	}
	if !s.f.add(s.g, row[j]) {
		return false
	}
	s.p, s.sign = append(s.p, j), append(s.sign, sign)
	return true
}

// remove removes the atom at index i of P.
func (s *support) remove(i int) {
	s.f.remove(i)
	s.p = append(s.p[:i], s.p[i+1:]...)
	s.sign = append(s.sign[:i], s.sign[i+1:]...)
}

// target solves G_PP w = c_P − λ sign, where corr is c and lambda is λ. If the solution has the signs in s.sign, it
// minimizes the objective over the atoms in P. The returned slice is valid until the next call.
func (s *support) target(corr []float64, lambda float64) []float64 {
	s.to = s.to[:0]
	for i, j := range s.p {
		s.to = append(s.to, corr[j]-lambda*s.sign[i])
	}
	s.f.solve(s.to)
	return s.to
}

// exchange puts atom j, which the method add has just refused, into P in place of another atom. Since b_j is in the
// span of P, there is a nonzero v with Bv = 0, and a step along v does not change the residual. exchange moves w along
// v, in the direction in which ‖w‖₁ does not rise, until a coefficient reaches 0. The atom of that coefficient leaves
// P. exchange updates w (n) and returns the atom that left, which may be j itself.
func (s *support) exchange(c *Coder, j int, sign float64, w []float64) (left int) {
	null := s.f.null // b_j = Σ null_i b_p[i], so v = (−null, 1)
	slope := sign
	for i, v := range null {
		slope -= s.sign[i] * v
	}
	dir := 1.0
	if slope > 0 {
		dir = -1
	}
	step, out := math.Inf(1), -1
	if dir*sign < 0 {
		step, out = math.Abs(w[j]), len(s.p)
	}
	for i, v := range null {
		if d := -dir * v; s.sign[i]*d < 0 {
			if t := math.Abs(w[s.p[i]] / d); t < step {
				step, out = t, i
			}
		}
	}
	if out < 0 { // happens only because of rounding: if slope <= 0, some coefficient falls
		w[j] = 0
		return j
	}
	w[j] += dir * step
	for i, v := range null {
		w[s.p[i]] -= dir * step * v
	}
	if out == len(s.p) {
		w[j] = 0
		return j
	}
	left = s.p[out]
	w[left] = 0
	s.remove(out)
	if w[j] != 0 && !s.add(c, j, sign) {
		// j is so close to the span that it still counts as dependent after the removal.
		w[j] = 0
	}
	return left
}

// renewal is a fraction of the atoms of P: if at least this fraction changes, rebuilding the factor costs less than
// updating it.
const renewal = 0.15

// settle sets P to the nonzeros of w, and w to the minimizer of the objective with these signs. Coefficients that would
// change their sign on the way become 0 and leave P. The objective never rises. Each call starts from the P of the
// previous call; the field named held must mark the atoms in that P.
func (k *work) settle() {
	c, s := k.coder, &k.sup
	changes, m := 0, 0
	for _, j := range s.p {
		if k.w[j] == 0 {
			changes++
		}
	}
	for _, j := range k.set {
		if k.w[j] != 0 {
			m++
			if !k.held[j] {
				changes++
			}
		}
	}
	if float64(changes) < renewal*float64(m) || !k.assemble() {
		k.revise()
	}
	for len(s.p) > 0 && !k.isOver() {
		to := s.target(k.c, c.lambda)
		gamma, out := 1.0, -1
		for i, j := range s.p {
			if to[i]*s.sign[i] <= 0 {
				if t := k.w[j] / (k.w[j] - to[i]); t < gamma || out < 0 {
					gamma, out = t, i
				}
			}
		}
		if out < 0 {
			for i, j := range s.p {
				k.w[j] = to[i]
			}
			return
		}
		for i, j := range s.p {
			k.w[j] += gamma * (to[i] - k.w[j])
			if k.w[j]*s.sign[i] < 0 { // rounding
				k.w[j] = 0
			}
		}
		k.w[s.p[out]], k.held[s.p[out]] = 0, false
		s.remove(out)
	}
}

// assemble sets P to the nonzeros of w and rebuilds the factor. If the atoms in P are linearly dependent, it
// empties P and returns false.
func (k *work) assemble() bool {
	s := &k.sup
	for _, j := range s.p {
		k.held[j] = false
	}
	s.reset()
	for _, j := range k.set {
		if k.w[j] != 0 {
			s.p, s.sign = append(s.p, j), append(s.sign, sign(k.w[j]))
		}
	}
	if !s.f.build(k.coder, s.p, k.isOver) {
		s.reset()
		return false
	}
	for _, j := range s.p {
		k.held[j] = true
	}
	return true
}

// revise sets P to the nonzeros of w by removing and adding single atoms. An atom that depends on other atoms
// of P replaces one of them.
func (k *work) revise() {
	c, s := k.coder, &k.sup
	for i := len(s.p) - 1; i >= 0; i-- {
		if w := k.w[s.p[i]]; w == 0 {
			k.held[s.p[i]] = false
			s.remove(i)
		} else {
			s.sign[i] = sign(w)
		}
	}
	for _, j := range k.set {
		if k.isOver() {
			return
		}
		if k.w[j] != 0 && !k.held[j] {
			k.held[j] = true
			if !s.add(c, j, sign(k.w[j])) {
				k.held[s.exchange(c, j, sign(k.w[j]), k.w)] = false
				k.held[j] = k.w[j] != 0
			}
		}
	}
}

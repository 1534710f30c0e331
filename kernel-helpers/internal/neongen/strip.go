package neongen

import "slices"

// A Strip is a loop over n > 0 numbers of one or more arrays. Its body is written three times: for iterations with
// several vectors, with one vector, and with one number.
type Strip struct {
	f      *Func
	shape  Shape
	n      X
	arrays []X
}

// Strip returns a loop over n numbers of each of the arrays; its method Do writes the loop. The registers in arrays
// hold the addresses of the arrays, and the register n holds the count. The loop overwrites all these registers.
func (f *Func) Strip(s Shape, n X, arrays ...X) Strip { return Strip{f, s, n, arrays} }

// Do writes three loops, one after the other. An iteration of the first loop processes the given number of vectors, an
// iteration of the second loop a single vector, and an iteration of the third loop a single number. If the given number
// is 1, there is no first loop. Do calls body to write the code for each vector, and for the single number.
func (s Strip) Do(vectors int, body func(p Passage)) {
	f := s.f
	lanes, size := s.shape.Lanes(), s.shape.Size()
	// part writes a loop. The argument vectors is how many vectors an iteration processes, and numbers is how many
	// numbers they hold together.
	part := func(name string, vectors, numbers, bytes int) {
		turn, end := f.NewLabel(name), f.NewLabel("after")
		f.SubsN(s.n, s.n, numbers)
		f.Br("LT", end)
		f.Label(turn)
		for i := range vectors {
			body(Passage{s, i, bytes})
		}
		for _, a := range s.arrays {
			f.AddN(a, a, numbers*size)
		}
		f.SubsN(s.n, s.n, numbers)
		f.Br("GE", turn)
		f.Label(end)
		f.AddN(s.n, s.n, numbers)
	}
	if vectors > 1 {
		part("vectors", vectors, vectors*lanes, 16)
	}
	part("vector", 1, lanes, 16)
	part("number", 1, 1, size)
}

// A Passage is the piece of the arrays that is processed by the code from one call to body (see Do). It is a vector or,
// in the third loop, a single number in the first lane of a register.
type Passage struct {
	s     Strip
	I     int // index of the vector in the iteration
	bytes int
}

// Single reports whether p is one number. If it is, Load sets the other lanes to 0.
func (p Passage) Single() bool { return p.bytes != 16 }

func (p Passage) Load(v V, array X)  { p.s.f.Load(p.bytes, v, At(array, 16*p.I)) }
func (p Passage) Store(v V, array X) { p.s.f.Store(p.bytes, v, At(array, 16*p.I)) }

// AddRows emits y += Σ_r f_r a_r for at most 8 rows of n numbers. The slice a holds registers with the addresses of the
// rows, and the register called factors holds the address of the numbers f_r. The registers n, a and y are overwritten.
func (f *Func) AddRows(s Shape, n, factors X, a []X, y X) {
	var by []V
	for r := range a {
		v := f.V()
		f.Load(s.Size(), v, At(factors, r*s.Size()))
		by = append(by, v)
	}
	f.Strip(s, n, append(slices.Clone(a), y)...).Do(2, func(p Passage) {
		sum := f.V()
		p.Load(sum, y)
		for r := range a {
			v := f.V()
			p.Load(v, a[r])
			f.FMlaLane(s, sum, v, by[r], 0)
		}
		p.Store(sum, y)
	})
}

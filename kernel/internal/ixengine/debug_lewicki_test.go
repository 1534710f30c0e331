package ixengine

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel/engine"
)

// learn is the learning rule of Lewicki and Sejnowski (2000) for as many sources as mixtures, with Laplacian
// sources: A += eta A (sign(s) s^T - I), with s = A^-1 x.
const learn = `import (
	"math/rand/v2"
	"gonum.org/v1/gonum/mat"
)

func sign(v float64) float64 {
	if v < 0 {
		return -1
	}
	return 1
}

func learn(steps int) (basis *mat.Dense, halved int) {
	rng := rand.New(rand.NewPCG(1, 2))
	truth := mat.NewDense(2, 2, []float64{1, 0.5, 0.3, 1})
	a := mat.NewDense(2, 2, []float64{6, 1, 2, 5})
	eta, first := 0.02, mat.Norm(a, 2)
	for k := range steps {
		s := mat.NewVecDense(2, []float64{rng.ExpFloat64() * sign(rng.Float64()-0.5), rng.ExpFloat64() * sign(rng.Float64()-0.5)})
		var x, now mat.VecDense
		x.MulVec(truth, s)
		if err := now.SolveVec(a, &x); err != nil {
			panic(err)
		}
		z := mat.NewVecDense(2, []float64{sign(now.AtVec(0)), sign(now.AtVec(1))})
		var d, step mat.Dense
		d.Outer(1, z, &now)
		d.Sub(&d, mat.NewDiagDense(2, []float64{1, 1}))
		step.Mul(a, &d)
		step.Scale(eta, &step)
		a.Add(a, &step)
		norm := mat.Norm(a, 2)
		_, _ = k, norm
	}
	return a, halved
}`

// TestLearningRule uses the debugger as intended: execution stops in a learning rule at the step where a norm
// halves; its matrix is read, values are changed, and the rule continues.
func TestLearningRule(t *testing.T) {
	x := debugged(t)
	x.run(learn)
	line := strings.Count(learn[:strings.Index(learn, "_, _ = k")], "\n") + 1
	set := x.d.SetBreakpoints(learn, []engine.Breakpoint{{Line: line, Condition: "halved == 0 && norm < first/2"}})
	if set[0].Line != line {
		t.Fatalf("%+v", set)
	}
	x.start("basis, at := learn(2000)\nmat.Norm(basis, 2)")
	e, stack := x.stop("breakpoint")
	same2(t, stack, fmt.Sprintf("learn:%d :1", line))
	id := x.frames(e.Goroutine)[0].ID
	vars, err := x.d.Locals(id)
	if err != nil {
		t.Fatal(err)
	}
	var a *mat.Dense
	var k int
	for _, v := range vars {
		switch v.Name {
		case "a":
			a = v.Value.Interface().(*mat.Dense)
		case "k":
			k = int(v.Value.Int())
		case "eta":
			if err := x.d.Assign(context.Background(), id, v.Value, "eta / 4"); err != nil {
				t.Error(err)
			}
		}
	}
	norm := mat.Norm(a, 2)
	if norm < 2 || norm > 8.3/2 || k < 5 {
		t.Errorf("the norm is %v at step %d", norm, k)
	}
	same2(t, x.eval(e.Goroutine, 0, "mat.Norm(a, 2)"), fmt.Sprint(norm)+" (float64)")
	same2(t, x.eval(e.Goroutine, 0, "eta"), "0.005 (float64)")
	x.eval(e.Goroutine, 0, "halved = k")
	x.goOn(0, engine.NoStep)
	v := x.end()
	if n := v[0].Value.(float64); n < 1 || n > 2 {
		t.Errorf("the norm at the end is %v", n)
	}
	if v := x.run("at"); fmt.Sprint(v[0].Value) != strconv.Itoa(k) {
		t.Errorf("halved at %v, want %d", v[0].Value, k)
	}
}

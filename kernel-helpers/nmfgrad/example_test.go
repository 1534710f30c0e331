package nmfgrad_test

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/nmf"
	"overcomplete/kernel-helpers/nmfgrad"
	"overcomplete/kernel-helpers/tape"
)

func start() (U0, W0 *mat.Dense) {
	U0 = mat.NewDense(4, 2, []float64{1, 0.1, 1, 0.1, 0.1, 1, 0.1, 1})
	W0 = mat.NewDense(3, 2, []float64{1, 0.1, 0.5, 0.5, 0.1, 1})
	return U0, W0
}

// data returns a small matrix with its factorization, found by many sweeps.
func data() (A, U, W *mat.Dense) {
	A = mat.NewDense(4, 3, []float64{
		0, 3, 0,
		3, 3, 5,
		5, 0, 0,
		0, 4, 0,
	})
	U0, W0 := start()
	r, err := nmfgrad.Unroll(context.Background(), A, U0, W0, 2000, nmfgrad.HALS)
	if err != nil {
		panic(err)
	}
	return A, r.U(), r.W()
}

func ExamplePointAt() {
	A, U, W := data()
	ctx := context.Background()

	// l = ½‖UW'‖² does not depend on the scales of the components.
	p, err := nmfgrad.PointAt(A, U, W, &nmfgrad.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	var y mat.Dense
	y.Mul(U, W.T())
	g, rep, err := p.VJPProduct(ctx, &y)
	fmt.Println(p.Free(), "free entries,", rep.Solve.Method, rep.Residual < 1e-8, err)
	fmt.Printf("%.3f\n", mat.Formatted(g))

	// The first column of U does depend on the scales.
	gU := mat.NewDense(4, 2, []float64{1, 0, 1, 0, 1, 0, 1, 0})
	_, _, err = p.VJP(ctx, gU, nil)
	fmt.Println(errors.Is(err, nmfgrad.ErrGauge))
	U, W = nmfgrad.Normalize(U, W, nmfgrad.UnitW)
	p, err = nmfgrad.PointAt(A, U, W, &nmfgrad.Options{Gauge: nmfgrad.UnitW})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, _, err = p.VJP(ctx, gU, nil)
	fmt.Println(err)
	// Output:
	// 9 free entries, CG true <nil>
	// ⎡0.000  2.585  1.036⎤
	// ⎢3.787  3.787  3.036⎥
	// ⎢4.308  0.000  1.727⎥
	// ⎣0.000  3.446  1.381⎦
	// true
	// <nil>
}

func ExampleRowsAt() {
	// The coefficients of three rows in two concepts; the second row does not use
	// the second concept.
	W := mat.NewDense(2, 2, []float64{1, 0.5, 0, 1})
	A := mat.NewDense(3, 2, []float64{2, 1, 3, -1, 1, 2})
	U := mat.NewDense(3, 2, []float64{1.5, 1, 3, 0, 0, 2})
	U.Set(2, 1, 2) // its first coefficient is 0 with multiplier 0
	_, err := nmfgrad.RowsAt(A, U, W, &nmfgrad.Options{})
	fmt.Println(err)
	p, err := nmfgrad.RowsAt(A, U, W, &nmfgrad.Options{Degenerate: nmfgrad.KeepZero})
	if err != nil {
		fmt.Println(err)
		return
	}
	gA, _, _, _ := p.VJP(mat.NewDense(3, 2, []float64{0, 1, 0, 1, 0, 1}))
	fmt.Printf("%.2f\n", mat.Formatted(gA))
	// Output:
	// nmfgrad: degenerate entries (value and multiplier 0): 1, the first is U[2,0]; there is no derivative there
	// ⎡0.00  1.00⎤
	// ⎢0.00  0.00⎥
	// ⎣0.40  0.80⎦
}

// One training step of a network that contains a factorization.
func ExampleBlock() {
	x, _, _ := data()
	set := tape.NewSet(3)
	V := set.Zeros("V", 3, 3)
	for i := range 3 {
		V.X.Set(i, i, 0.5)
	}
	U0, W0 := start()
	block := &nmfgrad.Block{Solve: func(A *mat.Dense) (*mat.Dense, *mat.Dense, error) {
		r, err := nmf.Fit(context.Background(), A, &nmf.Options{
			U: U0, W: W0, KKT: 1e-10, Tolerance: -1, MaxIterations: 10000,
		})
		if err != nil {
			return nil, nil, err
		}
		return r.U, r.W, nil
	}, Options: nmfgrad.Options{Degenerate: nmfgrad.KeepZero}}
	t := tape.New()
	var losses []float64
	for range 2 {
		t.Reset()
		a := t.ReLU(t.MatMul(t.Const(x), t.Param(V)))
		y, err := block.Product(t, a)
		if err != nil {
			fmt.Println(err)
			return
		}
		e := t.Add(y, t.Scale(-1, t.Const(x)))
		loss := t.Mean(t.Mul(e, e))
		losses = append(losses, loss.Scalar())
		t.Backward(loss)
		if err := block.Err(); err != nil {
			fmt.Println(err)
			return
		}
		(&tape.SGD{Rate: 0.05}).Step(set.Params)
	}
	fmt.Println(losses[1] < losses[0])
	// Output: true
}

package nmfgrad

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/tape"
)

// A Block is a factorization as an operation on a tape, for use inside a network.
type Block struct {
	// Solve factorizes A (n×d), to a tight tolerance, as U (n×k) and W (d×k). A gradient requires that small changes to
	// A lead to the same local minimum, so always start from the same factors, or from the
	// previous solution.
	Solve func(A *mat.Dense) (U, W *mat.Dense, err error)
	// Options are the options of PointAt. Without a gauge, the loss must depend only on UW'.
	Options Options

	report Report
	err    error
}

// Factors factorizes the value a (n×d) with Solve, and puts U (n×k) and W (d×k) on the tape t. If the options have a
// gauge, the factors are normalized (see Normalize); otherwise they are those of Solve. For a loss that depends only
// on UW', use Product: it needs no gauge, and accepts a gradient that is only rounding error, as at the minimum of the
// objective.
//
// If Solve or PointAt fails, Factors returns the error and puts nothing on the tape. If an error occurs in Backward,
// the gradient becomes NaN, so that the error is not overlooked, and Err returns the error.
func (b *Block) Factors(t *tape.Tape, a *tape.Value) (U, W *tape.Value, err error) {
	p, err := b.point(a)
	if err != nil {
		return nil, nil, err
	}
	n, d := a.Dims()
	_, k := p.U.Dims()
	// Stack both factors into one result, so that Backward runs once and solves one system for both.
	both := t.Matrix(n+d, k)
	both.Stack(p.U, p.W)
	v := t.Op(both, func(grad *mat.Dense) {
		ga, rep, err := p.VJP(context.Background(), grad.Slice(0, n, 0, k), grad.Slice(n, n+d, 0, k))
		b.receive(a, ga, rep, err)
	}, a)
	return t.SliceRows(v, 0, n), t.SliceRows(v, n, n+d), nil
}

// Product factorizes the value a (n×d) with Solve, and puts UW' (n×d) on the tape t. It needs no gauge. Errors are as
// in Factors.
func (b *Block) Product(t *tape.Tape, a *tape.Value) (*tape.Value, error) {
	p, err := b.point(a)
	if err != nil {
		return nil, err
	}
	y := t.Matrix(a.Dims())
	y.Mul(p.U, p.W.T())
	return t.Op(y, func(grad *mat.Dense) {
		ga, rep, err := p.VJPProduct(context.Background(), grad)
		b.receive(a, ga, rep, err)
	}, a), nil
}

// point calls Solve and returns its factors, normalized if there is a gauge, as a Point.
func (b *Block) point(a *tape.Value) (*Point, error) {
	if b.Solve == nil {
		panic("nmfgrad: Block: Solve is nil")
	}
	u, w, err := b.Solve(mat.DenseCopyOf(a.X))
	if err != nil {
		return nil, fmt.Errorf("nmfgrad: Block: %w", err)
	}
	if u == nil || w == nil {
		return nil, errors.New("nmfgrad: Block: Solve returned no factors")
	}
	u, w = Normalize(u, w, b.Options.Gauge)
	return PointAt(a.X, u, w, &b.Options)
}

// receive ends a backward pass: it adds ga to the gradient of the value a, and keeps the report. If err is not nil, it
// keeps err for Err, and makes the gradient NaN instead.
func (b *Block) receive(a *tape.Value, ga *mat.Dense, rep Report, err error) {
	b.report = rep
	dst := a.Accumulate()
	switch {
	case dst == nil:
	case err != nil:
		b.err = errors.Join(b.err, err)
		spoil(dst)
	default:
		dst.Add(dst, ga)
	}
}

// Err returns the errors that occurred in Backward since the last call to Err, joined. It returns nil if there were
// none.
func (b *Block) Err() error {
	err := b.err
	b.err = nil
	return err
}

// Report returns the report of the last backward pass.
func (b *Block) Report() Report { return b.report }

// A RowsBlock is nonnegative least squares as an operation on a tape: one problem for each row of A, with a
// shared W.
type RowsBlock struct {
	// Solve returns the U (n×k) that minimizes ½‖A − UW'‖² over U ≥ 0.
	Solve func(A, W *mat.Dense) (U *mat.Dense, err error)
	// Options are the options of RowsAt.
	Options Options

	err error
}

// Coefficients calls Solve for the values a (n×d) and w (d×k), and puts the result U (n×k) on the tape t. Backward
// computes the gradients of both a and w. Errors are as in Block.Factors.
func (b *RowsBlock) Coefficients(t *tape.Tape, a, w *tape.Value) (*tape.Value, error) {
	if b.Solve == nil {
		panic("nmfgrad: RowsBlock: Solve is nil")
	}
	u, err := b.Solve(mat.DenseCopyOf(a.X), mat.DenseCopyOf(w.X))
	if err != nil {
		return nil, fmt.Errorf("nmfgrad: RowsBlock: %w", err)
	}
	if u == nil {
		return nil, errors.New("nmfgrad: RowsBlock: Solve returned no coefficients")
	}
	p, err := RowsAt(a.X, u, w.X, &b.Options)
	if err != nil {
		return nil, err
	}
	x := t.Matrix(p.U.Dims())
	x.Copy(p.U)
	return t.Op(x, func(grad *mat.Dense) {
		ga, gw, _, err := p.VJP(grad)
		if err != nil {
			b.err = errors.Join(b.err, err)
		}
		for _, part := range []struct {
			v *tape.Value
			g *mat.Dense
		}{{a, ga}, {w, gw}} {
			dst := part.v.Accumulate()
			switch {
			case dst == nil:
			case err != nil:
				spoil(dst)
			default:
				dst.Add(dst, part.g)
			}
		}
	}, a, w), nil
}

// Err returns the errors that occurred in Backward since the last call to Err, joined. It returns nil if there were
// none.
func (b *RowsBlock) Err() error {
	err := b.err
	b.err = nil
	return err
}

func spoil(m *mat.Dense) {
	m.Apply(func(_, _ int, _ float64) float64 { return math.NaN() }, m)
}

package nmfgrad

import (
	"context"

	"gonum.org/v1/gonum/mat"
)

// At does what PointAt does.
//
// Deprecated: use PointAt.
func At(A, U, W mat.Matrix, opt Options) (*Point, error) { return PointAt(A, U, W, &opt) }

// FixedW does what RowsAt does.
//
// Deprecated: use RowsAt.
func FixedW(A, U, W mat.Matrix, opt Options) (*Rows, error) { return RowsAt(A, U, W, &opt) }

// Diagnose does what DiagnoseAt does.
//
// Deprecated: use DiagnoseAt.
func Diagnose(ctx context.Context, A, U, W mat.Matrix, opt Options) (*Diagnosis, error) {
	return DiagnoseAt(ctx, A, U, W, &opt)
}

// Normalise does what Normalize does.
//
// Deprecated: use Normalize.
func Normalise(U, W mat.Matrix, g Gauge) (*mat.Dense, *mat.Dense) { return Normalize(U, W, g) }

// Unrolled is the old name of UnrolledSolver.
//
// Deprecated: use UnrolledSolver.
type Unrolled = UnrolledSolver

package vision

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
	"overcomplete/kernel-helpers/dictionary"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/given"
	"overcomplete/kernel-helpers/kmeans"
	"overcomplete/kernel-helpers/sparseapprox"
)

// A Dictionary holds the atoms that an encoder compares a patch with.
type Dictionary struct {
	// D is D×N, one atom per column, in the space of whitened patches.
	D *mat.Dense
	// Method describes how the dictionary was made.
	Method string
	// History is the history of the objective, or nil if nothing was minimized.
	History []float64
}

// Given returns a dictionary whose atoms are the columns of D (D×N), unchanged. method says how they were made.
func Given(D mat.Matrix, method string) (*Dictionary, error) {
	given.Args("vision: Given", "D", D)
	if n, d := D.Dims(); n == 0 || d == 0 {
		return nil, fmt.Errorf("vision: Given: D is empty, %d×%d", n, d)
	}
	if i, j := finite.Find(D); i >= 0 {
		return nil, fmt.Errorf("vision: Given: element %d of atom %d is %v", i, j, D.At(i, j))
	}
	return &Dictionary{D: mat.DenseCopyOf(D), Method: method}, nil
}

// RandomPatches returns n different rows of X (whitened patches), scaled to norm 1.
// Rows that are 0 are skipped.
func RandomPatches(X Rows, n int, seed uint64) (*Dictionary, error) {
	given.Args("vision: RandomPatches", "X", X)
	rows, d := X.Dims()
	if n <= 0 {
		panic(fmt.Sprintf("vision: RandomPatches: cannot make %d atoms", n))
	}
	D := mat.NewDense(d, n, nil)
	x, col := make([]float32, d), make([]float64, d)
	k := 0
	for _, i := range rand.New(rand.NewPCG(seed, 0)).Perm(rows) {
		if k == n {
			break
		}
		if err := X.Read(x, i, i+1); err != nil {
			return nil, fmt.Errorf("vision: RandomPatches: %w", err)
		}
		for j, v := range x {
			col[j] = float64(v)
		}
		if norm := mat.Norm(mat.NewVecDense(d, col), 2); norm > 0 {
			for j := range col {
				col[j] /= norm
			}
			D.SetCol(k, col)
			k++
		}
	}
	if k < n {
		return nil, fmt.Errorf("vision: RandomPatches: cannot take %d atoms from %d patches, of which %d are not 0", n, rows, k)
	}
	return &Dictionary{D: D, Method: fmt.Sprintf("random patches (seed %d)", seed)}, nil
}

// FitKMeans returns a dictionary whose atoms are the k-means centers of the rows of X (whitened patches), unscaled. It
// holds the rows in memory as float64. Options.K is the number of atoms. If k-means did not converge, the error wraps
// ended.ErrNotConverged and comes with the dictionary.
func FitKMeans(ctx context.Context, X Rows, options *kmeans.Options) (*Dictionary, error) {
	var opt kmeans.Options
	if options != nil {
		opt = *options
	}
	given.Args("vision: FitKMeans", "X", X)
	n, _ := X.Dims()
	M, err := Matrix(X, 0, n)
	if err != nil {
		return nil, err
	}
	r, err := kmeans.Fit(ctx, M, &opt)
	if err != nil {
		err = fmt.Errorf("vision: FitKMeans: %w", err)
	}
	if ended.Accept(err) != nil {
		return nil, err
	}
	d := &Dictionary{D: mat.DenseCopyOf(r.Centers.T()), Method: fmt.Sprintf("k-means of %d patches (seed %d)", n, opt.Seed)}
	for _, s := range r.History {
		d.History = append(d.History, s.Inertia)
	}
	return d, err
}

// FitSparseCoding learns a dictionary from the rows of X (whitened patches). It holds them in memory as float64.
// Options.Atoms must be given. The defaults of the other options are those of Coates and Ng: ten alternations of L1
// coding and least squares (MOD), from random directions. L1 coding minimizes ½‖x − Dw‖² + ‖w‖₁ over the code w of
// each patch x, with a tolerance of 1e-3. To learn online, set Batch.
func FitSparseCoding(ctx context.Context, X Rows, options *dictionary.Options) (*Dictionary, error) {
	var opt dictionary.Options
	if options != nil {
		opt = *options
	}
	given.Args("vision: FitSparseCoding", "X", X)
	n, _ := X.Dims()
	M, err := Matrix(X, 0, n)
	if err != nil {
		return nil, err
	}
	if opt.Coder == nil {
		opt.Coder = dictionary.SparseCoder(&sparseapprox.Options{Lambda: 1, Tolerance: 1e-3})
	}
	if opt.Method == 0 && opt.Batch == 0 && opt.Init == nil && opt.Resume == nil {
		opt.Method, opt.Start = dictionary.MOD, dictionary.Gaussian
	}
	r, err := dictionary.Fit(ctx, M.T(), &opt)
	if err != nil {
		return nil, fmt.Errorf("vision: FitSparseCoding: %w", err)
	}
	d := &Dictionary{D: r.B, Method: fmt.Sprintf("sparse coding of %d patches, %v, %v (seed %d)", n, opt.Coder, opt.Method, opt.Seed)}
	for _, p := range r.State.Passes {
		d.History = append(d.History, p.Objective)
	}
	return d, nil
}

// Dims returns the number of values of an atom, and the number of atoms.
func (d *Dictionary) Dims() (dim, atoms int) { return d.D.Dims() }

// Save writes the atoms to a file, atomically. dictionary.Load reads it.
func (d *Dictionary) Save(path string) error { return dictionary.Save(path, d.D, false) }

// String returns a one-line description with a checksum.
func (d *Dictionary) String() string {
	r, c := d.D.Dims()
	return fmt.Sprintf("%d atoms of %d values, %s (%s)", c, r, d.Method, checksum(d.D))
}

// errNoContrast is the error for patches without contrast, from which nothing can be learned.
var errNoContrast = errors.New("all patches are 0")

// scaleToUnit scales x to norm 1 and returns true. If the norm is 0 or not finite, it returns false and leaves x
// unchanged.
func scaleToUnit(x []float64) bool {
	var s float64
	for _, v := range x {
		s += v * v
	}
	if !(s > 0) || math.IsInf(s, 0) {
		return false
	}
	s = 1 / math.Sqrt(s)
	for j := range x {
		x[j] *= s
	}
	return true
}

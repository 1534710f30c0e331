package nmf

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"overcomplete/internal/ram"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/constant"
	"overcomplete/ui/progress"
)

// ConsensusOptions are the options of Consensus. Ranks must be given.
type ConsensusOptions struct {
	Ranks []int // the numbers of components to compare, each at least 2
	Runs  int   // number of fits for each rank. 0 means 20.
	// If Columns is set, the columns of A are clustered instead of its rows.
	Columns bool
	// Fit holds the options of each fit. Its Components, Init, U and W are not used: the fits start from Random, with
	// the seeds Fit.Seed, Fit.Seed + 1, ...
	Fit      Options
	Recorder progress.Recorder // receives an event after each fit. May be nil.
}

// A Stability measures how closely the fits from different starts agree.
type Stability struct {
	Ranks []int
	// Cophenetic is, for each rank, the correlation between the distances 1 − Consensus and the heights at which
	// average linkage joins pairs of rows. It is 1 if Consensus is a block matrix of zeros and ones.
	Cophenetic []float64
	// Dispersion is, for each rank, the mean of 4(c − ½)² over the elements c of Consensus. It is 1 if all runs agree.
	Dispersion []float64
	// Consensus holds, for each rank and each pair of rows, the share of runs in which both rows are in the same
	// cluster.
	Consensus []*mat.SymDense
	// Order holds, for each rank, the rows in the order of the linkage tree's leaves.
	Order [][]int
}

// Consensus measures how stably the rows of A (or its columns, with ConsensusOptions.Columns) fall into clusters. It
// fits A many times from random starts, and takes the clusters of each fit from RowClusters (or ColumnClusters), as in
// J.-P. Brunet, P. Tamayo, T. Golub and J. Mesirov, Metagenes and molecular pattern discovery using matrix
// factorization, PNAS 101 (2004). The authors of this paper choose the rank where the cophenetic correlation begins to
// fall. To cluster n rows, Consensus needs 8n²(ranks + 2) bytes. A row of zeros is in a cluster of its own. Fits that
// reach MaxIterations count too.
func Consensus(ctx context.Context, A mat.Matrix, opt *ConsensusOptions) (*Stability, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	var o ConsensusOptions
	if opt != nil {
		o = *opt
	}
	if o.Runs == 0 {
		o.Runs = 20
	}
	if len(o.Ranks) == 0 || slices.Min(o.Ranks) < 2 || o.Runs < 2 {
		return nil, fmt.Errorf("nmf: Consensus: ranks %v, %d runs; both must be at least 2", o.Ranks, o.Runs)
	}
	if isNil(A) {
		return nil, fmt.Errorf("nmf: Consensus: A is nil")
	}
	n, d := A.Dims()
	if o.Columns {
		n = d
	}
	if n < 3 {
		return nil, fmt.Errorf("nmf: Consensus: %d things to cluster, must be at least 3", n)
	}
	// Memory is needed for a matrix for each rank, and for the distances and heights of one rank.
	if err := ram.Check(fmt.Sprintf("the consensus of %d things for %d ranks", n, len(o.Ranks)), 8*float64(len(o.Ranks)+2)*float64(n)*float64(n)); err != nil {
		return nil, fmt.Errorf("nmf: Consensus: %w", err)
	}
	s := &Stability{Ranks: slices.Clone(o.Ranks)}
	for i, k := range o.Ranks {
		C := mat.NewSymDense(n, nil)
		for run := range o.Runs {
			f := o.Fit
			f.Components, f.Init, f.U, f.W = k, Random, nil, nil
			f.Seed += uint64(run)
			r, err := Fit(ctx, A, &f)
			if ended.Accept(err) != nil {
				return nil, fmt.Errorf("nmf: Consensus: rank %d, run %d: %w", k, run, err)
			}
			list := r.RowClusters()
			if o.Columns {
				list = r.ColumnClusters()
			}
			for a, x := range list {
				if err := ctx.Err(); err != nil {
					return nil, fmt.Errorf("nmf: Consensus: %w", err)
				}
				for b := a; b < n; b++ {
					if x == list[b] && (x >= 0 || a == b) {
						C.SetSym(a, b, C.At(a, b)+1)
					}
				}
			}
			progress.Report(o.Recorder, progress.Event{What: "consensus", Step: i*o.Runs + run + 1, Total: len(o.Ranks) * o.Runs, Objective: r.Objective})
		}
		C.ScaleSym(1/float64(o.Runs), C)
		D := mat.NewSymDense(n, nil)
		dispersion := 0.0
		for a := range n {
			for b := range n {
				c := C.At(a, b)
				dispersion += 4 * (c - 0.5) * (c - 0.5) / float64(n) / float64(n)
				if b > a {
					D.SetSym(a, b, 1-c)
				}
			}
		}
		heights, order, err := averageLinkage(ctx, D)
		if err != nil {
			return nil, fmt.Errorf("nmf: Consensus: %w", err)
		}
		s.Consensus = append(s.Consensus, C)
		s.Dispersion = append(s.Dispersion, dispersion)
		s.Cophenetic = append(s.Cophenetic, cophenetic(D, heights))
		s.Order = append(s.Order, order)
	}
	return s, nil
}

// cophenetic returns the correlation between D and H over all pairs. If D or H is constant, it returns 1 if D and H are
// equal, and otherwise 0.
func cophenetic(D, H *mat.SymDense) float64 {
	var x, y []float64
	for a := range D.SymmetricDim() {
		for b := range a {
			x, y = append(x, D.At(a, b)), append(y, H.At(a, b))
		}
	}
	if len(x) > 0 && !constant.Values(x) && !constant.Values(y) {
		return stat.Correlation(x, y, nil)
	}
	if slices.Equal(x, y) {
		return 1
	}
	return 0
}

// averageLinkage repeatedly joins the two clusters with the smallest mean distance, until one cluster is left. It
// returns the heights at which pairs are joined, and the leaves of the tree from left to right. It follows chains of
// nearest neighbors, which gives the same tree in n² steps: F. Murtagh, Computer Journal 26 (1983).
func averageLinkage(ctx context.Context, D *mat.SymDense) (heights *mat.SymDense, order []int, err error) {
	n := D.SymmetricDim()
	dist := mat.DenseCopyOf(D)
	members := make([][]int, n) // nil if merged into another cluster
	for i := range members {
		members[i] = []int{i}
	}
	heights = mat.NewSymDense(n, nil)
	var chain []int
	for range n - 1 {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		if len(chain) == 0 {
			for i, m := range members {
				if m != nil {
					chain = append(chain, i)
					break
				}
			}
		}
		for {
			a := chain[len(chain)-1]
			b, least := -1, math.Inf(1)
			if len(chain) > 1 { // if distances are equal, prefer the previous cluster, which avoids cycles
				b = chain[len(chain)-2]
				least = dist.At(a, b)
			}
			for j, m := range members {
				if m != nil && j != a && dist.At(a, j) < least {
					b, least = j, dist.At(a, j)
				}
			}
			if len(chain) < 2 || b != chain[len(chain)-2] {
				chain = append(chain, b)
				continue
			}
			chain = chain[:len(chain)-2]
			if b < a {
				a, b = b, a
			}
			for _, i := range members[a] {
				for _, j := range members[b] {
					heights.SetSym(i, j, least)
				}
			}
			na, nb := float64(len(members[a])), float64(len(members[b]))
			for j, m := range members {
				if m != nil && j != a && j != b {
					v := (na*dist.At(a, j) + nb*dist.At(b, j)) / (na + nb)
					dist.Set(a, j, v)
					dist.Set(j, a, v)
				}
			}
			members[a] = append(members[a], members[b]...)
			members[b] = nil
			break
		}
	}
	for _, m := range members {
		if m != nil {
			order = m
		}
	}
	return heights, order, nil
}

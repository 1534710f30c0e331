package attention

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/given"
)

// Padding marks a place without a token, in the Inputs of a Batch and in other sequences of tokens. It pads shorter
// sequences, because all sequences of a batch have the same length. No position of a Transformer sees it, and it does
// not change the state of a recurrent network. It may appear anywhere in a sequence and counts as a position; its
// target must be Ignore. Logits after Padding are 0. Padding is not −1, because a search that finds nothing returns −1.
const Padding = -2

// padding reports for each sequence which positions are Padding. It returns nil if there is no Padding.
func padding(seqs [][]int) [][]bool {
	var out [][]bool
	for b, s := range seqs {
		for t, k := range s {
			if k != Padding {
				continue
			}
			if out == nil {
				out = make([][]bool, len(seqs))
			}
			if out[b] == nil {
				out[b] = make([]bool, len(s))
			}
			out[b][t] = true
		}
	}
	return out
}

// anyToken changes Padding in tokens to token 0, and returns tokens. Callers ensure that the embeddings at these
// positions have no effect.
func anyToken(tokens []int) []int {
	for i, k := range tokens {
		if k == Padding {
			tokens[i] = 0
		}
	}
	return tokens
}

// clearPadding sets to 0 those rows of logits ((B·n)×V) that belong to Padding.
func clearPadding(logits *mat.Dense, seqs [][]int) {
	for b, s := range seqs {
		for t, k := range s {
			if k == Padding {
				clear(logits.RawRowView(b*len(s) + t))
			}
		}
	}
}

// checkMask returns mask (n×m) as a dense matrix. It panics if the shape is wrong, and returns an error if an element is
// neither 0 nor −Inf.
func checkMask(fn string, mask mat.Matrix, n, m int) (*mat.Dense, error) {
	D := given.Dense("attention: "+fn, "Mask", mask)
	if r, c := D.Dims(); r != n || c != m {
		panic(fmt.Sprintf("attention: %s: Mask is %d×%d, must be %d×%d", fn, r, c, n, m))
	}
	for l := range n {
		for t, v := range D.RawRowView(l) {
			if v != 0 && !math.IsInf(v, -1) {
				return nil, fmt.Errorf("attention: %s: Mask(%d, %d) is %v, must be 0 or −Inf", fn, l, t, v)
			}
		}
	}
	return D, nil
}

// hiding returns a function that reports whether query l of sequence b must not see key t. Element (l, t) of mask is
// −Inf if query l must not see key t in any sequence. hidden is the result of a call to padding: it marks positions
// that no query sees. If both arguments are nil, hiding returns nil.
func hiding(mask *mat.Dense, hidden [][]bool) func(b, l, t int) bool {
	if mask == nil && hidden == nil {
		return nil
	}
	return func(b, l, t int) bool {
		return mask != nil && mask.At(l, t) != 0 || hidden != nil && hidden[b] != nil && hidden[b][t]
	}
}

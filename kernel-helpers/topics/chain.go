package topics

import (
	"context"
	"math/rand/v2"

	"overcomplete/kernel-helpers/vmath"
)

// A chain is the state of collapsed Gibbs sampling: the topic of each word, and the resulting counts.
type chain struct {
	ctx         context.Context
	K, V        int
	alpha, beta float64
	words       [][]int32 // words of each document
	z           [][]int32 // topic of each of these words
	ndk         [][]int32 // N×K: number of words of document d with topic k
	nwk         [][]int32 // V×K: number of uses of word w with topic k
	nk          []int32   // K
	inverse     []float64 // K: 1/(n_k + Vβ)
	phi         [][]float64
	rng         *rand.Rand
	sum         []float64 // K: cumulative P(z <= k), not normalized

	// These are for the supervised model; otherwise y and eta are nil.
	y           []float64 // N: the responses minus b
	eta         []float64 // K
	sigma2      float64
	moves       []float64 // K, scratch: η_k divided by the document's size
	fit, factor []float64 // K, scratch
}

// newChain returns a chain with random topics for the words. If phi (V×K) is given, φ stays fixed at phi, and a draw
// depends only on the counts of its own document.
func newChain(ctx context.Context, words [][]int32, V, K int, alpha, beta float64, phi [][]float64, seed uint64) *chain {
	c := &chain{ctx: ctx, K: K, V: V, alpha: alpha, beta: beta, words: words, phi: phi, nk: make([]int32, K), inverse: make([]float64, K),
		rng: rand.New(rand.NewPCG(seed, 0x746f706963)), sum: make([]float64, K), fit: make([]float64, K), factor: make([]float64, K), moves: make([]float64, K)}
	c.nwk = make([][]int32, V)
	for w := range c.nwk {
		c.nwk[w] = make([]int32, K)
	}
	for _, d := range words {
		z, n := make([]int32, len(d)), make([]int32, K)
		for i, w := range d {
			k := int32(c.rng.IntN(K))
			z[i] = k
			n[k]++
			c.nwk[w][k]++
			c.nk[k]++
		}
		c.z, c.ndk = append(c.z, z), append(c.ndk, n)
	}
	for k := range c.inverse {
		c.use(int32(k), 0)
	}
	return c
}

// use changes n_k, the number of words with topic k, by delta, and updates c.inverse[k].
func (c *chain) use(k, delta int32) {
	c.nk[k] += delta
	c.inverse[k] = 1 / (float64(c.nk[k]) + float64(c.V)*c.beta)
}

// pass redraws the topic of each word of document d, given the topics of all other words. If the context is done, pass
// may stop within a long document; the words that it has not reached keep their topics.
func (c *chain) pass(d int) {
	n, z := c.ndk[d], c.z[d]
	size := float64(len(z))
	s := 0. // η'z̄ of the document, times its size
	if c.eta != nil {
		for k, v := range n {
			s += c.eta[k] * float64(v)
			c.moves[k] = c.eta[k] / size
		}
	}
	// The slices have the same length, so that the compiler drops bounds checks: most of the time is spent in this
	// loop.
	K := c.K
	n, sum, inverse, factor, fit := n[:K], c.sum[:K], c.inverse[:K], c.factor[:K], c.fit[:K]
	twice := 2 * c.sigma2
	for i, w := range c.words[d] {
		if i%1024 == 1023 && c.ctx.Err() != nil {
			return
		}
		old := z[i]
		uses := c.nwk[w][:K]
		n[old]--
		uses[old]--
		c.use(old, -1)
		total := 0.
		switch {
		case c.eta != nil:
			s -= c.eta[old]
			// exp(−(y − (s + η_k)/size)²/2σ²), up to a factor common to all k
			r := c.y[d] - s/size
			for k, e := range c.moves[:K] {
				fit[k] = e * (2*r - e) / twice
			}
			vmath.Exp(factor, fit)
			for k := range sum {
				total += (float64(n[k]) + c.alpha) * ((float64(uses[k]) + c.beta) * inverse[k]) * factor[k]
				sum[k] = total
			}
		case c.phi != nil:
			phi := c.phi[w][:K]
			for k := range sum {
				total += (float64(n[k]) + c.alpha) * phi[k]
				sum[k] = total
			}
		default:
			for k := range sum {
				total += (float64(n[k]) + c.alpha) * ((float64(uses[k]) + c.beta) * inverse[k])
				sum[k] = total
			}
		}
		u := c.rng.Float64() * total
		k := 0
		for k < K-1 && sum[k] <= u {
			k++
		}
		z[i] = int32(k)
		n[k]++
		uses[k]++
		c.use(int32(k), 1)
		if c.eta != nil {
			s += c.eta[k]
		}
	}
}

// addShares adds the share of each topic in document d to the slice row (K). If smoothed is set, the shares include α.
// A document without words has equal shares.
func (c *chain) addShares(d int, row []float64, smoothed bool) {
	alpha := 0.0
	if smoothed {
		alpha = c.alpha
	}
	size := float64(len(c.z[d])) + float64(c.K)*alpha
	for k, v := range c.ndk[d] {
		if size == 0 {
			row[k] += 1 / float64(c.K)
		} else {
			row[k] += (float64(v) + alpha) / size
		}
	}
}

// logLikelihood returns log P(words | topics of the words), with φ integrated out, divided by the number of words.
func (c *chain) logLikelihood() float64 {
	V, out, words := float64(c.V), 0., 0.
	out += float64(c.K) * (lgamma(V*c.beta) - V*lgamma(c.beta))
	for _, n := range c.nk {
		out -= lgamma(float64(n) + V*c.beta)
		words += float64(n)
	}
	unused := lgamma(c.beta)
	for _, uses := range c.nwk {
		for _, n := range uses {
			if n == 0 {
				out += unused
			} else {
				out += lgamma(float64(n) + c.beta)
			}
		}
	}
	return out / words
}

// Package ica learns overcomplete bases by independent component analysis: x = A s + noise with A m×n, n >= m, and
// independent sparse sources s. It follows M. S. Lewicki and T. J. Sejnowski, Learning overcomplete representations,
// Neural Computation 12 (2000), and a text that walks through that paper. Shapes: A m×n, S n×p, X m×p, one sample per
// column.
//
// # Files, in reading order
//
//	sources.go, mixture.go   the data
//	map.go                   ŝ given A and x (with package pursuit)
//	evidence.go              log P(x|A) in closed form
//	gaussian.go              the paper's Gaussian approximation of log P(x|A)
//	learn.go, wheel.go       A given X; wheel.go is a faster method for m = 2
//	restarts.go              learning from many starts
//	match.go                 comparing bases
//	fastica.go               another method, for at most as many sources as mixtures
//
// # The learning rule, derived
//
// For noise-free samples, P(x|A) = ∫ p(s) δ(x − As) ds. Change A to A(I + εM), where M is n×n. Substituting s -> (I +
// εM)s in the integral moves ε into the prior and the volume element:
//
//	d/dε log P(x|A(I+εM)) = −E[z'Ms | x] − tr M,   z = d log p(s)/ds,
//
// so that steepest ascent in M is
//
//	dA = A M = −A (E[z s' | x] + I),   and   AA' ∂log P/∂A is the same dA.
//
// This is the origin of the paper's factor AA', which makes the step relative to A. So far there is no approximation:
// E is over the posterior (rule Posterior, in closed form for n = m+1). The paper replaces the expectation E by the
// value at the MAP ŝ (rule Natural). For a Laplacian prior of scale b, z = −sign(s)/b, so
//
//	dA = A (C − I),   C = E[sign(ŝ) ŝ']/b.
//
// The sign matters. With z = +sign(s)/b, as printed in the text (rule Blog), dA = −A(C + I) can only shrink A. ŝ then
// grows to compensate, which makes the next step even larger. There is no fixed point: trace(−C − I) < 0 for every A.
// Runs with rule Blog end with status Diverged.
//
// # Equilibrium
//
// The rule is at equilibrium where A M = 0. For square A this means M = 0, or E[sign(s_i) s_j] = b δ_ij. The diagonal,
// E|s_i| = b, fixes the scale of each column: a column's norm is its source's mean amplitude in units of b, and
// FitOptions.Scale is a unit of measurement. For n > m, the columns of M need only lie in the null space of A. With
// the posterior, M = 0 still holds at the truth. But a MAP with m nonzeros has a smaller ‖s‖₁ than the truth. For an
// even basis (columns at equal angles, see [EvenBasis]), M converges to minus the projection on A's null space. Then
// E|ŝ_i| = b m/n, and the total is E‖ŝ‖₁ = m b. The norms of the columns are coupled only through the values E|ŝ_i|,
// which fluctuate. A column may become so short that it lies inside the hull of the other columns, and is then never
// active again. With 5 columns in the plane, a fluctuation of a few percent can cause this; FitOptions.UnitNorm
// prevents it.
//
// The off-diagonal terms of E[sign(s_i) s_j] vanish at the truth if the sources are symmetric about 0. For nonnegative
// sources sign(s_i) = 1, and all n rows of E[sign(s_i) s_j] are E[s_j]: the truth is not a fixed point (see the
// function [Equilibrium]). The missing term is the jump of the exponential density at 0. At the jump, the derivative z
// contains δ(s_i)/p, which contributes p(0+) E[s_j] = E[s_j]/b. In the exact evidence, this cancels the bias exactly. A
// MAP never includes this term. So a nonnegative ŝ (ReLU) does not fit the rule. Inference with both signs does not
// help with nonnegative sources: for an even basis, it returns the same ŝ inside the cone of the columns. The rule is
// for sources symmetric about 0.
//
// For sparse sources without noise, the objective has a kink at the truth, not a smooth maximum. In a sample with one
// active source, ŝ has only one nonzero at the truth. If the column of this source is turned to either side, ŝ gets a
// second nonzero, whose absolute value grows in proportion to the angle. The kink holds the columns in place to within
// the size of the last step, even if samples are few. For dense sources the maximum is smooth, and p samples shift it
// by about p^(−½).
//
// # Active sets
//
// A noise-free MAP has at most m nonzeros; let J be their indices. If the sources outside J are 0, the sample is a
// square problem with density p(A_J⁻¹x)/|det A_J|. Its natural gradient changes only the columns in J: dA_J = A_J
// (sign(s_J)s_J'/b − I). Averaged over samples, this is A(C − diag P(j ∈ J)) (rule ActiveSet). ActiveSet differs from
// Natural in that an inactive column does not change, whereas in Natural it decays. At equilibrium E[|s_j| | j active]
// = b. The objective of this rule is ActiveSetCost.
//
// The third variant (rule Certificate) follows the gradient of the MAP's objective value. By the envelope theorem ∂
// min‖s‖₁/∂A = −y ŝ', where y is the dual solution: (A'y)_i = sign(ŝ_i) for active i, and (A'y)_i is in [−1, 1] for
// inactive i. The rule is an exact gradient of −E‖ŝ‖₁/b − ½log det AA', but it learns worse than the paper's rule. The
// reason is that this function is a poor substitute for the evidence: its maximum need not be at the truth.
//
// # What can be recovered
//
// The table was measured with lewicki.Recover (paper/lewicki) on 50 seeds, with rule Natural and 1000 samples.
// ActiveSetCost chooses the best of 40 random starts. Success means that no learned column is 5 degrees or more from
// its true column. "2 of 3" stands for m = 2 mixtures of n = 3 sources, "active 10 %" for sources that are nonzero in
// 10 % of the samples,
// and σ for the noise. The true bases are drawn uniformly from the bases with columns at least 60/n degrees apart.
//
//	sources                     success   median worst angle
//	2 of 2, active 30 %           100 %     0.003
//	2 of 2, always active         100 %     1.4
//	2 of 3, active 10 or 30 %     100 %     0.002
//	2 of 3, active 50 %           100 %     0.002      (seeds 1000 to 1049: 90 %, 0.6)
//	2 of 3, active 70 %            68 %     3.3
//	2 of 3, always active          10 %    10         (10,000 samples: 12 %, 7.9)
//	2 of 3, active 30 %, σ 0.02   100 %     0.4
//	2 of 3, active 30 %, σ 0.05   100 %     1.1
//	2 of 3, active 30 %, σ 0.2     52 %     4.9
//	2 of 4, active 20 % / 30 %    96 / 72 %
//	2 of 5, active 10 % / 20 %     0 / 36 %, with UnitNorm 92 / 50 %
//
// In the row "2 of 3, active 30 %", a single random start instead of 40 gives 94 %. Without the condition on the
// angles of the true basis, success in this row falls to 78 %; the failures are bases with two nearly parallel
// columns.
//
// Dense sources are hard for two reasons. The first is the MAP: in every sample all three sources are active, but ŝ
// has two nonzeros. So ŝ is wrong in every sample, and the rule's fixed point is not the truth. When started AT the
// truth with 20,000 samples (12 random bases), rule Natural moves away by 7.6 degrees (median worst angle; only an
// even basis is protected by symmetry). Rule Posterior, which differs from Natural only in the expectation, stays
// within 0.8 degrees. The second reason is the amount of data: with 1000 samples even the exact posterior errs by
// several degrees.
//
// # Invariants and traps
//
// All randomness comes from explicit seeds (PCG; different streams for sources, noise, bases and starts). No input is
// modified. Results do not depend on the number of goroutines.
//
// With rule Natural, a column that no sample uses shrinks geometrically and never becomes active again. The likelihood
// has local optima, in which two columns share one source. FitRestarts selects a start by ActiveSetCost, never by
// comparison with the truth. Compare bases only after Match: order, sign and scale are arbitrary. Exact evidence
// exists in closed form only for n = m and n = m+1.
package ica

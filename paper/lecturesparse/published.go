package lecturesparse

import "overcomplete/paper/lab"

// The sources of the claims. Full references are at the end of the notebook.
const (
	beck      = lab.Source("Beck and Teboulle 2009, %s")
	tropp     = lab.Source("Tropp 2004, %s")
	donoho    = lab.Source("Donoho and Tanner 2009, %s")
	olshausen = lab.Source("Olshausen and Field 1996, %s")
	gregor    = lab.Source("Gregor and LeCun 2010, %s")
	gao       = lab.Source("Gao and others 2024, %s")
	elhage    = lab.Source("Elhage and others 2022, %s")
)

// These are the claims of the sources. The abstracts of Olshausen and Field and of Elhage and others are quoted;
// the other claims are in our words, with formulas in the notebook's symbols.
const (
	istaBound  = "F(w_k) − F(w*) ≤ L‖w₀ − w*‖²/(2k)"
	fistaBound = "F(w_k) − F(w*) ≤ 2L‖w₀ − w*‖²/(k + 1)²"

	greedBound = "every w with fewer than (1 + 1/μ)/2 nonzeros is found by orthogonal matching pursuit and by basis pursuit"

	transitionCurve = "for random B, min ‖w‖₁ finds most w below the curve ρ(δ) and fails for most above it"

	gabors = "a learning algorithm that attempts to find sparse linear codes for natural scenes will develop a complete family of localized, oriented, bandpass receptive fields"

	fewerIterations = "a few trained layers come as near to the codes as many more iterations of FISTA do"

	topK = "keeping the k largest improves the frontier between reconstruction and sparsity over a ReLU with an L1 penalty"

	superposed = "When features are sparse, superposition allows compression beyond what a linear model would do"
	densely    = "features that are always there: the model keeps the most important ones, one to a dimension, and drops the others"
	phases     = "a feature is ignored, has a dimension of its own, or is in superposition, with sharp changes between the three"
)

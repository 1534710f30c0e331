package kmeansplot

import (
	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/kmeans"
)

// Centres does what Centers does.
//
// Deprecated: use Centers.
func Centres(r *kmeans.Model, h, w, columns int) *figure.Figure { return Centers(r, h, w, columns) }

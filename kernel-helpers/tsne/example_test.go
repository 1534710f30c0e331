package tsne_test

import (
	"context"
	"fmt"

	"overcomplete/data/synth"
	"overcomplete/kernel-helpers/tsne"
	"overcomplete/kernel-helpers/tsne/tsneplot"
)

// A map of generated digits.
func ExampleFit() {
	d, err := synth.Digits(context.Background(), synth.DigitsOptions{N: 300, Seed: 1})
	if err != nil {
		panic(err)
	}
	r, err := tsne.Fit(context.Background(), d.Images, &tsne.Options{Perplexity: 20, Steps: 400})
	if err != nil {
		panic(err)
	}
	n, k := r.Y.Dims()
	fmt.Println(n, k, r.Status, r.KLExact, r.KL < r.History[0].KL/2)
	f := tsneplot.Map(r, "generated digits", d.Labels, nil) // in a notebook: the last line of a cell
	fmt.Println(f.Title.Text)
	// Output:
	// 300 2 done true true
	// generated digits
}

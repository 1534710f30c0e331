package vision_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"overcomplete/kernel-helpers/features"
	"overcomplete/kernel-helpers/l2svm"
	"overcomplete/kernel-helpers/vision"
)

// This example runs the whole pipeline on generated images.
func Example() {
	check := func(err error) {
		if err != nil {
			log.Fatal(err)
		}
	}
	ctx := context.Background()
	im, labels, err := vision.NewLeaves(context.Background(), &vision.LeavesOptions{N: 60, Classes: 3})
	check(err)
	p := vision.NewPatches(im, 6, 2000, 1)
	w, err := vision.FitWhitening(ctx, p, &vision.WhitenOptions{})
	check(err)
	D, err := vision.FitOMP1(ctx, w.Patches(p), &vision.OMP1Options{Atoms: 20, Passes: 5})
	check(err)
	folder, err := os.MkdirTemp("", "")
	check(err)
	defer os.RemoveAll(folder)
	r, err := vision.ExtractShards(ctx, im, w, vision.SoftThreshold(D, 0.25), &vision.ExtractOptions{Grid: 3, Folder: folder, ShardRows: 25})
	check(err)
	fmt.Println(r)
	X, err := features.OpenShards([]string{folder}, nil)
	check(err)
	fmt.Println(X.Dims())
	m, err := l2svm.Fit(ctx, X, labels, nil)
	check(err)
	fmt.Println(m.Method, m.Status)
	// Output:
	// 3 shards made (0 in place of damaged ones), 0 were there
	// 60 360
	// gram converged
}

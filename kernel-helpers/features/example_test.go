package features_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"overcomplete/kernel-helpers/features"
)

func ExampleBuild() {
	folder, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	l := features.Layout{Rows: 5, Cols: 2, ShardRows: 2, Depends: "multiples of a half"}
	r, err := features.BuildShards(context.Background(), folder, l, func(dst []float32, from, to int) error {
		for k := range dst {
			dst[k] = float32(2*from+k) / 2
		}
		return nil
	}, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r)
	m, err := features.OpenShards([]string{folder}, nil)
	if err != nil {
		log.Fatal(err)
	}
	x := make([]float32, 4)
	fmt.Println(m.Read(x, 1, 3), x)
	// Output:
	// 3 shards made (0 in place of damaged ones), 0 were there
	// <nil> [1 1.5 2 2.5]
}

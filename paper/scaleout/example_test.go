package scaleout_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"gonum.org/v1/gonum/mat"

	"overcomplete/paper/lab"
	"overcomplete/paper/scaleout"
)

// A program must call flag.Parse and beam.Init first; here the package's TestMain has called them.
func ExampleCode() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	in := func(name string) string { return filepath.Join(dir, name) }
	lab.Check(lab.WriteMatrix(in("B.mat"), mat.NewDense(2, 2, []float64{1, 0, 0, 1})))
	lab.Check(lab.WriteMatrix(in("X.mat"), mat.NewDense(2, 5, []float64{1, 2, 0, 1, 3, 0, 1, 1, 2, 3})))

	p, s := beam.NewPipelineWithRoot()
	scaleout.Code(s, scaleout.CodeOptions{Signals: in("X.mat"), Basis: in("B.mat"), Lambda: 0.1, P: 0.01, Doubled: true,
		ShardRows: 2, Folder: in("codes"), Report: in("report")})
	_, err = beam.Run(context.Background(), "prism", p)
	lab.Check(err)
	report, err := os.ReadFile(in("report"))
	lab.Check(err)
	fmt.Print(string(report))
	// Output:
	// signals 0 to 1: made
	// signals 2 to 3: made
	// signals 4 to 4: made
}

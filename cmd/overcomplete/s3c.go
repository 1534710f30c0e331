package main

import (
	"flag"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"overcomplete/kernel-helpers/features"
	"overcomplete/kernel-helpers/progress"
	"overcomplete/paper/s3c2011"
)

const s3cUsage = `The stages of spike-and-slab sparse coding on CIFAR-10 (notebooks/s3c.ipynb), one at a
time. At full size they take hours; each goes on where it was stopped.

  overcomplete s3c train                            learn the model
  overcomplete s3c extract                          features of all images
  overcomplete s3c extract --part 1/4 --folder F    a quarter, on one of four machines
  overcomplete s3c merge DEST F1 F2 ...             bring the folders together, verified
  overcomplete s3c classify                         support vector machines: C, all labels, few

DEST is then given as --folder to extract, which finds nothing left to make, or is
the folder of the stages that extract names when it has none.

Flags, after the stage:
`

// runS3C is the command "s3c".
func runS3C(args []string) int {
	fs := flag.NewFlagSet("s3c", flag.ContinueOnError)
	size := fs.String("size", "full", "smoke, lecture, medium or full")
	seed := fs.Uint64("seed", 1, "seed")
	kind := fs.String("kind", string(s3c2011.S3C), `features: "S3C", "S3C, E[hs]", "soft threshold" or "sparse coding"`)
	part := fs.String("part", "1/1", "extract: which part of how many, 1/4 to 4/4")
	folder := fs.String("folder", "", "extract: folder for the features; default: that of the stages")
	dense := fs.Bool("dense", false, "extract, classify: by the whole E step, which skips nothing")
	fs.Usage = func() {
		fmt.Fprint(fs.Output(), s3cUsage)
		fs.PrintDefaults()
	}
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		if err := fs.Parse(args); err == nil {
			fs.Usage()
		}
		return 2
	}
	stage := args[0]
	if err := fs.Parse(args[1:]); err != nil {
		return 2
	}
	wrong := func(err error) int {
		fmt.Fprintf(os.Stderr, "overcomplete s3c %s: %v\n", stage, err)
		return 1
	}
	if stage == "merge" {
		if fs.NArg() < 2 {
			return wrong(fmt.Errorf("give the folder to make, and those to bring together"))
		}
		if err := features.Merge(fs.Arg(0), fs.Args()[1:]...); err != nil {
			return wrong(err)
		}
		return 0
	}
	if fs.NArg() > 0 {
		return wrong(fmt.Errorf("what is %q?", fs.Arg(0)))
	}
	l, err := s3c2011.New(*size, *seed)
	if err != nil {
		return wrong(err)
	}
	l.Recorder, l.Dense = terminalLine(), *dense
	k := s3c2011.Kind(*kind)
	switch stage {
	case "train":
		st := l.Train()
		fmt.Printf("%d steps, mean energy %.3f\n", st.Step, st.Energy())
	case "extract":
		a, b, ok := strings.Cut(*part, "/")
		i, err1 := strconv.Atoi(a)
		n, err2 := strconv.Atoi(b)
		if !ok || err1 != nil || err2 != nil || i < 1 || i > n {
			return wrong(fmt.Errorf("--part %q is not like 1/4", *part))
		}
		for _, s := range []s3c2011.Set{s3c2011.Train, s3c2011.Test} {
			r, err := l.Extract(k, s, *folder, i-1, n)
			if err != nil {
				return wrong(err)
			}
			fmt.Printf("%s: %v\n", s, r)
		}
	case "classify":
		for _, c := range l.Choose(k) {
			fmt.Printf("C = %-6g %.4f on the folds %s\n", c.C, c.Accuracy, c.Chosen)
		}
		fmt.Println(l.AllLabels(k))
		fmt.Println(l.FewLabels(k))
	default:
		return wrong(fmt.Errorf("there is no such stage"))
	}
	return 0
}

// terminalLine prints a line now and then.
func terminalLine() progress.Recorder {
	var last time.Time
	return progress.Func(func(e progress.Event) {
		if time.Since(last) < 10*time.Second && e.Step != e.Total {
			return
		}
		last = time.Now()
		objective := ""
		if !math.IsNaN(e.Objective) {
			objective = fmt.Sprintf("  %.6g", e.Objective)
		}
		fmt.Fprintf(os.Stderr, "%s  %s %d of %d%s\n", last.Format("15:04:05"), e.What, e.Step, e.Total, objective)
	})
}

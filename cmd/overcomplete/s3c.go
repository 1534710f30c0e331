package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"overcomplete/kernel-helpers/gpu"
	"overcomplete/paper/record"
	"overcomplete/paper/s3c2011"
	"overcomplete/ui/progress"
)

const s3cUsage = `usage: overcomplete s3c STAGE [flags]

Runs one stage of spike-and-slab sparse coding on CIFAR-10 (notebooks/s3c.ipynb). At full
size the stages take hours; a stopped stage continues where it was stopped.

  status                          show what is done, what is left, and about how long it takes
  train                           learn the model
  extract                         compute the features of all images
  extract --part 1/4 --folder F   compute a quarter of them, on one of four machines
  merge F1 F2 ...                 verify the folders' features and merge them
  classify                        train support vector machines: C, all labels, few, the challenge
  choose                          choose how to compute S3C's features, by validation
  transfer                        learn features from other classes than the labeled ones

All machines must have the same model: train on one of them, and copy the folder that
status names. merge puts the features where classify looks for them, or into --folder.
The exit status is 2 for a mistake in the command, and 130 after Ctrl-C.

Flags (after the stage):
`

// An s3cCommand is one invocation of "overcomplete s3c".
type s3cCommand struct{ out, err io.Writer }

// runS3C runs stages of the S3C experiments: the subcommand "s3c".
func runS3C(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return s3cCommand{out: os.Stdout, err: os.Stderr}.run(ctx, args)
}

// A job is what one s3c command has to do: its stage, the kind and the part of the features, and its folders.
type job struct {
	stage   string
	kind    s3c2011.Kind
	part    int // from 0
	parts   int
	folder  string
	folders []string // folders to merge
}

func (c s3cCommand) run(ctx context.Context, args []string) int {
	fs := newFlags("s3c", s3cUsage)
	fs.SetOutput(c.err)
	size := fs.String("size", record.Full, "smoke, lecture, medium or full")
	seed := fs.Uint64("seed", 1, "seed")
	kind := fs.String("kind", string(s3c2011.S3C), "features: "+kindList())
	part := fs.String("part", "1/1", "extract: the part to compute, 1/4 to 4/4 for four machines")
	folder := fs.String("folder", "", "extract, merge: folder for the features; default: the stages' own folder")
	dense := fs.Bool("dense", false, "use the complete E step, which skips nothing")
	device := fs.String("device", "", "train S3C, compute its features and train machines on them on the first device with this `WORD` in its name ('overcomplete doctor' lists devices); what a device computes is kept apart")
	whole := fs.Bool("all", false, "choose: then run the chosen recipe's E step on all images, and train a classifier with all labels")
	if len(args) == 0 {
		fs.Usage()
		return 2
	}
	var j job
	if !strings.HasPrefix(args[0], "-") { // a flag in place of the stage is -h or a mistake
		j.stage, args = args[0], args[1:]
	}
	folders, code, ok := parseMixed(fs, args)
	if !ok {
		return code
	}
	j.folder, j.folders = *folder, folders
	var err error
	switch j.stage {
	case "status", "train", "extract", "classify", "choose", "transfer":
		if len(j.folders) > 0 {
			return wrong(fs, "%s takes no folders: unexpected argument %q", j.stage, j.folders[0])
		}
	case "merge":
		if len(j.folders) == 0 {
			return wrong(fs, "name the folders to merge")
		}
		for _, f := range j.folders {
			if info, err := os.Stat(f); err != nil || !info.IsDir() {
				return wrong(fs, "%s is not a folder", f)
			}
		}
	case "":
		return wrong(fs, "name the stage first: status, train, extract, merge, classify, choose or transfer")
	default:
		return wrong(fs, "unknown stage %q: the stages are status, train, extract, merge, classify, choose and transfer", j.stage)
	}
	switch *size {
	case record.Smoke, record.Lecture, record.Medium, record.Full:
	default:
		return wrong(fs, "--size must be smoke, lecture, medium or full, not %q", *size)
	}
	if j.kind, err = s3c2011.ParseKind(*kind); err != nil {
		return wrong(fs, "--kind: %s", strings.TrimPrefix(err.Error(), "s3c2011: "))
	}
	if j.part, j.parts, err = parsePart(*part); err != nil {
		return wrong(fs, "%v", err)
	}
	if j.parts > 1 && (j.stage != "extract" || j.folder == "") {
		return wrong(fs, "--part needs the stage extract, and --folder")
	}
	l, err := s3c2011.New(*size, *seed)
	if err != nil {
		return c.fail(err)
	}
	if *device != "" {
		giveDevices()
		if l.Device, err = gpu.Choose(*device); err != nil {
			return c.fail(err)
		}
	}
	l.Recorder, l.Dense, l.All, l.Long = stageLines(c.err), *dense, *whole, true
	ended := make(chan error, 1)
	go func() { ended <- c.stage(l, j) }()
	select {
	case err := <-ended:
		if err != nil {
			return c.fail(err)
		}
		return 0
	case <-ctx.Done():
		// The process exits, which also stops the stage. This is safe at any time, because files get their
		// final names only when they are complete.
		fmt.Fprintln(c.err, describeRest(l, j))
		return 130
	}
}

// describeRest returns the message for a stage that was stopped by the user: whether its finished work is kept, so
// that the same command can continue from there.
func describeRest(l *s3c2011.Lab, j job) string {
	if l.FeatureFolder() == "" && j.folder == "" {
		return fmt.Sprintf("overcomplete s3c: stopped; at size %s, nothing is kept", l.Size)
	}
	return "overcomplete s3c: stopped; finished work is kept, and the same command continues from there"
}

// stage runs one stage of the experiments of l. If a method of l panics with an error, other than a runtime error,
// stage returns that error.
func (c s3cCommand) stage(l *s3c2011.Lab, j job) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case runtime.Error:
			panic(r)
		case error:
			err = r
		default:
			panic(r)
		}
	}()
	switch j.stage {
	case "status":
		w := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "STAGE\tSTATE\tLEFT, ABOUT\tCOMMAND")
		for _, s := range l.Stages() {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", s.Stage, s.State, s.Left, s.Command)
		}
		if err := w.Flush(); err != nil {
			return err
		}
		fmt.Fprintf(c.out, "\nimages: %v\n", l.Photographs().Data)
		if f := l.StageFolder(); f != "" {
			fmt.Fprintln(c.out, "folder:", f)
		} else {
			fmt.Fprintf(c.out, "at size %s, nothing is kept\n", l.Size)
		}
	case "train":
		st := l.Train()
		fmt.Fprintf(c.out, "%d steps, mean energy %.3f\n", st.Step, st.Energy())
	case "extract":
		for _, s := range []s3c2011.Set{s3c2011.Train, s3c2011.Test} {
			r, err := l.Extract(j.kind, s, j.folder, j.part, j.parts)
			if err != nil {
				return err
			}
			fmt.Fprintf(c.out, "%s: %v\n", s, r)
		}
	case "merge":
		if err := l.Merge(j.kind, j.folder, j.folders...); err != nil {
			return err
		}
		to := j.folder
		if to == "" {
			to = l.FeatureFolder()
		}
		fmt.Fprintf(c.out, "all features (%s) are in %s\n", j.kind, to)
	case "choose":
		w := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "STEP\tFEATURES\tNUMBERS\tC\tVALIDATION\tAHEAD\t")
		for _, t := range l.ChooseRecipe() {
			fmt.Fprintf(w, "%s\t%s\t%d\t%g\t%s\t%s\t%s\n", t.Step, t.Features, t.Numbers, t.C, t.Validation, t.Ahead, t.Chosen)
		}
		return w.Flush()
	case "transfer":
		w := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "FEATURES\tACCURACY\tAHEAD OF PIXELS")
		for _, t := range l.OtherClasses() {
			fmt.Fprintf(w, "%s\t%s\t%s\n", t.Features, t.Accuracy, t.Ahead)
		}
		return w.Flush()
	case "classify":
		for _, v := range l.Choose(j.kind) {
			fmt.Fprintf(c.out, "C = %-6g %.4f on the folds %s\n", v.C, v.Accuracy, v.Chosen)
		}
		fmt.Fprintln(c.out, l.AllLabels(j.kind))
		fmt.Fprint(c.out, l.FewLabels(j.kind))
		t := l.Transfer(j.kind)
		fmt.Fprintf(c.out, "stand-in for the challenge, %d per class: %.4f ± %.4f\n", t.PerClass, t.Mean, t.SD)
		if j.kind == s3c2011.S3C && l.Device == nil { // a device skips nothing
			w := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "\tWHOLE E STEP\tSKIPPING\tDIFFERENCE")
			for _, s := range l.Skipping() {
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", s.What, s.Whole, s.Skipping, s.Difference)
			}
			return w.Flush()
		}
	}
	return nil
}

func (c s3cCommand) fail(err error) int {
	fmt.Fprintln(c.err, "overcomplete s3c:", err)
	return 1
}

func kindList() string {
	var names []string
	for _, k := range s3c2011.Kinds() {
		names = append(names, fmt.Sprintf("%q", k))
	}
	return strings.Join(names, ", ")
}

// parsePart parses 1/4 as part 0 of 4.
func parsePart(s string) (part, parts int, err error) {
	a, b, ok := strings.Cut(s, "/")
	i, err1 := strconv.Atoi(a)
	n, err2 := strconv.Atoi(b)
	if !ok || err1 != nil || err2 != nil || i < 1 || i > n {
		return 0, 0, fmt.Errorf("--part must be like 1/4, not %q", s)
	}
	return i - 1, n, nil
}

// stageLines returns a recorder that writes a stage's progress to w as a readable log, at most one line every ten
// seconds while a task runs.
func stageLines(w io.Writer) progress.Recorder {
	var last time.Time
	return progress.Func(func(e progress.Event) {
		if time.Since(last) < 10*time.Second && (e.Total == 0 || e.Step < e.Total) {
			return
		}
		last = time.Now()
		objective := ""
		if !math.IsNaN(e.Objective) {
			objective = fmt.Sprintf("  %.6g", e.Objective)
		}
		of := ""
		if e.Total > 0 {
			of = fmt.Sprintf(" of %d", e.Total)
		}
		fmt.Fprintf(w, "%s  %s %d%s%s\n", last.Format("15:04:05"), e.What, e.Step, of, objective)
	})
}

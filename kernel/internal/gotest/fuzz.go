package gotest

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// defaultFuzzTime is how long fuzzing takes if nobody says: go test goes on until it is interrupted, but a notebook is also
// run from top to bottom.
const defaultFuzzTime = 10 * time.Second

// A fuzzer runs one fuzz target.
type fuzzer struct {
	opt    Options
	ctx    context.Context
	name   string
	seeds  [][]any
	types  []reflect.Type
	run    func(corpusEntry) error
	inputs int
	began  time.Time
	said   time.Time
	err    error // the report of an input that fails
}

// fuzz is called by package testing when the tests have run, with the seed corpus of the target that -fuzz
// names. There Go's own fuzzing starts processes, to which package testing gives a function that runs one
// input. Here package testing is run once more, as such a process.
func (s *Suite) fuzz(ctx context.Context, opt Options, seeds []corpusEntry, types []reflect.Type) error {
	if opt.FuzzTime == 0 && opt.FuzzRuns == 0 {
		opt.FuzzTime = defaultFuzzTime
	}
	f := &fuzzer{opt: opt, ctx: ctx, types: types}
	for _, e := range seeds {
		f.seeds = append(f.seeds, e.Values)
	}
	what := &Suite{}
	for _, t := range s.Fuzz {
		what.Fuzz = append(what.Fuzz, testing.InternalFuzzTarget{Name: t.Name, Fn: func(x *testing.F) { f.name = x.Name(); t.Fn(x) }})
	}
	restore := opt.apply(map[string]string{"fuzz": opt.Fuzz, "fuzzcachedir": os.DevNull, "fuzzworker": "true", "v": "false"})
	defer restore()
	stdout := os.Stdout
	d := &deps{worker: func(run func(corpusEntry) error) { f.run = run; f.loop(stdout) }}
	silently(func() { testing.MainStart(d, nil, nil, what.Fuzz, nil).Run() })
	return f.err
}

// silently calls f while what is printed to os.Stdout is not shown: package testing says FAIL there once more.
func silently(f func()) {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		f()
		return
	}
	stdout := os.Stdout
	os.Stdout = null
	defer func() {
		os.Stdout = stdout
		null.Close()
	}()
	f()
}

// loop runs the seed corpus, and then inputs made from it and from one another, until one fails or
// the time is over.
func (f *fuzzer) loop(out io.Writer) {
	f.began = time.Now()
	f.said = f.began
	fmt.Fprintf(out, "fuzz: elapsed: 0s, seed corpus: 0/%d completed\n", len(f.seeds))
	pool := slices.Clone(f.seeds)
	for _, values := range f.seeds {
		if text := f.fails(values); text != "" {
			f.found(out, values, text, true)
			return
		}
	}
	if len(pool) == 0 {
		var zero []any
		for _, t := range f.types {
			zero = append(zero, reflect.Zero(t).Interface())
		}
		pool = [][]any{zero}
	}
	fmt.Fprintf(out, "fuzz: elapsed: %s, seed corpus: %d/%d completed, now fuzzing in this process, without coverage\n", f.elapsed(), len(f.seeds), len(f.seeds))
	f.inputs = 0
	h := fnv.New64a()
	h.Write([]byte(f.name))
	r := rand.New(rand.NewPCG(uint64(f.began.UnixNano()), h.Sum64()))
	for !f.over() {
		from := pool[r.IntN(len(pool))]
		values := mutate(r, from)
		if text := f.fails(values); text != "" {
			f.found(out, values, text, false)
			return
		}
		// Inputs further from the seeds than a few steps are reached from those that were made; which to keep
		// coverage would say.
		if len(pool) < len(f.seeds)+1000 {
			pool = append(pool, values)
		} else if i := len(f.seeds) + r.IntN(1000); i < len(pool) && r.IntN(8) == 0 {
			pool[i] = values
		}
		if time.Since(f.said) >= 3*time.Second {
			f.say(out)
		}
	}
	f.say(out)
}

func (f *fuzzer) elapsed() string { return time.Since(f.began).Round(time.Second).String() }

func (f *fuzzer) say(out io.Writer) {
	f.said = time.Now()
	each := float64(f.inputs) / max(time.Since(f.began).Seconds(), 1e-3)
	fmt.Fprintf(out, "fuzz: elapsed: %s, execs: %d (%.0f/sec)\n", f.elapsed(), f.inputs, each)
}

// over reports whether the time, or the number of inputs, is used up.
func (f *fuzzer) over() bool {
	return f.ctx.Err() != nil || f.opt.FuzzTime > 0 && time.Since(f.began) >= f.opt.FuzzTime || f.opt.FuzzRuns > 0 && f.inputs >= f.opt.FuzzRuns
}

// fails runs an input, and returns what the test has said if it failed.
func (f *fuzzer) fails(values []any) string {
	f.inputs++
	own := append([]any(nil), values...) // the target may write into bytes
	for i, v := range own {
		if b, ok := v.([]byte); ok {
			own[i] = append([]byte(nil), b...)
		}
	}
	err := f.run(corpusEntry{Values: own})
	if err == nil || f.ctx.Err() != nil {
		return ""
	}
	if err.Error() == "" {
		return "the test failed and said nothing"
	}
	return err.Error()
}

// found minimises an input that fails, and reports it as go test does.
func (f *fuzzer) found(out io.Writer, values []any, text string, seed bool) {
	if !seed {
		fmt.Fprintf(out, "fuzz: minimizing %d-byte failing input\n", sizeOf(values))
		f.say(out)
		end := time.Now().Add(f.opt.Minimize)
		stop := func() bool { return f.ctx.Err() != nil || time.Now().After(end) }
		values, _ = minimize(values, func(v []any) bool {
			t := f.fails(v)
			if t != "" {
				text = t
			}
			return t != ""
		}, stop)
	}
	what := "Failing input"
	if seed {
		what = "Failing input of the seed corpus"
	}
	report := strings.TrimRight(text, "\n") + "\n\n" + what + ":\n"
	for _, v := range values {
		report += "    " + literal(v) + "\n"
	}
	if !seed {
		report += fmt.Sprintf("To run it with every test, add to %s:\n    %s\n", f.name, add(values))
	}
	f.err = errors.New(strings.TrimSuffix(report, "\n"))
}

// sizeOf returns the size of an input in bytes.
func sizeOf(values []any) (n int) {
	for _, v := range values {
		switch v := v.(type) {
		case string:
			n += len(v)
		case []byte:
			n += len(v)
		default:
			n += int(reflect.TypeOf(v).Size())
		}
	}
	return n
}

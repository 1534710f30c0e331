package trial

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/parallel"
	"overcomplete/ui/progress"
)

// Options are the options of Run. The zero value is ready to use.
type Options struct {
	// Workers is the number of trials that run at the same time. 0 means as many as there are processors. If the
	// function measures times, set Workers to 1, because concurrent trials slow each other down.
	Workers int
	// Recorder receives an event before the first trial and after every trial. May be nil.
	Recorder progress.Recorder
	// Cache is the name of a file that keeps the results of finished trials, a line of JSON for each. A later Run with
	// the same Code does not repeat these trials, even if the earlier Run was interrupted. Trials whose error wrapped
	// ended.ErrNotConverged are not kept. Settings must be values that encoding/json distinguishes. "" means no file.
	Cache string
	// Code identifies the version of the function, as part of the key of its trials in Cache. Change it when the
	// function changes.
	Code string
}

// Seeds returns the seeds 1 to n.
func Seeds(n int) []uint64 {
	seeds := make([]uint64, max(n, 0))
	for i := range seeds {
		seeds[i] = uint64(i + 1)
	}
	return seeds
}

// A Table holds the measurements of all settings with all seeds.
type Table struct {
	Status ended.Status // Done, or Interrupted if some trials are missing
	Cases  []any        // the settings
	Seeds  []uint64
	// Measures are the names of the measurements, sorted.
	Measures []string
	// Values[m][i][j] is measurement Measures[m] of setting i with seed j. It is NaN if the trial did not run, or did not
	// return this measurement.
	Values [][][]float64
	// Kept is the number of trials whose results came from the cache. NotConverged is the number of trials whose error
	// wrapped ended.ErrNotConverged.
	Kept, NotConverged int

	better map[string]int // by measurement: 1 if higher is better, −1 if lower is
}

// Run calls f with each setting and each seed, and returns what f measures. Several goroutines call f at once, unless
// Workers is 1; the result does not depend on their number. If f returns measurements together with an error that
// wraps ended.ErrNotConverged, Run uses the measurements. Any other error ends Run. If several trials fail, Run
// returns the error of the first of them, in the order of settings and seeds. When ctx is done, Run returns ctx's error
// and a table of the trials that have finished. Settings are shown as fmt.Sprint writes them, so their type may
// have a String method.
func Run[S any](ctx context.Context, cases []S, seeds []uint64, f func(ctx context.Context, s S, seed uint64) (map[string]float64, error), opt *Options) (*Table, error) {
	if f == nil {
		panic("trial: Run: f is nil")
	}
	values := make([]any, len(cases))
	for i, s := range cases {
		values[i] = s
	}
	return Each(ctx, values, seeds, func(ctx context.Context, i int, seed uint64) (map[string]float64, error) {
		return f(ctx, cases[i], seed)
	}, opt)
}

// Each is like Run, but f takes i, the index of a setting in cases, instead of the setting itself.
func Each(ctx context.Context, cases []any, seeds []uint64, f func(ctx context.Context, i int, seed uint64) (map[string]float64, error), opt *Options) (*Table, error) {
	if f == nil {
		panic("trial: Each: f is nil")
	}
	if len(cases) == 0 || len(seeds) == 0 {
		return nil, fmt.Errorf("trial: %d settings, %d seeds: there is nothing to run", len(cases), len(seeds))
	}
	var o Options
	if opt != nil {
		o = *opt
	}
	if o.Workers < 0 {
		return nil, fmt.Errorf("trial: Workers is %d, must be 0 or more", o.Workers)
	}
	if ctx == nil {
		ctx = context.Background()
	}
	t := &Table{Status: ended.Done, Cases: slices.Clone(cases), Seeds: slices.Clone(seeds)}
	pieces := len(cases) * len(seeds)
	got := make([]map[string]float64, pieces)
	keys := make([]string, pieces)
	c, err := openCache(o.Cache)
	if err != nil {
		return nil, err
	}
	defer c.close()
	if c != nil {
		for k := range pieces {
			if keys[k], err = key(o.Code, cases[k/len(seeds)], seeds[k%len(seeds)]); err != nil {
				return nil, fmt.Errorf("trial: setting %d: %w", k/len(seeds), err)
			}
			if got[k] = c.known[keys[k]]; got[k] != nil {
				t.Kept++
			}
		}
	}
	errs := make([]error, pieces)
	var failed atomic.Int64 // the first piece with an error
	failed.Store(int64(pieces))
	var mu sync.Mutex // of what follows
	done := t.Kept
	defer progress.End(o.Recorder) // an interrupted bar would show how much time is left
	report := func() {
		progress.Report(o.Recorder, progress.Event{What: "trials", Step: done, Total: pieces})
	}
	report()
	parallel.Do(pieces, o.Workers, func(k int) {
		if got[k] != nil || int64(k) > failed.Load() || ctx.Err() != nil {
			return
		}
		m, err := f(ctx, k/len(seeds), seeds[k%len(seeds)])
		if ctx.Err() != nil {
			return // what an interrupted trial measured is not what it would have measured
		}
		mu.Lock()
		defer mu.Unlock()
		missed := err != nil && ended.Accept(err) == nil
		if missed {
			t.NotConverged++
		}
		if err = ended.Accept(err); err == nil && len(m) == 0 {
			err = fmt.Errorf("nothing was measured")
		}
		if err == nil {
			got[k] = maps.Clone(m)
			if !missed {
				err = c.add(keys[k], cases[k/len(seeds)], seeds[k%len(seeds)], got[k])
			}
		}
		if errs[k] = err; err != nil {
			failed.Store(min(failed.Load(), int64(k)))
		}
		done++
		report()
	})
	t.fill(got)
	if k := int(failed.Load()); k < pieces {
		return nil, fmt.Errorf("trial: setting %d (%v), seed %d: %w", k/len(seeds), cases[k/len(seeds)], seeds[k%len(seeds)], errs[k])
	}
	if ctx.Err() != nil {
		t.Status = ended.Interrupted
		return t, fmt.Errorf("trial: %w after %d of %d trials", ctx.Err(), done, pieces)
	}
	return t, nil
}

// fill sets Measures and Values. The slice called got holds the measurements of each trial, or nil for a trial that did
// not run. Missing measurements become NaN.
func (t *Table) fill(got []map[string]float64) {
	names := map[string]bool{}
	for _, m := range got {
		for name := range m {
			names[name] = true
		}
	}
	t.Measures = slices.Sorted(maps.Keys(names))
	for _, name := range t.Measures {
		rows := make([][]float64, len(t.Cases))
		for i := range rows {
			rows[i] = make([]float64, len(t.Seeds))
			for j := range rows[i] {
				v, ok := got[i*len(t.Seeds)+j][name]
				if !ok {
					v = math.NaN()
				}
				rows[i][j] = v
			}
		}
		t.Values = append(t.Values, rows)
	}
}

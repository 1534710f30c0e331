package features

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"time"

	"overcomplete/ui/progress"
)

// BuildOptions configures BuildShards. nil and the zero value build all shards.
type BuildOptions struct {
	// Shards lists the shards to build, for example the result of Layout.Part. nil means all shards.
	Shards []int
	// Recorder receives an event for each shard. It may be nil.
	Recorder progress.Recorder
}

// A Report lists what BuildShards did.
type Report struct {
	Kept     []int // shards that existed and were verified
	Made     []int
	Replaced []int // the shards in Made that replaced damaged files
}

// String summarizes the report in a line.
func (r *Report) String() string {
	return fmt.Sprintf("%d shards made (%d in place of damaged ones), %d were there", len(r.Made), len(r.Replaced), len(r.Kept))
}

// BuildShards builds the shards that are missing from the folder, and verifies the others. It builds damaged shards
// again. A call rows(dst, from, to) must store the rows [from, to) of the matrix in dst ((to−from)×Cols). A file gets
// its final name only when it is complete. If the program dies, the next call therefore keeps the finished shards, and
// builds the unfinished shard from its first row. BuildShards creates the folder if it does not exist.
func BuildShards(ctx context.Context, folder string, l Layout, rows func(dst []float32, from, to int) error, opt *BuildOptions) (*Report, error) {
	var o BuildOptions
	if opt != nil {
		o = *opt
	}
	l = l.withDefaults()
	if err := l.check(); err != nil {
		return nil, fmt.Errorf("features: BuildShards: %w", err)
	}
	if o.Shards == nil {
		o.Shards = l.Part(0, 1)
	}
	for _, s := range o.Shards {
		if s < 0 || s >= l.Shards() {
			return nil, fmt.Errorf("features: BuildShards: no shard %d: the layout has %d shards", s, l.Shards())
		}
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return nil, fmt.Errorf("features: BuildShards: %w", err)
	}
	r := &Report{}
	var X []float32
	for k, s := range o.Shards {
		progress.Report(o.Recorder, progress.Event{What: "features, shards", Step: k, Total: len(o.Shards), Objective: math.NaN()})
		if err := ctx.Err(); err != nil {
			return r, fmt.Errorf("features: BuildShards: %w", err)
		}
		damaged := false
		switch _, err := openShard(filepath.Join(folder, l.name(s)), false, false); {
		case err == nil:
			r.Kept = append(r.Kept, s)
			continue
		case errors.Is(err, ErrFile):
			damaged = true
		case !errors.Is(err, fs.ErrNotExist):
			return r, fmt.Errorf("features: BuildShards: %w", err)
		}
		sweep(folder, l.name(s))
		from, to := l.Range(s)
		if n := (to - from) * l.Cols; len(X) < n {
			X = make([]float32, n)
		}
		x := X[:(to-from)*l.Cols]
		if err := rows(x, from, to); err != nil {
			return r, fmt.Errorf("features: BuildShards: shard %d: %w", s, err)
		}
		if err := l.write(folder, s, x); err != nil {
			return r, fmt.Errorf("features: BuildShards: %w", err)
		}
		r.Made = append(r.Made, s)
		if damaged {
			r.Replaced = append(r.Replaced, s)
		}
	}
	progress.Report(o.Recorder, progress.Event{What: "features, shards", Step: len(o.Shards), Total: len(o.Shards), Objective: math.NaN()})
	if err := ctx.Err(); err != nil {
		return r, fmt.Errorf("features: BuildShards: %w", err)
	}
	return r, nil
}

// sweep removes temporary files of a shard that were left behind by killed programs. Recent files are kept,
// because they may belong to a running program.
func sweep(folder, name string) {
	list, _ := filepath.Glob(filepath.Join(folder, "."+name+".*.tmp"))
	for _, path := range list {
		if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) > time.Hour {
			os.Remove(path)
		}
	}
}

package scaleout

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"overcomplete/internal/atomicfile"
	"overcomplete/kernel-helpers/features"
)

func init() {
	beam.RegisterType(reflect.TypeFor[Shard]())
	beam.RegisterType(reflect.TypeFor[Outcome]())
	register.DoFn3x1[context.Context, int, func(*Outcome) bool, error](&reportFn{})
	register.Iter1[Outcome]()
}

// A Shard is one file to make.
type Shard struct {
	Index, Of int    // the file's number among all files of the pipeline, and the number of these files
	Set       string // set of images: "train" or "test"
	Number    int    // the file's number in the set
}

// An Outcome says what became of one work item, a Shard or a Point: one line of the report.
type Outcome struct {
	Index, Of int
	Set       string
	Origin    string // everything on which the file's numbers depend; the same for all files of a set
	Line      string
}

// isRemote reports whether path is a URL that one of Beam's filesystems opens, such as gs://bucket/file.
func isRemote(path string) bool { return strings.Contains(path, "://") }

// open opens a file, wherever it is.
func open(ctx context.Context, path string) (io.ReadCloser, error) {
	if !isRemote(path) {
		return os.Open(path)
	}
	fs, err := filesystem.New(ctx, path)
	if err != nil {
		return nil, err
	}
	defer fs.Close()
	r, err := fs.OpenRead(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

func read(ctx context.Context, path string) ([]byte, error) {
	r, err := open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

// write writes the file with the given path atomically. This also holds in a bucket, where an object does not appear until it is
// closed.
func write(ctx context.Context, path string, b []byte) error {
	if !isRemote(path) {
		return atomicfile.Write(path, b, 0o644)
	}
	fs, err := filesystem.New(ctx, path)
	if err != nil {
		return err
	}
	defer fs.Close()
	if err := filesystem.Write(ctx, fs, path, b); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// asFile calls f with a file on this machine that has the same content as the file with the given path.
func asFile(ctx context.Context, path string, f func(file string) error) error {
	if !isRemote(path) {
		return f(path)
	}
	b, err := read(ctx, path)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "scaleout")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, filepath.Base(path))
	if err := os.WriteFile(file, b, 0o600); err != nil {
		return err
	}
	return f(file)
}

// makeShard makes file number k of a matrix in a folder, unless a good one exists. It returns "was there", "made" or
// "made in place of a damaged one". build(dir) makes the file in the folder dir, with features.BuildShards or
// vision.ExtractShards. The new file is read again and verified. If the folder is in a bucket, the work is done in a
// temporary folder on this machine.
func makeShard(ctx context.Context, folder string, k int, build func(dir string) (*features.Report, error)) (string, error) {
	dir, there := folder, map[string][]byte{}
	pattern := fmt.Sprintf("*-%05d.features", k) // of any origin
	if isRemote(folder) {
		var err error
		if dir, err = os.MkdirTemp("", "scaleout"); err != nil {
			return "", err
		}
		defer os.RemoveAll(dir)
		fs, err := filesystem.New(ctx, folder)
		if err != nil {
			return "", err
		}
		defer fs.Close()
		list, err := fs.List(ctx, folder+"/"+pattern)
		if err != nil {
			return "", err
		}
		for _, url := range list {
			b, err := filesystem.Read(ctx, fs, url)
			if err != nil {
				return "", fmt.Errorf("%s: %w", url, err)
			}
			name := filepath.Base(url)
			there[name] = b
			if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
				return "", err
			}
		}
	}
	r, err := build(dir)
	switch {
	case err != nil:
		return "", err
	case len(r.Kept) == 1:
		return "was there", nil
	case len(r.Made) != 1:
		return "", fmt.Errorf("%d files were made", len(r.Made))
	}
	said := "made"
	if len(r.Replaced) == 1 {
		said = "made in place of a damaged one"
	}
	if r, err = build(dir); err != nil {
		return "", err
	} else if len(r.Kept) != 1 {
		return "", errors.New("what was written could not be read again")
	}
	if !isRemote(folder) {
		return said, nil
	}
	list, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil {
		return "", err
	}
	for _, file := range list {
		b, err := os.ReadFile(file)
		name := filepath.Base(file)
		if err != nil {
			return "", err
		}
		if bytes.Equal(b, there[name]) {
			continue
		}
		url := folder + "/" + name
		if err := write(ctx, url, b); err != nil {
			return "", err
		}
		if again, err := read(ctx, url); err != nil || !bytes.Equal(again, b) {
			return "", errors.Join(fmt.Errorf("%s: what was written could not be read again", url), err)
		}
	}
	return said, nil
}

// report writes all outcomes to one file, sorted by Index.
func report(s beam.Scope, outcomes beam.PCollection, path string) {
	all := beam.GroupByKey(s, beam.AddFixedKey(s, outcomes)) // one KV<int, iterator of Outcome>
	beam.ParDo0(s, &reportFn{Path: path}, all)
}

// A reportFn is the DoFn that writes the report. It fails unless it has received one Outcome for each work item. It
// also fails if the workers disagree on the Origin of a set.
type reportFn struct{ Path string }

func (f *reportFn) ProcessElement(ctx context.Context, _ int, next func(*Outcome) bool) error {
	var list []Outcome
	for o := (Outcome{}); next(&o); {
		list = append(list, o)
	}
	b, err := reportText(list)
	if err != nil {
		return fmt.Errorf("scaleout: %s: %w", f.Path, err)
	}
	return write(ctx, f.Path, b)
}

func reportText(list []Outcome) ([]byte, error) {
	slices.SortFunc(list, func(a, b Outcome) int { return cmp.Compare(a.Index, b.Index) })
	origin := map[string]string{}
	var b bytes.Buffer
	for i, o := range list {
		if o.Index != i || o.Of != len(list) {
			return nil, fmt.Errorf("%d outcomes of %d, number %d in place %d", len(list), o.Of, o.Index, i)
		}
		if first, ok := origin[o.Set]; ok && first != o.Origin {
			return nil, fmt.Errorf("workers disagree on what %q is made of: are their processors of different kinds?\n%s\n%s", o.Set, first, o.Origin)
		}
		origin[o.Set] = o.Origin
		fmt.Fprintln(&b, o.Line)
	}
	return b.Bytes(), nil
}

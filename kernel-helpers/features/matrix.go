package features

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/atomicfile"
)

// A Matrix is a complete set of shards, read as rows of float32. It may be read by
// several goroutines at once.
type Matrix struct {
	layout Layout
	shards []*shard
}

// OpenOptions configures OpenShards. With nil and the zero value, OpenShards reads the whole matrix into
// memory, in the shards' format.
type OpenOptions struct {
	// OnDisk leaves the numbers in the files. The files stay open until Close.
	OnDisk bool
	// Depends selects the matrix with that Layout.Depends if the folders have shards of several matrices. "" means the
	// folders must hold only one matrix.
	Depends string
}

// OpenShards opens the matrix whose shards are in the folders, and verifies each shard. A
// missing or damaged shard is an error.
func OpenShards(folders []string, opt *OpenOptions) (*Matrix, error) {
	var o OpenOptions
	if opt != nil {
		o = *opt
	}
	m := &Matrix{}
	err := m.open(o, folders, true)
	if err != nil {
		m.Close()
		return nil, fmt.Errorf("features: OpenShards: %w", err)
	}
	return m, nil
}

// Merge verifies the shards of one matrix in several folders, for example from several machines, and copies
// them to the folder dst, so that OpenShards can read them from one folder. dst may be one of the source
// folders.
func Merge(dst string, folders ...string) error {
	m := &Matrix{}
	if err := m.open(OpenOptions{}, folders, false); err != nil {
		return fmt.Errorf("features: Merge: %w", err)
	}
	if err := os.MkdirAll(dst, 0o777); err != nil {
		return fmt.Errorf("features: Merge: %w", err)
	}
	for _, s := range m.shards {
		path := filepath.Join(dst, m.layout.name(s.number))
		if _, err := openShard(path, false, false); err == nil {
			continue
		}
		b, err := os.ReadFile(s.path)
		if err == nil {
			err = atomicfile.Write(path, b, 0o644)
		}
		if err != nil {
			return fmt.Errorf("features: Merge: %w", err)
		}
	}
	return nil
}

func (m *Matrix) open(opt OpenOptions, folders []string, keep bool) error {
	if len(folders) == 0 {
		return errors.New("no folders")
	}
	for _, folder := range folders {
		if info, err := os.Stat(folder); err != nil {
			return err
		} else if !info.IsDir() {
			return fmt.Errorf("%s is not a folder", folder)
		}
		paths, err := filepath.Glob(filepath.Join(escape(folder), "*.features"))
		if err != nil {
			return err
		}
		sort.Strings(paths)
		for _, path := range paths {
			if err := m.add(path, opt, keep); err != nil {
				return err
			}
		}
	}
	if m.shards == nil {
		return fmt.Errorf("no shards in %s", strings.Join(folders, ", "))
	}
	var missing []string
	for k, s := range m.shards {
		if s == nil {
			missing = append(missing, fmt.Sprint(k))
		}
	}
	if missing != nil {
		return fmt.Errorf("%d of %d shards are missing: %s", len(missing), len(m.shards), strings.Join(missing, ", "))
	}
	return nil
}

// add opens the file at path and adds its shard to m, unless m already has that shard. If opt.Depends is set, add
// skips files with a different Depends. Any other file that belongs to a different matrix is an error.
func (m *Matrix) add(path string, opt OpenOptions, keep bool) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	s, _, _, err := readHead(f)
	f.Close()
	if err != nil {
		return fmt.Errorf("%s: %w: %w; remove the file and build it again", path, ErrFile, err)
	}
	if opt.Depends != "" && s.layout.Depends != opt.Depends {
		return nil
	}
	if m.shards == nil {
		m.layout = s.layout
		m.shards = make([]*shard, s.layout.Shards())
	}
	if s.layout != m.layout {
		return fmt.Errorf("%s belongs to another matrix than the files before it: %s, not %s", path, brief(s.layout), brief(m.layout))
	}
	if m.shards[s.number] != nil {
		return nil
	}
	if s, err = openShard(path, keep, opt.OnDisk); err != nil {
		return err
	}
	m.shards[s.number] = s
	return nil
}

func brief(l Layout) string {
	return fmt.Sprintf("%d×%d as %v in shards of %d, depending on %.200q", l.Rows, l.Cols, l.Format, l.ShardRows, l.Depends)
}

// escape returns a pattern for filepath.Glob that matches only the given path.
func escape(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// Close closes the files of a Matrix opened with OnDisk.
func (m *Matrix) Close() error {
	var err error
	for _, s := range m.shards {
		if s != nil && s.file != nil {
			err = errors.Join(err, s.file.Close())
		}
	}
	return err
}

// Layout returns the layout that identifies the matrix.
func (m *Matrix) Layout() Layout { return m.layout }

// Dims returns the numbers of rows and columns.
func (m *Matrix) Dims() (n, d int) { return m.layout.Rows, m.layout.Cols }

// Read stores the rows [from, to) in dst ((to−from)×Cols). It returns an error only if reading from the disk fails.
func (m *Matrix) Read(dst []float32, from, to int) error {
	n, d := m.Dims()
	if from < 0 || to < from || to > n || len(dst) != (to-from)*d {
		panic(fmt.Sprintf("features: Read: rows %d to %d of %d×%d do not fit into %d numbers", from, to, n, d, len(dst)))
	}
	for from < to {
		s := m.shards[from/m.layout.ShardRows]
		first := s.number * m.layout.ShardRows
		end := min(to, first+s.rows)
		k := (end - from) * d
		if err := s.read(dst[:k], from-first, end-first); err != nil {
			return err
		}
		dst, from = dst[k:], end
	}
	return nil
}

// Dense returns the rows [from, to) as a matrix, for inspecting a few rows.
func (m *Matrix) Dense(from, to int) (*mat.Dense, error) {
	_, d := m.Dims()
	x := make([]float32, max(0, to-from)*d)
	if err := m.Read(x, from, to); err != nil {
		return nil, err
	}
	if len(x) == 0 {
		panic("features: Dense: no rows")
	}
	X := mat.NewDense(to-from, d, nil)
	for k, v := range x {
		X.RawMatrix().Data[k] = float64(v)
	}
	return X, nil
}

// String summarizes the matrix in a line.
func (m *Matrix) String() string {
	return fmt.Sprintf("features: %s", brief(m.layout))
}

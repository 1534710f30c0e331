package data

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strings"

	"overcomplete/data/internal/archive"
	"overcomplete/data/internal/mat5"
)

const (
	defaultLimit = 512 << 20 // for a File without Limit
	maxValues    = 16 << 20  // in an array of a MATLAB file
)

// archiveLimits is generous: the largest set unpacks to 185 MB.
var archiveLimits = archive.Limits{Members: 20_000, Member: 256 << 20, Total: 1 << 30}

// Verify checks the content of all files of a set. The error joins the errors of all files. It wraps
// ErrAbsent if a file is missing and ErrDamaged if a file has the wrong content. A file without known
// checksums passes.
func Verify(ctx context.Context, name string) error {
	s, err := Find(name)
	if err != nil {
		return err
	}
	return s.verify(ctx)
}

func (s Set) verify(ctx context.Context) error {
	var errs []error
	for _, f := range s.Files {
		p, err := path(s, f)
		if err == nil {
			err = verifyPath(ctx, p, f)
		}
		if ctx.Err() != nil {
			return err
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// openChecked opens the file at p, positioned at its beginning, if its content matches f.
func openChecked(p string, f File) (*os.File, error) {
	r, err := os.Open(p)
	if err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	if err := verify(context.Background(), r, f); err != nil {
		r.Close()
		return nil, fmt.Errorf("data: %s: %w", p, err)
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		r.Close()
		return nil, fmt.Errorf("data: %w", err)
	}
	return r, nil
}

func verifyPath(ctx context.Context, p string, f File) error {
	r, err := os.Open(p)
	if err != nil {
		return fmt.Errorf("data: %w", err)
	}
	defer r.Close()
	if err := verify(ctx, r, f); err != nil {
		return fmt.Errorf("data: %s: %w", p, err)
	}
	return nil
}

// verify checks the content of r against the checksums of f. Errors about the content wrap ErrDamaged. Disk errors,
// and the error if ctx is done, do not.
func verify(ctx context.Context, r io.ReadSeeker, f File) error {
	limit := f.Limit
	if limit == 0 {
		limit = defaultLimit
	}
	src := &source{ctx: ctx, r: r}
	whole, err := sum(archive.Limited(src, limit))
	if err != nil {
		return src.fault(err)
	}
	if slices.Contains(f.SHA256, whole) {
		return nil
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return err
	}
	c := f.Content
	switch {
	case len(c.Members) > 0:
		err = checkMembers(src, c)
	case c.Unpacked != "":
		err = checkUnpacked(src, c)
	case c.Variable != "":
		err = checkValues(src, c)
	case len(f.SHA256) > 0:
		err = fmt.Errorf("the file has the SHA-256 %s, not %s", whole, strings.Join(f.SHA256, " or "))
	}
	if err != nil {
		return src.fault(err)
	}
	return nil
}

// A source reads the bytes of a file for the decoders that verify uses. It remembers a read error, so that a disk
// error or a canceled context is not mistaken for damage.
type source struct {
	ctx context.Context
	r   io.Reader
	err error
}

func (s *source) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		s.err = context.Cause(s.ctx)
		return 0, s.err
	}
	n, err := s.r.Read(p)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}

// fault returns the read error, if reading the file failed. Otherwise it returns an error that wraps ErrDamaged and
// err.
func (s *source) fault(err error) error {
	if s.err != nil {
		return s.err
	}
	return fmt.Errorf("%w: %w", ErrDamaged, err)
}

func sum(r io.Reader) (string, error) {
	h := sha256.New()
	if _, err := io.Copy(h, r); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func checkUnpacked(r io.Reader, c Content) error {
	u, err := archive.Unpack(r, c.UnpackedLimit)
	if err != nil {
		return err
	}
	got, err := sum(u)
	if err != nil {
		return err
	}
	if got != c.Unpacked {
		return fmt.Errorf("its content has the SHA-256 %s, not %s", got, c.Unpacked)
	}
	return nil
}

func checkMembers(r io.Reader, c Content) error {
	want := map[string]string{}
	for _, m := range c.Members {
		want[m.Name] = m.SHA256
	}
	seen := map[string]bool{}
	err := archive.Walk(r, archiveLimits, func(name string, r io.Reader) error {
		file, inside := archive.Inside(name, c.Folders...)
		w, listed := want[file]
		if !inside || !listed {
			if c.Suffix != "" && strings.HasSuffix(name, c.Suffix) {
				return fmt.Errorf("%q does not belong to the set (its SHA-256 is not known)", name)
			}
			return nil
		}
		// If two folders contained the same name, it would be unclear which file a loader reads.
		if seen[file] {
			return fmt.Errorf("%q occurs in two folders", file)
		}
		seen[file] = true
		got, err := sum(r)
		if err != nil {
			return fmt.Errorf("%q: %w", name, err)
		}
		if got != w {
			return fmt.Errorf("%q has the SHA-256 %s, not %s", name, got, w)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if !seen[name] {
			return fmt.Errorf("the archive has no %q (%d of %d members are missing)", name, len(want)-len(seen), len(want))
		}
	}
	return nil
}

func checkValues(r io.Reader, c Content) error {
	a, err := mat5.Get(r, c.Variable, maxValues)
	if err != nil {
		return err
	}
	h := sha256.New()
	buf := make([]byte, 0, 1<<16)
	for i, v := range a.Values {
		buf = binary.LittleEndian.AppendUint64(buf, math.Float64bits(v))
		if len(buf) == cap(buf) || i == len(a.Values)-1 {
			h.Write(buf)
			buf = buf[:0]
		}
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != c.Values {
		return fmt.Errorf("the values of %q have the SHA-256 %s, not %s", c.Variable, got, c.Values)
	}
	return nil
}

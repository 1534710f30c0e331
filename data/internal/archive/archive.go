// Package archive reads the containers of data sets: gzip, tar and zip. It
// treats all input as hostile.
//
//   - Nothing is written to disk: members are passed to a function as readers.
//   - Names are data. They are compared with the names that a loader expects
//     and never used as paths.
//   - Every size has a limit, which applies to the OUTPUT of the decompressor,
//     not to sizes in a header. A reader beyond its limit fails with [ErrLimit] instead of
//     just ending.
//   - Memory use does not depend on sizes in a header: [ReadExactly] grows
//     with the bytes that arrive.
//   - The bytes after the last member are read too, because gzip's checksum is
//     at the very end.
//
// # Trap
//
// A tar may contain sparse files, which unpack from a few bytes to any number of zeros. The limits count the
// unpacked bytes of a member, so sparse files fail like any other decompression bomb.
package archive

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"
)

// ErrLimit means that an archive or a member unpacks to more than its limit.
var ErrLimit = errors.New("larger than its limit")

// Limits bounds the content of an archive. All fields must be positive.
type Limits struct {
	Members int   // number of members of any type
	Member  int64 // bytes of one member
	Total   int64 // bytes of all members together, and also of the archive itself (of a tar.gz: decompressed)
}

// Limited returns a reader of r that fails with ErrLimit if r has more than n bytes.
func Limited(r io.Reader, n int64) io.Reader { return &limitedReader{r, n, n} }

type limitedReader struct {
	r       io.Reader
	left, n int64
}

func (l *limitedReader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	// Read one byte more than allowed, to distinguish the end from an excess.
	if int64(len(p)) > l.left+1 {
		p = p[:l.left+1]
	}
	n, err := l.r.Read(p)
	if int64(n) > l.left {
		n = int(l.left)
		l.left = 0
		return n, fmt.Errorf("%w of %d bytes", ErrLimit, l.n)
	}
	l.left -= int64(n)
	return n, err
}

// Unpack returns a reader of the content of r, decompressed if r is gzip-compressed. The reader fails with ErrLimit if
// the content is longer than limit, in bytes.
func Unpack(r io.Reader, limit int64) (io.Reader, error) {
	b := bufio.NewReaderSize(r, 1<<16)
	if magic, _ := b.Peek(2); string(magic) != "\x1f\x8b" {
		return Limited(b, limit), nil
	}
	z, err := gzip.NewReader(b)
	if err != nil {
		return nil, err
	}
	return Limited(z, limit), nil
}

// ReadExactly reads n bytes. If the input is shorter, ReadExactly returns io.ErrUnexpectedEOF, and uses no more memory
// than about twice the size of the input.
func ReadExactly(r io.Reader, n int64) ([]byte, error) {
	var b bytes.Buffer
	got, err := io.CopyN(&b, r, n)
	if err == io.EOF {
		return nil, fmt.Errorf("%d of %d bytes: %w", got, n, io.ErrUnexpectedEOF)
	}
	if err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// AtEnd returns an error if r has any bytes left.
func AtEnd(r io.Reader) error {
	var b [1]byte
	switch _, err := io.ReadFull(r, b[:]); err {
	case io.EOF:
		return nil
	case nil:
		return errors.New("there are bytes after the end")
	default:
		return err
	}
}

// Walk calls visit(name, r) for each regular file in an archive: name is the file's name, without a leading "./", and r
// is a reader of the file's content, which need not be read. The archive is a tar, a gzip-compressed tar or a zip; Walk
// looks at its first bytes to find out which. Members of other types (folders, links) are skipped. It is an error if
// two regular files have the same name, or if the archive is empty. If a call to visit returns an error, Walk ends and
// returns that error unchanged.
func Walk(r io.Reader, lim Limits, visit func(name string, r io.Reader) error) error {
	if lim.Members <= 0 || lim.Member <= 0 || lim.Total <= 0 {
		panic(fmt.Sprintf("archive: Walk: limits %+v", lim))
	}
	b := bufio.NewReaderSize(r, 1<<16)
	w := &walk{lim: lim, seen: map[string]bool{}, visit: visit}
	if magic, _ := b.Peek(4); string(magic) == "PK\x03\x04" {
		return w.zip(b)
	}
	return w.tar(b)
}

type walk struct {
	lim     Limits
	members int
	total   int64 // bytes read from members so far
	seen    map[string]bool
	visit   func(name string, r io.Reader) error
}

// count counts a member, whatever its type.
func (w *walk) count() error {
	if w.members++; w.members > w.lim.Members {
		return fmt.Errorf("archive: more than %d members", w.lim.Members)
	}
	return nil
}

func (w *walk) file(name string, r io.Reader) error {
	name = strings.TrimPrefix(name, "./")
	if w.seen[name] {
		return fmt.Errorf("archive: %q occurs twice", name)
	}
	w.seen[name] = true
	return w.visit(name, &member{r: Limited(r, w.lim.Member), w: w})
}

// A member is a reader of one archive member. It adds the number of bytes read to w.total, and fails with ErrLimit if
// w.total exceeds the limit for all members.
type member struct {
	r io.Reader
	w *walk
}

func (m *member) Read(p []byte) (int, error) {
	n, err := m.r.Read(p)
	if m.w.total += int64(n); m.w.total > m.w.lim.Total {
		return n, fmt.Errorf("all members: %w of %d bytes", ErrLimit, m.w.lim.Total)
	}
	return n, err
}

func (w *walk) tar(r io.Reader) error {
	unpacked, err := Unpack(r, w.lim.Total)
	if err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	t := tar.NewReader(unpacked)
	for {
		h, err := t.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return fmt.Errorf("archive: after %d members: %w", w.members, err)
		}
		if err := w.count(); err != nil {
			return err
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		if err := w.file(h.Name, t); err != nil {
			return err
		}
	}
	if _, err := io.Copy(io.Discard, unpacked); err != nil {
		return fmt.Errorf("archive: after the last member: %w", err)
	}
	if w.members == 0 {
		return errors.New("archive: the archive is empty")
	}
	return nil
}

func (w *walk) zip(r io.Reader) error {
	// A zip's index is at the end of the file.
	b, err := io.ReadAll(Limited(r, w.lim.Total))
	if err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return fmt.Errorf("archive: %w", err)
	}
	for _, f := range z.File {
		if err := w.count(); err != nil {
			return err
		}
		if !f.Mode().IsRegular() {
			continue
		}
		c, err := f.Open()
		if err != nil {
			return fmt.Errorf("archive: %q: %w", f.Name, err)
		}
		err = w.file(f.Name, c)
		c.Close()
		if err != nil {
			return err
		}
	}
	if w.members == 0 {
		return errors.New("archive: the archive is empty")
	}
	return nil
}

// Inside returns the path of an archive's member relative to a folder. This is the first of the given folders that
// contains the member. name is the member's path in the archive. If none of the folders contains the member, Inside
// returns false. Each folder ends with a slash, except the folder "", which is the archive's top.
func Inside(name string, folders ...string) (string, bool) {
	for _, f := range folders {
		if rest, ok := strings.CutPrefix(name, f); ok && rest != "" {
			return rest, true
		}
	}
	return "", false
}

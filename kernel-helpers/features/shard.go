package features

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"overcomplete/internal/atomicfile"
)

// ErrFile identifies errors about the content of a file: all of them wrap it.
var ErrFile = errors.New("not a usable shard of features")

// A file consists of the magic line, the sha256 of all following bytes, and the content, little-endian. The
// content is: rows and columns of the matrix, rows per shard, format, number of the shard and length of
// Depends, all as uint64; Depends; the table of format Bytes; the numbers.
const (
	magic  = "overcomplete features 1\n"
	fields = 6
	fixed  = len(magic) + sha256.Size + 8*fields
)

// head returns the part of a shard's file between the checksum and the table: the layout and the number of the shard.
func (l Layout) head(shard int) []byte {
	var b []byte
	for _, v := range []int{l.Rows, l.Cols, l.ShardRows, int(l.Format), shard, len(l.Depends)} {
		b = binary.LittleEndian.AppendUint64(b, uint64(v))
	}
	return append(b, l.Depends...)
}

// write atomically writes the file of a shard with the rows X.
func (l Layout) write(folder string, shard int, X []float32) error {
	from, to := l.Range(shard)
	n := to - from
	body := l.head(shard)
	body = slices.Grow(body, l.Format.tableLen(l.Cols)+n*l.Cols*l.Format.width()+len(magic)+sha256.Size)
	body, err := l.Format.encode(body, X, n, l.Cols)
	if err != nil {
		return fmt.Errorf("shard %d, from row %d on: %w", shard, from, err)
	}
	sum := sha256.Sum256(body)
	return atomicfile.Write(filepath.Join(folder, l.name(shard)), slices.Concat([]byte(magic), sum[:], body), 0o644)
}

// A shard is one shard of a matrix. Its file has been verified, and its numbers are in memory or on disk.
type shard struct {
	path     string
	layout   Layout
	number   int
	rows     int
	lo, step []float32 // the table of format Bytes
	start    int64     // where the numbers begin
	memory   []byte    // the encoded numbers; nil means that the numbers stay on disk
	file     *os.File
}

// readHead reads the part of a shard's file that precedes the table and the numbers. It returns a shard with the values
// in this part, the checksum, and the part itself as written by Layout.head, without the checksum. readHead does not
// verify the checksum.
func readHead(f io.Reader) (s *shard, sum []byte, head []byte, err error) {
	b := make([]byte, fixed)
	if _, err := io.ReadFull(f, b); err != nil {
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			err = errors.New("the file is truncated")
		}
		return nil, nil, nil, err
	}
	rest, ok := bytes.CutPrefix(b, []byte(magic))
	if !ok {
		return nil, nil, nil, errors.New("the file does not begin with the magic line")
	}
	sum, rest = rest[:sha256.Size], rest[sha256.Size:]
	head = slices.Clone(rest)
	var v [fields]int
	for k := range v {
		u := binary.LittleEndian.Uint64(rest[8*k:])
		if u > 1<<40 {
			return nil, nil, nil, errors.New("the head is damaged")
		}
		v[k] = int(u)
	}
	if v[5] > longest {
		return nil, nil, nil, errors.New("the head is damaged")
	}
	depends := make([]byte, v[5])
	if _, err := io.ReadFull(f, depends); err != nil {
		return nil, nil, nil, errors.New("the file is truncated")
	}
	head = append(head, depends...)
	l := Layout{Rows: v[0], Cols: v[1], ShardRows: v[2], Format: Format(v[3]), Depends: string(depends)}
	if err := l.check(); err != nil || v[4] >= l.Shards() {
		return nil, nil, nil, errors.New("the head is damaged")
	}
	s = &shard{layout: l, number: v[4]}
	from, to := l.Range(s.number)
	s.rows = to - from
	return s, sum, head, nil
}

// openShard reads and verifies a file. If onDisk is set, openShard keeps the file open and leaves the numbers
// on disk. If keep is false, it only verifies the file.
func openShard(path string, keep, onDisk bool) (_ *shard, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	done := false
	defer func() {
		if !done {
			f.Close()
		}
	}()
	bad := func(err error) error {
		return fmt.Errorf("%s: %w: %w; remove the file and build it again", path, ErrFile, err)
	}
	s, sum, head, err := readHead(f)
	if err != nil {
		return nil, bad(err)
	}
	l := s.layout
	table := l.Format.tableLen(l.Cols)
	s.start = int64(len(magic) + sha256.Size + len(head) + table)
	size := int64(s.rows) * int64(l.Cols) * int64(l.Format.width())
	// Check the file's length before allocating memory, because the header may be damaged.
	if info, err := f.Stat(); err != nil {
		return nil, err
	} else if info.Size() != s.start+size {
		return nil, bad(fmt.Errorf("the file has %d bytes, not %d", info.Size(), s.start+size))
	}
	h := sha256.New()
	h.Write(head)
	tb := make([]byte, table)
	if _, err := io.ReadFull(f, tb); err != nil {
		return nil, err
	}
	h.Write(tb)
	if keep && !onDisk {
		s.memory = make([]byte, size)
		if _, err := io.ReadFull(f, s.memory); err != nil {
			return nil, err
		}
		h.Write(s.memory)
	} else if _, err := io.Copy(h, f); err != nil {
		return nil, err
	}
	if !bytes.Equal(h.Sum(nil), sum) {
		return nil, bad(errors.New("the checksum is wrong"))
	}
	if l.Format == Bytes {
		if s.lo, s.step, err = decodeTable(tb, l.Cols); err != nil {
			return nil, bad(err)
		}
	}
	s.path = path
	if keep && onDisk {
		s.file, done = f, true
	}
	return s, nil
}

// read decodes the rows [from, to) into dst. Rows are counted from the first row of the shard.
func (s *shard) read(dst []float32, from, to int) error {
	d := s.layout.Cols
	w := d * s.layout.Format.width()
	b := s.memory
	if b != nil {
		b = b[from*w : to*w]
	} else {
		b = make([]byte, (to-from)*w)
		if _, err := s.file.ReadAt(b, s.start+int64(from)*int64(w)); err != nil {
			return fmt.Errorf("features: %w", err)
		}
	}
	s.layout.Format.decode(dst[:(to-from)*d], b, d, s.lo, s.step)
	return nil
}

// A Layout describes the stored matrix and its division into shards.
type Layout struct {
	Rows, Cols int
	// ShardRows is the number of rows per shard; the last shard may have fewer. 0 means 1000.
	ShardRows int
	Format    Format
	// Depends describes everything on which the numbers depend: settings, and checksums of models and data.
	// Shards with different Depends are never mixed. Depends may have at most 64 KB.
	Depends string
}

const longest = 1 << 16 // maximum length of Depends

func (l Layout) withDefaults() Layout {
	if l.ShardRows == 0 {
		l.ShardRows = 1000
	}
	return l
}

// check returns an error for an invalid layout, such as one read from a damaged file.
func (l Layout) check() error {
	switch {
	case l.Rows <= 0 || l.Cols <= 0 || l.ShardRows <= 0:
		return fmt.Errorf("%d×%d numbers in shards of %d rows", l.Rows, l.Cols, l.ShardRows)
	case l.Rows > 1<<40 || l.Cols > 1<<30 || l.ShardRows > (1<<40)/l.Cols:
		return fmt.Errorf("%d×%d numbers in shards of %d rows are too many", l.Rows, l.Cols, l.ShardRows)
	case l.Format < Float16 || l.Format > Float32:
		return fmt.Errorf("unknown format %d", l.Format)
	case len(l.Depends) > longest:
		return fmt.Errorf("the text Depends has %d bytes, at most %d are possible", len(l.Depends), longest)
	}
	return nil
}

// Shards returns the number of shards.
func (l Layout) Shards() int {
	l = l.withDefaults()
	return (l.Rows + l.ShardRows - 1) / l.ShardRows
}

// Range returns the rows [from, to) of the matrix that the given shard holds. Shards and rows are numbered from 0.
func (l Layout) Range(shard int) (from, to int) {
	l = l.withDefaults()
	if shard < 0 || shard >= l.Shards() {
		panic(fmt.Sprintf("features: Range: no shard %d: the layout has %d shards", shard, l.Shards()))
	}
	return shard * l.ShardRows, min(l.Rows, (shard+1)*l.ShardRows)
}

// Part divides the shards among n machines, and returns those for machine k: k, k+n, k+2n and so on. Machines are
// numbered from 0.
func (l Layout) Part(k, n int) []int {
	if n <= 0 || k < 0 || k >= n {
		panic(fmt.Sprintf("features: Part: no part %d of %d machines", k, n))
	}
	var list []int
	for s := k; s < l.Shards(); s += n {
		list = append(list, s)
	}
	return list
}

// name returns the name of a shard's file. The name begins with a digest of the layout, including Depends, so that
// shards of different origin do not overwrite each other.
func (l Layout) name(shard int) string {
	sum := sha256.Sum256(l.head(0))
	return fmt.Sprintf("%x-%05d.features", sum[:6], shard)
}

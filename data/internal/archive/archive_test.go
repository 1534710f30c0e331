package archive

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

var lim = Limits{Members: 5, Member: 1000, Total: 10_000}

type file struct{ name, content string }

func packTar(t testing.TB, files ...file) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range files {
		h := &tar.Header{Name: f.name, Mode: 0o644, Size: int64(len(f.content))}
		if strings.HasSuffix(f.name, "/") {
			h.Typeflag = tar.TypeDir
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		io.WriteString(w, f.content)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func pack(b []byte) []byte {
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	w.Write(b)
	w.Close()
	return z.Bytes()
}

func packZip(t testing.TB, files ...file) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range files {
		c, err := w.Create(f.name)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(c, f.content)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func walkAll(b []byte, lim Limits) (string, error) {
	var s strings.Builder
	err := Walk(bytes.NewReader(b), lim, func(name string, r io.Reader) error {
		c, err := io.ReadAll(r)
		if err != nil {
			return err
		}
		fmt.Fprintf(&s, "%s=%s;", name, c)
		return nil
	})
	return s.String(), err
}

func TestWalk(t *testing.T) {
	files := []file{{"./a", "one"}, {"d/", ""}, {"d/b", ""}, {"../../etc/passwd", "x"}}
	const want = "a=one;d/b=;../../etc/passwd=x;"
	for name, b := range map[string][]byte{"tar": packTar(t, files...), "tar.gz": pack(packTar(t, files...)), "zip": packZip(t, files...)} {
		got, err := walkAll(b, lim)
		if err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", name, got, err, want)
		}
	}
}

// A visitor that reads no content still sees all names.
func TestWalkSkips(t *testing.T) {
	n := 0
	err := Walk(bytes.NewReader(pack(packTar(t, file{"a", "one"}, file{"b", "two"}))), lim, func(string, io.Reader) error { n++; return nil })
	if err != nil || n != 2 {
		t.Error(n, err)
	}
	stop := errors.New("stop")
	err = Walk(bytes.NewReader(packTar(t, file{"a", "one"})), lim, func(string, io.Reader) error { return stop })
	if err != stop {
		t.Error(err)
	}
}

func TestWalkRefuses(t *testing.T) {
	big := strings.Repeat("x", 1001)
	good := pack(packTar(t, file{"a", "one"}))
	flipped := bytes.Clone(good)
	flipped[len(flipped)-6] ^= 1 // a bit in gzip's checksum
	var many, fill []file
	for i := range 6 {
		many = append(many, file{fmt.Sprint("f", i), ""})
	}
	for i := range 5 {
		fill = append(fill, file{fmt.Sprint("f", i), big[:900]})
	}
	small := Limits{Members: 5, Member: 1000, Total: 4000}
	for name, c := range map[string]struct {
		b     []byte
		lim   Limits
		limit bool
	}{
		"nothing":       {nil, lim, false},
		"text":          {[]byte("hello, this is not an archive"), lim, false},
		"empty tar":     {packTar(t), lim, false},
		"empty zip":     {packZip(t), lim, false},
		"cut":           {good[:len(good)-3], lim, false},
		"checksum":      {flipped, lim, false},
		"twice":         {packTar(t, file{"a", "1"}, file{"a", "2"}), lim, false},
		"twice in zip":  {packZip(t, file{"a", "1"}, file{"a", "2"}), lim, false},
		"cut zip":       {packZip(t, file{"a", "1"})[:40], lim, false},
		"many":          {packTar(t, many...), Limits{5, 1000, 1 << 20}, false},
		"large":         {packTar(t, file{"a", big}), lim, true},
		"large in zip":  {packZip(t, file{"a", big}), lim, true},
		"total":         {pack(packTar(t, fill...)), small, true},
		"total in zip":  {packZip(t, fill...), small, true},
		"bomb at end":   {pack(append(packTar(t, file{"a", "1"}), make([]byte, 1<<20)...)), lim, true},
		"bomb in front": {pack(make([]byte, 1<<20)), lim, false},
	} {
		_, err := walkAll(c.b, c.lim)
		if err == nil || c.limit && !errors.Is(err, ErrLimit) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestUnpack(t *testing.T) {
	for _, b := range [][]byte{[]byte("hello"), pack([]byte("hello"))} {
		r, err := Unpack(bytes.NewReader(b), 5)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r); err != nil || string(got) != "hello" {
			t.Errorf("%q, %v", got, err)
		}
		if r, err = Unpack(bytes.NewReader(b), 4); err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r); !errors.Is(err, ErrLimit) || string(got) != "hell" {
			t.Errorf("%q, %v", got, err)
		}
	}
	if _, err := Unpack(strings.NewReader("\x1f\x8b!"), 4); err == nil {
		t.Error("a damaged gzip header is no error")
	}
}

func TestReadExactly(t *testing.T) {
	for _, r := range []io.Reader{strings.NewReader("abcd"), iotest.OneByteReader(strings.NewReader("abcd"))} {
		if b, err := ReadExactly(r, 3); err != nil || string(b) != "abc" {
			t.Errorf("%q, %v", b, err)
		}
		if err := AtEnd(r); err == nil {
			t.Error("one byte is left and nobody says so")
		}
		if err := AtEnd(r); err != nil {
			t.Error(err)
		}
	}
	// A declared size of a terabyte does not allocate memory.
	if _, err := ReadExactly(strings.NewReader("abc"), 1<<40); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
	bad := errors.New("bad")
	if _, err := ReadExactly(iotest.ErrReader(bad), 3); err != bad {
		t.Error(err)
	}
	if err := AtEnd(iotest.ErrReader(bad)); err != bad {
		t.Error(err)
	}
}

func TestInside(t *testing.T) {
	for _, c := range []struct {
		name, want string
		ok         bool
	}{{"a/x", "x", true}, {"x", "x", true}, {"b/x", "b/x", true}, {"a/", "a/", true}, {"", "", false}} {
		if got, ok := Inside(c.name, "a/", ""); got != c.want || ok != c.ok {
			t.Errorf("%q: %q %v", c.name, got, ok)
		}
	}
	if _, ok := Inside("a", "a/"); ok {
		t.Error("a file is inside a folder of its name")
	}
	if _, ok := Inside("../a/x", "a/"); ok {
		t.Error("a name from outside is inside")
	}
}

func FuzzWalk(f *testing.F) {
	f.Add(pack(packTar(f, file{"a", "one"}, file{"d/", ""})))
	f.Add(packTar(f, file{"../a", "one"}))
	f.Add(packZip(f, file{"a", "one"}, file{"/b", ""}))
	f.Fuzz(func(t *testing.T, b []byte) {
		var total int64
		Walk(bytes.NewReader(b), lim, func(name string, r io.Reader) error {
			n, err := io.Copy(io.Discard, r)
			if total += n; n > lim.Member || total > lim.Total+lim.Member {
				t.Fatalf("%d bytes of a member, %d in all", n, total)
			}
			return err
		})
	})
}

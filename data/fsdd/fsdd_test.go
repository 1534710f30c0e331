package fsdd

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// wav returns a WAV file that Decode accepts, with an extra chunk of odd length.
func wav(samples []int16, rate uint32) []byte {
	var c bytes.Buffer
	put := func(v any) { binary.Write(&c, binary.LittleEndian, v) }
	c.WriteString("WAVEfmt ")
	put(uint32(16))
	put([2]uint16{1, 1})
	put([2]uint32{rate, 2 * rate})
	put([2]uint16{2, 16})
	c.WriteString("LIST")
	put(uint32(3))
	c.WriteString("abc\x00data")
	put(uint32(2 * len(samples)))
	put(samples)
	var b bytes.Buffer
	b.WriteString("RIFF")
	binary.Write(&b, binary.LittleEndian, uint32(c.Len()))
	b.Write(c.Bytes())
	return b.Bytes()
}

func pack(t *testing.T, files map[string][]byte, order ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, name := range order {
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(files[name]))}); err != nil {
			t.Fatal(err)
		}
		w.Write(files[name])
	}
	w.Close()
	z.Close()
	return b.Bytes()
}

func TestDecode(t *testing.T) {
	s, rate, err := Decode(wav([]int16{0, 16384, -32768, 32767}, 8000))
	if err != nil || rate != 8000 {
		t.Fatal(rate, err)
	}
	for i, want := range []float64{0, 0.5, -1, 32767.0 / 32768} {
		if s[i] != want {
			t.Errorf("sample %d is %v, not %v", i, s[i], want)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	good := wav([]int16{1, 2, 3}, 8000)
	change := func(at int, v byte) []byte {
		b := bytes.Clone(good)
		b[at] = v
		return b
	}
	for name, b := range map[string][]byte{
		"nothing": nil, "short": good[:20], "cut": good[:len(good)-1], "more": append(bytes.Clone(good), 0),
		"not RIFF": change(0, 'X'), "float": change(20, 3), "stereo": change(22, 2), "8 bits": change(34, 8),
		"byte rate": change(28, 1), "no data": change(len(good)-14, 'x'), "chunk too long": change(len(good)-10, 200), "odd data": change(len(good)-10, 5),
	} {
		if _, _, err := Decode(b); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(wav([]int16{1, -2, 3}, 8000))
	f.Add([]byte("RIFF\x04\x00\x00\x00WAVE"))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, rate, err := Decode(b)
		if err == nil && (len(s) == 0 || rate <= 0 || 2*len(s) > len(b)) {
			t.Fatalf("%d samples at %d from %d bytes", len(s), rate, len(b))
		}
		for _, v := range s {
			if v < -1 || v >= 1 {
				t.Fatalf("a sample of %v", v)
			}
		}
	})
}

func TestRead(t *testing.T) {
	w := wav([]int16{1, 2}, 8000)
	files := map[string][]byte{"a/7_theo_1.wav": w, "a/3_anna_0.wav": w, "a/README.md": []byte("hello"), "a/x.wav": w, "a/1_theo_0.wav": []byte("RIFF")}
	r, err := Read(bytes.NewReader(pack(t, files, "a/7_theo_1.wav", "a/README.md", "a/3_anna_0.wav")))
	if err != nil || len(r) != 2 || r[0].Speaker != "anna" || r[1].Digit != 7 || r[1].Take != 1 || len(r[1].Samples) != 2 {
		t.Fatal(r, err)
	}
	for name, order := range map[string][]string{
		"no recording": {"a/README.md"}, "bad name": {"a/x.wav"}, "twice": {"a/7_theo_1.wav", "a/7_theo_1.wav"}, "bad file": {"a/1_theo_0.wav"},
	} {
		if _, err := Read(bytes.NewReader(pack(t, files, order...))); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := Read(strings.NewReader("not gzip")); err == nil {
		t.Error("not gzip: no error")
	}
	if b := pack(t, files, "a/7_theo_1.wav"); true {
		if _, err := Read(bytes.NewReader(b[:len(b)-10])); err == nil {
			t.Error("a cut archive: no error")
		}
	}
}

func TestOpen(t *testing.T) {
	t.Setenv(Variable, "")
	if _, err := Open(); !errors.Is(err, ErrAbsent) {
		t.Error(err)
	}
	dir := t.TempDir()
	t.Setenv(Variable, dir)
	t.Setenv("XDG_CACHE_HOME", t.TempDir()) // ignore the user's cache
	t.Setenv("HOME", t.TempDir())
	if _, err := Open(); !errors.Is(err, ErrAbsent) {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(dir, FileName), pack(t, map[string][]byte{"1_a_0.wav": wav([]int16{1}, 8000)}, "1_a_0.wav"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(); err == nil || errors.Is(err, ErrAbsent) || !strings.Contains(err.Error(), "SHA-256") {
		t.Errorf("another archive: %v", err)
	}
}

func TestRealSet(t *testing.T) {
	r, err := Open()
	if errors.Is(err, ErrAbsent) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(r) != 120 {
		t.Errorf("%d recordings, not 120", len(r))
	}
	for _, x := range r {
		if x.Rate != 8000 {
			t.Errorf("%d %s %d: %d Hz", x.Digit, x.Speaker, x.Take, x.Rate)
		}
	}
}

// FuzzRead uses intact archives as seeds; the tests of package archive have the hostile archives.
func FuzzRead(f *testing.F) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	one := wav([]int16{1, 2}, 8000)
	for _, name := range []string{"a/7_theo_1.wav", "README.md"} {
		w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(one))})
		w.Write(one)
	}
	w.Close()
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := Read(bytes.NewReader(b))
		for _, x := range r {
			if err != nil || x.Digit < 0 || x.Digit > 9 || x.Speaker == "" || len(x.Samples) == 0 {
				t.Fatal(x, err)
			}
		}
	})
}

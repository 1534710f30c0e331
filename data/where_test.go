package data

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func hash(b []byte) string { s := sha256.Sum256(b); return hex.EncodeToString(s[:]) }

func makeZip(b []byte) []byte {
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	w.Write(b)
	w.Close()
	return z.Bytes()
}

func makeTar(files ...string) []byte {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		w.WriteHeader(&tar.Header{Name: files[i], Mode: 0o644, Size: int64(len(files[i+1]))})
		io.WriteString(w, files[i+1])
	}
	w.Close()
	return b.Bytes()
}

func write(t *testing.T, path string, b []byte) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
}

func unset(t *testing.T) {
	t.Helper()
	t.Setenv(Variable, "") // so that the test restores the variable
	os.Unsetenv(Variable)
}

// withCache makes a new folder the user's cache and returns the data folder in it.
func withCache(t *testing.T) string {
	t.Helper()
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv("HOME", cache)
	dir, err := os.UserCacheDir()
	if err != nil {
		t.Skip(err)
	}
	return filepath.Join(dir, "overcomplete", "data")
}

func TestFolder(t *testing.T) {
	t.Setenv(Variable, "")
	if _, err := Folder(); !errors.Is(err, ErrAbsent) {
		t.Error(err)
	}
	if _, err := Path("mnist", ""); !errors.Is(err, ErrAbsent) {
		t.Error(err)
	}
	t.Setenv(Variable, "/some/where")
	if dir, err := Folder(); err != nil || dir != "/some/where" {
		t.Error(dir, err)
	}
	unset(t)
	want := withCache(t)
	if dir, err := Folder(); err != nil || dir != want {
		t.Error(dir, err)
	}
	t.Setenv("XDG_CACHE_HOME", "not/absolute")
	if _, err := os.UserCacheDir(); err == nil {
		t.Skip("this system has its cache elsewhere")
	}
	if _, err := Folder(); !errors.Is(err, ErrAbsent) {
		t.Error(err)
	}
}

// A folder that lacks a set does not hide the set in the cache, and files in the folder take precedence.
func TestCacheIsSecond(t *testing.T) {
	cache := withCache(t)
	dir := t.TempDir()
	t.Setenv(Variable, dir)
	if err := os.MkdirAll(cache, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(cache, "letter.data.gz"), []byte("any"))
	if p, err := Path("letters", ""); err != nil || filepath.Dir(p) != cache {
		t.Error(p, err)
	}
	write(t, filepath.Join(dir, "letter.data"), []byte("any"))
	if p, err := Path("letters", ""); err != nil || filepath.Dir(p) != dir {
		t.Error(p, err)
	}
	t.Setenv(Variable, "")
	if _, err := Path("letters", ""); !errors.Is(err, ErrAbsent) {
		t.Error("set to nothing:", err)
	}
}

// TestAbsent checks the error text for an absent set, because readers of a notebook see it.
func TestAbsent(t *testing.T) {
	cache, dir := withCache(t), t.TempDir()
	t.Setenv(Variable, dir)
	_, err := Path("letters", "")
	want := "data: letters: the data set is not on this machine: there is no letter.data.gz or letter.data in " + dir + " or " + cache +
		"; to get it, set OVERCOMPLETE_DATA to a folder that contains it; or run 'overcomplete data get letters'; or download https://ai.stanford.edu/~btaskar/ocr/letter.data.gz to " +
		filepath.Join(dir, "letter.data.gz")
	if !errors.Is(err, ErrAbsent) || err.Error() != want {
		t.Errorf("%v\nwant\n%v", err, want)
	}
	if _, err = Open("fsdd", ""); !errors.Is(err, ErrAbsent) || strings.Contains(err.Error(), "data get") || !strings.Contains(err.Error(), "by hand: clone") {
		t.Error(err)
	}
	if err := Verify(context.Background(), "mnist"); !errors.Is(err, ErrAbsent) || strings.Count(err.Error(), "\n") != 3 {
		t.Error(err)
	}
	// The file is also accepted under its second name.
	write(t, filepath.Join(dir, "letter.data"), []byte("not the letters"))
	if p, err := Path("letters", ""); err != nil || filepath.Base(p) != "letter.data" {
		t.Error(p, err)
	}
	if _, err := Open("letters", ""); !errors.Is(err, ErrDamaged) || errors.Is(err, ErrAbsent) || !strings.Contains(err.Error(), "letter.data") {
		t.Error(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "ex7faces.mat"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Path("course-faces", ""); err == nil || errors.Is(err, ErrAbsent) {
		t.Error("a folder in place of the file:", err)
	}
}

func TestVerifyContent(t *testing.T) {
	text := []byte("hello\n")
	list := []Member{{"a", hash([]byte("one"))}, {"b", hash([]byte("two"))}}
	good := makeTar("d/a", "one", "d/README", "x", "./d/b", "two")
	members := File{SHA256: []string{hash([]byte("known"))}, Content: Content{Members: list, Folders: []string{"d/", "e/"}, Suffix: ".wav"}}
	unpacked := File{SHA256: []string{hash([]byte("known"))}, Content: Content{Unpacked: hash(text), UnpackedLimit: 10}}
	for name, c := range map[string]struct {
		f    File
		b    []byte
		want string // part of the error, or ""
	}{
		"known sum":         {members, []byte("known"), ""},
		"plain":             {unpacked, text, ""},
		"packed":            {unpacked, makeZip(text), ""},
		"other text":        {unpacked, makeZip([]byte("hullo\n")), "SHA-256"},
		"bomb":              {unpacked, makeZip(make([]byte, 1<<20)), "limit"},
		"cut":               {unpacked, makeZip(text)[:12], "EOF"},
		"members":           {members, good, ""},
		"members, packed":   {members, makeZip(good), ""},
		"other member":      {members, makeTar("d/a", "one", "d/b", "2"), `"d/b" has the SHA-256`},
		"missing":           {members, makeTar("d/a", "one", "f/b", "two"), `the archive has no "b" (1 of 2`},
		"in two folders":    {members, makeTar("d/a", "one", "d/b", "two", "e/a", "one"), "two folders"},
		"does not belong":   {members, makeTar("d/a", "one", "d/b", "two", "d/c.wav", ""), "does not belong"},
		"not a tar":         {members, []byte("hello"), "archive"},
		"no sum":            {File{}, []byte("anything"), ""},
		"whole file only":   {File{SHA256: []string{hash(text)}}, text, ""},
		"another file":      {File{SHA256: []string{hash(text)}}, []byte("x"), "SHA-256"},
		"larger than limit": {File{Limit: 3}, text, "limit"},
		"no array":          {File{Content: Content{Variable: "faces", Values: hash(nil)}}, text, "mat5"},
	} {
		err := verify(context.Background(), bytes.NewReader(c.b), c.f)
		if c.want == "" && err != nil || c.want != "" && (!errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

type badDisk struct{ *bytes.Reader }

var errDisk = errors.New("the disk is on fire")

func (badDisk) Read([]byte) (int, error) { return 0, errDisk }

// A disk error or a canceled context does not count as damage.
func TestVerifyFaults(t *testing.T) {
	for _, f := range []File{{}, {Content: Content{Unpacked: "x", UnpackedLimit: 10}}} {
		if err := verify(context.Background(), badDisk{bytes.NewReader(nil)}, f); err != errDisk {
			t.Error(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if err := verify(ctx, bytes.NewReader([]byte("x")), f); err != context.Canceled {
			t.Error(err)
		}
	}
}

// TestRealSets checks the sets on this machine.
func TestRealSets(t *testing.T) {
	var skipped []string
	for _, s := range Sets() {
		err := Verify(context.Background(), s.Name)
		if errors.Is(err, ErrAbsent) {
			skipped = append(skipped, err.Error())
			continue
		}
		if err != nil {
			t.Error(err)
		}
		// The content must also pass if the container is known.
		for _, f := range s.Files {
			if f.Size > 20<<20 || f.Content.Members == nil && f.Content.Unpacked == "" && f.Content.Values == "" {
				continue
			}
			p, err := Path(s.Name, f.Name)
			if err != nil {
				t.Fatal(err)
			}
			f.SHA256 = nil
			if err := verifyPath(context.Background(), p, f); err != nil {
				t.Error(err)
			}
		}
	}
	if len(skipped) == len(Sets()) {
		t.Skip(skipped[0])
	}
	for _, s := range skipped {
		t.Log("not checked:", s)
	}
}

func ExampleFind() {
	s, err := Find("cifar10")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.What)
	fmt.Println(s.Files[0].Name, s.Size()/1e6, "MB")
	// Output:
	// CIFAR-10, binary version: 60,000 color images of 10 classes, 32 x 32
	// cifar-10-binary.tar.gz 170 MB
}

package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"overcomplete/internal/testfile"
)

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	for _, content := range []string{"first", "", "second, longer"} {
		if err := Write(path, []byte(content), 0o640); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path)
		if err != nil || string(got) != content {
			t.Errorf("%q, %v, want %q", got, err, content)
		}
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if err := Write(path, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("others may write to it: %v, %v", info.Mode(), err)
	}
	if err := Write(filepath.Join(dir, "none", "file"), nil, 0o644); err == nil {
		t.Error("a folder that does not exist is no error")
	}
	if err := Write(dir, nil, 0o644); err == nil {
		t.Error("a folder in the way is no error")
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Errorf("files left behind: %v, %v", left, err)
	}
}

// A staged file is invisible before Commit, and Discard removes it completely.
func TestStage(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	if err := Write(path, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, commit := range []bool{false, true} {
		s, err := Stage(path, []byte("new"), 0o644)
		if err != nil {
			t.Fatal(err)
		}
		if b, _ := os.ReadFile(path); string(b) != "old" {
			t.Errorf("staging wrote %q", b)
		}
		want := "old"
		if commit {
			want, err = "new", s.Commit()
		} else {
			s.Discard()
		}
		if b, _ := os.ReadFile(path); string(b) != want || err != nil {
			t.Errorf("commit %v: %q, %v", commit, b, err)
		}
		if left, _ := os.ReadDir(dir); len(left) != 1 {
			t.Errorf("commit %v: files left behind: %v", commit, left)
		}
	}
}

func TestCreate(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "key")
	var made atomic.Int32
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			switch err := Create(path, fmt.Append(nil, "key ", i), 0o600); {
			case err == nil:
				made.Add(1)
			case !errors.Is(err, fs.ErrExist):
				t.Error(err)
			}
		})
	}
	all.Wait()
	if made.Load() != 1 {
		t.Errorf("%d of 20 made it", made.Load())
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("files left behind: %v", left)
	}
}

func TestSealed(t *testing.T) {
	const magic = "some form 1\n"
	path := filepath.Join(t.TempDir(), "file")
	if err := WriteSealed(path, magic, []byte("content"), 0o644); err != nil {
		t.Fatal(err)
	}
	b := testfile.Read(t, path)
	if got, err := Unseal(magic, b); err != nil || string(got) != "content" {
		t.Errorf("%q, %v", got, err)
	}
	for k := range b {
		bad := append([]byte(nil), b...)
		bad[k] ^= 1
		want := ErrSeal
		if k < len(magic) {
			want = ErrMagic
		}
		if _, err := Unseal(magic, bad); !errors.Is(err, want) {
			t.Errorf("byte %d changed: %v, want %v", k, err, want)
		}
		if _, err := Unseal(magic, b[:k]); err == nil {
			t.Errorf("cut at %d: no error", k)
		}
	}
}

func FuzzUnseal(f *testing.F) {
	f.Add(Seal("m", nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		if c, err := Unseal("m", b); err == nil && string(Seal("m", c)) != string(b) {
			t.Error("what was unsealed is not what was sealed")
		}
	})
}

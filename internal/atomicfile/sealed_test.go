package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestSealed(t *testing.T) {
	const magic = "some form 1\n"
	path := filepath.Join(t.TempDir(), "file")
	if err := WriteSealed(path, magic, []byte("content"), 0o644); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
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

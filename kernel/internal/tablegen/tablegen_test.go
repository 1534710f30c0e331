package tablegen

import (
	"archive/zip"
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"testing"
)

// TestArchive: the bytes of an archive are the same from run to run, and can be read back.
func TestArchive(t *testing.T) {
	a := map[string][]byte{"x": []byte("1"), "y": []byte("2")}
	one, err := WriteZip(a, zip.Deflate, nil)
	if err != nil {
		t.Fatal(err)
	}
	two, _ := WriteZip(a, zip.Deflate, nil)
	if string(one) != string(two) {
		t.Error("the archive differs from run to run")
	}
	name := filepath.Join(t.TempDir(), "a.zip")
	if _, err := ReadZip(name); err == nil {
		t.Error("no error for an archive that is not there")
	}
	if err := os.WriteFile(name, one, 0o600); err != nil {
		t.Fatal(err)
	}
	b, err := ReadZip(name)
	if err != nil || !maps.EqualFunc(a, b, bytes.Equal) {
		t.Errorf("read back: %q, %v", b, err)
	}
}

// Package testfile is for tests: it writes and reads their files, and ends a test in which that fails.
package testfile

import (
	"os"
	"path/filepath"
	"testing"
)

// Write writes data to the file path. It creates the file's folder if necessary.
func Write[B ~string | ~[]byte](t testing.TB, path string, data B) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
		t.Fatal(err)
	}
}

// WriteAll writes files, given by their slash-separated paths below dir.
func WriteAll(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		Write(t, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
}

// Read returns the content of the file path.
func Read(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

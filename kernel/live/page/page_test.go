// Package page_test tests the script of live pages, which is built from the JavaScript in this folder. The
// tests need node and npm.
package page_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/andybalholm/brotli"

	"overcomplete/internal/patience"
	"overcomplete/internal/testfile"
)

const assets = "../assets"

// bundles has the scripts that 'make live-page' writes, each as a file compressed with brotli. The number is the largest
// allowed size of the script compressed by gzip, which static hosts use.
var bundles = map[string]int{"live.js": 150_000, "brotli.js": 140_000, "purify.js": 20_000, "measure.js": 10_000}

// need returns the path of a program. It skips the test if the program is not installed.
func need(t *testing.T, program string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		t.Skipf("%s is not installed: the script of live pages is not tested", program)
	}
	return path
}

// TestScripts runs the tests of the page's parts, and of the worker, its file system and the service worker.
func TestScripts(t *testing.T) {
	patience.SkipShort(t, "it runs the page's scripts under node")
	cmd := exec.CommandContext(t.Context(), need(t, "node"), "--test", "--test-timeout=240000")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("node --test: %v\n%s", err, out)
	}
}

// TestSize checks the size of the bundles, and that they begin with the licenses of their parts.
func TestSize(t *testing.T) {
	for name, most := range bundles {
		text := unpack(t, assets, name)
		var packed bytes.Buffer
		w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(text); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if packed.Len() > most {
			t.Errorf("%s has %d bytes compressed, may have %d", name, packed.Len(), most)
		}
		others := bytes.Contains(text, []byte("It contains:")) // measure.js only contains this project's code
		if !bytes.HasPrefix(text, []byte("/*!")) || others == (name == "measure.js") || others && !bytes.Contains(text, []byte("Permission is hereby granted")) && !bytes.Contains(text, []byte("Apache License")) {
			t.Errorf("%s does not begin with the licences of what is in it", name)
		}
	}
}

// TestCurrent checks that bundling the scripts again would change nothing.
func TestCurrent(t *testing.T) {
	npm, node := need(t, "npm"), need(t, "node")
	dir, out := t.TempDir(), t.TempDir()
	if err := os.CopyFS(dir, sources(t)); err != nil {
		t.Fatal(err)
	}
	run := func(program string, args ...string) ([]byte, error) {
		cmd := exec.CommandContext(t.Context(), program, args...)
		cmd.Dir = dir
		return cmd.CombinedOutput()
	}
	if text, err := run(npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"); err != nil {
		t.Skipf("npm could not fetch what the script is made of (no network?): %v\n%s", err, text)
	}
	if text, err := run(node, "build.mjs", out); err != nil {
		t.Fatalf("build.mjs: %v\n%s", err, text)
	}
	for name := range bundles {
		if !bytes.Equal(unpack(t, out, name), unpack(t, assets, name)) {
			t.Errorf("kernel/live/assets/%s is not what kernel/live/page makes now: run 'make live-page'", name)
		}
	}
}

// unpack returns a bundle in a folder.
func unpack(t *testing.T, folder, name string) []byte {
	t.Helper()
	file := testfile.Read(t, filepath.Join(folder, name+".br"))
	text, err := io.ReadAll(brotli.NewReader(bytes.NewReader(file)))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return text
}

// TestLock checks that the lock file names no host, so that npm uses the configured registry.
func TestLock(t *testing.T) {
	text := testfile.Read(t, "package-lock.json")
	if strings.Contains(string(text), "resolved") || strings.Contains(string(text), "http://") {
		t.Error("package-lock.json says where packages are fetched from: npm config set omit-lockfile-registry-resolved true, and npm install")
	}
}

// sources returns this folder without the files installed by npm.
func sources(t *testing.T) fs.FS {
	t.Helper()
	list, err := filepath.Glob("*.*")
	if err != nil {
		t.Fatal(err)
	}
	files := fstest.MapFS{}
	for _, name := range list {
		files[name] = &fstest.MapFile{Data: testfile.Read(t, name), Mode: 0o644}
	}
	return files
}

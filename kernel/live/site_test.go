package live

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"overcomplete/internal/patience"
	"overcomplete/internal/testfile"
	"overcomplete/kernel/internal/selfsource"
	"overcomplete/kernel/notebook"
)

// fakeKernel writes a kernel into a folder of its own. The kernel has text instead of a program.
func fakeKernel(t *testing.T, dir, text, source string) *Kernel {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	wasm := filepath.Join(t.TempDir(), "kernel.wasm")
	testfile.Write(t, wasm, text)
	m := manifest{Set: "base", Source: source}
	var err error
	if m.Size, m.SHA256, err = hash(wasm); err != nil {
		t.Fatal(err)
	}
	if err := compressBrotli(t.Context(), filepath.Join(dir, brotliFile), wasm, Fast); err != nil {
		t.Fatal(err)
	}
	about, _ := json.Marshal(m)
	for name, text := range map[string][]byte{glueFile: []byte("glue"), manifestFile: about} {
		testfile.Write(t, filepath.Join(dir, name), text)
	}
	k := readKernel(dir)
	if k == nil {
		t.Fatal("no kernel")
	}
	return k
}

func TestWrite(t *testing.T) {
	text := strings.Repeat("a kernel ", 100000)
	site := t.TempDir()
	k := fakeKernel(t, t.TempDir(), text, "")
	f, err := Write(t.Context(), site, k, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{f.Kernel + ".br", f.Kernel + ".gz", f.Worker, f.Script, f.Brotli, f.Purify, f.SW} {
		if info, err := os.Stat(filepath.Join(site, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	data, _ := os.ReadFile(filepath.Join(site, f.Kernel+".gz"))
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(z); err != nil || string(got) != text {
		t.Errorf("unpacked it has %d bytes, %v", len(got), err)
	}
	data, _ = os.ReadFile(filepath.Join(site, f.Worker))
	order := []string{string(asset("memfs.js")[:100]), "glue", string(asset("worker.js")[:100])}
	for at := 0; len(order) > 0; order = order[1:] {
		i := strings.Index(string(data)[at:], order[0])
		if i < 0 {
			t.Fatalf("the worker lacks %.30q where it belongs", order[0])
		}
		at += i
	}

	// A different kernel has another name. Tidy removes the files to which no page refers.
	testfile.Write(t, filepath.Join(site, "page.html"), `data-kernel="`+f.Kernel+`"`)
	other, err := Write(t.Context(), site, fakeKernel(t, t.TempDir(), "another", ""), Options{BrotliOnly: true})
	if err != nil || other.Kernel == f.Kernel {
		t.Fatal(other, err)
	}
	if _, err := os.Stat(filepath.Join(site, other.Kernel+".gz")); err == nil || other.GzipSum != "" {
		t.Error("there is gzip")
	}
	if err := Tidy(site); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{f.Kernel + ".br": true, f.Kernel + ".gz": true, other.Kernel + ".br": false, other.Kernel + ".gz": false, f.Script: false} {
		if _, err := os.Stat(filepath.Join(site, name)); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestBeside: the kernel of a release is used if it belongs to this version of the program.
func TestBeside(t *testing.T) {
	source, err := selfsource.Key()
	if err != nil {
		t.Fatal(err)
	}
	beside := t.TempDir()
	if err := fakeKernel(t, t.TempDir(), "released", source).CopyTo(beside); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", t.TempDir()) // there is no go command
	b := Builder{Beside: beside, Cache: t.TempDir()}
	k, err := b.Kernel(t.Context(), Sets[0])
	if err != nil || k.Source != source {
		t.Fatal(k, err)
	}
	if data, err := k.Gzip(t.Context()); err != nil || len(data) == 0 {
		t.Error(err)
	}
	if _, err := b.Kernel(t.Context(), Sets[1]); err == nil {
		t.Error("there is another set")
	}
	fakeKernel(t, filepath.Join(beside, "base"), "of another version", "other")
	if _, err := b.Kernel(t.Context(), Sets[0]); err == nil {
		t.Error("a kernel of another version was taken")
	}
}

// TestStopped: an interrupted build leaves no files behind. The files of a killed build are removed later.
func TestStopped(t *testing.T) {
	patience.SkipShort(t, "it builds the kernel for browsers until it is stopped")
	cache := t.TempDir()
	old, young := filepath.Join(cache, began+"1"), filepath.Join(cache, began+"2")
	for _, dir := range []string{old, young} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	past := time.Now().Add(-2 * abandonedAge)
	if err := os.Chtimes(old, past, past); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	b := Builder{Cache: cache, Beside: cache, Quality: Fast, Say: func(string) { cancel() }}
	if _, err := b.Kernel(ctx, Sets[0]); err == nil {
		t.Fatal("it was not interrupted")
	}
	entries, err := os.ReadDir(cache)
	if err != nil || len(entries) != 1 || entries[0].Name() != filepath.Base(young) {
		t.Errorf("%v, %v", entries, err)
	}
}

func TestPrune(t *testing.T) {
	cache := t.TempDir()
	for i := range keptKernels + 2 {
		dir := filepath.Join(cache, kept+string(rune('a'+i)))
		at := time.Now().Add(time.Duration(i) * time.Minute)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(dir, at, at); err != nil {
			t.Fatal(err)
		}
	}
	prune(cache)
	entries, _ := os.ReadDir(cache)
	if len(entries) != keptKernels || entries[0].Name() != kept+"c" {
		t.Errorf("%v", entries)
	}
}

func TestPage(t *testing.T) {
	parameters := notebook.NewCode("size := \"lecture\" // or \"smoke\"\nseed := 1")
	parameters.SetTags("parameters")
	timing := notebook.NewCode("lab.Cost()")
	timing.SetTags("measures-time")
	timing.Outputs = []notebook.Output{notebook.NewStream("stdout", "secret")}
	nb := &notebook.Notebook{Cells: []*notebook.Cell{parameters, timing, {Type: notebook.Markdown, Source: "</script><b>"}}}
	if err := GiveIDs(nb); err != nil {
		t.Fatal(err)
	}
	f := &Files{Kernel: "live/kernel-1.wasm", Script: "live/live-1.js", Worker: "live/worker-1.js", SW: "sw.js", BrotliSum: "1 a"}
	plain := []byte("<html><body>\n<section class=\"cell\" id=\"cell-" + timing.ID + "\">\n</section>\n</body></html>")
	page, err := Page(plain, nb, f, PageOptions{Title: `"T"`, Notebook: "n.ipynb", Size: "smoke", Root: "../"})
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	for _, want := range []string{
		`<script type="application/json" id="overcomplete-notebook">{`, `size := \"smoke\" // or \"smoke\"`, `\u003c/script>\u003cb>`, `src="../live/live-1.js"`,
		` data-kernel="../live/kernel-1.wasm"`, ` data-br="1 a"`, ` data-sw="../sw.js"`, ` data-title="&#34;T&#34;"`, ` data-size="smoke"`, "<p class=\"made\">This cell measures times",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if strings.Contains(text, "secret") || strings.Count(text, "</script>") != 2 {
		t.Errorf("%s", text)
	}
	if len(timing.Outputs) != 1 || !strings.Contains(parameters.Source, "lecture") {
		t.Error("the notebook was changed")
	}
	if _, err := Page([]byte("<p>"), nb, f, PageOptions{}); err == nil {
		t.Error("no error for half a page")
	}
}

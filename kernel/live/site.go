package live

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"

	"github.com/andybalholm/brotli"

	"overcomplete/internal/atomicfile"
	"overcomplete/internal/inside"
)

// Files are the files in a site that a live page uses, as paths relative to the site's folder.
type Files struct {
	Kernel  string // the kernel's file, without .br or .gz
	Worker  string // the worker's script
	Script  string // the page's script
	Brotli  string // a brotli decoder, for browsers without one
	Purify  string // removes scripts from untrusted HTML
	Measure string // measures the claims of a report
	SW      string // the service worker, which makes pages work offline
	// BrotliSum and GzipSum each hold the size and the SHA-256 checksum of one of the kernel's two files, separated by
	// a space.
	BrotliSum, GzipSum string
	// Size is the number of bytes that a reader's browser downloads to run a cell. Total is the number of bytes
	// written.
	Size, Total int64
}

const (
	// folder is the folder in a site that holds the files shared by live pages.
	folder = "live"
	// nameLength is the number of checksum digits in a file name.
	nameLength = 12
)

// Options select the contents of a site.
type Options struct {
	// BrotliOnly leaves out the kernel's gzip file, which is half of the site. Browsers that cannot decompress brotli
	// use a script in the site.
	BrotliOnly bool
}

// Write writes the files that live pages need into the folder of a site, and returns their paths and sizes. The pages
// must be below this folder.
func Write(ctx context.Context, site string, k *Kernel, opt Options) (*Files, error) {
	w := writer{site: site}
	br, err := k.Brotli()
	if err != nil {
		return nil, err
	}
	glue, err := k.glue()
	if err != nil {
		return nil, err
	}
	f := &Files{Kernel: path.Join(folder, k.Name()), SW: "sw.js", BrotliSum: described(br), Size: int64(len(br))}
	w.write(f.Kernel+".br", br)
	if !opt.BrotliOnly {
		gz, err := k.Gzip(ctx)
		if err != nil {
			return nil, err
		}
		f.GzipSum = described(gz)
		w.write(f.Kernel+".gz", gz)
	}
	f.Worker = w.writeHashed("worker", worker(glue))
	f.Script = w.writeHashed("live", asset("live.js"))
	f.Brotli = w.writeHashed("brotli", asset("brotli.js"))
	f.Purify = w.writeHashed("purify", asset("purify.js"))
	f.Measure = w.writeHashed("measure", asset("measure.js"))
	w.write(f.SW, asset("sw.js"))
	if w.err != nil {
		return nil, w.err
	}
	f.Total = w.total
	return f, nil
}

// worker returns the worker's script. glue is Go's own script for WebAssembly; worker puts it between this package's
// parts of the script.
func worker(glue []byte) []byte {
	var b bytes.Buffer
	add := func(text []byte) {
		b.Write(text)
		b.WriteString("\n;\n") // a part may lack a final newline
	}
	for _, name := range workerBefore {
		add(asset(name))
	}
	add(glue)
	for _, name := range workerAfter {
		add(asset(name))
	}
	return b.Bytes()
}

func sum(data []byte) string {
	h := sha256.Sum256(data)
	return hex.EncodeToString(h[:])
}

func described(data []byte) string { return fmt.Sprintf("%d %s", len(data), sum(data)) }

// A writer writes the files of a site until the first error.
type writer struct {
	site  string
	total int64
	err   error
}

// writeHashed writes a script under a name that contains the hash of its text, and returns its path.
func (w *writer) writeHashed(name string, text []byte) string {
	p := path.Join(folder, name+"-"+sum(text)[:nameLength]+".js")
	w.write(p, text)
	return p
}

func (w *writer) write(name string, data []byte) {
	if w.err != nil {
		return
	}
	file := filepath.Join(w.site, filepath.FromSlash(name))
	if w.err = inside.Check(w.site, file); w.err != nil {
		return
	}
	if w.err = os.MkdirAll(filepath.Dir(file), 0o755); w.err != nil {
		return
	}
	w.total += int64(len(data))
	if old, err := os.ReadFile(file); err == nil && bytes.Equal(old, data) {
		return
	}
	w.err = atomicfile.Write(file, data, 0o644)
}

var hashedName = regexp.MustCompile(`^((?:kernel-[0-9a-f]{12}\.wasm)|(?:[a-z]+-[0-9a-f]{12}\.js))(?:\.br|\.gz)?$`)

// Tidy removes the kernels and scripts that earlier exports wrote to a site and that its pages no longer use.
// Call it after the pages are written.
func Tidy(site string) error {
	entries, err := os.ReadDir(filepath.Join(site, folder))
	if err != nil {
		return err
	}
	unused := map[string]string{} // names used in pages, by file
	for _, e := range entries {
		if m := hashedName.FindStringSubmatch(e.Name()); m != nil {
			unused[e.Name()] = m[1]
		}
	}
	err = filepath.WalkDir(site, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || filepath.Ext(name) != ".html" {
			return err
		}
		page, err := os.ReadFile(name)
		for file, called := range unused {
			if bytes.Contains(page, []byte(folder+"/"+called)) {
				delete(unused, file)
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	for file := range unused {
		if err := os.Remove(filepath.Join(site, folder, file)); err != nil {
			return err
		}
	}
	return nil
}

// workerBefore and workerAfter are the parts of the worker's script, in order; Go's glue code comes between them. That
// code looks for a file system when it starts.
var (
	workerBefore = []string{"memfs.js"}
	workerAfter  = []string{"simd.js", "worker.js"}
)

// asset returns the script with the given name, or nil. Bundles, which end in .br, are compressed with brotli.
func asset(name string) []byte {
	files, err := assets()
	if err != nil {
		return nil
	}
	file := path.Join("assets", name)
	text, err := fs.ReadFile(files, file)
	if errors.Is(err, fs.ErrNotExist) {
		if text, err = fs.ReadFile(files, file+".br"); err == nil {
			text, err = io.ReadAll(brotli.NewReader(bytes.NewReader(text)))
		}
	}
	if err != nil {
		return nil
	}
	return text
}

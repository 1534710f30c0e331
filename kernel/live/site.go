package live

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"

	"overcomplete/internal/atomicfile"
	"overcomplete/internal/inside"
)

// Files are the files of a site that a live page refers to, by their paths below the site's folder.
type Files struct {
	Kernel  string // without .br and .gz
	Worker  string // the worker's script
	Script  string // the page's
	Brotli  string // a decoder, for browsers that have none
	Purify  string // takes script out of what strangers have written
	Measure string // has claims of a report measured
	SW      string // the service worker, by which pages work without a network
	// BrotliSum and GzipSum are the sizes of the kernel's files and their checksums (SHA-256), with
	// a space between them.
	BrotliSum, GzipSum string
	// Size is what a reader's browser fetches to run a cell, and Total all that was written, in bytes.
	Size, Total int64
}

const (
	// folder has, in a site, what live pages share.
	folder = "live"
	// nameLength is how many digits of a checksum name a file.
	nameLength = 12
)

// Options choose what a site has.
type Options struct {
	// BrotliOnly leaves out the kernel as gzip, half of the site: browsers that cannot unpack
	// brotli do it by a script, which is in the site.
	BrotliOnly bool
}

// Write writes what live pages need into the folder of a site, below which the pages are.
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
	f.Worker = w.named("worker", worker(glue))
	f.Script = w.named("live", asset("live.js"))
	f.Brotli = w.named("brotli", asset("brotli.js"))
	f.Purify = w.named("purify", asset("purify.js"))
	f.Measure = w.named("measure", asset("measure.js"))
	w.write(f.SW, asset("sw.js"))
	if w.err != nil {
		return nil, w.err
	}
	f.Total = w.total
	return f, nil
}

// worker puts the parts of the worker's script together.
func worker(glue []byte) []byte {
	var b bytes.Buffer
	add := func(text []byte) {
		b.Write(text)
		b.WriteString("\n;\n") // a part may end without one
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

// A writer writes the files of a site until one of them cannot be written.
type writer struct {
	site  string
	total int64
	err   error
}

// named writes a script under a name that says what is in it, and returns its path.
func (w *writer) named(name string, text []byte) string {
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

// Tidy removes the kernels and scripts that earlier exports have left in a site, and that none of
// its pages refers to any more. It comes after the pages are written.
func Tidy(site string) error {
	entries, err := os.ReadDir(filepath.Join(site, folder))
	if err != nil {
		return err
	}
	unused := map[string]string{} // by file, what pages call it
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

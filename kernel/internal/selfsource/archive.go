package selfsource

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"sync"
)

const (
	own     = "kernel/internal/selfsource" // the folder of this package
	archive = "source.zip"                 // name of the archive in that folder

	// Archive is the path, relative to the root of the module, of the file that the tag packed links in.
	Archive = own + "/" + archive
)

// A tree maps file names to contents.
type tree map[string][]byte

// read reads the files from which the command is built.
func read(root fs.FS) (tree, error) {
	names, err := collect(root)
	if err != nil {
		return nil, err
	}
	t := tree{}
	for _, name := range names {
		if t[name], err = fs.ReadFile(root, name); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// key returns a hash of the names and contents.
func (t tree) key() string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(t)) {
		fmt.Fprintf(h, "%q %d\n", name, len(t[name]))
		h.Write(t[name])
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// pack returns the archive of the files. The files are sorted and have no times, and the archive's comment is
// the key.
func (t tree) pack() ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, flate.BestCompression)
	})
	for _, name := range slices.Sorted(maps.Keys(t)) {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate})
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(t[name]); err != nil {
			return nil, err
		}
	}
	if err := z.SetComment(t.key()); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// packedKey returns the key of an archive.
func packedKey(data []byte) (string, error) {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return "", err
	}
	return z.Comment, nil
}

// unpack returns the contents of an archive.
func unpack(data []byte) (tree, error) {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	t := tree{}
	for _, f := range z.File {
		if t[f.Name], err = fs.ReadFile(z, f.Name); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// Current returns the archive of the checkout at root, and reports whether the bytes in old are already that
// archive.
func Current(root fs.FS, old []byte) (data []byte, same bool, err error) {
	t, err := read(root)
	if err != nil {
		return nil, false, err
	}
	if key, err := packedKey(old); err == nil && key == t.key() {
		return old, true, nil
	}
	data, err = t.pack()
	return data, false, err
}

// opened returns a reader of the archive that is linked into this program.
var opened = sync.OnceValues(func() (*zip.Reader, error) {
	return zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
})

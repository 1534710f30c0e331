package tablegen

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
	"slices"

	"overcomplete/kernel/internal/apidoc"
)

// WriteZip returns a zip archive of the members, a map from file names to contents. The members are sorted by name and
// have no times. compressor implements the given method; it may be nil if package zip knows the method. The caller
// passes the compressor because the kernel for browsers contains WriteZip, but must not contain brotli's compressor.
func WriteZip(members map[string][]byte, method uint16, compressor zip.Compressor) ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	if compressor != nil {
		z.RegisterCompressor(method, compressor)
	}
	var names []string
	for name := range members {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: method})
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(members[name]); err != nil {
			return nil, err
		}
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// ReadZip reads the zip archive in the file with the given name. It returns the contents of the archive's members by
// name.
func ReadZip(name string) (map[string][]byte, error) {
	archive, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	z, err := apidoc.NewReader(archive)
	if err != nil {
		return nil, err
	}
	members := map[string][]byte{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			return nil, err
		}
		data, err := io.ReadAll(r)
		r.Close()
		if err != nil {
			return nil, err
		}
		members[f.Name] = data
	}
	return members, nil
}

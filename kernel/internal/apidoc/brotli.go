package apidoc

import (
	"archive/zip"
	"bytes"
	"io"

	"github.com/andybalholm/brotli"
)

// Brotli is the compression method of the embedded archives. The zip format has no number for brotli, so this
// number is arbitrary, and other programs cannot read these archives. With deflate, the archives would be a
// fifth larger.
const Brotli = 0xb207

// NewReader returns a reader of a zip archive whose members may be compressed with Brotli.
func NewReader(archive []byte) (*zip.Reader, error) {
	z, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err == nil {
		z.RegisterDecompressor(Brotli, func(r io.Reader) io.ReadCloser { return io.NopCloser(brotli.NewReader(r)) })
	}
	return z, err
}

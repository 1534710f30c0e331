package live

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/andybalholm/brotli"
)

// The compression qualities of brotli, see [Builder.Quality].
const (
	// SmallestFile takes minutes, which are spent once for each version of the program.
	SmallestFile = brotli.BestCompression
	// Fast takes seconds, but gives a file that is a fifth larger. It is meant for experiments.
	Fast = 5
)

// window is the base-2 logarithm of the largest window size that every brotli decoder must support, 16 MB.
const window = 24

// compressBrotli compresses a file with brotli. The parameter from is the path of the file, and to is the path
// of the compressed file. A higher quality takes more time and gives a smaller file.
func compressBrotli(ctx context.Context, to, from string, quality int) error {
	return compress(ctx, to, from, func(w io.Writer) (io.WriteCloser, error) {
		return brotli.NewWriterOptions(w, brotli.WriterOptions{Quality: quality, LGWin: window}), nil
	})
}

// compressGzip compresses the data of a reader into the file with the given path, for browsers without brotli.
func compressGzip(ctx context.Context, to string, from io.Reader) error {
	return compressFrom(ctx, to, from, func(w io.Writer) (io.WriteCloser, error) {
		return gzip.NewWriterLevel(w, gzip.BestCompression)
	})
}

func compress(ctx context.Context, to, from string, start func(io.Writer) (io.WriteCloser, error)) error {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	return compressFrom(ctx, to, f, start)
}

// compressFrom compresses the data of a reader and writes them atomically to the file with the given path. start(w)
// returns a compressor that writes to w.
func compressFrom(ctx context.Context, to string, from io.Reader, start func(io.Writer) (io.WriteCloser, error)) (err error) {
	f, err := os.CreateTemp(filepath.Dir(to), ".new-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
			err = fmt.Errorf("cannot write %s: %w", filepath.Base(to), err)
		}
	}()
	w, err := start(f)
	if err != nil {
		return err
	}
	// Copy in pieces, so that an interrupt takes effect between them.
	for piece := make([]byte, 1<<18); ; {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := io.ReadFull(from, piece)
		if _, err := w.Write(piece[:n]); err != nil {
			return err
		}
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			break
		}
		if err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Chmod(0o644); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), to)
}

// brotliReader returns a reader that decompresses data, the output of compressBrotli.
func brotliReader(data []byte) io.Reader { return brotli.NewReader(bytes.NewReader(data)) }

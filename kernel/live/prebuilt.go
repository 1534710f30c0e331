package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"overcomplete/internal/atomicfile"
)

// releaseFolder returns the folder with the kernels of a release, which has a subfolder for each set.
func (b *Builder) releaseFolder() string {
	if b.Beside != "" {
		return b.Beside
	}
	exe, err := os.Executable()
	if err == nil {
		exe, err = filepath.EvalSymlinks(exe)
	}
	if err != nil {
		return ""
	}
	return filepath.Join(filepath.Dir(exe), "live")
}

// readKernel returns the kernel in a folder, or nil if the folder contains none.
func readKernel(dir string) *Kernel {
	text, err := os.ReadFile(filepath.Join(dir, manifestFile))
	if err != nil {
		return nil
	}
	k := &Kernel{dir: dir}
	if json.Unmarshal(text, &k.manifest) != nil || k.SHA256 == "" {
		return nil
	}
	for _, name := range []string{brotliFile, glueFile} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			return nil
		}
	}
	return k
}

// Brotli returns the kernel, compressed with brotli.
func (k *Kernel) Brotli() ([]byte, error) { return os.ReadFile(filepath.Join(k.dir, brotliFile)) }

// Gzip returns the kernel, compressed for browsers without brotli. A release does not contain this file; it is
// made on demand, and saved in the kernel's folder if possible.
func (k *Kernel) Gzip(ctx context.Context) ([]byte, error) {
	name := filepath.Join(k.dir, gzipFile)
	data, err := os.ReadFile(name)
	if !errors.Is(err, fs.ErrNotExist) {
		return data, err
	}
	packed, err := k.Brotli()
	if err != nil {
		return nil, err
	}
	to := name
	if tmp, err := os.CreateTemp(k.dir, began+"*"); err == nil {
		tmp.Close()
		os.Remove(tmp.Name())
	} else { // the folder is not writable
		dir, err := os.MkdirTemp("", "overcomplete-live-")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
		to = filepath.Join(dir, gzipFile)
	}
	if err := compressGzip(ctx, to, brotliReader(packed)); err != nil {
		return nil, err
	}
	return os.ReadFile(to)
}

func (k *Kernel) glue() ([]byte, error) { return os.ReadFile(filepath.Join(k.dir, glueFile)) }

// Name returns the name of the kernel's file in a site, without the extension for the compression. Different
// kernels have different names.
func (k *Kernel) Name() string { return "kernel-" + k.SHA256[:nameLength] + ".wasm" }

// CopyTo copies the kernel into the subfolder of dir that is named after the kernel's set, for a release. The gzip
// file is not copied; see Gzip.
func (k *Kernel) CopyTo(dir string) error {
	to := filepath.Join(dir, k.Set)
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	// Copy the manifest last, because a folder counts as a kernel once it has a manifest.
	for _, name := range []string{brotliFile, glueFile, manifestFile} {
		if err := copyFile(filepath.Join(to, name), filepath.Join(k.dir, name)); err != nil {
			return fmt.Errorf("the kernel for the browser: %w", err)
		}
	}
	return nil
}

func copyFile(to, from string) error {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		return err
	}
	return atomicfile.Write(to, data, 0o644)
}

package main

import (
	"archive/tar"
	"archive/zip"
	"compress/flate"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	slashpath "path"
	"path/filepath"
	"strings"
	"time"
)

// An archiver adds files to an archive.
type archiver interface {
	add(name string, data []byte, executable bool) error
	close() error
}

// writeArchive writes the given files to a new archive, which is a tar.gz or a zip according to the suffix of path. All
// files in the archive get the modification time modTime. The archive holds them in the folder top, or at its top level
// if top is "". The archive gets its final name only when it is complete.
func writeArchive(path, top string, files []entry, modTime time.Time) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.tmp")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	open := newTar
	if !strings.HasSuffix(path, ".tar.gz") {
		open = newZip
	}
	a, err := open(f, modTime)
	if err != nil {
		return err
	}
	for _, e := range files {
		data, err := e.content()
		if err != nil {
			return err
		}
		if err := a.add(slashpath.Join(top, e.name), data, e.executable); err != nil {
			return err
		}
	}
	if err = a.close(); err != nil {
		return err
	}
	if err = f.Sync(); err != nil {
		return err
	}
	if err = f.Chmod(0o644); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// mode returns the permission bits that a file has in an archive.
func mode(executable bool) int64 {
	if executable {
		return 0o755
	}
	return 0o644
}

type tarArchive struct {
	gz *gzip.Writer
	w  *tar.Writer
	at time.Time
}

func newTar(to io.Writer, at time.Time) (archiver, error) {
	gz, err := gzip.NewWriterLevel(to, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	return &tarArchive{gz, tar.NewWriter(gz), at}, nil
}

func (a *tarArchive) add(name string, data []byte, executable bool) error {
	err := a.w.WriteHeader(&tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: mode(executable), Size: int64(len(data)), ModTime: a.at})
	if err != nil {
		return err
	}
	_, err = a.w.Write(data)
	return err
}

func (a *tarArchive) close() error {
	if err := a.w.Close(); err != nil {
		return err
	}
	return a.gz.Close()
}

type zipArchive struct {
	w  *zip.Writer
	at time.Time
}

func newZip(to io.Writer, at time.Time) (archiver, error) {
	w := zip.NewWriter(to)
	w.RegisterCompressor(zip.Deflate, func(to io.Writer) (io.WriteCloser, error) { return flate.NewWriter(to, flate.BestCompression) })
	return &zipArchive{w, at}, nil
}

func (a *zipArchive) add(name string, data []byte, executable bool) error {
	h := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: a.at}
	h.SetMode(os.FileMode(mode(executable)))
	w, err := a.w.CreateHeader(h)
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return err
}

func (a *zipArchive) close() error { return a.w.Close() }

// An entry is a file of an archive.
type entry struct {
	name       string // with slashes, relative to the archive's folder
	path       string // path on disk; if empty, data has the content
	data       []byte
	executable bool
}

// content returns the content of the file.
func (e entry) content() ([]byte, error) {
	if e.path == "" {
		return e.data, nil
	}
	return os.ReadFile(e.path)
}

// trackedFiles lists the files that git tracks in the project, for an archive. It leaves out those whose path begins
// with a dot, because they are of use only in a repository. It lists all others, because the program uses most of them:
// the notebooks and the record of their results, the intermediate results that were learned at full size
// (paper/*/trained), the expected results (suite/regress), and the source. The program reads the source to determine
// which results still hold, and the report links to it.
func trackedFiles(ctx context.Context, root string) ([]entry, error) {
	out, err := command(ctx, root, os.Environ(), "git", "ls-files", "--stage", "-z")
	if err != nil {
		return nil, fmt.Errorf("archives can be made only in a clone, because they contain the files that git lists: %w", err)
	}
	var list []entry
	for line := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		// mode, hash, stage, a tab and the name
		head, name, ok := strings.Cut(line, "\t")
		mode, _, _ := strings.Cut(head, " ")
		switch {
		case !ok || !strings.HasSuffix(head, " 0"):
			return nil, fmt.Errorf("git lists %q, which is not merged: finish the merge first", line)
		case strings.HasPrefix(name, "."):
			continue
		case mode != "100644" && mode != "100755":
			return nil, fmt.Errorf("%s is not a regular file (mode %s), and not every system can unpack it", name, mode)
		}
		list = append(list, entry{name: name, path: filepath.Join(root, filepath.FromSlash(name)), executable: mode == "100755"})
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("git lists no files in %s", root)
	}
	return list, nil
}

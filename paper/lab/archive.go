package lab

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/andybalholm/brotli"
	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/atomicfile"
	"overcomplete/internal/filelock"
)

const (
	matrixSuffix   = ".mat"
	settingsSuffix = ".settings" // suffix of the file, next to a loose stage, that holds the stage's key
	archiveSuffix  = ".zip.br"
	packingName    = ".packing" // the lock file of a folder that is being packed
)

// A packedStage is a stage in an archive: the content of its file, and its key, which is the comment of the archive's
// entry.
type packedStage struct {
	data []byte
	key  Key
}

// archiveOf returns the path of the archive that holds the stage with the given file name. All stages whose names
// begin with the same word share an archive.
func archiveOf(folder, name string) string {
	kind, _, _ := strings.Cut(strings.TrimSuffix(name, matrixSuffix), "-")
	return filepath.Join(folder, kind+archiveSuffix)
}

// damagedError returns the error for an unreadable archive. The error says what to do.
func damagedError(archive string, err error) error {
	return fmt.Errorf("lab: the archive of stages %s is damaged: %w; get it anew from version control, or remove it to have its stages made again", archive, err)
}

// readPacked reads a stage from its archive. It returns fs.ErrNotExist if the archive does not exist, or does
// not contain the stage.
func readPacked(archive, name string) (*mat.Dense, error) {
	entries, err := readEntries(archive)
	if err != nil {
		return nil, err
	}
	for _, f := range entries {
		if f.Name == name {
			b, err := readEntry(f)
			if err != nil {
				return nil, damagedError(archive, fmt.Errorf("%s: %w", name, err))
			}
			m, err := parseMatrix(b)
			if err != nil {
				return nil, damagedError(archive, fmt.Errorf("%s: %w", name, err))
			}
			return m, nil
		}
	}
	return nil, &fs.PathError{Op: "find in " + archive, Path: name, Err: fs.ErrNotExist}
}

// readEntries returns the entries of an archive, one for each stage. It returns fs.ErrNotExist if there is no archive.
func readEntries(archive string) ([]*zip.File, error) {
	b, err := os.ReadFile(archive)
	if err != nil {
		return nil, err
	}
	if b, err = io.ReadAll(brotli.NewReader(bytes.NewReader(b))); err != nil {
		return nil, damagedError(archive, err)
	}
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, damagedError(archive, err)
	}
	return z.File, nil
}

func readEntry(f *zip.File) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r) // returns an error if the checksum is wrong
}

// readArchive reads all stages of an archive and returns them by file name. It returns no stages if there is no
// archive. It returns an error if a stage is damaged, or has a key or a place that does not agree with its name.
func readArchive(archive string) (map[string]packedStage, error) {
	entries, err := readEntries(archive)
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]packedStage{}, nil
	}
	if err != nil {
		return nil, err
	}
	stages := map[string]packedStage{}
	for _, f := range entries {
		b, err := readEntry(f)
		if err == nil {
			_, err = parseMatrix(b)
		}
		var k Key
		if err == nil {
			k, err = parseKey(f.Comment)
		}
		if want := k.Name() + matrixSuffix; err == nil && f.Name != want {
			err = fmt.Errorf("its key, %q, is that of %s", k, want)
		}
		if err != nil {
			return nil, damagedError(archive, fmt.Errorf("%s: %w", f.Name, err))
		}
		if right := archiveOf(filepath.Dir(archive), f.Name); right != archive {
			return nil, fmt.Errorf("lab: %s has %s, which belongs into %s, where it would be found", archive, f.Name, right)
		}
		stages[f.Name] = packedStage{b, k}
	}
	return stages, nil
}

// A Compress function returns data compressed with brotli. [Pack] takes it as a parameter because the kernel for browsers
// contains Pack, but must not contain brotli's compressor.
type Compress func(data []byte) ([]byte, error)

// encodeArchive returns the bytes of an archive: a zip archive of the stages, which is compressed as a whole. If hundreds
// of small stages with long names were compressed one by one, they would take three times as much space. The same
// stages always give the same bytes, because the stages are sorted and stored without times.
func encodeArchive(stages map[string]packedStage, compress Compress) ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(stages)) {
		data := stages[name].data
		size := uint64(len(data))
		w, err := z.CreateRaw(&zip.FileHeader{Name: name, Comment: string(stages[name].key), Method: zip.Store, CRC32: crc32.ChecksumIEEE(data), UncompressedSize64: size, CompressedSize64: size})
		if err == nil {
			_, err = w.Write(data)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return compress(b.Bytes())
}

// readKept reads all archives of a folder. In the result, kept[archive][name] is a stage, where archive is the path of
// its archive and name is the stage's file name.
func readKept(folder string) (map[string]map[string]packedStage, error) {
	paths, err := filepath.Glob(filepath.Join(folder, "*"+archiveSuffix))
	if err != nil {
		return nil, err
	}
	kept := map[string]map[string]packedStage{}
	for _, path := range paths {
		if kept[path], err = readArchive(path); err != nil {
			return nil, err
		}
	}
	return kept, nil
}

// Kept returns the sorted keys of all stages in a folder's archives. It reads each stage. It returns an error if a
// stage is damaged or is in the wrong archive.
func Kept(folder string) ([]Key, error) {
	kept, err := readKept(folder)
	if err != nil {
		return nil, err
	}
	var keys []Key
	for _, stages := range kept {
		for _, s := range stages {
			keys = append(keys, s.key)
		}
	}
	slices.Sort(keys)
	return keys, nil
}

// Pack moves stages from separate files into the archives of a folder, where they replace stages of the same names. If
// no files are given, Pack takes the separate files of stages in the folder itself. After packing, it removes the
// packed files that are in the folder; files elsewhere, such as in a user's cache, remain.
//
// Pack finds a stage's key in the file that the Store has written next to the stage, or else in the archive that has a
// stage of this name.
//
// Only one process at a time packs a folder; other processes wait. If Pack is killed, each archive is in its old or
// new state, all files still exist, and another call to Pack completes the work.
func Pack(folder string, compress Compress, files ...string) error {
	return withLock(folder, func() error { return pack(folder, compress, files) })
}

// withLock holds the folder's lock while it calls fn(), which changes the folder's archives.
func withLock(folder string, fn func() error) error {
	unlock, err := filelock.Lock(context.Background(), filepath.Join(folder, packingName), nil)
	switch {
	case err == nil:
		defer unlock()
	case !errors.Is(err, errors.ErrUnsupported):
		return fmt.Errorf("lab: %w", err)
	}
	return fn()
}

func pack(folder string, compress Compress, files []string) (err error) {
	if len(files) == 0 {
		if files, err = filepath.Glob(filepath.Join(folder, "*"+matrixSuffix)); err != nil {
			return err
		}
	}
	kept, err := readKept(folder)
	if err != nil {
		return err
	}
	changed := map[string]bool{}
	for _, file := range files {
		name := filepath.Base(file)
		archive := archiveOf(folder, name)
		if kept[archive] == nil {
			kept[archive] = map[string]packedStage{}
		}
		old := kept[archive][name]
		b, k, err := readLoose(file, old.key)
		if err != nil {
			return err
		}
		// An archive with the same stages stays as it is, even if compress has changed.
		changed[archive] = changed[archive] || old.key != k || !bytes.Equal(old.data, b)
		kept[archive][name] = packedStage{b, k}
	}
	for _, archive := range slices.Sorted(maps.Keys(changed)) {
		if !changed[archive] {
			continue
		}
		b, err := encodeArchive(kept[archive], compress)
		if err != nil {
			return fmt.Errorf("lab: %s: %w", archive, err)
		}
		if err := atomicfile.Write(archive, b, 0o644); err != nil {
			return err
		}
	}
	if _, err := Kept(folder); err != nil {
		return err
	}
	for _, file := range files {
		if err := removeLoose(folder, file); err != nil {
			return err
		}
	}
	return nil
}

// Unpack turns the stages in a folder's archives into separate files, with their keys next to them, and removes the
// archives. Use it to remove some of the stages, or to merge two versions of an archive. Pack packs the result. Unpack
// returns an error if a separate file of the same name already exists with other content.
func Unpack(folder string) error {
	return withLock(folder, func() error { return unpack(folder) })
}

func unpack(folder string) error {
	kept, err := readKept(folder)
	if err != nil {
		return err
	}
	for _, archive := range slices.Sorted(maps.Keys(kept)) {
		for name, s := range kept[archive] {
			file := filepath.Join(folder, name)
			if old, err := os.ReadFile(file); err == nil && !bytes.Equal(old, s.data) {
				return fmt.Errorf("lab: %s has another %s than the folder: remove the file or, to keep the file, the archive", archive, name)
			}
			if err := atomicfile.Write(file, s.data, 0o644); err != nil {
				return err
			}
			if err := writeSettings(file, s.key); err != nil {
				return err
			}
		}
		if err := os.Remove(archive); err != nil {
			return err
		}
	}
	return nil
}

// readLoose reads a stage's file, checks it, and returns its bytes and the stage's key. If no key is stored next to the
// file, readLoose returns fallback, which is the key in the archive. If fallback is "" in this case, readLoose returns an
// error.
func readLoose(file string, fallback Key) (data []byte, k Key, err error) {
	if data, err = os.ReadFile(file); err != nil {
		return nil, "", err
	}
	if _, err := parseMatrix(data); err != nil {
		return nil, "", unreadableError(file, err)
	}
	b, err := os.ReadFile(file + settingsSuffix)
	switch {
	case errors.Is(err, fs.ErrNotExist) && fallback != "":
		k = fallback
	case errors.Is(err, fs.ErrNotExist):
		return nil, "", fmt.Errorf("lab: %s is without %s, which names its settings: a run at full size that reads the stage in the cache writes it", file, filepath.Base(file)+settingsSuffix)
	case err != nil:
		return nil, "", err
	default:
		if k, err = parseKey(string(b)); err != nil {
			return nil, "", fmt.Errorf("lab: %s: %w; remove it; a run at full size that reads the stage in the cache writes it again", file+settingsSuffix, err)
		}
	}
	if want := k.Name() + matrixSuffix; filepath.Base(file) != want {
		return nil, "", fmt.Errorf("lab: %s has the settings of %s: %s; give it that name", file, want, k)
	}
	return data, k, nil
}

// removeLoose removes the file of a stage that has been packed, and the file with the stage's key, if they are in the
// folder.
func removeLoose(folder, file string) error {
	same, err := sameFolder(folder, filepath.Dir(file))
	if err != nil || !same {
		return err
	}
	if err := os.Remove(file); err != nil {
		return err
	}
	if err := os.Remove(file + settingsSuffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func sameFolder(a, b string) (bool, error) {
	i, err := os.Stat(a)
	if err != nil {
		return false, err
	}
	j, err := os.Stat(b)
	if err != nil {
		return false, err
	}
	return os.SameFile(i, j), nil
}

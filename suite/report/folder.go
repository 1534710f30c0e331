package report

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// marker is the name of the file that marks a folder as a site, and thus as safe to replace.
const marker = ".overcomplete-site"

const markerText = "Written by 'overcomplete report', which replaces this whole folder: do not keep your own files in it.\n"

// A folder is the folder of a new site. The site is written to the temporary path in made. When it is complete, it
// replaces the older site, if any, at the permanent path in final.
type folder struct {
	final, made string
	files       int
	bytes       int64
	old, kept   map[string]keptPage // pages of the old folder and of the new folder
}

// newFolder creates a folder next to the one that it will replace. The folder to be replaced must be a site,
// empty, or absent.
func newFolder(out string) (*folder, error) {
	out, err := filepath.Abs(out)
	if err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	if real, err := filepath.EvalSymlinks(out); err == nil {
		out = real
	}
	if err := checkReplaceable(out); err != nil {
		return nil, err
	}
	parent := filepath.Dir(out)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	prefix := "." + filepath.Base(out) + "-new-"
	removeStale(parent, prefix)
	made, err := os.MkdirTemp(parent, prefix)
	if err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	f := &folder{final: out, made: made, old: readKept(out), kept: map[string]keptPage{}}
	if err := os.Chmod(made, 0o755); err != nil {
		return nil, errors.Join(fmt.Errorf("report: %w", err), os.RemoveAll(made))
	}
	if err := f.write(marker, []byte(markerText)); err != nil {
		return nil, errors.Join(err, os.RemoveAll(made))
	}
	return f, nil
}

// checkReplaceable returns an error if a site must not replace the folder at the given path. The folder may be absent,
// empty, or an older site. It is an error if the folder cannot be read.
func checkReplaceable(out string) error {
	list, err := os.ReadDir(out)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(list) == 0 {
		return nil
	}
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	if _, err := os.Lstat(filepath.Join(out, marker)); err != nil {
		return fmt.Errorf("report: %s is neither empty nor a site written by this command, and is not replaced: choose another folder", out)
	}
	return nil
}

// removeStale removes the folders in parent that are left over from runs that were killed. Their names begin with
// prefix, and they are older than an hour: the folders of runs in progress are younger.
func removeStale(parent, prefix string) {
	list, _ := os.ReadDir(parent)
	for _, e := range list {
		info, err := e.Info()
		if err == nil && e.IsDir() && strings.HasPrefix(e.Name(), prefix) && time.Since(info.ModTime()) > time.Hour {
			os.RemoveAll(filepath.Join(parent, e.Name())) // an error is ignored; the next run retries
		}
	}
}

// path returns the path of a file of the new site, and creates the folder for this file. name is the file's path within
// the site, with slashes.
func (f *folder) path(name string) (string, error) {
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return "", fmt.Errorf("report: %q is not a valid name for a file of a site", name)
	}
	p := filepath.Join(f.made, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		return "", fmt.Errorf("report: %w", err)
	}
	return p, nil
}

func (f *folder) write(name string, b []byte) error {
	p, err := f.path(name)
	if err == nil {
		err = os.WriteFile(p, b, 0o644)
	}
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	f.files++
	f.bytes += int64(len(b))
	return nil
}

// copy copies the regular file whose path is from into the new site, under the given name. If there is no regular file
// at this path, copied is false.
func (f *folder) copy(name, from string) (copied bool, err error) {
	in, err := os.Open(from)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("report: %w", err)
	}
	defer in.Close()
	if info, err := in.Stat(); err != nil || !info.Mode().IsRegular() {
		return false, err
	}
	p, err := f.path(name)
	if err != nil {
		return false, err
	}
	out, err := os.OpenFile(p, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return false, fmt.Errorf("report: %w", err)
	}
	n, err := io.Copy(out, in)
	if err = errors.Join(err, out.Close()); err != nil {
		return false, fmt.Errorf("report: %w", err)
	}
	f.files++
	f.bytes += n
	return true, nil
}

// replace moves the folder to its final place. If err is not nil, replace removes the folder instead, and
// returns err joined with any error of its own.
func (f *folder) replace(err error) error {
	if err == nil {
		err = checkReplaceable(f.final) // the folder may have changed in the meantime
	}
	if err == nil {
		err = swap(f.made, f.final)
	}
	// f.made is now the old site, or the new site if the replacement failed.
	if e := os.RemoveAll(f.made); e != nil {
		err = errors.Join(err, fmt.Errorf("report: %w", e))
	}
	return err
}

// swapByTwo replaces the folder at final with the folder at made, in two steps. Between the steps there is no folder at
// final: if the program ends there, the next run writes a new site.
func swapByTwo(made, final string) error {
	old := made + ".old"
	err := os.Rename(final, old)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("report: %w", err)
	}
	if err := os.Rename(made, final); err != nil {
		return errors.Join(fmt.Errorf("report: %w", err), os.Rename(old, final))
	}
	if err := os.RemoveAll(old); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}

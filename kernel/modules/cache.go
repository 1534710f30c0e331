package modules

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"overcomplete/internal/filelock"
)

// keptPrograms is the number of programs that stay in the cache.
const keptPrograms = 10

// prune removes programs from the cache. It keeps the keptPrograms most recently used programs, all running
// programs, and the program in the folder given by keep. It also removes all but the two newest kernel sources.
// The caller holds the build lock.
func prune(cache, keep string) {
	for i, p := range readPrograms(cache) {
		if dir := filepath.Dir(p.Path); i >= keptPrograms && dir != keep && !inUse(dir) {
			os.RemoveAll(dir)
		}
	}
	pruneAliases(cache)
	sources := filepath.Join(cache, "source")
	entries, _ := os.ReadDir(sources)
	var dirs []os.FileInfo
	for _, d := range entries {
		if info, err := d.Info(); err == nil && d.Name()[0] != '.' {
			dirs = append(dirs, info)
		}
	}
	slices.SortFunc(dirs, func(a, b os.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	for _, d := range dirs[min(2, len(dirs)):] {
		os.RemoveAll(filepath.Join(sources, d.Name()))
	}
}

// clean removes the folders that killed builds have left behind. The caller holds the build lock.
func clean(cache string) {
	for _, dir := range []string{programs(cache), filepath.Join(cache, "source")} {
		entries, _ := os.ReadDir(dir)
		for _, d := range entries {
			if strings.HasPrefix(d.Name(), ".new-") {
				os.RemoveAll(filepath.Join(dir, d.Name()))
			}
		}
	}
}

// diskFull adds advice to an error that means that the disk is full.
func diskFull(err error) error {
	if errors.Is(err, syscall.ENOSPC) {
		return &Error{Kind: Failed, What: "disk", Text: "the disk is full, or a file exceeds the size limit", Advice: "free some space; `go clean -cache` removes files that can be compiled again", Said: err.Error()}
	}
	return err
}

// hold marks the running program as in use, so that other kernels do not remove it from the cache. It does
// nothing if the program is not in the cache.
var hold = sync.OnceFunc(func() {
	exe, err := os.Executable()
	if err != nil || len(compiledIn.Packages) == 0 {
		return
	}
	if f, err := os.Open(filepath.Join(filepath.Dir(exe), manifestFile)); err == nil {
		filelock.Try(f, filelock.Shared)
		held = append(held, f) // the file stays open
	}
})

var held []*os.File

// inUse reports whether some process runs the program in a folder of the cache.
func inUse(dir string) bool {
	f, err := os.Open(filepath.Join(dir, manifestFile))
	if err != nil {
		return false
	}
	defer f.Close()
	free, err := filelock.Try(f, filelock.Exclusive)
	return err == nil && !free
}

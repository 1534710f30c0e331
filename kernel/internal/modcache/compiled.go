package modcache

import (
	"go/build"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
)

// CompiledDir returns the folder with the source of a package that is compiled into this program, or "" if
// this machine does not have the source.
func (c *Cache) CompiledDir(path string) string {
	first, _, _ := strings.Cut(path, "/")
	if !strings.Contains(first, ".") {
		if dir := filepath.Join(goroot(), "src", filepath.FromSlash(path)); goroot() != "" && isDir(dir) {
			return dir
		}
		return ""
	}
	// best is the module with the longest path that is a prefix of path.
	var best *debug.Module
	for _, m := range linked() {
		if (m.Path == path || strings.HasPrefix(path, m.Path+"/")) && (best == nil || len(m.Path) > len(best.Path)) {
			best = m
		}
	}
	if best == nil {
		return ""
	}
	dir := ""
	switch by := best.Replace; {
	case by == nil:
		dir = c.Dir(best.Path, best.Version)
	case filepath.IsAbs(by.Path):
		dir = by.Path
	default:
		dir = c.Dir(by.Path, by.Version)
	}
	if dir = filepath.Join(dir, filepath.FromSlash(strings.TrimPrefix(path[len(best.Path):], "/"))); isDir(dir) && filepath.IsAbs(dir) {
		return dir
	}
	return ""
}

// Linked returns the version of a module linked into this program, or "" if the module is not linked or is
// replaced.
func Linked(path string) string {
	for _, m := range linked() {
		if m.Path == path && m.Replace == nil {
			return m.Version
		}
	}
	return ""
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// linked returns the modules linked into this program.
var linked = sync.OnceValue(func() []*debug.Module {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return nil
	}
	return info.Deps
})

// goroot returns the folder of the Go installation on this machine, or "" if Go is not installed.
var goroot = sync.OnceValue(func() string {
	candidates := []string{os.Getenv("GOROOT"), build.Default.GOROOT}
	if tool, err := exec.LookPath("go"); err == nil {
		if tool, err = filepath.EvalSymlinks(tool); err == nil {
			candidates = append(candidates, filepath.Dir(filepath.Dir(tool)))
		}
	}
	for _, dir := range candidates {
		if dir != "" && isDir(filepath.Join(dir, "src", "fmt")) {
			return dir
		}
	}
	return ""
})

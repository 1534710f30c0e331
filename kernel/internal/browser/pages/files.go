package pages

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Choose does what has the page ask for files, and gives it those.
func (p Page) Choose(ask func(), files ...string) {
	p.Helper()
	p.do(func(ctx context.Context) error { return p.driver.choose(ctx, files) })
	ask()
}

// Download does what has the page download a file, and returns its name and what is in it.
func (p Page) Download(ask func()) (name string, data []byte) {
	p.Helper()
	ask()
	for begin := time.Now(); time.Since(begin) < Soon; time.Sleep(50 * time.Millisecond) {
		name, data, err := downloaded(p.driver.downloads())
		if err != nil {
			p.Fatal(err)
		}
		if name != "" {
			return name, data
		}
	}
	p.Shot("failed")
	p.Fatal("nothing was downloaded")
	return "", nil
}

// downloaded takes a file from the folder, once it is whole. While one is on its way, another is
// beside it, by whose name browsers say so.
func downloaded(folder string) (name string, data []byte, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return "", nil, err
	}
	for _, e := range entries {
		if n := e.Name(); strings.HasSuffix(n, ".crdownload") || strings.HasSuffix(n, ".part") || strings.HasPrefix(n, ".") {
			return "", nil, nil
		}
		if info, err := e.Info(); err != nil || info.Size() == 0 {
			return "", nil, nil
		}
		name = e.Name()
	}
	if name == "" {
		return "", nil, nil
	}
	if data, err = os.ReadFile(filepath.Join(folder, name)); err != nil {
		return "", nil, err
	}
	return name, data, os.Remove(filepath.Join(folder, name))
}

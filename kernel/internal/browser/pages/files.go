package pages

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Choose calls ask(), which must make the page open a file dialog. Choose answers the dialog with the given files.
func (p Page) Choose(ask func(), files ...string) {
	p.Helper()
	p.do(func(ctx context.Context) error { return p.driver.choose(ctx, files) })
	ask()
}

// Download calls ask(), which must make the page download a file. Download waits for the file, and returns the file's
// name and content.
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

// downloaded removes a downloaded file from the folder, and returns its name and content. name is "" if there is no
// file or a download is still in progress.
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

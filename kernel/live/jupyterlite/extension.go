package jupyterlite

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"overcomplete/kernel/live"
)

// Name is the name of the extension, and of its folder in a JupyterLite.
const Name = "overcomplete-jupyterlite"

// Start is the content of kernel.json, which tells the extension how to start the kernel's worker. Every field
// except Worker is passed on to the worker.
type Start struct {
	Worker string               `json:"worker"`           // the worker's file
	Kernel string               `json:"kernel"`           // the program's file, without .br and .gz
	Brotli string               `json:"brotli,omitempty"` // a decoder's file, for browsers without one
	Check  map[string]fileCheck `json:"check,omitempty"`  // sizes and checksums of the program's files
}

// A Kernel is a function that writes the kernel's files into a folder and returns their names.
type Kernel func(folder string) (Start, error)

// Extension writes the prebuilt extension into the folder dir/overcomplete-jupyterlite, and the kernel's
// files below this folder.
func Extension(dir string, kernel Kernel) error {
	files, err := prebuilt()
	if err != nil {
		return err
	}
	folder := filepath.Join(dir, Name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := os.CopyFS(folder, files); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("jupyterlite: %s already has the extension: remove it first", dir)
		}
		return err
	}
	live := filepath.Join(folder, "live")
	if err := os.Mkdir(live, 0o755); err != nil {
		return err
	}
	start, err := kernel(live)
	if err != nil {
		return err
	}
	return writeJSON(filepath.Join(live, "kernel.json"), start)
}

// A federatedExtension is the entry for an extension in a site's jupyter-lite.json.
type federatedExtension struct {
	Name      string `json:"name"`
	Load      string `json:"load"`
	Extension string `json:"extension"`
}

// entry reads the extension's entry from its package.json, where the builder has put it.
func entry() (federatedExtension, error) {
	files, err := prebuilt()
	if err != nil {
		return federatedExtension{}, err
	}
	text, err := fs.ReadFile(files, "package.json")
	if err != nil {
		return federatedExtension{}, err
	}
	var p struct {
		Name       string
		Jupyterlab struct {
			Build federatedExtension `json:"_build"`
		}
	}
	if err := json.Unmarshal(text, &p); err != nil {
		return federatedExtension{}, fmt.Errorf("jupyterlite: labextension/package.json: %w", err)
	}
	e := p.Jupyterlab.Build
	e.Name = p.Name
	return e, nil
}

func writeJSON(name string, value any) error {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(name, append(text, '\n'), 0o644)
}

// Live returns a Kernel function that writes the files of k.
func Live(ctx context.Context, k *live.Kernel) Kernel {
	return func(folder string) (Start, error) {
		// live.Write creates its own folder, with a fixed name, in the site's folder.
		site := filepath.Dir(folder)
		f, err := live.Write(ctx, site, k, live.Options{BrotliOnly: true})
		if err != nil {
			return Start{}, err
		}
		// Remove the scripts and the service worker of live pages, which JupyterLite does not use.
		for _, name := range []string{f.Script, f.Purify, f.Measure, f.SW} {
			if err := os.Remove(filepath.Join(site, filepath.FromSlash(name))); err != nil {
				return Start{}, err
			}
		}
		check := map[string]fileCheck{"br": part(f.BrotliSum)}
		return Start{Worker: path.Base(f.Worker), Kernel: path.Base(f.Kernel), Brotli: path.Base(f.Brotli), Check: check}, nil
	}
}

// fileCheck is the size and checksum with which the worker compares a downloaded file.
type fileCheck struct {
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// part parses a size and a checksum, separated by a space.
func part(text string) (c fileCheck) {
	fmt.Sscanf(text, "%d %s", &c.Size, &c.SHA256) // the form written by live
	return c
}

// Package kernelspec registers the kernel with Jupyter: it writes, finds, checks and removes a folder such as
// kernels/overcomplete, with kernel.json and the logos, in one of the folders that Jupyter searches.
//
// Which folders these are depends on the operating system, the environment and the home directory, according to
// the rules of jupyter_core.paths. A Host describes all three, so the rules of every system can be tested on any
// system.
//
// Each file is written under a temporary name and then renamed, kernel.json last. So Jupyter never sees a partial
// file, or a kernel.json without its logos. The metadata in kernel.json record the version of the program that wrote
// the file, and the names and checksums of the logos. These entries mark the kernel as this program's own. Uninstall
// removes only files that Install has written, and the folder only if it is then empty, and Install never overwrites
// the kernel of another program. Several versions can be installed under different names.
package kernelspec

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"overcomplete/internal/atomicfile"
)

//go:embed logo/logo-32x32.png logo/logo-64x64.png logo/logo-svg.svg
var logos embed.FS

// A Spec is the content of kernel.json.
type Spec struct {
	Argv          []string          `json:"argv"`
	DisplayName   string            `json:"display_name"`
	Language      string            `json:"language"`
	InterruptMode string            `json:"interrupt_mode"`
	Env           map[string]string `json:"env,omitempty"`
	Metadata      map[string]any    `json:"metadata"`
}

// New returns the spec of the kernel of the given version, for the program whose absolute path is binary.
func New(binary, version string) Spec {
	logo := map[string]any{}
	for _, name := range logoFiles {
		logo[name] = logoSum(name)
	}
	return Spec{
		Argv:          []string{binary, "kernel", "{connection_file}"},
		DisplayName:   "Go (overcomplete)",
		Language:      "go",
		InterruptMode: "message",
		Metadata: map[string]any{
			"debugger": true,
			// Later versions, the command doctor and Uninstall recognize this program's files by this entry.
			ownKey: map[string]any{"version": version, "files": logo},
		},
	}
}

// resourceDir is a placeholder in argv. Jupyter replaces it with the folder that contains kernel.json.
const resourceDir = "{resource_dir}"

// NewInPrefix is like New, but for a program and a kernel that are installed under the same prefix: the program in the
// folder bin (Scripts on Windows), the kernel in the folder that PrefixDir returns. The prefix need not be known: pip,
// for example, installs both into a Python environment at any path. So the spec names the program relative to the
// kernel's folder. A bare file name would not do, because Jupyter would look for it on the server's PATH, which
// contains the environment's programs only if the environment was activated.
func NewInPrefix(goos, version string) Spec {
	program := resourceDir + "/../../../../bin/overcomplete"
	if goos == "windows" {
		program = resourceDir + `\..\..\..\..\Scripts\overcomplete.exe`
	}
	return New(program, version)
}

// ownKey is the key of the metadata by which this program recognizes its own specs.
const ownKey = "overcomplete"

// Own reports whether some version of this program wrote the spec, and returns that version. The version is ""
// if the spec does not record it.
func (s Spec) Own() (version string, ok bool) {
	if m, is := s.Metadata[ownKey].(map[string]any); is {
		version, _ = m["version"].(string)
		return version, true
	}
	return "", s.DisplayName == "Go (overcomplete)" && len(s.Argv) == 3 && s.Argv[1] == "kernel"
}

func logoSum(name string) string {
	data, err := logos.ReadFile("logo/" + name)
	if err != nil {
		return ""
	}
	return sum(data)
}

func sum(data []byte) string {
	h := sha256.Sum256(data)
	return hex.EncodeToString(h[:])
}

// specFile is the name of the file that makes a folder a kernel for Jupyter.
const specFile = "kernel.json"

var logoFiles = []string{"logo-32x32.png", "logo-64x64.png", "logo-svg.svg"}

// Install writes spec and the logos to dir. The last element of dir is the kernel's name. Install creates dir
// if necessary and returns the paths of the files. It does not overwrite the kernel of another program.
func Install(dir string, spec Spec) (files []string, err error) {
	if len(spec.Argv) == 0 || !filepath.IsAbs(spec.Argv[0]) {
		return nil, fmt.Errorf("kernelspec: the kernel's program needs an absolute path, got %q", spec.Argv)
	}
	if err := CheckName(filepath.Base(dir)); err != nil {
		return nil, err
	}
	switch old, err := Read(dir); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, fmt.Errorf("%w: the existing file is not a kernel.json; remove it first", err)
	default:
		if _, ok := old.Own(); !ok {
			return nil, fmt.Errorf("kernelspec: %s contains a different kernel, %q: choose another name", dir, old.DisplayName)
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("kernelspec: %w", err)
	}
	list, err := Files(spec)
	if err != nil {
		return nil, err
	}
	for _, f := range list {
		path := filepath.Join(dir, f.Name)
		if err := writeFile(path, f.Data); err != nil {
			return files, err
		}
		files = append(files, path)
	}
	return files, nil
}

// A File is a file of a kernel's folder.
type File struct {
	Name string
	Data []byte
}

// Files returns the files that Install writes to a kernel's folder: the logos, then kernel.json.
func Files(spec Spec) ([]File, error) {
	var list []File
	for _, name := range logoFiles {
		data, err := logos.ReadFile("logo/" + name)
		if err != nil {
			return nil, fmt.Errorf("kernelspec: %w", err)
		}
		list = append(list, File{name, data})
	}
	data, err := json.MarshalIndent(spec, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("kernelspec: %w", err)
	}
	return append(list, File{specFile, append(data, '\n')}), nil
}

// writeFile atomically writes a file that is readable by other users.
func writeFile(path string, data []byte) error {
	if err := atomicfile.Write(path, data, 0o644); err != nil {
		return fmt.Errorf("kernelspec: %w", err)
	}
	return nil
}

// Read reads the kernel.json in dir. In the result's Argv, dir replaces the placeholder {resource_dir}, as in Jupyter.
// If the file does not exist, the error satisfies errors.Is(err, fs.ErrNotExist).
func Read(dir string) (Spec, error) {
	data, err := os.ReadFile(filepath.Join(dir, specFile))
	if err != nil {
		return Spec{}, fmt.Errorf("kernelspec: %w", err)
	}
	var spec Spec
	if err := json.Unmarshal(data, &spec); err != nil {
		return Spec{}, fmt.Errorf("kernelspec: %s: %w", filepath.Join(dir, specFile), err)
	}
	for i, arg := range spec.Argv {
		spec.Argv[i] = strings.ReplaceAll(arg, resourceDir, dir)
		if i == 0 && spec.Argv[0] != arg {
			spec.Argv[0] = filepath.Clean(spec.Argv[0])
		}
	}
	return spec, nil
}

// Uninstall removes from dir the files that Install has written, and dir itself if it is then empty. It returns the
// removed paths. kept reports whether dir remains because it contains other files. A missing dir is not an
// error. If dir contains the kernel of another program, Uninstall removes nothing and returns an error. It does not
// remove a logo that the user has replaced.
func Uninstall(dir string) (removed []string, kept bool, err error) {
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("kernelspec: %w", err)
	}
	sums := map[string]any{}
	spec, err := Read(dir)
	switch _, own := spec.Own(); {
	case errors.Is(err, fs.ErrNotExist): // an Install or Uninstall may have been interrupted
	case err != nil || !own || !info.IsDir():
		return nil, false, fmt.Errorf("kernelspec: %s does not belong to this kernel: nothing was removed", dir)
	default:
		m, _ := spec.Metadata[ownKey].(map[string]any)
		sums, _ = m["files"].(map[string]any)
	}
	// Remove kernel.json first, because without it the folder is no longer a kernel even if the next step
	// fails.
	for _, name := range append([]string{specFile}, logoFiles...) {
		path := filepath.Join(dir, name)
		if name != specFile {
			data, err := os.ReadFile(path)
			if err != nil || sum(data) != logoSum(name) && sum(data) != sums[name] {
				continue
			}
		}
		switch err := os.Remove(path); {
		case err == nil:
			removed = append(removed, path)
		case !errors.Is(err, fs.ErrNotExist):
			return removed, true, fmt.Errorf("kernelspec: %w", err)
		}
	}
	rest, err := os.ReadDir(dir)
	if err != nil {
		return removed, true, fmt.Errorf("kernelspec: %w", err)
	}
	if len(rest) > 0 {
		return removed, true, nil
	}
	if len(removed) == 0 && filepath.Base(filepath.Dir(dir)) != "kernels" {
		return nil, false, nil // the folder is empty, and perhaps not a kernel's
	}
	if err := os.Remove(dir); err != nil {
		return removed, true, fmt.Errorf("kernelspec: %w", err)
	}
	return append(removed, dir), false, nil
}

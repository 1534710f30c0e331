// Package pyenv provides the Python packages that the tests and benchmarks need: JupyterLab, Notebook, jupyter_server
// and their clients for the tests; numpy, scikit-learn and others for the benchmarks. It installs exact versions in
// virtual environments in the user's cache. Command make creates an environment from the files in this folder:
//
//	frontends.in   packages for the tests
//	peers.in       packages for the benchmarks
//	torch.in       PyTorch, separate because it is large
//	jax.in         jaxopt, with which a test of paper/nmfimplicit compares derivatives
//	*.txt          for each of these lists, all versions and checksums
//	lock.py        updates the .txt files
//
//	go run ./internal/pyenv/make            prints the folder, and creates it if necessary
//	go run ./internal/pyenv/make peers      for the benchmarks (make bench does)
package pyenv

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"overcomplete/internal/atomicfile"
)

//go:embed frontends.txt
var frontEnds []byte

//go:embed peers.txt
var peers []byte

//go:embed torch.txt
var torch []byte

//go:embed jax.txt
var jax []byte

// A Set is a list of packages that are installed together.
type Set struct {
	name     string
	list     []byte
	variable string // environment variable that selects another folder
	imports  string // modules imported to check that the environment works
}

// The available sets.
var (
	FrontEnds = Set{"frontends", frontEnds, "OVERCOMPLETE_PYTHON", "jupyterlab, notebook, jupyter_client, nbconvert, papermill"}
	Peers     = Set{"peers", peers, "OVERCOMPLETE_PEERS", "numpy, scipy, sklearn, matplotlib, ipykernel"}
	Torch     = Set{"torch", torch, "OVERCOMPLETE_TORCH", "numpy, torch"}
	Jax       = Set{"jax", jax, "OVERCOMPLETE_JAX", "numpy, jax, jaxopt"}
)

// Named returns the set with the given name.
func Named(name string) (Set, bool) {
	for _, s := range []Set{FrontEnds, Peers, Torch, Jax} {
		if s.name == name {
			return s, true
		}
	}
	return Set{}, false
}

// ErrUnavailable is the error of Make if this machine lacks a prerequisite: Python with venv, or network
// access to the packages.
var ErrUnavailable = errors.New("the Python environment cannot be made here")

// minutes is pip's time limit. It is long enough for a slow network.
const minutes = 15

// folder returns the path of the environment: the folder named by the environment variable s.variable if that is set,
// otherwise a folder in the user's cache whose name depends on the set's exact versions.
func (s Set) folder() (string, error) {
	if dir := os.Getenv(s.variable); dir != "" {
		return filepath.Abs(dir)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(cache, "overcomplete", fmt.Sprintf("python-%x", sha256.Sum256(s.list))[:23]), nil
}

func interpreter(folder string) string { return filepath.Join(folder, "bin", "python3") }

// Find returns the environment's interpreter, or "" if the environment does not exist.
func (s Set) Find() string {
	folder, err := s.folder()
	if err != nil {
		return ""
	}
	if _, err := os.Stat(interpreter(folder)); err != nil {
		return ""
	}
	return interpreter(folder)
}

// Python returns the first interpreter in the list from Pythons that can import all the given modules, a
// comma-separated list. It returns "" if no interpreter can.
func Python(modules string, sets ...Set) string {
	for _, p := range Pythons(sets...) {
		if exec.Command(p, "-c", "import "+modules).Run() == nil {
			return p
		}
	}
	return ""
}

// Pythons lists the interpreters to try: those of the existing environments, then the system's.
func Pythons(sets ...Set) []string {
	var list []string
	for _, s := range sets {
		if p := s.Find(); p != "" {
			list = append(list, p)
		}
	}
	return append(list, "/usr/bin/python3", "python3")
}

// Make returns the environment's folder, and creates the environment if necessary. The environment is created under a
// temporary name and then renamed, so a folder with the final name is always complete. The error wraps ErrUnavailable
// if the packages cannot be installed on this machine.
func (s Set) Make(ctx context.Context) (string, error) {
	folder, err := s.folder()
	if err != nil {
		return "", err
	}
	works := func(dir string) error {
		out, err := exec.CommandContext(ctx, interpreter(dir), "-c", "import "+s.imports).CombinedOutput()
		if err != nil {
			err = fmt.Errorf("%w\n%s", err, out)
		}
		return err
	}
	if works(folder) == nil {
		return folder, nil
	}
	if os.Getenv(s.variable) != "" {
		return "", fmt.Errorf("%w: %s is %s, which lacks some of %s", ErrUnavailable, s.variable, folder, s.imports)
	}
	parent := filepath.Dir(folder)
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return "", err
	}
	atomicfile.RemoveOld(parent, unfinished, 24*time.Hour)
	tmp, err := os.MkdirTemp(parent, unfinished+"*")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	if err := s.New(ctx, tmp); err != nil {
		return "", err
	}
	if err := works(tmp); err != nil {
		return "", err
	}
	if works(folder) == nil { // another process has created the environment
		return folder, nil
	}
	// The existing environment does not work, because its Python was removed from the machine.
	os.Rename(folder, filepath.Join(tmp, "old"))
	if err := os.Rename(tmp, folder); err != nil {
		return "", err
	}
	return folder, os.RemoveAll(filepath.Join(folder, "old"))
}

// unfinished is the prefix of folders for environments that are being created.
const unfinished = ".python-"

// New creates an environment with the set's packages in the folder dir. It is for a test that changes the environment
// and so cannot share the one that Make returns. Errors wrap ErrUnavailable.
func (s Set) New(ctx context.Context, dir string) error {
	if err := s.install(ctx, dir); err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return nil
}

// install creates an environment in dir. Make renames dir afterwards, but the programs in its bin folder contain the
// old name. So do not call these programs: run their modules with python3 -m.
func (s Set) install(ctx context.Context, dir string) error {
	ctx, cancel := context.WithTimeout(ctx, minutes*time.Minute)
	defer cancel()
	python := "/usr/bin/python3" // the system's Python keeps its path
	if _, err := os.Stat(python); err != nil {
		if python, err = exec.LookPath("python3"); err != nil {
			return err
		}
	}
	if err := run(ctx, python, "-m", "venv", dir); err != nil {
		return err
	}
	list := filepath.Join(dir, s.name+".txt")
	if err := os.WriteFile(list, s.list, 0o600); err != nil {
		return err
	}
	return run(ctx, interpreter(dir), "-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check",
		"--retries=3", "--timeout=30",
		"--no-deps", "--only-binary=:all:", "--require-hashes", "-r", list)
}

// run runs a command. Its error contains the end of the command's output.
func run(ctx context.Context, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.WaitDelay = time.Second // in case child processes do not end
	out, err := cmd.CombinedOutput()
	if err != nil {
		out = bytes.TrimSpace(out)
		return fmt.Errorf("%s %s: %w\n%s", filepath.Base(name), args[1], err, out[max(0, len(out)-2000):])
	}
	return nil
}

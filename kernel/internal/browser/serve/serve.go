// Package serve runs Jupyter servers in which this kernel is installed, for the tests of front ends.
package serve

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// soon is how long a server may take to answer. It is long because the machine may be busy.
const soon = 3 * time.Minute

// Needed is called when something that the test needs is missing. It skips the test with the given message, or fails
// it if OVERCOMPLETE_FRONT_ENDS is "required".
func Needed(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("OVERCOMPLETE_FRONT_ENDS") == "required" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// Program returns the path of the first of the named programs that is installed. If none of them is installed, Program
// calls Needed.
func Program(t *testing.T, names ...string) string {
	t.Helper()
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	Needed(t, "there is no %s: this test needs real front ends and a real Jupyter", strings.Join(names, " or "))
	return ""
}

// environment returns the Python environment of package pyenv, and creates it if it is missing. Package pyenv
// is in another module.
var environment = sync.OnceValues(func() (string, error) {
	cmd := exec.Command("go", "run", "./internal/pyenv/make")
	cmd.Dir = Root()
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, &errs)
	}
	return filepath.Join(strings.TrimSpace(string(out)), "bin", "python3"), err
})

// Python returns the path of a Python interpreter with JupyterLab, Notebook, jupyter_server and ipykernel in the
// versions that package pyenv specifies. It creates the environment if necessary. If that fails, it calls Needed.
func Python(t *testing.T) string {
	t.Helper()
	python, err := environment()
	if err != nil {
		Needed(t, "there is no JupyterLab: %v", err)
	}
	return python
}

// build builds the kernel, once for all tests.
var build = sync.OnceValues(func() (string, error) {
	if name := os.Getenv("OVERCOMPLETE_BIN"); name != "" {
		return filepath.Abs(name)
	}
	dir, err := os.MkdirTemp("", "overcomplete-browser-")
	if err != nil {
		return "", err
	}
	built = dir
	cmd := exec.Command("go", "build", "-o", filepath.Join(dir, "overcomplete"), "./cmd/overcomplete")
	cmd.Dir = Root()
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return filepath.Join(dir, "overcomplete"), nil
})

// Binary returns the path of the kernel's program: the file that OVERCOMPLETE_BIN names or, if it is not set, one that
// Binary builds once for all tests.
func Binary(t *testing.T) string {
	t.Helper()
	binary, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return binary
}

// Root returns the relative path of the root of the checkout, which it finds by going up from the folder in which a
// test runs.
func Root() string {
	dir := ".."
	for {
		if _, err := os.Stat(filepath.Join(dir, "cmd", "overcomplete")); err == nil || len(dir) > 100 {
			return dir
		}
		dir = filepath.Join(dir, "..")
	}
}

// built is the folder that build created.
var built string

// Run runs the tests of a package, then removes the program that Binary has built. It returns the exit code.
func Run(m *testing.M) int {
	defer func() {
		if built != "" {
			os.RemoveAll(built)
		}
	}()
	return m.Run()
}

// A Server is a Jupyter server in which this kernel is installed. All its files are in a temporary folder of the test.
type Server struct {
	URL, Token string
	Folder     string // folder of its notebooks
	Binary     string // the kernel's program
}

// Start installs the kernel, starts the server by running the given command, and waits until the server answers. The
// server runs until the test ends.
func Start(t *testing.T, command func(s Server, port int) *exec.Cmd) Server {
	t.Helper()
	dir := t.TempDir()
	binary := Binary(t)
	if out, err := exec.Command(binary, "install", "--prefix", dir).CombinedOutput(); err != nil {
		t.Fatalf("install: %v\n%s", err, out)
	}
	port := freePort(t)
	s := Server{Token: "browser-test", Folder: filepath.Join(dir, "notebooks"), Binary: binary, URL: fmt.Sprintf("http://127.0.0.1:%d", port)}
	if err := os.Mkdir(s.Folder, 0o700); err != nil {
		t.Fatal(err)
	}
	log, err := os.Create(filepath.Join(dir, "server.log"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := command(s, port)
	cmd.Stdout, cmd.Stderr = log, log
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	cmd.Env = append(cmd.Env,
		"HOME="+dir, "XDG_DATA_HOME="+filepath.Join(dir, "xdg"),
		"JUPYTER_PATH="+filepath.Join(dir, "share", "jupyter"),
		"JUPYTER_DATA_DIR="+filepath.Join(dir, "data"),
		"JUPYTER_CONFIG_DIR="+filepath.Join(dir, "config"),
		"JUPYTER_RUNTIME_DIR="+filepath.Join(dir, "runtime"),
	)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(os.Interrupt)
		cmd.Process.Signal(os.Interrupt) // the second one answers "really?"
		done := make(chan struct{})
		go func() { cmd.Wait(); close(done) }()
		select {
		case <-done:
		case <-time.After(10 * time.Second):
			cmd.Process.Kill()
			<-done
		}
		log.Close()
		if t.Failed() {
			b, _ := os.ReadFile(log.Name())
			t.Logf("the server's log ends:\n%s", b[max(0, len(b)-5000):])
		}
	})
	for begin := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		if _, err = s.Get("/api/status"); err == nil {
			return s
		}
		if time.Since(begin) > soon {
			t.Fatalf("the server does not answer: %v", err)
		}
	}
}

// freePort returns a port that is likely to still be free when the server listens on it. The port is below
// the range from which systems assign ports.
func freePort(t *testing.T) int {
	t.Helper()
	for range 100 {
		port := 20000 + rand.IntN(12768)
		if l, err := net.Listen("tcp", fmt.Sprint("127.0.0.1:", port)); err == nil {
			l.Close()
			return port
		}
	}
	t.Fatal("there is no free port")
	return 0
}

// Get returns the body of the server's response to a GET request for the given path. A status other than 200 is an
// error.
func (s Server) Get(path string) ([]byte, error) {
	r, err := http.Get(s.URL + path + "?token=" + s.Token)
	if err != nil {
		return nil, err
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err == nil && r.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", r.Status, b)
	}
	return b, err
}

package services

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"overcomplete/kernel/internal/browser/serve"
)

var update = flag.Bool("update", false, "write testdata/steps.txt anew")

// golden holds the outcome of each step, one per line.
const golden = "testdata/steps.txt"

// soon is the general timeout. It is long because the machine may be busy.
const soon = 2 * time.Minute

func TestMain(m *testing.M) { os.Exit(serve.Run(m)) }

// TestServices runs the steps of client.mjs.
func TestServices(t *testing.T) {
	node, npm := serve.Program(t, "node"), serve.Program(t, "npm")
	url, token := os.Getenv("OVERCOMPLETE_SERVER"), os.Getenv("OVERCOMPLETE_TOKEN")
	if url == "" {
		s := start(t)
		url, token = s.URL+"/", s.Token
	}
	library := install(t, npm)
	ctx, cancel := context.WithTimeout(t.Context(), 5*soon)
	defer cancel()
	cmd := exec.CommandContext(ctx, node, "client.mjs", url, token, "overcomplete")
	cmd.Dir = library
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, &errs)
	}
	check(t, out)
}

// check compares the outcomes of the steps with the expected outcomes. Values that differ between versions
// and machines have separate rules; see varying.
func check(t *testing.T, out []byte) {
	var got []string
	for line := range bytes.Lines(out) {
		if !bytes.HasPrefix(line, []byte("{")) {
			continue // the library's own messages
		}
		var s struct {
			Step, Error string
			Got         any
		}
		if err := json.Unmarshal(line, &s); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if s.Error != "" {
			t.Errorf("%s: %s", s.Step, s.Error)
			continue
		}
		t.Logf("%s", bytes.TrimSpace(line))
		if m, ok := s.Got.(map[string]any); ok {
			varying(t, s.Step, m)
		}
		b, err := json.Marshal(s.Got)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%s %s", s.Step, b))
	}
	text := strings.Join(got, "\n") + "\n"
	if *update {
		if err := os.WriteFile(golden, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if text != string(want) {
		t.Errorf("what the steps brought:\n%s\nwant:\n%s", text, want)
	}
}

// varying checks the fields of a step that vary from run to run, and removes them.
func varying(t *testing.T, step string, got map[string]any) {
	number := func(field string, most float64) {
		if n, ok := got[field].(float64); !ok || n > most {
			t.Errorf("%s: %s is %v, more than %v", step, field, got[field], most)
		}
		delete(got, field)
	}
	switch step {
	case "info":
		language, _ := got["language"].(map[string]any)
		if v, _ := language["version"].(string); strings.Count(v, ".") != 1 {
			t.Errorf("the language's version is %q, not such as 1.26", v)
		}
		delete(language, "version")
	case "interrupt":
		number("answered", 2000) // the answer, in ms, while a cell runs; VS Code waits this long
	case "long":
		ms, _ := got["ms"].(float64)
		number("messages", 8+ms/200) // several messages while the text is short, then one message per 200 ms
		delete(got, "ms")
	case "debug":
		delete(got, "success")
	}
}

// install returns a folder with client.mjs and the library, at the versions in the lock file.
func install(t *testing.T, npm string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"client.mjs", "package.json", "package-lock.json"} {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*soon)
	defer cancel()
	cmd := exec.CommandContext(ctx, npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		serve.Needed(t, "npm cannot fetch @jupyterlab/services: %v\n%s", err, out)
	}
	return dir
}

// start starts a Jupyter server in which this kernel is installed.
func start(t *testing.T) serve.Server {
	t.Helper()
	python := serve.Python(t)
	return serve.Start(t, func(s serve.Server, port int) *exec.Cmd {
		return exec.Command(python, "-m", "jupyter_server", "--no-browser", "--allow-root", "--ServerApp.ip=127.0.0.1", fmt.Sprintf("--ServerApp.port=%d", port),
			"--ServerApp.port_retries=0", "--IdentityProvider.token="+s.Token, "--ServerApp.root_dir="+s.Folder)
	})
}

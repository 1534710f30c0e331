package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"overcomplete/data"
	"overcomplete/kernel/kernelspec"
	"overcomplete/kernel/signature"
)

// healthyDoctor makes an installation without faults in a temporary folder.
func healthyDoctor(t *testing.T) (d *doctor, home string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("its programs are files that a Unix can run")
	}
	home = t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_DATA_HOME", filepath.Join(home, "share"))
	t.Setenv(data.Variable, filepath.Join(home, "data"))
	binary := filepath.Join(home, "bin", "overcomplete")
	jupyter := filepath.Join(home, "bin", "jupyter")
	if err := os.MkdirAll(filepath.Dir(binary), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{binary, jupyter} {
		if err := os.WriteFile(p, nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	env := map[string]string{"JUPYTER_DATA_DIR": filepath.Join(home, "jupyter")}
	host := kernelspec.Host{GOOS: runtime.GOOS, Getenv: func(k string) string { return env[k] }, Home: home}
	dir := filepath.Join(home, "jupyter", "kernels", "overcomplete")
	if _, err := kernelspec.Install(dir, kernelspec.New(binary, "v1")); err != nil {
		t.Fatal(err)
	}
	d = &doctor{
		binary: binary, version: "v1", host: host, driver: func() string { return "" },
		lookPath: func(name string) (string, error) { return filepath.Join(home, "bin", name), nil },
		run: func(_ context.Context, _ string, args ...string) ([]byte, error) {
			switch args[0] {
			case "--version":
				return []byte("Selected Jupyter core packages...\nnotebook : 7.1\njupyterlab : not installed\n"), nil
			case "--paths":
				return json.Marshal(map[string][]string{"data": {filepath.Join(home, "jupyter")}})
			}
			return json.Marshal(map[string]any{"kernelspecs": map[string]any{"overcomplete": map[string]any{"resource_dir": dir}}})
		},
	}
	return d, home
}

// find returns the findings of one check.
func find(all []finding, check string) string {
	var lines []string
	for _, f := range all {
		if f.Check == check {
			lines = append(lines, f.Status+": "+f.Found+" | "+f.Fix)
		}
	}
	return strings.Join(lines, "\n")
}

func TestDoctor(t *testing.T) {
	for _, c := range []struct {
		name   string
		break_ func(d *doctor, home string)
		check  string
		want   []string
	}{
		{"nothing", func(*doctor, string) {}, "kernelspec", []string{"ok: \"Go (overcomplete)\" in "}},
		{"nothing", func(*doctor, string) {}, "jupyter", []string{"ok: ", "notebook 7.1"}},
		{"nothing", func(*doctor, string) {}, "seen", []string{"ok: ", "lists overcomplete"}},
		{"nothing", func(*doctor, string) {}, "ports", []string{"ok: "}},
		{"nothing", func(*doctor, string) {}, "runtime", []string{"ok: ", "jupyter/runtime will be created"}},
		{"nothing", func(*doctor, string) {}, "data sets", []string{"warn: ", "| overcomplete data get ", "mnist"}},
		{"nothing", func(*doctor, string) {}, "path", []string{"ok: found"}},
		{"go run", func(d *doctor, _ string) { d.binary = "/tmp/go-build1/b001/exe/overcomplete" }, "program", []string{"warn: ", "go run"}},
		{"a tried Go", func(d *doctor, _ string) { d.goVersion = "go1.26.1" }, "go", []string{"ok: built with go1.26.1"}},
		{"a new Go", func(d *doctor, _ string) { d.goVersion = "go1.99.0" }, "go", []string{"warn: built with go1.99.0, which has not been tried", "GOTOOLCHAIN=go1."}},
		{"devices not asked for", func(*doctor, string) {}, "devices", []string{"ok: ", "%gpu"}},
		{"a device", func(d *doctor, _ string) {
			d.driver = func() string { return "/bin/overcomplete-gpu" }
			old := d.run
			d.run = func(ctx context.Context, name string, args ...string) ([]byte, error) {
				if name == "/bin/overcomplete-gpu" {
					return []byte("Card, 8.0 GiB (opencl: 3)\nProcessor, 4.0 GiB (opencl: 1)\n"), nil
				}
				return old(ctx, name, args...)
			}
		}, "devices", []string{"ok: Card, 8.0 GiB (opencl: 3); Processor, "}},
		{"no device", func(d *doctor, _ string) {
			d.driver = func() string { return "/bin/overcomplete-gpu" }
			old := d.run
			d.run = func(ctx context.Context, name string, args ...string) ([]byte, error) {
				if name == "/bin/overcomplete-gpu" {
					return nil, errors.New("exit status 1: gpu: opencl: no OpenCL here")
				}
				return old(ctx, name, args...)
			}
		}, "devices", []string{"ok: cells have no graphics card", "no OpenCL here"}},
		{"not on PATH", func(d *doctor, _ string) {
			d.lookPath = func(string) (string, error) { return "", errors.New("none") }
		}, "path", []string{"warn: overcomplete is not on PATH"}},
		{"another on PATH", func(d *doctor, home string) {
			d.lookPath = func(string) (string, error) { return "/bin/sh", nil }
		}, "path", []string{"warn: PATH leads to a different program, /bin/sh"}},
		{"no jupyter", func(d *doctor, _ string) {
			d.lookPath = func(string) (string, error) { return "", errors.New("none") }
		}, "jupyter", []string{"warn: there is no jupyter", "VS Code"}},
		{"broken jupyter", func(d *doctor, _ string) {
			d.run = func(context.Context, string, ...string) ([]byte, error) { return nil, errors.New("exit status 1") }
		}, "jupyter", []string{"fail: ", "does not run: exit status 1"}},
		{"not installed", func(d *doctor, home string) { os.RemoveAll(filepath.Join(home, "jupyter")) }, "kernelspec", []string{"fail: no kernel of this program", "run: overcomplete install"}},
		{"not installed, and not on PATH", func(d *doctor, home string) {
			os.RemoveAll(filepath.Join(home, "jupyter"))
			look := d.lookPath
			d.lookPath = func(name string) (string, error) {
				if name == "overcomplete" {
					return "", errors.New("none")
				}
				return look(name)
			}
		}, "kernelspec", []string{"fail: no kernel of this program", "/bin/overcomplete install"}},
		{"installed elsewhere", func(d *doctor, home string) {
			os.RemoveAll(filepath.Join(home, "jupyter"))
			dir := filepath.Join(home, "else", "share", "jupyter", "kernels", "mine")
			kernelspec.Install(dir, kernelspec.New(d.binary, "v1"))
			remember(dir)
			remember(dir)
			if got := installedElsewhere(); len(got) != 1 || got[0] != dir {
				t.Errorf("remembered: %q", got)
			}
		}, "kernelspec", []string{"fail: the kernel is installed in ", "else/share/jupyter/kernels/mine, where Jupyter does not look", "JUPYTER_PATH=", "else/share/jupyter in its environment"}},
		{"installed beside the program", func(d *doctor, home string) {
			os.RemoveAll(filepath.Join(home, "jupyter"))
			kernelspec.Install(filepath.Join(home, "share", "jupyter", "kernels", "overcomplete"), kernelspec.New(d.binary, "v1"))
		}, "kernelspec", []string{"fail: the kernel is installed in ", "JUPYTER_PATH="}},
		{"remembered and gone", func(d *doctor, home string) {
			os.RemoveAll(filepath.Join(home, "jupyter"))
			remember(filepath.Join(home, "else", "kernels", "mine"))
		}, "kernelspec", []string{"fail: no kernel of this program", "run: overcomplete install"}},
		{"half a spec", func(d *doctor, home string) {
			os.WriteFile(filepath.Join(home, "jupyter/kernels/overcomplete/kernel.json"), []byte("{"), 0o644)
		}, "kernelspec", []string{"fail: ", "unexpected end", "remove "}},
		{"old version", func(d *doctor, _ string) { d.version = "v2" }, "kernelspec", []string{"warn: ", "was written by version v1, but this is version v2", "| run: overcomplete install"}},
		{"program gone", func(d *doctor, _ string) { os.Remove(d.binary) }, "kernelspec", []string{"fail: ", "which does not exist", "| run: ", " install"}},
		{"not executable", func(d *doctor, _ string) { os.Chmod(d.binary, 0o644) }, "kernelspec", []string{"fail: ", "which is not executable"}},
		{"moved", func(d *doctor, home string) {
			d.binary = filepath.Join(home, "bin", "new")
			os.WriteFile(d.binary, nil, 0o755)
		}, "kernelspec", []string{"warn: ", "leads to a different program"}},
		{"not listed", func(d *doctor, _ string) {
			old := d.run
			d.run = func(ctx context.Context, name string, args ...string) ([]byte, error) {
				if args[0] == "kernelspec" {
					return []byte(`{"kernelspecs":{}}`), nil
				}
				return old(ctx, name, args...)
			}
		}, "seen", []string{"fail: ", "does not list", "--sys-prefix"}},
		{"no jupyter-kernelspec", func(d *doctor, home string) {
			os.WriteFile(filepath.Join(home, "bin", "jupyter"), []byte("#!/bin/sh\nprintf 'usage: ...\\n\\nJupyter command jupyter-kernelspec not found.\\n' >&2\nexit 1\n"), 0o755)
			old := d.run
			d.run = func(ctx context.Context, name string, args ...string) ([]byte, error) {
				if args[0] == "kernelspec" {
					return commandOutput(ctx, name, args...)
				}
				return old(ctx, name, args...)
			}
		}, "seen", []string{"warn: ", "Jupyter command jupyter-kernelspec not found.", "| pip install jupyter_client in Jupyter's Python environment"}},
		{"no jupyter-kernelspec in Debian", func(d *doctor, _ string) {
			d.debian = true
			paths := d.lookPath
			d.lookPath = func(name string) (string, error) {
				if name == "jupyter" {
					return "/usr/bin/jupyter", nil
				}
				return paths(name)
			}
			old := d.run
			d.run = func(ctx context.Context, name string, args ...string) ([]byte, error) {
				if args[0] == "kernelspec" {
					return nil, errors.New("exit status 1: Jupyter command `jupyter-kernelspec` not found.")
				}
				return old(ctx, name, args...)
			}
		}, "seen", []string{"warn: ", "`jupyter-kernelspec` not found.", "| apt-get install jupyter-client, which"}},
		{"kernelspec fails otherwise", func(d *doctor, _ string) {
			d.debian = true
			old := d.run
			d.run = func(ctx context.Context, name string, args ...string) ([]byte, error) {
				if args[0] == "kernelspec" {
					return nil, errors.New("exit status 1: ImportError: no module named jupyter_client")
				}
				return old(ctx, name, args...)
			}
		}, "seen", []string{"warn: ", "ImportError", "| repair that Python"}},
		{"no jupyter in Debian", func(d *doctor, _ string) {
			d.debian = true
			d.lookPath = func(string) (string, error) { return "", errors.New("no") }
		}, "jupyter", []string{"warn: there is no jupyter", "apt-get install jupyter-notebook jupyter-client"}},
		{"damaged key", func(_ *doctor, home string) {
			t.Setenv(signature.Variable, filepath.Join(home, "trust"))
			os.Mkdir(filepath.Join(home, "trust"), 0o700)
			os.WriteFile(filepath.Join(home, "trust", "key"), []byte("short"), 0o600)
		}, "signatures", []string{"warn: ", "is damaged", "| remove ", "/trust"}},
		{"empty key", func(_ *doctor, home string) {
			t.Setenv(signature.Variable, filepath.Join(home, "trust"))
			os.Mkdir(filepath.Join(home, "trust"), 0o700)
			os.WriteFile(filepath.Join(home, "trust", "key"), nil, 0o600)
		}, "signatures", []string{"ok: "}},
		{"no place for a key", func(_ *doctor, home string) {
			t.Setenv(signature.Variable, filepath.Join(home, "bin", "jupyter", "trust"))
		}, "signatures", []string{"warn: ", "OVERCOMPLETE_TRUST=off"}},
		{"runtime is a file", func(d *doctor, home string) { os.WriteFile(filepath.Join(home, "jupyter", "runtime"), nil, 0o644) }, "runtime", []string{"fail: ", "is not a folder", "JUPYTER_RUNTIME_DIR"}},
		{"data off", func(*doctor, string) { os.Setenv(data.Variable, "") }, "data", []string{"warn: ", "| set OVERCOMPLETE_DATA"}},
		{"history is a file", func(_ *doctor, home string) {
			os.Setenv("HOME", filepath.Join(home, "bin", "jupyter"))
			os.Setenv("XDG_DATA_HOME", filepath.Join(home, "bin", "jupyter"))
		}, "history", []string{"warn: ", "OVERCOMPLETE_HISTORY"}},
		{"hidden", func(d *doctor, home string) {
			other := filepath.Join(home, "second", "kernels", "overcomplete")
			kernelspec.Install(other, kernelspec.New(d.binary, "v1"))
			getenv := d.host.Getenv
			d.host.Getenv = func(k string) string {
				if k == "JUPYTER_PATH" {
					return filepath.Join(home, "second")
				}
				return getenv(k)
			}
		}, "kernelspec", []string{"ok: ", "warn: ", "hidden by another kernel"}},
	} {
		d, home := healthyDoctor(t)
		c.break_(d, home)
		all := d.examine(context.Background(), nil)
		got := find(all, c.check)
		for _, w := range c.want {
			if !strings.Contains(got, w) {
				t.Errorf("%s: %s says\n%s\nnot %q", c.name, c.check, got, w)
			}
		}
		for _, f := range all {
			if f.Status != "ok" && f.Fix == "" {
				t.Errorf("%s: no fix for %+v", c.name, f)
			}
		}
	}
}

func TestWriteFinding(t *testing.T) {
	var b bytes.Buffer
	writeFinding(&b, finding{"path", "warn", "it is not there", "put it there"}, false)
	if got, want := b.String(), "warn  path         it is not there\n                   to fix it: put it there\n"; got != want {
		t.Errorf("%q", got)
	}
}

func TestSpecFlags(t *testing.T) {
	host := kernelspec.Host{GOOS: "linux", Getenv: func(k string) string { return map[string]string{"VIRTUAL_ENV": "/v"}[k] }, Home: "/home/u"}
	for _, c := range []struct {
		flags specFlags
		want  string // "" for an error
	}{
		{specFlags{name: "overcomplete"}, "/home/u/.local/share/jupyter/kernels/overcomplete"},
		{specFlags{name: "next", user: true}, "/home/u/.local/share/jupyter/kernels/next"},
		{specFlags{name: "next", sysPrefix: true}, "/v/share/jupyter/kernels/next"},
		{specFlags{name: "next", system: true}, "/usr/local/share/jupyter/kernels/next"},
		{specFlags{name: "next", prefix: "/opt"}, "/opt/share/jupyter/kernels/next"},
		{specFlags{name: "next", prefix: "/opt", user: true}, ""},
		{specFlags{name: "../x"}, ""},
	} {
		got, err := c.flags.dir(host)
		if got != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%+v: %q, %v", c.flags, got, err)
		}
	}
	if s := (specFlags{name: "go-1.2"}); s.displayName() != "Go (go-1.2)" {
		t.Error(s.displayName())
	}
}

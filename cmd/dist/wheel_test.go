package main

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"overcomplete/internal/patience"
	"overcomplete/internal/pyenv"
	"overcomplete/internal/testfile"
	"overcomplete/kernel/live/jupyterlite"
)

func TestWheelVersion(t *testing.T) {
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	for version, want := range map[string]string{
		"v1.2.3":                               "1.2.3",
		"v1.2.3-rc.1":                          "1.2.3rc1",
		"v1.2.3-beta2":                         "1.2.3b2",
		"v1.2.3-alpha1":                        "1.2.3a1",
		"dev":                                  "0.0.0.dev20260304050607",
		"v1.2.4-0.20260304050607-0123456789ab": "0.0.0.dev20260304050607",
		"v0.0.0-20260304050607-0123456789ab+dirty": "0.0.0.dev20260304050607",
		"v1.2.3+dirty": "0.0.0.dev20260304050607",
	} {
		if got := wheelVersion(version, at); got != want {
			t.Errorf("%s: %s, not %s", version, got, want)
		}
	}
}

// A wheel has the required files with their modes and checksums, and the same bytes twice.
func TestWheel(t *testing.T) {
	at := time.Date(2026, 3, 4, 5, 6, 8, 0, time.UTC)
	for _, name := range allTargets() {
		t.Run(name, func(t *testing.T) {
			system, err := parseTarget(name)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			program := builtProgram{filepath.Join(dir, "program"), filepath.Join(dir, "program"), "v1.2.3", at}
			testfile.Write(t, program.path, "run, with a comma")
			for _, e := range system.editions() {
				wheel, files, err := wheelFiles(system, e, program, []byte("license"), []byte("notices"))
				if err != nil {
					t.Fatal(err)
				}
				var twice [2][]byte
				for i := range twice {
					path := filepath.Join(dir, wheel)
					if err := writeArchive(path, "", files, at); err != nil {
						t.Fatal(err)
					}
					twice[i] = testfile.Read(t, path)
				}
				if !bytes.Equal(twice[0], twice[1]) {
					t.Error("other bytes the second time")
				}
				checkWheel(t, system, wheel, twice[0])
			}
		})
	}
}

// checkWheel checks the wheel of a system.
func checkWheel(t *testing.T, system target, name string, wheel []byte) {
	t.Helper()
	stem, content := checkForm(t, "overcomplete", name, wheel, "scripts/"+system.program(), "scripts/"+system.driver())
	// The driver needs glibc on Linux, so a system with musl cannot start it.
	if content[stem+".data/scripts/"+system.program()] == nil || (content[stem+".data/scripts/"+system.driver()] == nil) != strings.Contains(name, "musllinux") {
		t.Errorf("%s has other programs", name)
	}
	var spec struct{ Argv []string }
	err := json.Unmarshal(content[stem+".data/data/share/jupyter/kernels/overcomplete/kernel.json"], &spec)
	if err != nil || len(spec.Argv) != 3 || !strings.HasSuffix(spec.Argv[0], system.program()) || (system.os == "windows") != strings.Contains(spec.Argv[0], "Scripts") {
		t.Errorf("kernel.json: %q, %v", spec.Argv, err)
	}
}

// checkForm checks a wheel as an installer does: its name, the list of its files, their checksums and modes, and
// that the tags in the name are those inside. Only the programs may be executed. The results are the name with
// the version, and the content of the files.
func checkForm(t *testing.T, project, name string, wheel []byte, programs ...string) (stem string, content map[string][]byte) {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(wheel), int64(len(wheel)))
	if err != nil {
		t.Fatal(err)
	}
	// name-version-python-abi-platforms.whl
	parts := strings.Split(strings.TrimSuffix(name, ".whl"), "-")
	if len(parts) != 5 || parts[0] != project || parts[2] != "py3" || parts[3] != "none" {
		t.Fatalf("the wheel is called %s", name)
	}
	stem = parts[0] + "-" + parts[1]
	content = map[string][]byte{}
	for _, f := range z.File {
		data, err := fs.ReadFile(z, f.Name)
		if err != nil {
			t.Fatal(err)
		}
		if content[f.Name] != nil {
			t.Errorf("%s is there twice", f.Name)
		}
		content[f.Name] = data
		if f.Method != zip.Deflate {
			t.Errorf("%s is compressed by method %d", f.Name, f.Method)
		}
		want := fs.FileMode(0o644)
		if slices.Contains(programs, strings.TrimPrefix(f.Name, stem+".data/")) {
			want = 0o755
		}
		if f.Mode() != want {
			t.Errorf("%s has mode %v, not %v", f.Name, f.Mode(), want)
		}
	}
	if last := z.File[len(z.File)-1].Name; last != stem+".dist-info/RECORD" {
		t.Errorf("the last file is %s", last)
	}
	rows, err := csv.NewReader(bytes.NewReader(content[stem+".dist-info/RECORD"])).ReadAll()
	if err != nil || len(rows) != len(content) {
		t.Errorf("RECORD has %d rows for %d files: %v", len(rows), len(content), err)
	}
	for _, row := range rows {
		data, ok := content[row[0]]
		sum := sha256.Sum256(data)
		want := []string{row[0], "sha256=" + base64.URLEncoding.WithPadding(base64.NoPadding).EncodeToString(sum[:]), fmt.Sprint(len(data))}
		if strings.HasSuffix(row[0], "/RECORD") {
			want = []string{row[0], "", ""}
		}
		if !ok || !slices.Equal(row, want) {
			t.Errorf("RECORD: %q instead of %q", row, want)
		}
	}
	form := string(content[stem+".dist-info/WHEEL"])
	tags := strings.Split(parts[4], ".")
	for _, platform := range tags {
		if !strings.Contains(form, "\nTag: py3-none-"+platform+"\n") {
			t.Errorf("WHEEL lacks %s:\n%s", platform, form)
		}
	}
	if strings.Count(form, "Tag: ") != len(tags) || !strings.Contains(form, fmt.Sprintf("\nRoot-Is-Purelib: %v\n", len(programs) == 0)) {
		t.Errorf("WHEEL:\n%s", form)
	}
	head, page, _ := strings.Cut(string(content[stem+".dist-info/METADATA"]), "\n\n")
	for _, line := range []string{"Metadata-Version: 2.4", "Name: " + project, "Version: " + parts[1], "License-File: NOTICES.txt"} {
		if !strings.Contains("\n"+head+"\n", "\n"+line+"\n") {
			t.Errorf("METADATA lacks %q", line)
		}
	}
	if !strings.HasPrefix(page, "# overcomplete") {
		t.Errorf("the description begins with %.40q", page)
	}
	return stem, content
}

// The wheel for JupyterLite serves all systems, and has the extension where JupyterLite looks for extensions.
func TestLiteWheel(t *testing.T) {
	extensions, at := t.TempDir(), time.Date(2026, 3, 4, 5, 6, 8, 0, time.UTC)
	kernel := func(folder string) (jupyterlite.Start, error) {
		return jupyterlite.Start{Worker: "worker-1.js"}, os.WriteFile(filepath.Join(folder, "worker-1.js"), []byte("work"), 0o600)
	}
	if err := jupyterlite.Extension(extensions, kernel); err != nil {
		t.Fatal(err)
	}
	name, files, err := liteFiles(extensions, "v1.2.3", at, []byte("license"), []byte("notices"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), name)
	if err := writeArchive(path, "", files, at); err != nil {
		t.Fatal(err)
	}
	wheel := testfile.Read(t, path)
	if name != "overcomplete_jupyterlite-1.2.3-py3-none-any.whl" {
		t.Errorf("the wheel is called %s", name)
	}
	stem, content := checkForm(t, "overcomplete_jupyterlite", name, wheel)
	folder := stem + ".data/data/share/jupyter/labextensions/" + jupyterlite.Name + "/"
	var extension struct {
		Jupyterlab struct {
			Build struct{ Load string } `json:"_build"`
		}
		Jupyterlite struct{ LiteExtension bool }
	}
	err = json.Unmarshal(content[folder+"package.json"], &extension)
	if load := extension.Jupyterlab.Build.Load; err != nil || !extension.Jupyterlite.LiteExtension || load == "" || content[folder+load] == nil {
		t.Errorf("package.json: %+v, %v", extension, err)
	}
	if string(content[folder+"live/worker-1.js"]) != "work" || content[folder+"live/kernel.json"] == nil {
		t.Error("the kernel is not there")
	}
}

// pipVariable is the environment variable with which TestPip runs.
const pipVariable = "OVERCOMPLETE_WHEEL"

// The wheel for this machine is installed in a new environment beside JupyterLab, which is not activated and has
// no Go on its PATH. A notebook runs there, the server of JupyterLab starts the kernel, and pip uninstall leaves
// nothing.
func TestPip(t *testing.T) {
	if os.Getenv(pipVariable) == "" {
		t.Skip("builds the program, and installs JupyterLab: " + pipVariable + "=1 (make wheel-check)")
	}
	ctx, root, out := context.Background(), filepath.Join("..", ".."), t.TempDir()
	if err := run(ctx, root, out, []string{runtime.GOOS + "/" + runtime.GOARCH}, true, true, ""); err != nil {
		t.Fatal(err)
	}
	system := target{runtime.GOOS, runtime.GOARCH}
	wheels, err := filepath.Glob(filepath.Join(out, "*.whl"))
	if err != nil || len(wheels) != len(system.editions()) {
		t.Fatalf("%q, %v", wheels, err)
	}
	for _, wheel := range wheels {
		data := testfile.Read(t, wheel)
		t.Logf("%s: %.1f MB", filepath.Base(wheel), float64(len(data))/1e6)
		if len(data) > 31e6 { // 1 MB more than when docs/install.md listed the sizes
			t.Errorf("%s has %.1f MB", wheel, float64(len(data))/1e6)
		}
		checkWheel(t, system, filepath.Base(wheel), data)
	}

	env := filepath.Join(t.TempDir(), "an environment")
	if err := pyenv.FrontEnds.New(ctx, env); errors.Is(err, pyenv.ErrUnavailable) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	home, work := t.TempDir(), t.TempDir()
	command := func(program string, args ...string) *exec.Cmd {
		cmd := exec.Command(filepath.Join(env, "bin", program), args...)
		cmd.Dir = work
		cmd.Env = []string{"PATH=" + t.TempDir(), "HOME=" + home, "LANG=C.UTF-8", "PYTHONDONTWRITEBYTECODE=1"}
		return cmd
	}
	do := func(program string, args ...string) string {
		t.Helper()
		out, err := command(program, args...).CombinedOutput()
		if err != nil {
			t.Fatalf("%s %q: %v\n%s", program, args, err, out)
		}
		return string(out)
	}
	before := tree(t, env)
	do("python3", "-m", "pip", "install", "--no-index", "--find-links", out, "--pre", "--no-deps", "--disable-pip-version-check", "overcomplete")
	if out := do("overcomplete", "version"); !strings.HasPrefix(out, "overcomplete ") {
		t.Errorf("version: %s", out)
	}

	writeNotebook(t, filepath.Join(work, "book.ipynb"), `import ("fmt"; "os/exec")
_, err := exec.LookPath("go")
fmt.Println(6*7, err != nil)`, `import ("context"; "gonum.org/v1/gonum/mat"; "overcomplete/kernel-helpers/pca")
p, err := pca.Fit(context.Background(), mat.NewDense(3, 2, []float64{1, 2, 2, 4.1, 3, 5.9}), nil)
fmt.Println(len(p.Mean), err)`)
	do("python3", "-m", "nbconvert", "--to", "notebook", "--execute", "--output", "run.ipynb", "book.ipynb")
	if got := printed(t, filepath.Join(work, "run.ipynb")); got != "42 true\n2 <nil>\n" {
		t.Errorf("the notebook printed %q", got)
	}
	lab(t, command)

	do("python3", "-m", "pip", "uninstall", "--yes", "overcomplete")
	if after := tree(t, env); !slices.Equal(before, after) {
		for _, name := range after {
			if !slices.Contains(before, name) {
				t.Errorf("pip uninstall leaves %s", name)
			}
		}
		for _, name := range before {
			if !slices.Contains(after, name) {
				t.Errorf("pip uninstall removed %s", name)
			}
		}
	}
}

// tree returns the names of all files and folders in a folder, sorted.
func tree(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if d != nil && d.Name() == "__pycache__" {
			return fs.SkipDir
		}
		names = append(names, name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// writeNotebook writes a notebook with cells for the kernel.
func writeNotebook(t *testing.T, name string, cells ...string) {
	t.Helper()
	var list []any
	for i, source := range cells {
		list = append(list, map[string]any{"cell_type": "code", "id": fmt.Sprintf("cell%d", i), "metadata": map[string]any{}, "outputs": []any{}, "execution_count": nil, "source": source})
	}
	text, err := json.Marshal(map[string]any{"nbformat": 4, "nbformat_minor": 5, "cells": list,
		"metadata": map[string]any{"kernelspec": map[string]string{"name": "overcomplete", "display_name": "Go (overcomplete)"}}})
	if err != nil {
		t.Fatal(err)
	}
	testfile.Write(t, name, text)
}

// printed returns what the cells of a notebook have printed.
func printed(t *testing.T, name string) string {
	t.Helper()
	text := testfile.Read(t, name)
	var book struct {
		Cells []struct{ Outputs []struct{ Text []string } }
	}
	if err := json.Unmarshal(text, &book); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, c := range book.Cells {
		for _, o := range c.Outputs {
			b.WriteString(strings.Join(o.Text, ""))
		}
	}
	return b.String()
}

// viaServer is a program of Python that has a kernel of a Jupyter server execute code, as JupyterLab's page does,
// and prints what the code prints.
const viaServer = `
import asyncio, json, sys
from tornado.websocket import websocket_connect

async def main(url, code):
    ws = await websocket_connect(url)
    content = {"code": code, "silent": False, "store_history": False, "user_expressions": {}, "allow_stdin": False, "stop_on_error": True}
    header = {"msg_id": "1", "session": "s", "username": "", "msg_type": "execute_request", "version": "5.3"}
    await ws.write_message(json.dumps({"channel": "shell", "header": header, "parent_header": {}, "metadata": {}, "content": content}))
    printed, replied, idle = "", False, False
    while not (replied and idle):
        m = json.loads(await ws.read_message())
        if m["parent_header"].get("msg_id") != "1":
            continue
        if m["msg_type"] == "stream":
            printed += m["content"]["text"]
        replied = replied or m["msg_type"] == "execute_reply"
        idle = idle or m["msg_type"] == "status" and m["content"]["execution_state"] == "idle"
    sys.stdout.write(printed)

asyncio.run(asyncio.wait_for(main(*sys.argv[1:]), 60))
`

// lab starts JupyterLab by its path, and has its server start the kernel and run a cell.
func lab(t *testing.T, command func(string, ...string) *exec.Cmd) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	_, port, _ := net.SplitHostPort(address)
	server := command("python3", "-m", "jupyterlab", "--no-browser", "--allow-root", "--ServerApp.port="+port, "--ServerApp.port_retries=0", "--IdentityProvider.token=secret")
	var said bytes.Buffer
	server.Stdout, server.Stderr = &said, &said
	server.WaitDelay = time.Second
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		server.Process.Signal(os.Interrupt)
		stopped := time.AfterFunc(20*time.Second, func() { server.Process.Kill() })
		defer stopped.Stop()
		server.Process.Signal(os.Interrupt) // the second one answers its question
		server.Wait()
		if t.Failed() {
			t.Logf("JupyterLab said:\n%s", said.Bytes())
		}
	}()
	// ask returns the answer of the server, or nil if it does not answer yet.
	ask := func(method, path string) map[string]any {
		r, err := http.NewRequest(method, "http://"+address+path, strings.NewReader(`{"name": "overcomplete"}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "token secret")
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			return nil
		}
		defer answer.Body.Close()
		var m map[string]any
		if err := json.NewDecoder(answer.Body).Decode(&m); err != nil || answer.StatusCode >= 300 {
			t.Fatalf("%s %s: %s, %v: %v", method, path, answer.Status, err, m)
		}
		return m
	}
	for end := time.Now().Add(patience.Long); ask("GET", "/api/status") == nil; time.Sleep(200 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("JupyterLab does not answer in %v", patience.Long)
		}
	}
	kernel := ask("POST", "/api/kernels")
	id, _ := kernel["id"].(string)
	if id == "" {
		t.Fatalf("the kernel is not started: %v", kernel)
	}
	talk := command("python3", "-c", viaServer, "ws://"+address+"/api/kernels/"+id+"/channels?token=secret", `import "fmt"
fmt.Print(6 * 7)`)
	if out, err := talk.CombinedOutput(); err != nil || string(out) != "42" {
		t.Errorf("JupyterLab's kernel prints %q, %v", out, err)
	}
}

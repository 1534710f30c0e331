package kernelspec

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"image/png"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"overcomplete/internal/patience"
	"overcomplete/internal/testfile"
	"overcomplete/kernel/wire"
)

func TestPaths(t *testing.T) {
	for _, c := range []struct {
		goos, env, home string
		user, sys       string // "" for an error
	}{
		{"linux", "", "/home/u", "/home/u/.local/share/jupyter/kernels/overcomplete", ""},
		{"linux", "XDG_DATA_HOME=/x", "/home/u", "/x/jupyter/kernels/overcomplete", ""},
		{"linux", "XDG_DATA_HOME=/x JUPYTER_DATA_DIR=/j/", "/home/u", "/j/kernels/overcomplete", ""},
		{"linux", "VIRTUAL_ENV=/v CONDA_PREFIX=/c", "", "", "/v/share/jupyter/kernels/overcomplete"},
		{"freebsd", "CONDA_PREFIX=/c", "/home/u", "/home/u/.local/share/jupyter/kernels/overcomplete", "/c/share/jupyter/kernels/overcomplete"},
		{"darwin", "XDG_DATA_HOME=/x", "/Users/u", "/Users/u/Library/Jupyter/kernels/overcomplete", ""},
		{"darwin", "JUPYTER_DATA_DIR=/j", "/Users/u", "/j/kernels/overcomplete", ""},
		{"windows", `APPDATA=C:\Users\u\AppData\Roaming`, `C:\Users\u`, `C:\Users\u\AppData\Roaming\jupyter\kernels\overcomplete`, ""},
		{"windows", `VIRTUAL_ENV=D:\env\`, `C:\Users\u`, `C:\Users\u\.jupyter\data\kernels\overcomplete`, `D:\env\share\jupyter\kernels\overcomplete`},
		{"windows", "", "", "", ""},
	} {
		env := map[string]string{}
		for _, kv := range strings.Fields(c.env) {
			k, v, _ := strings.Cut(kv, "=")
			env[k] = v
		}
		h := Host{GOOS: c.goos, Getenv: func(k string) string { return env[k] }, Home: c.home}
		user, err := h.UserDir(Name)
		if user != c.user || (err != nil) != (c.user == "") {
			t.Errorf("%s %s: UserDir %q, %v, want %q", c.goos, c.env, user, err, c.user)
		}
		sys, err := h.SysPrefixDir(Name)
		if sys != c.sys || (err != nil) != (c.sys == "") {
			t.Errorf("%s %s: SysPrefixDir %q, %v, want %q", c.goos, c.env, sys, err, c.sys)
		}
		if err != nil && !strings.Contains(err.Error(), "--prefix") {
			t.Errorf("the error does not say what to do: %v", err)
		}
	}
	if got := (Host{GOOS: "linux"}).PrefixDir("/", Name); got != "/share/jupyter/kernels/overcomplete" {
		t.Errorf("PrefixDir(/) = %q", got)
	}
}

// The kernel of a prefix finds its program wherever the prefix is.
func TestInPrefix(t *testing.T) {
	prefix := t.TempDir()
	dir := (Host{GOOS: "linux"}).PrefixDir(prefix, Name)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	files, err := Files(NewInPrefix("linux", "1"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		testfile.Write(t, filepath.Join(dir, f.Name), f.Data)
	}
	spec, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(prefix, "bin", "overcomplete"); spec.Argv[0] != want || spec.Argv[2] != "{connection_file}" {
		t.Errorf("%q; the program is %s", spec.Argv, want)
	}
	if version, own := spec.Own(); !own || version != "1" {
		t.Errorf("%q, %v", version, own)
	}
	if removed, kept, err := Uninstall(dir); len(removed) != len(files)+1 || kept || err != nil {
		t.Errorf("Uninstall: %q, %v, %v", removed, kept, err)
	}
	if got := NewInPrefix("windows", "1").Argv[0]; got != `{resource_dir}\..\..\..\..\Scripts\overcomplete.exe` {
		t.Error(got)
	}
}

func TestInstallAndUninstall(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "kernels", Name)
	if _, err := Read(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Read before Install: %v", err)
	}
	if removed, _, err := Uninstall(dir); len(removed) > 0 || err != nil {
		t.Errorf("Uninstall of nothing: %v, %v", removed, err)
	}
	if _, err := Install(dir, New("overcomplete", "1")); err == nil {
		t.Error("a relative path was accepted")
	}
	binary, err := filepath.Abs("bin/overcomplete")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time over an existing kernel
		files, err := Install(dir, New(binary, "v1.2.3"))
		if err != nil || len(files) != 4 {
			t.Fatal(files, err)
		}
	}
	raw := testfile.Read(t, filepath.Join(dir, "kernel.json"))
	var got map[string]any
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	argv, _ := json.Marshal(got["argv"])
	wantArgv, _ := json.Marshal([]string{binary, "kernel", "{connection_file}"})
	if !bytes.Equal(argv, wantArgv) || got["display_name"] != "Go (overcomplete)" || got["language"] != "go" ||
		got["interrupt_mode"] != "message" || got["metadata"].(map[string]any)["debugger"] != true {
		t.Errorf("kernel.json: %s", raw)
	}
	for size, name := range map[int]string{32: "logo-32x32.png", 64: "logo-64x64.png"} {
		f, err := os.Open(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		im, err := png.Decode(f)
		f.Close()
		if err != nil || im.Bounds().Dx() != size || im.Bounds().Dy() != size {
			t.Errorf("%s: %v, %v", name, im.Bounds(), err)
		}
	}
	entries, _ := os.ReadDir(dir)
	if len(entries) != 4 {
		t.Errorf("files in the folder: %v", entries)
	}

	// Files that the user has added stay, and so does the folder.
	own := filepath.Join(dir, "notes.txt")
	os.WriteFile(own, nil, 0o600)
	removed, kept, err := Uninstall(dir)
	if err != nil || !kept || len(removed) != 4 || slices.Contains(removed, own) {
		t.Errorf("Uninstall: %v, %v, %v", removed, kept, err)
	}
	os.Remove(own)
	if removed, kept, err = Uninstall(dir); err != nil || kept || !slices.Contains(removed, dir) {
		t.Errorf("Uninstall: %v, %v, %v", removed, kept, err)
	}
}

// There are several versions side by side, kernels of other programs, and logos that the user has replaced.
func TestOthers(t *testing.T) {
	root := t.TempDir()
	binary, _ := filepath.Abs("overcomplete")
	var specs []string
	for _, name := range []string{"overcomplete", "overcomplete-next", "Go.2_x"} {
		spec := New(binary, "v2")
		spec.DisplayName = "Go " + name
		spec.Env = map[string]string{"OVERCOMPLETE_DATA": "/d", "GOMEMLIMIT": "4GiB"}
		dir := filepath.Join(root, name)
		if _, err := Install(dir, spec); err != nil {
			t.Fatal(err)
		}
		specs = append(specs, dir)
		got, err := Read(dir)
		version, own := got.Own()
		if err != nil || version != "v2" || !own || got.DisplayName != "Go "+name || got.Env["GOMEMLIMIT"] != "4GiB" {
			t.Errorf("%+v, %v", got, err)
		}
	}
	for _, name := range []string{"", "a b", "größe", "..", "a/b"} {
		if CheckName(name) == nil {
			t.Errorf("%q was accepted", name)
		}
	}
	if _, err := Install(filepath.Join(root, "a b"), New(binary, "")); err == nil {
		t.Error("a name that Jupyter refuses was accepted")
	}
	// A replaced logo stays, and only this one kernel is removed.
	os.WriteFile(filepath.Join(specs[1], "logo-64x64.png"), []byte("mine"), 0o644)
	removed, kept, err := Uninstall(specs[1])
	if err != nil || !kept || len(removed) != 3 {
		t.Errorf("%v, %v, %v", removed, kept, err)
	}
	if _, err := Read(specs[0]); err != nil {
		t.Error(err)
	}
	// The kernel of another program is neither overwritten nor removed.
	other := filepath.Join(root, "gophernotes")
	os.Mkdir(other, 0o755)
	os.WriteFile(filepath.Join(other, "kernel.json"), []byte(`{"argv":["gophernotes","{connection_file}"],"display_name":"Go","language":"go"}`), 0o644)
	if _, err := Install(other, New(binary, "")); err == nil || !strings.Contains(err.Error(), "a different kernel") {
		t.Errorf("Install: %v", err)
	}
	if removed, _, err := Uninstall(other); err == nil || len(removed) > 0 {
		t.Errorf("Uninstall: %v, %v", removed, err)
	}
	// The folder is not a kernel of this program.
	plain := t.TempDir()
	os.WriteFile(filepath.Join(plain, "logo-64x64.png"), []byte("mine"), 0o644)
	if removed, _, err := Uninstall(plain); err != nil || len(removed) > 0 {
		t.Errorf("Uninstall of nothing of ours: %v, %v", removed, err)
	}
	// A spec written before versions were recorded is still recognized.
	old := Spec{Argv: []string{binary, "kernel", "{connection_file}"}, DisplayName: "Go (overcomplete)"}
	if v, own := old.Own(); !own || v != "" {
		t.Errorf("an old spec: %q, %v", v, own)
	}
}

func TestSystemAndSearch(t *testing.T) {
	for _, c := range []struct{ goos, env, home, system, search, runtime string }{
		{"linux", "JUPYTER_PATH=/a:/b VIRTUAL_ENV=/v", "/home/u", "/usr/local/share/jupyter/kernels/k",
			"/a/kernels /b/kernels /home/u/.local/share/jupyter/kernels /v/share/jupyter/kernels /usr/local/share/jupyter/kernels /usr/share/jupyter/kernels", "/home/u/.local/share/jupyter/runtime"},
		{"linux", "JUPYTER_PREFER_ENV_PATH=1 CONDA_PREFIX=/usr/local JUPYTER_RUNTIME_DIR=/r", "/home/u", "/usr/local/share/jupyter/kernels/k",
			"/usr/local/share/jupyter/kernels /home/u/.local/share/jupyter/kernels /usr/share/jupyter/kernels", "/r"},
		{"darwin", "", "/Users/u", "/usr/local/share/jupyter/kernels/k",
			"/Users/u/Library/Jupyter/kernels /usr/local/share/jupyter/kernels /usr/share/jupyter/kernels", "/Users/u/Library/Jupyter/runtime"},
		{"windows", `PROGRAMDATA=C:\ProgramData APPDATA=C:\R JUPYTER_PATH=D:\a;D:\b`, `C:\Users\u`, `C:\ProgramData\jupyter\kernels\k`,
			`D:\a\kernels D:\b\kernels C:\R\jupyter\kernels C:\ProgramData\jupyter\kernels`, `C:\R\jupyter\runtime`},
		{"windows", "", `C:\Users\u`, "", `C:\Users\u\.jupyter\data\kernels`, `C:\Users\u\.jupyter\data\runtime`},
	} {
		env := map[string]string{}
		for _, kv := range strings.Fields(c.env) {
			k, v, _ := strings.Cut(kv, "=")
			env[k] = v
		}
		h := Host{GOOS: c.goos, Getenv: func(k string) string { return env[k] }, Home: c.home}
		if dir, err := h.SystemDir("k"); dir != c.system || (err != nil) != (c.system == "") {
			t.Errorf("%s: SystemDir %q, %v", c.goos, dir, err)
		}
		if got := strings.Join(h.Search(), " "); got != c.search {
			t.Errorf("%s: Search\n%s\nwant\n%s", c.goos, got, c.search)
		}
		if dir, err := h.RuntimeDir(); dir != c.runtime || err != nil {
			t.Errorf("%s: RuntimeDir %q, %v", c.goos, dir, err)
		}
	}
}

// TestMain also serves as the kernel that TestCheck starts.
func TestMain(m *testing.M) {
	switch os.Getenv("KERNELSPEC_TEST") {
	case "":
		os.Exit(m.Run())
	case "crash":
		os.Stderr.WriteString("out of luck\n")
		os.Exit(3)
	case "mute":
		time.Sleep(time.Hour)
	case "good":
		info, err := wire.ReadConnectionFile(os.Args[1])
		if err != nil {
			log.Fatal(err)
		}
		s, err := wire.Listen(info, "k", log.Default())
		if err != nil {
			log.Fatal(err)
		}
		reply := func(r *wire.Router, content string) {
			m, err := r.Recv()
			if err != nil {
				log.Fatal(err)
			}
			r.Send(&wire.Message{Identities: m.Identities, Header: wire.NewHeader("k", "k", "reply"), ParentHeader: m.RawHeader, Content: []byte(content)})
		}
		reply(s.Shell, `{"implementation":"test","implementation_version":"1","language_info":{"name":"go","version":"go1"}}`)
		reply(s.Control, `{}`)
		s.Close()
	}
}

func TestCheck(t *testing.T) {
	if runtime.GOOS == "js" {
		t.Skip("no processes")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	check := func(kind string, limit time.Duration) (Report, error) {
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		defer cancel()
		return Check(ctx, Spec{Argv: []string{self, "{connection_file}"}, Env: map[string]string{"KERNELSPEC_TEST": kind}})
	}
	r, err := check("good", patience.Long)
	if err != nil || r.Implementation != "test" || r.Version != "1" || r.Language != "go go1" || r.Ready <= 0 {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := check("crash", patience.Long); err == nil || !strings.Contains(err.Error(), "exit status 3") || !strings.Contains(err.Error(), "out of luck") {
		t.Errorf("a kernel that crashes: %v", err)
	}
	if _, err := check("mute", 200*time.Millisecond); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a kernel that says nothing: %v", err)
	}
	if _, err := Check(context.Background(), Spec{Argv: []string{filepath.Join(t.TempDir(), "none")}}); err == nil {
		t.Error("a program that does not exist was started")
	}
}

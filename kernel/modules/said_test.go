package modules

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"overcomplete/internal/module"
	"overcomplete/internal/patience"
)

const linker = "/usr/local/go/pkg/tool/linux_amd64/link: "

func TestLinkFault(t *testing.T) {
	gcc := "/usr/bin/gcc -m64 -o $WORK/b001/exe/a.out /tmp/go-link-1/go.o -lnosuch -no-pie\n"
	running := linker + "running gcc failed: exit status 1\n"
	for _, c := range []struct{ name, said, advice, kept string }{
		{"library", "# x/cmd/overcomplete\n" + running + gcc + "/usr/bin/ld: cannot find -lnosuch: No such file or directory\ncollect2: error: ld returned 1 exit status",
			"install the C library nosuch with its development files, or remove the import that needs it",
			running + "/usr/bin/ld: cannot find -lnosuch: No such file or directory\ncollect2: error: ld returned 1 exit status"},
		{"library on macOS", running + gcc + "ld: library 'nosuch' not found",
			"install the C library nosuch with its development files, or remove the import that needs it", running + "ld: library 'nosuch' not found"},
		{"function", running + gcc + "c.go:56: undefined reference to `cblas_dgemm'",
			"a C library is missing: name it in the kernel's environment variable CGO_LDFLAGS, or remove the import that needs it", running + "c.go:56: undefined reference to `cblas_dgemm'"},
		{"no compiler", linker + "running gcc failed: exec: \"gcc\": executable file not found in $PATH",
			"install a C compiler, or disable cgo with `%mod cgo off`", linker + "running gcc failed: exec: \"gcc\": executable file not found in $PATH"},
		{"memory", "go build x/cmd/overcomplete: " + linker + "signal: killed",
			"there may be too little memory: close other programs", "go build x/cmd/overcomplete: " + linker + "signal: killed"},
		{"linkname", "# x/cmd/overcomplete\nlink: golang.org/x/net/route: invalid reference to syscall.parse",
			"try a newer version of the package: Go no longer lets packages use syscall.parse", "link: golang.org/x/net/route: invalid reference to syscall.parse"},
		{"symbol", "# x\na.b/c.F: relocation target a.b/c.g not defined", "", "a.b/c.F: relocation target a.b/c.g not defined"},
		{"Windows", `C:\Program Files\Go\pkg\tool\windows_amd64\link.exe: signal: killed`,
			"there may be too little memory: close other programs", `C:\Program Files\Go\pkg\tool\windows_amd64\link.exe: signal: killed`},
	} {
		e := linkFault([]string{"a.b/c", "d.e/f"}, c.said)
		if e == nil || e.Text != "could not link the program with a.b/c and d.e/f" || e.What != "" || e.Advice != c.advice || e.Said != c.kept {
			t.Errorf("%s: %+v", c.name, e)
		}
	}
	long := linkFault([]string{"a.b/c"}, running+gcc+strings.Repeat("undefined reference to `f'\n", 100)+"the end")
	if n := strings.Count(long.Said, "\n") + 1; n != maxLinker || !strings.HasSuffix(long.Said, "\nthe end") || long.What != "a.b/c" {
		t.Errorf("%d lines: %+v", n, long)
	}
	for _, said := range []string{
		"", linker + "running gcc failed\nld: final link failed: No space left on device",
		"no required module provides package github.com/x/link: go.mod", "# a.b/c\nc.go:1:2: undefined: link",
	} {
		if e := linkFault([]string{"a.b/c"}, said); e != nil {
			t.Errorf("%q: %+v", said, e)
		}
	}
}

func TestEnumerate(t *testing.T) {
	for _, c := range []struct{ names, want string }{
		{"", ""}, {"a", "a"}, {"a b", "a and b"}, {"a b c d", "a, b, c and d"}, {"a b c d e", "a, b, c and 2 more"},
	} {
		if got := enumerate(strings.Fields(c.names)); got != c.want {
			t.Errorf("%q: %s", c.names, got)
		}
	}
}

func TestWithoutProgress(t *testing.T) {
	said := "go: downloading a.b/c v1.0.0\nos/user\nnet\narchive/tar\n# a.b/c\nc.go:1:2: undefined: x\ncollect2: error: no\na.b/c/v2\n"
	if got, want := withoutProgress(said), "# a.b/c\nc.go:1:2: undefined: x\ncollect2: error: no"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := withoutProgress("os\nnet\n"); got != "" {
		t.Errorf("%q", got)
	}
}

func TestBlamed(t *testing.T) {
	for said, want := range map[string]string{
		"":                                "a.b/c",
		"# d.e/f\nf.go:1:2: undefined: x": "d.e/f",
		"# w.x/y\ny.c:3:4: warning: error: unused\n# d.e/f\nf.c:1:2: error: no": "d.e/f",
		"# w.x/y\ny.c:3:4: warning: unused\n/z/link: running gcc failed":        "a.b/c",
		"# " + module.Path + "/cmd/overcomplete\nmain.go:1:2: undefined":        "a.b/c",
		"c.go:1:2: undefined: x": "a.b/c",
	} {
		if got := blamedPackage("a.b/c", said); got != want {
			t.Errorf("%q: %s, want %s", said, got, want)
		}
	}
}

// TestLinkFails: one of two packages has C code that needs a missing library. The linker does not say which
// package needs the library.
func TestLinkFails(t *testing.T) {
	patience.SkipShort(t, "it builds programs")
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("no gcc")
	}
	w := newWorld(t)
	w.publishAs("example.com/lib", "v1.0.0", txtar.Parse([]byte("-- go.mod --\nmodule example.com/lib\n\ngo 1.21\n-- lib.go --\npackage lib\n\n"+
		"// int nosuch(int);\nimport \"C\"\n\nfunc F() int { return int(C.nosuch(1)) }\n"+
		"-- header/header.go --\npackage header\n\n// #include <nosuch.h>\nimport \"C\"\n\nconst N = C.N\n")))
	e := w.open()
	e.SetCgo(true)
	var fault *Error
	_, err := e.Compile(context.Background(), []string{"example.com/hello", "example.com/lib"}, nil)
	if !errors.As(err, &fault) || fault.Text != "could not link the program with example.com/hello and example.com/lib" ||
		!strings.HasPrefix(fault.Advice, "a C library is missing") || !strings.Contains(fault.Said, "nosuch") || strings.Contains(fault.Said, " -m64 ") {
		t.Errorf("%v\n%s", err, said(err))
	}
	_, err = e.Compile(context.Background(), []string{"example.com/hello", "example.com/lib/header"}, nil)
	if !errors.As(err, &fault) || fault.Text != "example.com/lib/header needs the C header nosuch.h, which is not on this machine" {
		t.Errorf("%v\n%s", err, said(err))
	}
}

func TestNamed(t *testing.T) {
	for _, c := range []struct{ what, said, path, version string }{
		{"a.b/c", "", "a.b/c", ""},
		{"a.b/c@v9.9.9", "", "a.b/c", "v9.9.9"},
		{"a.b/c@latest", "go: a.b/c@latest: module a.b/c: reading https://x.y/a.b/c/@v/list: 404 Not Found", "a.b/c", ""},
		{"a.b/c@1.4.0", "go: a.b/c@1.4.0: invalid version: unknown revision 1.4.0", "a.b/c", "1.4.0"},
		{"a.b/c/sub", "a.b/c@v1.3.0: module lookup disabled by GOPROXY=off", "a.b/c", "v1.3.0"},
		{"a.b/c@v1.0.0", "go: a.b/c@v1.0.0 requires\n\td.e/f@v1.2.0: reading https://x.y/d.e/f/@v/v1.2.0.mod: 404 Not Found", "d.e/f", "v1.2.0"},
		{"a.b/c", "Get \"https://me@x.y/z\": dial tcp: no such host", "a.b/c", ""},
		{"a.b/c", "reading ssh://git@github.com: no", "a.b/c", ""},
	} {
		if path, version := blamedModule(c.what, c.said); path != c.path || version != c.version {
			t.Errorf("%q, %q: %s %s, want %s %s", c.what, c.said, path, version, c.path, c.version)
		}
	}
}

func TestLacksV(t *testing.T) {
	for version, want := range map[string]bool{"": false, "1.4.0": true, "1.4": true, "1.4.0-rc.1": true, "v1.4.0": false, "1234567": false, "main": false, "go1.22.1": false} {
		if got := lacksV(version); got != want {
			t.Errorf("%q: %v", version, got)
		}
	}
}

package modules

import "testing"

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

package modcache

import (
	"maps"
	"os"
	"path/filepath"
	"testing"
)

// TestSetting: a setting comes from the environment, or else from the file of `go env -w`.
func TestSetting(t *testing.T) {
	file := filepath.Join(t.TempDir(), "env")
	if err := os.WriteFile(file, []byte("GOAMD64=v3\nGOFLAGS=-tags=a b\n#GOEXPERIMENT=x\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOENV", file)
	got := map[string]string{}
	for _, name := range []string{"GOAMD64", "GOFLAGS", "GOEXPERIMENT"} {
		t.Setenv(name, "")
		got[name] = Setting(name)
	}
	if want := map[string]string{"GOAMD64": "v3", "GOFLAGS": "-tags=a b", "GOEXPERIMENT": ""}; !maps.Equal(got, want) {
		t.Errorf("%q", got)
	}
	t.Setenv("GOAMD64", "v1")
	if s := Setting("GOAMD64"); s != "v1" {
		t.Error(s)
	}
	t.Setenv("GOAMD64", "")
	t.Setenv("GOENV", "off")
	if s := Setting("GOAMD64"); s != "" {
		t.Error(s)
	}
}

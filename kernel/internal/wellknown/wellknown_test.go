package wellknown

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/module"

	"overcomplete/kernel/bind"
	_ "overcomplete/kernel/internal/bindings"
)

// TestPaths: the go command accepts each path; each path contains the package's name, and the package does
// not come with the kernel.
func TestPaths(t *testing.T) {
	all := All()
	if len(all) < 30 || len(all) > 45 || !slices.IsSorted(all) {
		t.Errorf("%d paths, sorted: %v", len(all), slices.IsSorted(all))
	}
	major := regexp.MustCompile(`/v[0-9]+$|\.v[0-9]+$`)
	for name, p := range paths {
		if err := module.CheckImportPath(p); err != nil {
			t.Error(err)
		}
		last := path.Base(major.ReplaceAllString(p, ""))
		if strings.TrimPrefix(strings.TrimSuffix(last, "-go"), "go-") != name {
			t.Errorf("%s is not called %s", p, name)
		}
		if bind.Name(p) != "" {
			t.Errorf("the kernel comes with %s", p)
		}
	}
	if Named("uuid") != "github.com/google/uuid" || Named("fmt") != "" {
		t.Error("uuid or fmt")
	}
}

func TestCalled(t *testing.T) {
	for path, want := range map[string]string{
		"uuid": "github.com/google/uuid", "google/uuid": "github.com/google/uuid", "arrow/array": "github.com/apache/arrow-go/v18/arrow/array",
		"github.com/google/uuid": "", "other/uuid": "", "gle/uuid": "", "v3": "", "": "", "/": "",
	} {
		if got := Called(path); got != want {
			t.Errorf("%q is %q, want %q", path, got, want)
		}
	}
}

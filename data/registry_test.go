package data

import (
	"net/url"
	"os"
	"overcomplete/internal/module"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestTable(t *testing.T) {
	hex := regexp.MustCompile(`^[0-9a-f]{64}$`)
	names := map[string]bool{}
	var order []string
	for _, s := range Sets() {
		order = append(order, s.Name)
		if s.What == "" || s.License == "" || s.Cite == "" || s.Home == "" || len(s.Files) == 0 {
			t.Errorf("%s: something is missing", s.Name)
		}
		if dir, ok := strings.CutPrefix(s.Loader, module.Package("data/")); !ok {
			t.Errorf("%s: loader %q", s.Name, s.Loader)
		} else if _, err := os.Stat(filepath.Join(dir, "doc.go")); err != nil {
			t.Error(s.Name, err)
		}
		for _, f := range s.Files {
			for _, n := range f.names() {
				if names[n] || n != filepath.Base(n) {
					t.Errorf("%s: file name %q", s.Name, n)
				}
				names[n] = true
			}
			if (s.ByHand == "") != (len(f.URLs) > 0) {
				t.Errorf("%s: %s: by hand %q, addresses %q", s.Name, f.Name, s.ByHand, f.URLs)
			}
			for _, a := range f.URLs {
				if u, err := url.Parse(a); err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
					t.Errorf("%s: %q", s.Name, a)
				}
			}
			if f.Size > f.Limit && f.Limit != 0 {
				t.Errorf("%s: %s: size %d, limit %d", s.Name, f.Name, f.Size, f.Limit)
			}
			c := f.Content
			all := slices.Clone(f.SHA256)
			ways := 0
			for _, m := range c.Members {
				all = append(all, m.SHA256)
			}
			for _, x := range []string{c.Unpacked, c.Values} {
				if x != "" {
					ways++
					all = append(all, x)
				}
			}
			if len(c.Members) > 0 {
				ways++
			}
			// course-faces is the only set without checksums.
			if (ways == 1) != (len(f.SHA256) > 0) || (ways == 0) != (s.Name == "course-faces") {
				t.Errorf("%s: %s: %d ways to know the content, %d sums", s.Name, f.Name, ways, len(f.SHA256))
			}
			for _, x := range all {
				if !hex.MatchString(x) {
					t.Errorf("%s: the sum %q", s.Name, x)
				}
			}
		}
	}
	if !slices.IsSorted(order) || len(order) != 10 {
		t.Errorf("sets %q", order)
	}
	for name, want := range map[string]int{"att-faces": 400, "cifar10": 7, "fsdd": 120, "natural": 10, "reviews": 20} {
		if s, err := Find(name); err != nil || len(s.Files[0].Content.Members) != want {
			t.Errorf("%s: %d members, %v", name, len(s.Files[0].Content.Members), err)
		}
	}
	// The list is a copy, so changes by a caller do not affect later calls.
	Sets()[1].Files[0].Content.Members[0].SHA256 = "changed"
	if Sets()[1].Files[0].Content.Members[0].SHA256 == "changed" {
		t.Error("the registry can be changed from outside")
	}
}

func TestFind(t *testing.T) {
	for name, want := range map[string]string{
		"mnits": `did you mean "mnist"?`, "CIFAR10": `did you mean "cifar10"?`, "faces": "the sets are att-faces, cifar10", "zzzzzzzzzzzz": "the sets are",
	} {
		if _, err := Find(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Find(strings.Repeat("z", 1<<20)); err == nil || strings.Contains(err.Error(), "did you mean") {
		t.Errorf("%.100v", err)
	}
	if _, err := Path("mnist", "none.gz"); err == nil || !strings.Contains(err.Error(), "its files are train-images") {
		t.Error(err)
	}
}

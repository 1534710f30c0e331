package live

import (
	"fmt"
	"slices"
	"strings"

	"overcomplete/internal/module"
	"overcomplete/kernel/bind"
	"overcomplete/kernel/internal/needs"
	"overcomplete/kernel/magic"
	"overcomplete/kernel/notebook"
)

// A Set determines the packages that cells can import in a kernel for the browser: all packages of the kernel
// except those that the set leaves out.
type Set struct {
	Name string
	// Out lists the import paths of the packages that are left out. A path that ends in /... includes all
	// packages below it.
	Out []string
	// Tags are build tags that make other packages leave out parts of their code.
	Tags []string
}

// Sets lists all sets, smallest first.
var Sets = []Set{
	{Name: "base", Out: []string{
		// These need a network, processes or signals, which a browser does not have.
		"net/...", "os/exec", "os/signal", "os/user",
		// These import most of the network code.
		"crypto/tls", "crypto/x509/...", "mime/multipart",
		// These are ciphers and keys, but not hashes.
		"crypto/aes", "crypto/cipher", "crypto/des", "crypto/dsa", "crypto/ecdh", "crypto/ecdsa", "crypto/ed25519", "crypto/elliptic",
		"crypto/fips140", "crypto/hkdf", "crypto/hpke", "crypto/mlkem", "crypto/pbkdf2", "crypto/rc4", "crypto/rsa", "encoding/asn1", "encoding/pem",
		// These are for programs and compilers.
		"debug/...", "go/...", "runtime/metrics", "runtime/pprof", "runtime/trace",
		"testing/fstest", "testing/iotest", "testing/quick", "testing/slogtest", "testing/synctest",
		// These are databases, and data frames that can read from a database.
		"database/...", "github.com/go-gota/...", module.Package("kernel-helpers/frame"),
		"archive/...", "gonum.org/v1/gonum/optimize/functions", "encoding/gob", "encoding/xml", "html/template", "text/template/...", "log/slog", "index/suffixarray",
		// This is for printed pictures.
		"gonum.org/v1/plot/vg/vgpdf",
	}, Tags: []string{"minimal"}}, // with this tag gonum/plot cannot save PDF, EPS and TeX
	{Name: "full"},
}

// Named returns the set with the given name.
func Named(name string) (Set, error) {
	var names []string
	for _, s := range Sets {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return Set{}, fmt.Errorf("unknown set of packages %q: the sets are %s", name, strings.Join(names, ", "))
}

// Leaves reports whether the set leaves out a package.
func (s Set) Leaves(path string) bool {
	return slices.ContainsFunc(s.Out, func(out string) bool {
		below, ok := strings.CutSuffix(out, "/...")
		return path == out || ok && (path == below || strings.HasPrefix(path, below+"/"))
	})
}

// Smallest returns the smallest set that has all packages in imports.
func Smallest(imports []string) Set {
	for _, s := range Sets {
		if !slices.ContainsFunc(imports, s.Leaves) {
			return s
		}
	}
	return Sets[len(Sets)-1]
}

// Imports lists the packages that the cells of notebooks import, sorted and without duplicates. Packages that have
// been renamed are listed by their new paths.
func Imports(notebooks ...*notebook.Notebook) []string {
	var list []string
	for _, nb := range notebooks {
		for _, c := range nb.Cells {
			if c.Type != notebook.Code {
				continue
			}
			for _, i := range needs.Of(magic.Read(c.Source), nil).Imports {
				list = append(list, bind.Current(i.Path))
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

package randprog

import (
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os/exec"
	"strings"
	"sync"
)

// A Checker type-checks programs. It reads each imported package only once.
type Checker struct {
	fset *token.FileSet
	from types.Importer
}

// NewChecker returns a Checker that reads the standard library's source, which must be installed.
func NewChecker() *Checker {
	findRoot()
	fset := token.NewFileSet()
	return &Checker{fset, importer.ForCompiler(fset, "source", nil)}
}

// findRoot asks the go command where the standard library is; a binary built with -trimpath does not contain
// the path.
var findRoot = sync.OnceFunc(func() {
	if build.Default.GOROOT != "" {
		return
	}
	if out, err := exec.Command("go", "env", "GOROOT").Output(); err == nil {
		build.Default.GOROOT = strings.TrimSpace(string(out))
	}
})

// Check returns the first error of the program src, or nil if src parses and type-checks.
func (c *Checker) Check(src string) error {
	_, _, err := c.check(src)
	return err
}

func (c *Checker) check(src string) (*ast.File, *types.Info, error) {
	f, err := parser.ParseFile(c.fset, "p.go", src, parser.SkipObjectResolution)
	if err != nil {
		return nil, nil, err
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	conf := types.Config{Importer: c.from}
	_, err = conf.Check("main", c.fset, []*ast.File{f}, info)
	return f, info, err
}

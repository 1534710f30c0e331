package bind

import (
	"bytes"
	"crypto/hkdf"
	"crypto/pbkdf2"
	"database/sql"
	"database/sql/driver"
	"embed"
	"go/ast"
	"hash"
	"hash/maphash"
	"strings"
	_ "time/tzdata" // some systems have no time zones: Windows without Go, a bare container, a browser
	"unique"
	"unsafe"

	"github.com/goplus/ixgo"

	// The interpreter runs the generic functions of these packages from source.
	_ "github.com/goplus/ixgo/pkg/cmp"
	_ "github.com/goplus/ixgo/pkg/iter"
	_ "github.com/goplus/ixgo/pkg/maps"
	_ "github.com/goplus/ixgo/pkg/math/rand/v2"
	_ "github.com/goplus/ixgo/pkg/reflect"
	_ "github.com/goplus/ixgo/pkg/runtime"
	_ "github.com/goplus/ixgo/pkg/slices"
	_ "github.com/goplus/ixgo/pkg/sync"
	_ "github.com/goplus/ixgo/pkg/sync/atomic"
	_ "github.com/goplus/ixgo/pkg/weak"

	// Entry points for the methods of cells, see the package comment.
	_ "overcomplete/kernel/internal/entrypoints"
)

// viaInterpreter maps the import paths above to package names.
var viaInterpreter = map[string]string{
	"cmp":          "cmp",
	"iter":         "iter",
	"maps":         "maps",
	"math/rand/v2": "rand",
	"reflect":      "reflect",
	"runtime":      "runtime",
	"slices":       "slices",
	"sync":         "sync",
	"sync/atomic":  "atomic",
	"unique":       "unique",
	"weak":         "weak",
}

// patches holds source that the interpreter adds to packages: generic functions, and functions that return an instance
// of a generic type. Through reflection, the interpreter could not recognize such an instance as an iter.Seq.
//
//go:embed patch/*.go.txt
var patches embed.FS

func init() {
	Register(&Package{Path: "time/tzdata", Name: "tzdata"})             // exports nothing
	ixgo.RegisterPackage(&ixgo.Package{Path: "unique", Name: "unique"}) // all of it is in its patch: cells of one session share the values
	for _, path := range []string{"bytes", "crypto/hkdf", "crypto/pbkdf2", "database/sql", "errors", "go/ast", "hash/maphash", "reflect", "strings", "unique"} {
		src, err := patches.ReadFile("patch/" + strings.ReplaceAll(path, "/", "_") + ".go.txt")
		if err != nil {
			panic(err)
		}
		ixgo.RegisterPatch(path, src)
	}
	// The implementations of functions without a body in these patches.
	for name, f := range map[string]any{
		"bytes.lines":         func(s []byte) func(func([]byte) bool) { return bytes.Lines(s) },
		"bytes.splitSeq":      func(s, sep []byte) func(func([]byte) bool) { return bytes.SplitSeq(s, sep) },
		"bytes.splitAfterSeq": func(s, sep []byte) func(func([]byte) bool) { return bytes.SplitAfterSeq(s, sep) },
		"bytes.fieldsSeq":     func(s []byte) func(func([]byte) bool) { return bytes.FieldsSeq(s) },
		"bytes.fieldsFuncSeq": func(s []byte, f func(rune) bool) func(func([]byte) bool) { return bytes.FieldsFuncSeq(s, f) },

		"crypto/hkdf.expand":           hkdf.Expand[hash.Hash],
		"crypto/hkdf.extract":          hkdf.Extract[hash.Hash],
		"crypto/hkdf.key":              hkdf.Key[hash.Hash],
		"crypto/pbkdf2.key":            pbkdf2.Key[hash.Hash],
		"database/sql.assign":          assign,
		"database/sql.value":           func(v any) (driver.Value, error) { return sql.Null[any]{V: v, Valid: true}.Value() },
		"go/ast.preorder":              func(root ast.Node) func(func(ast.Node) bool) { return ast.Preorder(root) },
		"hash/maphash.comparableOf":    maphash.Comparable[any],
		"hash/maphash.writeComparable": maphash.WriteComparable[any],

		"strings.lines":         func(s string) func(func(string) bool) { return strings.Lines(s) },
		"strings.splitSeq":      func(s, sep string) func(func(string) bool) { return strings.SplitSeq(s, sep) },
		"strings.splitAfterSeq": func(s, sep string) func(func(string) bool) { return strings.SplitAfterSeq(s, sep) },
		"strings.fieldsSeq":     func(s string) func(func(string) bool) { return strings.FieldsSeq(s) },
		"strings.fieldsFuncSeq": func(s string, f func(rune) bool) func(func(string) bool) { return strings.FieldsFuncSeq(s, f) },

		"unique.canonical": func(v any) unsafe.Pointer {
			h := unique.Make(v)
			return *(*unsafe.Pointer)(unsafe.Pointer(&h)) // its only field
		},
	} {
		ixgo.RegisterExternal(name, f)
	}
}

// assign stores src in *dest, and reports whether a sql.Null is valid afterwards.
func assign(dest, src any) (valid bool, err error) {
	err = convertAssign(dest, src)
	return err == nil || validAfterError, err
}

// validAfterError reports whether a sql.Null is valid after an error, as it was before Go 1.27.
var validAfterError = func() bool {
	var n sql.Null[int]
	return n.Scan("not a number") != nil && n.Valid
}()

// convertAssign stores src in *dest, as Scan does.
//
//go:linkname convertAssign database/sql.convertAssign
func convertAssign(dest, src any) error

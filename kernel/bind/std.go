package bind

import (
	"crypto/hkdf"
	"crypto/pbkdf2"
	"database/sql"
	"database/sql/driver"
	"embed"
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

	// Entry points for the methods of cells; see the package comment.
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

// patches holds source that the interpreter adds to packages: generic functions.
//
//go:embed patch/*.go.txt
var patches embed.FS

func init() {
	Register(&Package{Path: "time/tzdata", Name: "tzdata"})             // exports nothing
	ixgo.RegisterPackage(&ixgo.Package{Path: "unique", Name: "unique"}) // all of it is in its patch: cells of one session share the values
	for _, path := range []string{"crypto/hkdf", "crypto/pbkdf2", "database/sql", "errors", "hash/maphash", "reflect", "unique"} {
		src, err := patches.ReadFile("patch/" + strings.ReplaceAll(path, "/", "_") + ".go.txt")
		if err != nil {
			panic(err)
		}
		ixgo.RegisterPatch(path, src)
	}
	// The implementations of functions without a body in these patches.
	for name, f := range map[string]any{
		"crypto/hkdf.expand":           hkdf.Expand[hash.Hash],
		"crypto/hkdf.extract":          hkdf.Extract[hash.Hash],
		"crypto/hkdf.key":              hkdf.Key[hash.Hash],
		"crypto/pbkdf2.key":            pbkdf2.Key[hash.Hash],
		"database/sql.assign":          assign,
		"database/sql.value":           func(v any) (driver.Value, error) { return sql.Null[any]{V: v, Valid: true}.Value() },
		"hash/maphash.comparableOf":    maphash.Comparable[any],
		"hash/maphash.writeComparable": maphash.WriteComparable[any],

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

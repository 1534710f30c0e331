package main

import "slices"

// standard lists the packages of the standard library that cells may import, in addition to the packages in
// bind/std.go. The list leaves out four kinds of packages. Some differ between systems (log/syslog; the table of
// syscall is written by hand). Some register themselves with every web server in the process once they are linked
// (expvar, net/http/pprof). Some read object files (debug/elf and the like); their many constants took up a fifth of
// all the tables, and %%native cells can import these packages. Some are for the toolchain or useless in a cell
// (plugin, runtime/cgo, runtime/coverage, runtime/race, and crypto's packages for tests).
var standard = []string{
	"archive/tar",
	"archive/zip",
	"bufio",
	"bytes",
	"compress/bzip2",
	"compress/flate",
	"compress/gzip",
	"compress/lzw",
	"compress/zlib",
	"container/heap",
	"container/list",
	"container/ring",
	"context",
	"crypto",
	"crypto/aes",
	"crypto/cipher",
	"crypto/des",
	"crypto/dsa",
	"crypto/ecdh",
	"crypto/ecdsa",
	"crypto/ed25519",
	"crypto/elliptic",
	"crypto/fips140",
	"crypto/hkdf",
	"crypto/hmac",
	"crypto/hpke",
	"crypto/md5",
	"crypto/mlkem",
	"crypto/pbkdf2",
	"crypto/rand",
	"crypto/rc4",
	"crypto/rsa",
	"crypto/sha1",
	"crypto/sha256",
	"crypto/sha3",
	"crypto/sha512",
	"crypto/subtle",
	"crypto/tls",
	"crypto/x509",
	"crypto/x509/pkix",
	"database/sql",
	"database/sql/driver",
	"debug/buildinfo",
	"embed",
	"encoding",
	"encoding/ascii85",
	"encoding/asn1",
	"encoding/base32",
	"encoding/base64",
	"encoding/binary",
	"encoding/csv",
	"encoding/gob",
	"encoding/hex",
	"encoding/json",
	"encoding/pem",
	"encoding/xml",
	"errors",
	"flag",
	"fmt",
	"go/ast",
	"go/build",
	"go/build/constraint",
	"go/constant",
	"go/doc",
	"go/doc/comment",
	"go/format",
	"go/importer",
	"go/parser",
	"go/printer",
	"go/scanner",
	"go/token",
	"go/types",
	"go/version",
	"hash",
	"hash/adler32",
	"hash/crc32",
	"hash/crc64",
	"hash/fnv",
	"hash/maphash",
	"html",
	"html/template",
	"image",
	"image/color",
	"image/color/palette",
	"image/draw",
	"image/gif",
	"image/jpeg",
	"image/png",
	"index/suffixarray",
	"io",
	"io/fs",
	"io/ioutil",
	"log",
	"log/slog",
	"math",
	"math/big",
	"math/bits",
	"math/cmplx",
	"math/rand",
	"mime",
	"mime/multipart",
	"mime/quotedprintable",
	"net",
	"net/http",
	"net/http/cgi",
	"net/http/cookiejar",
	"net/http/fcgi",
	"net/http/httptest",
	"net/http/httptrace",
	"net/http/httputil",
	"net/mail",
	"net/netip",
	"net/rpc",
	"net/rpc/jsonrpc",
	"net/smtp",
	"net/textproto",
	"net/url",
	"os",
	"os/exec",
	"os/signal",
	"os/user",
	"path",
	"path/filepath",
	"regexp",
	"regexp/syntax",
	"runtime/debug",
	"runtime/metrics",
	"runtime/pprof",
	"runtime/trace",
	"sort",
	"strconv",
	"strings",
	"structs",
	"testing",
	"testing/fstest",
	"testing/iotest",
	"testing/quick",
	"testing/slogtest",
	"testing/synctest",
	"text/scanner",
	"text/tabwriter",
	"text/template",
	"text/template/parse",
	"time",
	"unicode",
	"unicode/utf16",
	"unicode/utf8",
}

// standardSince has the packages that are in the list called standard, but not in the oldest Go version that
// package toolchain lists, keyed by the minor version that introduced them.
var standardSince = map[int][]string{
	27: {"encoding/json/jsontext", "encoding/json/v2", "uuid"},
}

// standardOf returns the packages of the standard library that cells may import with Go 1.minor, sorted. The packages
// that come from the interpreter's module are not included (see viaInterpreter).
func standardOf(minor int) []string {
	list := slices.Clone(standard)
	for since, more := range standardSince {
		if since <= minor {
			list = append(list, more...)
		}
	}
	slices.Sort(list)
	return list
}

// thirdParty lists the packages of other modules that cells may import.
var thirdParty = []string{
	"github.com/go-gota/gota/dataframe",
	"github.com/go-gota/gota/series",
	"gonum.org/v1/gonum/blas",
	"gonum.org/v1/gonum/blas/blas32",
	"gonum.org/v1/gonum/blas/blas64",
	"gonum.org/v1/gonum/cmplxs",
	"gonum.org/v1/gonum/diff/fd",
	"gonum.org/v1/gonum/dsp/fourier",
	"gonum.org/v1/gonum/dsp/window",
	"gonum.org/v1/gonum/floats",
	"gonum.org/v1/gonum/floats/scalar",
	"gonum.org/v1/gonum/integrate",
	"gonum.org/v1/gonum/integrate/quad",
	"gonum.org/v1/gonum/interp",
	"gonum.org/v1/gonum/lapack",
	"gonum.org/v1/gonum/lapack/lapack64",
	"gonum.org/v1/gonum/mat",
	"gonum.org/v1/gonum/mathext",
	"gonum.org/v1/gonum/num/dual",
	"gonum.org/v1/gonum/optimize",
	"gonum.org/v1/gonum/optimize/convex/lp",
	"gonum.org/v1/gonum/optimize/functions",
	"gonum.org/v1/gonum/spatial/r2",
	"gonum.org/v1/gonum/spatial/r3",
	"gonum.org/v1/gonum/stat",
	"gonum.org/v1/gonum/stat/combin",
	"gonum.org/v1/gonum/stat/distmat",
	"gonum.org/v1/gonum/stat/distmv",
	"gonum.org/v1/gonum/stat/distuv",
	"gonum.org/v1/plot",
	"gonum.org/v1/plot/font",
	"gonum.org/v1/plot/palette",
	"gonum.org/v1/plot/palette/brewer",
	"gonum.org/v1/plot/palette/moreland",
	"gonum.org/v1/plot/plotter",
	"gonum.org/v1/plot/plotutil",
	"gonum.org/v1/plot/text",
	"gonum.org/v1/plot/vg",
	"gonum.org/v1/plot/vg/draw",
	"gonum.org/v1/plot/vg/vgimg",
	"gonum.org/v1/plot/vg/vgpdf",
	"gonum.org/v1/plot/vg/vgsvg",
}

// own lists the patterns that match the packages of this module. Main packages and packages below a directory
// named internal or testdata are skipped.
var own = []string{"./ui/...", "./data/...", "./kernel-helpers/...", "./paper/..."}

// unbound lists folders whose packages cells cannot import, although they match the patterns in the list called own.
// With gpu/opencl the program would need glibc on Linux, and gpu/separate is for the program itself, not for cells.
var unbound = []string{"kernel-helpers/gpu/opencl", "kernel-helpers/gpu/separate"}

// viaInterpreter lists the packages of the standard library that bind/std.go takes from the interpreter's module. The
// interpreter runs their generic functions from source.
var viaInterpreter = []string{
	"cmp", "iter", "maps", "math/rand/v2", "reflect", "runtime", "slices", "sync", "sync/atomic", "unique", "weak",
}

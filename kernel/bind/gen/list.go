package main

import "slices"

// standard lists the packages of the standard library that cells may import,
// besides those in bind/std.go. Packages that only authors of tools need (go/*,
// debug/*, net/rpc, plugin, syscall, ...) are left out.
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
	"crypto/hmac",
	"crypto/md5",
	"crypto/rand",
	"crypto/sha1",
	"crypto/sha256",
	"crypto/sha512",
	"crypto/subtle",
	"encoding",
	"encoding/ascii85",
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
	"net",
	"net/http",
	"net/http/cookiejar",
	"net/http/httptest",
	"net/mail",
	"net/netip",
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
	"testing",
	"testing/fstest",
	"testing/iotest",
	"testing/quick",
	"text/scanner",
	"text/tabwriter",
	"text/template",
	"text/template/parse",
	"time",
	"unicode",
	"unicode/utf16",
	"unicode/utf8",
}

// standardSince lists the packages in standard that are newer than the oldest
// version of Go in package toolchain, by the minor version that introduced
// them.
var standardSince = map[int][]string{
	27: {"encoding/json/jsontext", "encoding/json/v2", "uuid"},
}

// standardOf returns the packages of the standard library that cells may import with go1.minor.
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

// own lists the patterns that find the packages of this module. Main packages
// and packages under a directory internal or testdata are skipped.
var own = []string{"./ui/...", "./data/...", "./kernel-helpers/...", "./paper/..."}

// viaInterpreter lists the packages of the standard library whose generic
// functions the interpreter runs from source: bind/std.go takes them from the
// interpreter's module.
var viaInterpreter = []string{
	"cmp", "iter", "maps", "math/rand/v2", "reflect", "runtime", "slices", "sync", "sync/atomic", "unique", "weak",
}

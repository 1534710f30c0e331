package record

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"os"
	"path"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"overcomplete/internal/module"
	"overcomplete/internal/simd"
)

// A Making records how rows were measured: by which program, when and where. Equal runs may have different
// Makings; comparisons ignore them.
type Making struct {
	Started   string  `json:"started"` // RFC 3339, UTC
	Seconds   float64 `json:"seconds"`
	Commit    string  `json:"commit,omitempty"`    // commit of the program's source; empty if not known
	Modified  bool    `json:"modified,omitempty"`  // the source had uncommitted changes
	Modules   string  `json:"modules,omitempty"`   // SHA-256 of the versions and checksums of the modules in the program
	Go        string  `json:"go"`                  // version of Go
	Arch      string  `json:"arch"`                // GOOS/GOARCH
	Processor string  `json:"processor,omitempty"` // the processor's name, and the widest vector instructions that it supports and the program uses
	CPUs      int     `json:"cpus"`
}

// String returns the Making as one line.
func (m Making) String() string {
	s := []string{m.Started, fmt.Sprintf("%.3g s in all", m.Seconds)}
	switch {
	case m.Commit != "" && m.Modified:
		s = append(s, "commit "+m.Commit[:min(12, len(m.Commit))]+" with changes")
	case m.Commit != "":
		s = append(s, "commit "+m.Commit[:min(12, len(m.Commit))])
	}
	return strings.Join(append(s, m.Go, m.Arch, fmt.Sprintf("%d × %s", m.CPUs, nonEmpty(m.Processor, "processor")[0])), ", ")
}

// Committed reports whether the program was built from a known commit, without changes.
func (m Making) Committed() bool { return m.Commit != "" && !m.Modified }

// newMaking returns the Making of a run that begins now.
func newMaking() Making {
	m := Program()
	m.Started = time.Now().UTC().Format(time.RFC3339)
	return m
}

// Program returns the part of a Making that does not change while this program
// runs.
func Program() Making { return program() }

var program = sync.OnceValue(func() Making {
	m := Making{Go: runtime.Version(), Arch: runtime.GOOS + "/" + runtime.GOARCH, Processor: processor(), CPUs: runtime.NumCPU()}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return m
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			m.Commit = s.Value
		case "vcs.modified":
			m.Modified = s.Value == "true"
		}
	}
	h := sha256.New()
	for _, d := range info.Deps {
		if d.Replace != nil {
			d = d.Replace
		}
		fmt.Fprintf(h, "%s %s %s\n", d.Path, d.Version, d.Sum)
	}
	if len(info.Deps) > 0 {
		m.Modules = hex.EncodeToString(h.Sum(nil))
	}
	return m
})

// processor returns the processor's name, if the system provides it, and its vector instructions.
func processor() string {
	name := os.Getenv("PROCESSOR_IDENTIFIER") // Windows
	if f, err := os.Open("/proc/cpuinfo"); err == nil {
		b, _ := io.ReadAll(io.LimitReader(f, 1<<16))
		f.Close()
		for line := range strings.Lines(string(b)) {
			if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
				name = strings.Join(strings.Fields(value), " ")
				break
			}
		}
	}
	vectors := ""
	if simd.AVX2() || simd.NEON() {
		vectors = simd.Name()
	}
	return strings.Join(nonEmpty(name, vectors), ", ")
}

// since returns the seconds since t, rounded to hundredths.
func since(t time.Time) float64 { return math.Round(100*time.Since(t).Seconds()) / 100 }

// An Origin is the code that produced a row or a figure.
type Origin struct {
	// Experiment is the method of the paper's Lab that the notebook calls:
	// "paper/bradley2008.Lab.Table2".
	Experiment string `json:"experiment,omitempty"`
	// File and Line locate the code that created the row or figure, and Func is the function that contains
	// this code: "paper/bradley2008/table2.go", 131, "Lab.table2Rows".
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	Func string `json:"func,omitempty"`
}

// origin finds the running code of a paper on the call stack: the innermost function in a paper's package, and the
// outermost method of a Lab. The packages that papers share do not count. The result is the zero Origin if a cell of
// the notebook adds the row itself.
func origin() Origin {
	o, _ := findOrigin()
	return o
}

// Maker returns the name and the file of the calling experiment, in the form used in captions of figures:
// "paper/bradley2008, Lab.Table2 in table2.go". Outside an experiment it returns "".
func Maker() string {
	o, file := findOrigin()
	folder, method, ok := strings.Cut(o.Experiment, ".")
	if !ok {
		return ""
	}
	return folder + ", " + method + " in " + file
}

// findOrigin returns the origin, and the name of the file that declares the experiment.
func findOrigin() (o Origin, file string) {
	var pcs [256]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for {
		f, more := frames.Next()
		if folder, decl, ok := paperFunc(f.Function); ok {
			name := path.Base(strings.ReplaceAll(f.File, `\`, "/"))
			if o.File == "" {
				o.File, o.Line, o.Func = folder+"/"+name, f.Line, decl
			}
			if strings.HasPrefix(decl, "Lab.") {
				o.Experiment, file = folder+"."+decl, name
			}
		}
		if !more {
			return o, file
		}
	}
}

// paperFunc splits the name that the runtime gives to a function in a paper's package:
// "overcomplete/paper/bradley2008.(*Lab).Table2.func1" stands for Lab.Table2 in paper/bradley2008. For functions in
// other packages, including those that papers share, ok is false.
func paperFunc(name string) (folder, decl string, ok bool) {
	rest, ok := strings.CutPrefix(name, module.Package("paper/"))
	if !ok {
		return "", "", false
	}
	pkg, decl, ok := strings.Cut(rest, ".")
	switch {
	case !ok, strings.Contains(pkg, "/"), pkg == "record", pkg == "lab", strings.HasSuffix(pkg, "_test"):
		return "", "", false
	}
	decl = strings.NewReplacer("(*", "", ")", "").Replace(decl)
	parts := strings.FieldsFunc(decl, func(r rune) bool { return r == '.' })
	n := 1
	if len(parts) > 1 && !strings.HasPrefix(parts[1], "func") && !strings.HasPrefix(parts[1], "gowrap") {
		n = 2
	}
	// A function literal in a package-level variable is called glob..func1.
	return "paper/" + pkg, strings.Join(parts[:n], "."), true
}

package record

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"time"

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

package modules

import (
	"regexp"
	"strings"

	"golang.org/x/mod/module"

	own "overcomplete/internal/module"
)

// withoutProgress returns the go command's messages without the progress messages of go build -v and of
// downloads.
func withoutProgress(said string) string {
	var b strings.Builder
	for line := range strings.Lines(said) {
		if text := strings.TrimRight(line, "\r\n"); text != "" && module.CheckImportPath(text) == nil || strings.HasPrefix(text, "go: downloading ") {
			continue
		}
		b.WriteString(line)
	}
	return strings.TrimSpace(b.String())
}

var (
	header = regexp.MustCompile(`^# (\S+)`)
	fault  = regexp.MustCompile(`\.go:\d+:\d+: |error: `)
)

// blamedPackage returns the package for which a compiler reports an error in the given messages. If there is none, it
// returns its first argument. It ignores warnings of C compilers, which have the same form. It also ignores packages
// of this program, because they are not the cause.
func blamedPackage(what, said string) string {
	pkg := ""
	for line := range strings.Lines(said) {
		if m := header.FindStringSubmatch(line); m != nil {
			pkg = m[1]
		} else if pkg != "" && !within(pkg, own.Path) && fault.MatchString(line) && !strings.Contains(line, "warning: ") {
			return pkg
		}
	}
	return what
}

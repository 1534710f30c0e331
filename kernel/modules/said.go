package modules

import (
	"regexp"
	"strings"

	"golang.org/x/mod/module"

	own "overcomplete/internal/module"
)

// withoutProgress leaves out the lines in which go build -v and downloads tell how far they are: they are no
// cause of anything.
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

// blamed returns the package under whose name a compiler says what is wrong, or else what. C compilers warn in the same
// form, and what is this program's own is not to blame: something that was asked for is.
func blamed(what, said string) string {
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

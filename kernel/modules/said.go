package modules

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"

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
// returns the argument what. It ignores warnings of C compilers, which have the same form. It also ignores packages of
// this program, because they are not the cause.
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

var versioned = regexp.MustCompile(`([^\s@:()]+)@([^\s@:()]+): `)

// blamedModule returns the path and version of the module that the go command complains about first. If the message
// names no module, blamedModule returns the path and version in the argument what, which is a path or path@version. The
// version is "" if there is none, or if the version is the query "latest".
func blamedModule(what, said string) (path, version string) {
	for _, m := range versioned.FindAllStringSubmatch(said, -1) {
		if module.CheckImportPath(m[1]) == nil && m[2] != "latest" {
			return m[1], m[2]
		}
	}
	path, version, _ = strings.Cut(what, "@")
	if version == "latest" {
		version = ""
	}
	return path, version
}

// lacksV reports whether the given version is invalid only because the initial v is missing. The version must contain
// a dot, because a commit hash may consist of digits alone.
func lacksV(version string) bool {
	return strings.Contains(version, ".") && semver.IsValid("v"+version)
}

// versionAdvice returns advice about a version that may not exist. If version is "", it returns the argument other,
// which is advice of another kind.
func versionAdvice(path, version, other string) string {
	if version == "" {
		return other
	}
	return "see https://pkg.go.dev/" + path + "?tab=versions for its versions; for a private module, set GOPRIVATE and put the password in .netrc"
}

var (
	linking    = re(`(?m)^(?:.*[/\\]tool[/\\][^/\\\s]+[/\\])?link(?:\.exe)?: |^\S+: relocation target \S+ not defined`)
	diskIsFull = re(`(?i)no space left on device|disk quota exceeded|not enough space|file too large|file size limit`)
)

// linkRules give advice about messages of linkers.
var linkRules = []struct {
	pattern func() *regexp.Regexp
	advice  string
}{
	{re(`cannot find -l([\w.+-]+)|library not found for -l([\w.+-]+)|library '([^']+)' not found`), "install the C library $1$2$3 with its development files, or remove the import that needs it"},
	{re(`undefined reference to|Undefined symbols|undefined symbol:`), "a C library is missing: name it in the kernel's environment variable CGO_LDFLAGS, or remove the import that needs it"},
	{re(`invalid reference to (\S+)`), "try a newer version of the package: Go no longer lets packages use $1"},
	{re(`executable file not found`), "install a C compiler, or disable cgo with `%mod cgo off`"},
	{re(`signal: killed`), "there may be too little memory: close other programs"},
}

// maxLinker is how many lines of the linker's message are kept. These are the last lines, because the first lines often
// repeat.
const maxLinker = 8

// linkFault returns an Error if the go command's message comes from a failing linker. It returns nil for other
// messages, and if the disk is full. The linker does not say which package causes the failure.
func linkFault(packages []string, said string) *Error {
	at := linking().FindStringIndex(said)
	if at == nil || diskIsFull().MatchString(said) {
		return nil
	}
	e := &Error{Kind: Failed, Text: fmt.Sprintf("could not link the program with %s", enumerate(packages))}
	if len(packages) == 1 {
		e.What = packages[0]
	}
	for _, r := range linkRules {
		pattern := r.pattern()
		if m := pattern.FindStringSubmatchIndex(said); m != nil {
			e.Advice = string(pattern.ExpandString(nil, r.advice, said, m))
			break
		}
	}
	lines := strings.Split(strings.TrimSpace(said[at[0]:]), "\n")
	if strings.Contains(lines[0], ": running ") && len(lines) > 2 {
		lines = slices.Delete(lines, 1, 2) // drop the C compiler's command line
	}
	e.Said = strings.Join(lines[max(0, len(lines)-maxLinker):], "\n")
	return e
}

// maxNamed is the number of packages named in a sentence.
const maxNamed = 4

// enumerate joins the names as in a sentence: "a, b and c". If there are more than maxNamed of them, it writes only the
// first ones and counts the others: "a, b, c and 5 more".
func enumerate(names []string) string {
	switch n := len(names); {
	case n > maxNamed:
		return fmt.Sprintf("%s and %d more", strings.Join(names[:maxNamed-1], ", "), n-maxNamed+1)
	case n > 1:
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
	return strings.Join(names, "")
}

package modules

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

var (
	linking    = re(`(?m)^(?:.*[/\\]tool[/\\][^/\\\s]+[/\\])?link(?:\.exe)?: |^\S+: relocation target \S+ not defined`)
	diskIsFull = re(`(?i)no space left on device|disk quota exceeded|not enough space|file too large|file size limit`)
)

// linkRules give advice about messages of linkers.
var linkRules = []struct {
	pattern *regexp.Regexp
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
	at := linking.FindStringIndex(said)
	if at == nil || diskIsFull.MatchString(said) {
		return nil
	}
	e := &Error{Kind: Failed, Text: fmt.Sprintf("could not link the program with %s", enumerate(packages))}
	if len(packages) == 1 {
		e.What = packages[0]
	}
	for _, r := range linkRules {
		if m := r.pattern.FindStringSubmatchIndex(said); m != nil {
			e.Advice = string(r.pattern.ExpandString(nil, r.advice, said, m))
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

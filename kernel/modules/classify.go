package modules

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"overcomplete/internal/module"
)

// A rule recognizes a message of the go command, and says which Error to report.
type rule struct {
	pattern func() *regexp.Regexp
	kind    Kind
	text    string // %s: what was asked for; %v: the module at fault, with its version; $1: the pattern's first group
	advice  string
}

// rules are tried in order: the first match wins.
var rules = []rule{
	{re(`checksum mismatch|SECURITY ERROR`), Failed,
		"the download of %s does not match go.sum or the checksum database", "find out why before you use it: see `go help module-auth`"},
	{re(`requires cgo|cgo: C compiler|C compiler ".*" not found|undefined: C\.|could not import C`), NeedsCgo, "%s needs cgo", "allow cgo with `%mod cgo on`, if a C compiler is installed"},
	{re(`(?:requires|needs) go ?>= ?(\d[\w.]*)`), NeedsGo, "%s needs Go $1", "use an older version of it: `%get %s@VERSION`, or a newer kernel"},
	{re(`use of internal package (\S+) not allowed`), InternalPath, "$1 is internal to its module", "import a package of that module that is not under `internal`"},
	{re(`no required module provides package (\S+?);|module providing package (\S+?) is not|cannot find module providing package (\S+?): import lookup disabled by -mod=`), NotRequired, "no module required by the go.mod contains %s", ""},
	// Do not advise go mod tidy, because it removes modules that only the notebook imports.
	{re(`missing go\.sum entry[^\n]*; to add(?: it)?:\s+(go (?:mod download|get) \S+)`), NotRequired, "the go.sum beside the go.mod lacks %s", "run `$1` in that folder"},
	{re(`missing go\.sum entry`), NotRequired, "the go.sum beside the go.mod lacks %s", "run `go mod download all` in that folder"},
	{re(`errors parsing (\S+):\n(.*)`), Failed, "cannot parse $1: $2", "correct the file"},
	{re(`inconsistent vendoring`), Failed, "the folder vendor does not match go.mod", "run `go mod vendor` in go.mod's folder"},
	{re(`module lookup disabled by GOPROXY=off`), NoNetwork, "%v is not on this machine, and GOPROXY=off forbids downloading it", "set GOPROXY, or import a package that `go mod download` has fetched"},
	{re(`(?m)dial tcp|no such host|connection refused|connection reset|i/o timeout|TLS handshake|network is unreachable|server misbehaving|\bEOF$|Client\.Timeout|proxyconnect|\b50[0-9] [A-Z]`), NoNetwork,
		"%s could not be downloaded: the network, or the proxy in GOPROXY, does not answer", "try again when the network is available; modules that were downloaded earlier need no network"},
	{re(`\b(40[13] \w+)`), NoVersion, "the proxy in GOPROXY refuses %v: $1", "name an exact version: `%get %v@VERSION`; for a private module, set GOPRIVATE and put the password in .netrc"},
	{re(`does not contain package|but does not contain|is not in std`), NoPackage, "the module does not contain the package %s", "look up the right path on https://pkg.go.dev"},
	{re(`unknown revision|no matching versions|invalid version|\b4[0-9][0-9] [A-Z]|not found: |unrecognized import path|malformed module path|reading .*: no such file|repository .* not found|no versions?\b`), NoVersion,
		"no such module or version: %v", "look for the module on https://pkg.go.dev; for a private module, set GOPRIVATE"},
	{re(`requires (\S+@\S+), not (\S+)`), Conflict, "%s conflicts with another requested version: it requires $1, not $2", "request versions that agree, or remove unused pins with `%mod tidy`"},
	{re(`build constraints exclude all Go files`), NeedsCgo, "%s has no Go files for this system without cgo", "allow cgo with `%mod cgo on`, if a C compiler is installed"},
	{diskIsFull, Failed, "the disk is full, or a file exceeds the size limit", "free some space; `go clean -cache` removes files that can be compiled again"},
	{re(`fatal error: '?([\w./+-]+\.(?:h|hpp))'?(?: file not found|: No such file)`), NotCompiling, "%s needs the C header $1, which is not on this machine", "install the C library that contains it, with its development files, or disable cgo with `%mod cgo off`"},
	{re(`(?m)(?:^|[\s/\\])([^\s/\\]+\.go:\d+:\d+: .*)$`), NotCompiling, "%s does not compile: $1", "try another version: `%get %s@VERSION`"},
	{re(`(?m)(import cycle not allowed|expected 'package'.*|found packages .*)`), NotCompiling, "%s does not compile: $1", "try another version: `%get %s@VERSION`"},
}

// re returns a function that compiles a pattern when it is first called, since most sessions need none of the patterns.
func re(s string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(s) })
}

// classify turns a message of the go command into an Error. The argument what is the path, or path@version, that the go
// command was asked for, and said is the message.
func classify(what, said string) *Error {
	culprit, version := blamedModule(what, said)
	exact := culprit
	if version != "" {
		exact += "@" + version
	}
	what, _, _ = strings.Cut(what, "@")
	for _, r := range rules {
		pattern := r.pattern()
		m := pattern.FindStringSubmatchIndex(said)
		if m == nil {
			continue
		}
		fill := func(s string) string {
			s = string(pattern.ExpandString(nil, s, said, m))
			return strings.NewReplacer("%s", what, "%v", exact).Replace(s)
		}
		advice := fill(r.advice)
		switch {
		case lacksV(version) && (r.kind == NoVersion || r.kind == NoNetwork):
			advice = "did you mean `%get " + culprit + "@v" + version + "`?"
		case r.kind == NoVersion:
			advice = versionAdvice(culprit, version, advice)
		case r.kind == NoPackage && module.Has(what):
			// One of the user's own packages imports this project, which no proxy has.
			advice = fmt.Sprintf("it is in a checkout of this project: run `go mod edit -replace=%s=CHECKOUT` and `go get %s` in the folder of your go.mod", module.Path, what)
		}
		return &Error{Kind: r.kind, What: what, Text: fill(r.text), Advice: advice, Said: said}
	}
	for line := range strings.Lines(withoutProgress(said)) {
		if strings.Contains(line, " ") && !strings.HasPrefix(line, "# ") {
			return &Error{Kind: Failed, What: what, Text: fmt.Sprintf("%s is not available: %s", what, strings.TrimSpace(line)), Said: said}
		}
	}
	return &Error{Kind: Failed, What: what, Text: what + " is not available", Said: said}
}

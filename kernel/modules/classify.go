package modules

import (
	"fmt"
	"regexp"
	"strings"
)

// A rule recognizes a message of the go command, and says which Error to report.
type rule struct {
	pattern *regexp.Regexp
	kind    Kind
	text    string // %s stands for the package or module, %v also for the version; $1 is the first group
	advice  string
}

// rules are tried in order: the first match wins.
var rules = []rule{
	{re(`checksum mismatch|SECURITY ERROR`), Failed,
		"what was downloaded for %s is not what go.sum or the checksum database has", "find out why before you use it: `go help module-auth`"},
	{re(`requires cgo|cgo: C compiler|C compiler ".*" not found|undefined: C\.|could not import C`), NeedsCgo, "%s needs cgo", "allow it by `%mod cgo on`, if there is a C compiler"},
	{re(`(?:requires|needs) go ?>= ?(\d[\w.]*)`), NeedsGo, "%s needs Go $1", "use an older version of it: `%get %s@VERSION`, or a newer kernel"},
	{re(`use of internal package (\S+) not allowed`), InternalPath, "$1 is internal to its module", "import a package of that module that is not under `internal`"},
	{re(`no required module provides package (\S+?);|module providing package (\S+?) is not|cannot find module providing package (\S+?): import lookup disabled by -mod=`), NotRequired, "no module that the go.mod requires has %s", ""},
	// Do not advise go mod tidy, because it removes modules that only the notebook imports.
	{re(`missing go\.sum entry[^\n]*; to add(?: it)?:\s+(go (?:mod download|get) \S+)`), NotRequired, "the go.sum beside the go.mod lacks %s", "run `$1` there"},
	{re(`missing go\.sum entry`), NotRequired, "the go.sum beside the go.mod lacks %s", "run `go mod download all` there"},
	{re(`errors parsing (\S+):\n(.*)`), Failed, "$1 cannot be read: $2", "correct it"},
	{re(`inconsistent vendoring`), Failed, "the folder vendor is not what go.mod says", "run `go mod vendor` there"},
	{re(`module lookup disabled by GOPROXY=off`), NoNetwork, "%v is not on this machine, and GOPROXY=off forbids to download it", "set GOPROXY, or import what `go mod download` has fetched"},
	{re(`(?m)dial tcp|no such host|connection refused|connection reset|i/o timeout|TLS handshake|network is unreachable|server misbehaving|\bEOF$|Client\.Timeout|proxyconnect|\b50[0-9] [A-Z]`), NoNetwork,
		"%s could not be downloaded: the network, or the proxy in GOPROXY, does not answer", "try again when there is a network; what has been downloaded once needs none"},
	{re(`\b(40[13] \w+)`), NoVersion, "the proxy in GOPROXY refuses %v: $1", "name an exact version: `%get %v@VERSION`; a private module needs GOPRIVATE, and its password in .netrc"},
	{re(`does not contain package|but does not contain|is not in std`), NoPackage, "there is no package %s in its module", "look for the right path on https://pkg.go.dev"},
	{re(`unknown revision|no matching versions|invalid version|\b4[0-9][0-9] [A-Z]|not found: |unrecognized import path|malformed module path|reading .*: no such file|repository .* not found|no versions?\b`), NoVersion,
		"there is no such module or version: %v", "look for it on https://pkg.go.dev; a private one needs GOPRIVATE"},
	{re(`requires (\S+@\S+), not (\S+)`), Conflict, "%s does not go together with what else is asked for: it requires $1, not $2", "ask for versions that agree, or take a pin back by `%mod tidy`"},
	{re(`build constraints exclude all Go files`), NeedsCgo, "%s has no Go files for this system without cgo", "allow it by `%mod cgo on`, if there is a C compiler"},
	{diskIsFull, Failed, "the disk is full, or files must not become so large", "make space; `go clean -cache` frees what can be compiled again"},
	{re(`fatal error: '?([\w./+-]+\.(?:h|hpp))'?(?: file not found|: No such file)`), NotCompiling, "%s needs the C header $1, which is not on this machine", "install the C library that has it, with its development files, or go without by `%mod cgo off`"},
	{re(`(?m)(?:^|[\s/\\])([^\s/\\]+\.go:\d+:\d+: .*)$`), NotCompiling, "%s does not compile: $1", "try another version: `%get %s@VERSION`"},
	{re(`(?m)(import cycle not allowed|expected 'package'.*|found packages .*)`), NotCompiling, "%s does not compile: $1", "try another version: `%get %s@VERSION`"},
}

func re(s string) *regexp.Regexp { return regexp.MustCompile(s) }

// classify turns a message of the go command, the parameter said, into an Error. The parameter what is the
// path or path@version that the go command was asked for.
func classify(what, said string) *Error {
	culprit, version := blamedModule(what, said)
	exact := culprit
	if version != "" {
		exact += "@" + version
	}
	what, _, _ = strings.Cut(what, "@")
	for _, r := range rules {
		m := r.pattern.FindStringSubmatchIndex(said)
		if m == nil {
			continue
		}
		fill := func(s string) string {
			s = string(r.pattern.ExpandString(nil, s, said, m))
			return strings.NewReplacer("%s", what, "%v", exact).Replace(s)
		}
		advice := fill(r.advice)
		switch {
		case lacksV(version) && (r.kind == NoVersion || r.kind == NoNetwork):
			advice = "did you mean `%get " + culprit + "@v" + version + "`?"
		case r.kind == NoVersion:
			advice = versionAdvice(culprit, version, advice)
		}
		return &Error{Kind: r.kind, What: what, Text: fill(r.text), Advice: advice, Said: said}
	}
	for line := range strings.Lines(withoutProgress(said)) {
		if strings.Contains(line, " ") && !strings.HasPrefix(line, "# ") {
			return &Error{Kind: Failed, What: what, Text: fmt.Sprintf("%s cannot be had: %s", what, strings.TrimSpace(line)), Said: said}
		}
	}
	return &Error{Kind: Failed, What: what, Text: what + " cannot be had", Said: said}
}

package modules

import (
	"regexp"
	"strings"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

var versioned = regexp.MustCompile(`([^\s@:()]+)@([^\s@:()]+): `)

// named returns the module, in a version, with which the go command has trouble: the first that it complains of,
// or else what it was asked for, path@version or a path alone. The version is "" if none was named: the
// newest is found by a query, latest.
func named(what, said string) (path, version string) {
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

// lacksV reports whether a version would be one with a v before it. A commit that is all digits has no dot.
func lacksV(version string) bool {
	return strings.Contains(version, ".") && semver.IsValid("v"+version)
}

// versionAdvice says what to do about a version that there may not be, or, if none was named, returns the other advice.
func versionAdvice(path, version, other string) string {
	if version == "" {
		return other
	}
	return "see https://pkg.go.dev/" + path + "?tab=versions for its versions; a private module needs GOPRIVATE, and its password in .netrc"
}

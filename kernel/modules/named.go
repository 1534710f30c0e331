package modules

import (
	"regexp"
	"strings"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

var versioned = regexp.MustCompile(`([^\s@:()]+)@([^\s@:()]+): `)

// blamedModule returns the path and version of the module that the go command complains about first. If the message
// names no module, blamedModule returns the path and version in its first argument, which is a path or path@version.
// The version is "" if there is none, or if it is the query latest.
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

// lacksV reports whether only an initial v is missing to make the given version valid. The version must contain a dot,
// because a commit hash may consist of digits alone.
func lacksV(version string) bool {
	return strings.Contains(version, ".") && semver.IsValid("v"+version)
}

// versionAdvice returns advice about a version that may not exist. If version is "", it returns its last argument,
// which is advice of another kind.
func versionAdvice(path, version, other string) string {
	if version == "" {
		return other
	}
	return "see https://pkg.go.dev/" + path + "?tab=versions for its versions; for a private module, set GOPRIVATE and put the password in .netrc"
}

package modules

// A Kind classifies an Error.
type Kind string

// The kinds of error.
const (
	Off           Kind = "off"             // OVERCOMPLETE_MODULES=off, or %mod off
	NoToolchain   Kind = "no toolchain"    // no go command, or no suitable one
	NoSource      Kind = "no source"       // this program was built without its own source
	NoNetwork     Kind = "no network"      // the proxy cannot be reached
	NoVersion     Kind = "no such version" // no such version, or no such module
	NoPackage     Kind = "no such package" // the module has no such package
	NotRequired   Kind = "not required"    // the ruling go.mod does not require the module
	Conflict      Kind = "conflict"        // conflict with a version that is compiled in
	InternalPath  Kind = "internal"        // an internal package of another module
	NeedsGo       Kind = "needs go"        // the package needs a newer Go
	NotCompiling  Kind = "does not compile"
	NeedsCgo      Kind = "needs cgo"
	NotFromSource Kind = "not from source"
	Locked        Kind = "locked"
	Failed        Kind = "failed" // any other failure of the go command
)

// An Error says why a package is not available, and what the user can do.
type Error struct {
	Kind   Kind
	What   string // the package or module
	Text   string // the problem, in one sentence
	Advice string // advice in one sentence, or ""
	Said   string // message of the go command, or "" if it adds nothing
}

// Error returns the text and the advice.
func (e *Error) Error() string {
	if e.Advice == "" {
		return e.Text
	}
	return e.Text + "; " + e.Advice
}

func anotherVersion(path string) string { return "try another version: `%get " + path + "@VERSION`" }

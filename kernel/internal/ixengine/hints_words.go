package ixengine

import (
	"go/scanner"
	"regexp"
	"strings"
)

// Hints that need only the text: about syntax, and about panics.

// inLine lists constructs of other languages, recognized by the text of the line with the fault.
var inLine = []struct {
	match func() *regexp.Regexp
	hint  string
}{
	{lazily(`\[[^\[\]]*\bfor\b.*\bin\b.*\]`), "build a list in a loop: var ys []int; for _, x := range xs { ys = append(ys, x*x) }"},
	{lazily(`^\s*(?:raise|throw)\b`), "functions return errors: return fmt.Errorf(\"...\"); panic(\"...\") ends the cell"},
	{lazily(`^\s*assert\b`), "there is no assert: if !(x > 0) { panic(\"...\") }"},
	{lazily(`^\s*del\b`), "delete(m, k) removes a key from a map, slices.Delete removes elements from a slice, and %reset x forgets a variable"},
	{lazily(`^\s*(?:try|catch|except|finally)\b`), noTry},
	{lazily(`\bnew\s+\w`), "T{...} creates a value of type T, and &T{...} creates a pointer to one"},
	{lazily(`^\s*while\b`), "Go's only loop is for: for condition { ... }"},
	{lazily(`^\s*def\b`), "a function begins with func: func f(x float64) float64 { ... }"},
	{lazily(`^\s*class\b`), "declare a type with type T struct { ... }, and its methods outside with func (t T) M() { ... }"},
	{lazily(`^\s*(?:let|val|auto)\s`), "x := value declares a variable"},
	{lazily(`\bvar\b[^=]*:=`), "var goes with =, and := stands alone: var n int = 5, or n := 5"},
	{lazily(`^\s*import\s+""\s+as\b`), `the name stands before the path: import f "fmt"`},
	{lazily(`^\s*from\b.*\bimport\b|^\s*import\s+\w`), `import a package with import "path"`},
	{lazily(`^\s*else\b`), "put else on the line of the closing brace: } else {"},
	{lazily(`\belif\b`), "else if"},
	{lazily(`^\s*for\s+\w+\s+in\b`), "for i := range n { ... }, or for i, x := range xs { ... }"},
	{lazily(`^\s*(?:for|if|elif|else|def|class|try|with)\b.*:\s*$`), "write blocks in braces: { ... }"},
	{lazily(`^\s*(?:if|for)\b[^{}"\[?]*:(?:[^=]|$)`), "write blocks in braces: if x == 7 { ... }"},
	{lazily(`["\w\])]\s+(?:not\s+)?in\s+["\w]`), "strings.Contains(s, x), slices.Contains(xs, x), or for a map _, ok := m[k]"},
	{lazily(`\brange\s*\(`), "use range in a loop: for i := range 5 { ... }"},
	{lazily(`^\s*\{\s*["\w]+\s*:[^=]`), `write a map with its type: map[string]int{"a": 1}`},
	{lazily(`^\s*\[[^\]]*,[^\]]*\]\s*$`), "write a slice with its type: []float64{1, 2, 3}"},
	{lazily(`^\s*(?:int|float|double|float64|string|bool|char)\s+\w+\s*(?:=|$)`), "write the type after the name: var x int = 1, or x := 1"},
	{lazily(`^\s*print\s+["\w]`), "fmt.Println(x) prints; put arguments in parentheses"},
	{lazily(`\w\s*\?\s*.*:`), "there is no ?: ; use if and else"},
	{lazily(`\b(?:and|or|not)\b`), "write &&, || and ! for and, or and not"},
	{lazily(`\blambda\b|=>`), "a function without a name: func(x int) int { return x + 1 }"},
	{lazily(`^\s*#`), "comments begin with //"},
	{lazily(`[=,(\[]\s*\+\+|\+\+\s*[\w)\]]|[=(,]\s*\w+\+\+|[=(,]\s*\w+--|(?:\+\+|--)\s*[-+*/=]`), "i++ and i-- are statements, and have no value"},
	{lazily(`^\s*(?:if|for)\s+[^=!<>:]*[^=!<>:]=[^=]`), "== compares, = assigns"},
	{lazily(`=\s*\[\s*[^\]]*,[^\]]*\]\s*$|\(\s*\[\s*[^\]]*,[^\]]*\]`), "write a slice with its type: []float64{1, 2, 3}"},
	{lazily(`^\s*if\s[^;{]*:=[^;]*\{`), "a condition follows the assignment: if x := f(); x > 0 { ... }"},
	{lazily(`\bstruct\s*\{[^{}]*,`), "a field ends with its line, or with a semicolon: struct { a int; b int }"},
	{lazily(`\binterface\s*\{[^{}(]*\}`), "an interface lists methods, not fields: interface { X() int }"},
	{lazily(`\bfunc\b[^{]*\([^(){]*\w\s*=`), "parameters have no default values: pass all arguments, or a struct whose zero fields stand for the defaults"},
	{lazily(`=\s*\{.*:`), `write a map with its type: map[string]int{"a": 1}`},
	{lazily(`^\s*(?:if|for)\b[^{]*$`), "write the body in braces: if x { ... }"},
}

// documentation is the hint for users who ask for help as in IPython.
const documentation = "press Shift-Tab after a name to see its documentation"

var (
	help    = regexp.MustCompile(`^\s*\?|^[^"]*[\w)]\?\??\s*$`)
	text    = regexp.MustCompile("\"(?:[^\"\\\\]|\\\\.)*\"|`[^`]*`")
	comment = regexp.MustCompile(`//.*`)
	forLine = regexp.MustCompile(`^\s*for\b`)
)

// syntaxHint returns advice about an error from the parser.
func (s *Session) syntaxHint(f *scanner.Error) string {
	line, _ := s.sources.line(f.Pos.Filename, f.Pos.Line)
	before, _ := s.sources.line(f.Pos.Filename, f.Pos.Line-1)
	switch {
	case strings.Contains(f.Msg, "missing ',' before newline in composite literal"):
		return "the last line also needs a comma if the brace is on the next line"
	case strings.Contains(f.Msg, "missing ',' before newline in argument list"), strings.Contains(f.Msg, "missing ',' in argument list"):
		return "separate arguments by commas; the last line also needs one if the parenthesis is on the next line"
	case strings.Contains(f.Msg, "rune literal"):
		return "write a string with double quotes: \"abc\"; single quotes are for one character"
	case strings.Contains(f.Msg, "string literal not terminated"):
		return "a string must end on its line; `...` may span several lines"
	case strings.Contains(f.Msg, "illegal character U+0023"):
		return "comments begin with //"
	case strings.Contains(f.Msg, "illegal character U+003F") && help.MatchString(line):
		return documentation
	case strings.Contains(f.Msg, "illegal character U+003F"):
		return "there is no ?: ; use if and else"
	case strings.Contains(f.Msg, "illegal character U+0024"):
		return "a shell command is a line by itself, outside all blocks: $ ls; in code, use exec.Command(\"ls\").Output()"
	case strings.HasSuffix(f.Msg, "found '%'") && strings.HasPrefix(strings.TrimSpace(line), "%"):
		return "a command is a line by itself, outside all blocks"
	case strings.Contains(f.Msg, "illegal character U+201"):
		return `quotes are written "`
	case f.Msg == "expected '{', found newline" && forLine.MatchString(line),
		f.Msg == "expected operand, found '{'" && strings.HasPrefix(strings.TrimSpace(line), "{") && forLine.MatchString(before):
		return "put the brace on the same line: for i := range 5 {"
	case strings.Contains(f.Msg, "unexpected newline, expecting {"):
		return "put the brace on the same line: if x > 0 {"
	case strings.Contains(f.Msg, "expected statement, found 'else'"):
		return "put else on the line of the closing brace: } else {"
	case f.Msg == "expected ';', found 'else'":
		return "only an if has an else"
	case f.Msg == "missing type constraint":
		return "name a constraint for each type parameter: func f[T any](x T) T"
	case f.Msg == "method must have no type parameters":
		return "only a function can have type parameters of its own: func F[U any](t T, u U)"
	}
	// Text inside a string or a comment is not code.
	line = comment.ReplaceAllString(text.ReplaceAllString(line, `""`), "")
	for _, l := range inLine {
		if l.match().MatchString(line) {
			return l.hint
		}
	}
	return ""
}

// panicHint returns advice about a runtime panic.
func panicHint(msg string) string {
	switch {
	case strings.HasPrefix(msg, "assignment to entry in nil map"):
		return "create the map first: m = map[K]V{}"
	case strings.Contains(msg, "nil pointer dereference"):
		return "something on this line is nil: a pointer, a function or an interface that was never set, or the result of a call whose error was not checked"
	case strings.Contains(msg, "index out of range [-"):
		return "Go does not count from the end: xs[len(xs)-1] is the last element"
	case strings.Contains(msg, "index out of range"):
		return "indices go from 0 to len-1"
	case strings.Contains(msg, "slice bounds out of range"):
		return "xs[a:b] needs 0 <= a <= b <= cap(xs)"
	case strings.Contains(msg, "interface conversion"):
		if m := twoNames.FindStringSubmatch(msg); m != nil && m[1] == m[2] {
			return "the value is of an older version of " + m[1] + ", from before the type changed: make it again"
		}
		return "use v, ok := x.(T) to check first: ok is false if x is not a T"
	case strings.Contains(msg, "integer divide by zero"):
		return "only floats can be divided by zero"
	case strings.Contains(msg, "send on closed channel"):
		return "the sender should close a channel, after its last send"
	case msg == "mat: dimension mismatch" || msg == "blas: dimension mismatch":
		return "the sizes do not match (Dims returns them): for the product of A and B, B must have as many rows as A has columns; NewDense(r, c, data) needs r*c numbers"
	case strings.HasPrefix(msg, "pattern ") && strings.Contains(msg, "conflicts with pattern"):
		return "handlers stay registered: use mux := http.NewServeMux() with mux.HandleFunc and http.ListenAndServe(addr, mux), so that each run begins with none, or restart the kernel"
	case registeredTwice.MatchString(msg):
		return "the package keeps what an earlier run of the cell registered: put the call in a cell of its own that runs once, register under another name, or restart the kernel"
	case strings.Contains(msg, ": not converged"): // ended.ErrNotConverged, of the library
		return "the result beside the error is whole: err = ended.Accept(err) takes it as it is (package ended); a larger MaxIterations in the options goes on"
	case strings.HasPrefix(msg, "concurrent map"):
		return "goroutines share the map: lock a sync.Mutex around each use of the map, or give each goroutine its own map"
	case strings.Contains(msg, "hash of unhashable type"):
		return "slices, maps and functions cannot be compared, and cannot be keys of a map"
	}
	return ""
}

// twoNames matches the types in the message of a failed type assertion: the value's own type and the wanted one.
var twoNames = regexp.MustCompile(` is (\S+), not (\S+)(?: \(types from different \w+\))?$`)

// registeredTwice matches the panics of packages whose registries accept a name only once: gob, database/sql, expvar,
// Prometheus and the like.
var registeredTwice = regexp.MustCompile(`^gob: registering duplicate|: Register called twice|^Reuse of exported var name|duplicate .*registration|already registered`)

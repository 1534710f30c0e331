package builtin

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"overcomplete/kernel/cellsyntax"
	"overcomplete/kernel/engine"
	"overcomplete/kernel/internal/gotest"
)

// test implements %%test, which runs the cell and then the tests that it declares.
func (c *call) test(ctx context.Context) ([]engine.Value, error) {
	opt, err := gotest.Parse(fields(c.Args))
	if err != nil {
		return nil, err
	}
	var names []string
	if c.tree != nil {
		names = testNames(c.tree.Decls)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("this cell declares no test: func TestX(t *testing.T), BenchmarkX(b *testing.B), FuzzX(f *testing.F) or ExampleX() with an // Output: comment")
	}
	examples := exampleOutputs(c.code)
	if values, err := c.runner.Session.Run(ctx, engine.Cell{Name: c.cell.Name, Source: c.code, Tree: c.tree}); err != nil {
		return values, err
	}
	functions, err := c.functions(ctx, names)
	if err != nil {
		return nil, err
	}
	suite := &gotest.Suite{Name: c.cell.Name}
	var guard func(any) any
	for i, name := range names {
		if err := addTest(suite, name, functions[i], &guard, examples); err != nil {
			return nil, err
		}
	}
	err = suite.Run(ctx, opt, func(ctx context.Context, f func()) error {
		return c.runner.Session.Test(ctx, func(g func(any) any) { guard = g; f() })
	}, c.runner.Stdout)
	if !errors.Is(err, gotest.ErrFailed) {
		return nil, err
	}
	return nil, &engine.Error{Kind: engine.Test, Message: failedMessage(suite.Failed())}
}

// failedMessage returns an error message that names the failed tests.
func failedMessage(names []string) string {
	switch len(names) {
	case 0:
		return "the tests failed; see the output above"
	case 1:
		return names[0] + " failed"
	}
	return fmt.Sprintf("%d tests failed: %s", len(names), strings.Join(names, ", "))
}

// testKinds lists the prefixes of test names, each with the required parameters.
var testKinds = []struct{ prefix, params string }{
	{"Test", "t *testing.T"}, {"Benchmark", "b *testing.B"}, {"Fuzz", "f *testing.F"}, {"Example", ""},
}

// kindOf returns the kind of test that the name of a function indicates: Test, Benchmark, Fuzz or Example. It returns
// "" if name is not the name of a test. As in go test, the kind must not be followed by a lower-case letter.
func kindOf(name string) string {
	for _, k := range testKinds {
		if rest, ok := strings.CutPrefix(name, k.prefix); ok {
			if first, _ := utf8.DecodeRuneInString(rest); rest == "" || !unicode.IsLower(first) {
				return k.prefix
			}
		}
	}
	return ""
}

// testNames returns the names of the tests among the declarations, in order.
func testNames(decls []ast.Decl) (names []string) {
	for _, d := range decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Body != nil && f.Type.TypeParams == nil && kindOf(f.Name.Name) != "" {
			names = append(names, f.Name.Name)
		}
	}
	return names
}

// exampleOutputs returns, by name, those examples of a cell that have an output comment. Other examples are compiled
// but not run.
func exampleOutputs(code string) map[string]*doc.Example {
	found := map[string]*doc.Example{}
	for _, chunk := range cellsyntax.Split(code) {
		if chunk.Kind != cellsyntax.Decl {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+code[chunk.Start:chunk.End], parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		for _, e := range doc.Examples(f) {
			if e.Output != "" || e.EmptyOutput {
				found["Example"+e.Name] = e
			}
		}
	}
	return found
}

// functions returns the session's functions with these names.
func (c *call) functions(ctx context.Context, names []string) ([]any, error) {
	var list []any
	if err := c.runner.provide(ctx, "tests__", "func(f ...any)", func(f ...any) { list = f }); err != nil {
		return nil, err
	}
	_, err := c.runner.Session.Run(ctx, engine.Cell{Name: ownCell, Source: "tests__(" + strings.Join(names, ", ") + ")"})
	if err == nil && len(list) != len(names) {
		err = fmt.Errorf("%d of %d tests were found", len(list), len(names))
	}
	return list, err
}

// addTest adds f, a test function of the cell, to a suite. The suite runs the function that *guard returns for f, so
// *guard must be set before the suite runs.
func addTest(s *gotest.Suite, name string, f any, guard *func(any) any, examples map[string]*doc.Example) error {
	switch f := f.(type) {
	case func(*testing.M):
		if name == "TestMain" {
			s.Main = f
			return nil
		}
	case func(*testing.T):
		if kindOf(name) == "Test" {
			s.Tests = append(s.Tests, testing.InternalTest{Name: name, F: func(t *testing.T) { (*guard)(f).(func(*testing.T))(t) }})
			return nil
		}
	case func(*testing.B):
		if kindOf(name) == "Benchmark" {
			s.Benchmarks = append(s.Benchmarks, testing.InternalBenchmark{Name: name, F: func(b *testing.B) { (*guard)(f).(func(*testing.B))(b) }})
			return nil
		}
	case func(*testing.F):
		if kindOf(name) == "Fuzz" {
			s.Fuzz = append(s.Fuzz, testing.InternalFuzzTarget{Name: name, Fn: func(x *testing.F) { (*guard)(f).(func(*testing.F))(x) }})
			return nil
		}
	case func():
		if kindOf(name) == "Example" {
			if e := examples[name]; e != nil {
				s.Examples = append(s.Examples, testing.InternalExample{Name: name, F: func() { (*guard)(f).(func())() }, Output: e.Output, Unordered: e.Unordered})
			}
			return nil
		}
	}
	for _, k := range testKinds {
		if k.prefix == kindOf(name) {
			return fmt.Errorf("wrong signature for %s, must be: func %s(%s)", name, name, k.params)
		}
	}
	return nil
}

// fields splits arguments at blanks outside of quotes, and drops the quotes, as a shell does.
func fields(args string) (list []string) {
	for _, m := range argument.FindAllString(args, -1) {
		list = append(list, quotedPart.ReplaceAllString(m, "$1$2"))
	}
	return list
}

var (
	argument   = regexp.MustCompile("(?:" + quotedPart.String() + "|[^\\s\"'])+")
	quotedPart = regexp.MustCompile("\"([^\"]*)\"|'([^']*)'")
)

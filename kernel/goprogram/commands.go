package goprogram

import (
	"fmt"
	"go/ast"
	"go/types"
	"strconv"
	"strings"

	"overcomplete/kernel/magic"
)

// silent lists the commands that are dropped; only the Go code after them remains. (The code of %%test goes to a file
// of tests.)
var silent = map[string]bool{"%time": true, "%%time": true, "%%cache": true, "%%native": true, "%%test": true, "%go111module": true}

// command writes Go code that has the effect of a command of the notebook. If there is no such code, it writes the
// command as a comment.
func (e *emitter) command(p *part) {
	c := p.command
	if silent[c.Name] {
		return
	}
	switch c.Name {
	case "$":
		fmt.Fprintf(&e.body, "%s(%s)\n", e.shell(), quoted(c.Args))
	case "%%writefile":
		e.writeFile(c.Args, c.Body)
	case "%cd":
		if c.Args == "" || c.Args == "-" || strings.HasPrefix(c.Args, "~") {
			e.remark(p, "")
			return
		}
		fmt.Fprintf(&e.body, "%s(%s.Chdir(%s))\n", e.must(), e.pkg("os"), strconv.Quote(unquote(c.Args)))
	case "%env":
		name, value, ok := strings.Cut(c.Args, "=")
		if !ok {
			e.remark(p, "")
			return
		}
		fmt.Fprintf(&e.body, "%s(%s.Setenv(%s, %s))\n", e.must(), e.pkg("os"), strconv.Quote(strings.TrimSpace(name)), strconv.Quote(unquote(strings.TrimSpace(value))))
	case "%args", magic.Main:
		if c.Args != "" {
			e.remark(p, "give these arguments to the program")
		}
	case "%get":
		e.remark(p, "go.mod has the versions")
	case "%timeit", "%%timeit":
		e.remark(p, "a function BenchmarkX(b *testing.B) in a file of tests measures this")
	default:
		e.remark(p, "")
	}
}

// remark writes a command as a comment. The comment contains the given reason, unless it is "".
func (e *emitter) remark(p *part, reason string) {
	text := "In the notebook:"
	if reason != "" {
		text = "In the notebook (" + reason + "):"
	}
	e.body.WriteString("// " + text + "\n//\n")
	for l := range strings.SplitSeq(clean.Replace(p.text), "\n") {
		e.body.WriteString("//\t" + strings.TrimRight(l, " ") + "\n")
	}
}

func unquote(s string) string {
	if len(s) > 1 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}

// quoted returns s as a Go string literal. If s has several lines, the literal is a raw string if possible.
func quoted(s string) string {
	if strings.Contains(s, "\n") && strconv.CanBackquote(strings.ReplaceAll(strings.ReplaceAll(s, "\n", ""), "\t", "")) {
		return "`" + s + "`"
	}
	return strconv.Quote(s)
}

// must adds to the program a helper function that panics if its argument is a non-nil error, and returns the
// function's name.
func (e *emitter) must() string {
	name := e.fresh("must")
	e.helpers[name] = fmt.Sprintf("// %[1]s panics with an error, as a cell fails with it.\nfunc %[1]s(err error) {\nif err != nil {\npanic(err)\n}\n}", name)
	return name
}

// shell adds to the program a helper function that runs a line in the system's shell, and returns the function's name.
func (e *emitter) shell() string {
	name := e.fresh("shell")
	e.helpers[name] = fmt.Sprintf(`// %[5]s runs a line in the system's shell, and panics if it fails.
func %[5]s(line string) {
	cmd := %[1]s.Command("/bin/sh", "-c", line)
	if %[3]s.GOOS == "windows" {
		cmd = %[1]s.Command("cmd", "/c", line)
	}
	cmd.Stdout, cmd.Stderr = %[2]s.Stdout, %[2]s.Stderr
	%[4]s(cmd.Run())
}`, e.pkg("os/exec"), e.pkg("os"), e.pkg("runtime"), e.must(), name)
	return name
}

// writeFile writes Go code with the effect of the command %%writefile, which writes body to a file or appends it to the
// file.
func (e *emitter) writeFile(args, body string) {
	name, appends := strings.CutPrefix(args, "-a ")
	name = strconv.Quote(strings.TrimSpace(name))
	if body != "" && !strings.HasSuffix(body, "\n") {
		body += "\n"
	}
	if !appends {
		fmt.Fprintf(&e.body, "%s(%s.WriteFile(%s, []byte(%s), 0o644))\n", e.must(), e.pkg("os"), name, quoted(body))
		return
	}
	os, helper := e.pkg("os"), e.fresh("appendFile")
	e.helpers[helper] = fmt.Sprintf(`// %[3]s writes text to the end of a file.
func %[3]s(name, text string) {
	f, err := %[1]s.OpenFile(name, %[1]s.O_APPEND|%[1]s.O_CREATE|%[1]s.O_WRONLY, 0o644)
	%[2]s(err)
	_, err = f.WriteString(text)
	%[2]s(err)
	%[2]s(f.Close())
}`, os, e.must(), helper)
	fmt.Fprintf(&e.body, "%s(%s, %s)\n", helper, name, quoted(body))
}

// begin writes the code that starts a %time measurement.
func (e *emitter) begin() {
	op := "="
	if e.clock == "" {
		e.clock, op = e.fresh("begin"), ":="
	}
	fmt.Fprintf(&e.body, "%s %s %s.Now()\n", e.clock, op, e.pkg("time"))
}

// end writes the code that ends a %time measurement and prints the time.
func (e *emitter) end() {
	fmt.Fprintf(&e.body, "%s.Println(\"time:\", %s.Since(%s))\n", e.pkg("fmt"), e.pkg("time"), e.clock)
}

// flagOf returns the name of the function of package flag that defines a flag of the type t, such as IntVar. It returns
// "" if there is no such function.
func flagOf(t types.Type) string {
	if t == nil {
		return ""
	}
	return map[string]string{
		"string": "StringVar", "bool": "BoolVar", "int": "IntVar", "int64": "Int64Var", "uint": "UintVar", "uint64": "Uint64Var",
		"float64": "Float64Var", "time.Duration": "DurationVar",
	}[t.String()]
}

// flags writes code that turns the parameters declared in the cell c into flags of the program.
func (e *emitter) flags(c *cell) {
	any := false
	for _, p := range c.parts {
		if _, ok := p.stmt.(*ast.AssignStmt); !ok || !e.parameter(p) {
			continue
		}
		v := p.declares[0].canonical()
		usage := strings.TrimSpace(strings.TrimPrefix(strings.TrimLeft(p.text[p.to:], " \t;"), "//"))
		usage, _, _ = strings.Cut(usage, "\n")
		fmt.Fprintf(&e.body, "%s.%s(&%s, %q, %s, %s)\n", e.pkg("flag"), flagOf(v.typed), v.out, v.name, v.out, strconv.Quote(usage))
		any = true
	}
	if any {
		e.body.WriteString(e.pkg("flag") + ".Parse()\n")
	}
}

package browser

import (
	"os"
	"strconv"
	"strings"

	"overcomplete/kernel/internal/browser/pages"
)

func failures(p tab) {
	n := p.run("count := 3\nfmt.Println(cuont)")
	p.has(n, "fmt.Println(cuont)", "^", "count")
	p.clean(n)
	p.Shot("error-type")
	n = p.run("func third(v []int) int { return v[3] }\nfunc outer() int { return third([]int{1}) }\nouter()")
	p.has(n, "index out of range [3] with length 1", "third", "outer")
	p.clean(n)
	p.Shot("error-panic")
	n = p.run("csv.NewReader(nil)")
	p.has(n, `import "encoding/csv"`)
	p.clean(n)
	n = p.run(`x := "open`)
	p.has(n, "^")
	p.clean(n)
	p.Shot("error-syntax")
}

// clean checks that a cell's error does not mention the interpreter.
func (p tab) clean(n int) {
	p.Helper()
	// The reply that sets a cell's number may arrive before the error.
	if !p.Holds(pages.Shortly, `client.outputs(%d).some(o => o.output_type === "error")`, n) {
		p.Errorf("cell %d shows no error:\n%s", n, p.output(n))
	}
	p.lacks(n, "ixengine", "goplus", "gossa", "reflect.", "runtime/", "goroutine ", ".go:", "\x1b", "[31m")
}

func interrupt(p tab) {
	n := p.cell("turns := 0\nfor { turns++ }")
	p.start()
	p.Until(`client.busy()`)
	// Completion works while the cell runs.
	m := p.cell("")
	p.Key("strings.ToUpperS")
	p.only(m, "strings.ToUpperSpecial")
	p.Shot("running")
	p.press("interrupt")
	p.done(n)
	p.reveal(n)
	p.clean(n)
	p.Shot("interrupted")
	n = p.run("turns > 0")
	p.has(n, "true")
	p.Shot("after-interrupt")
}

func answer(p tab) {
	n := p.cell("var a, b int\nfmt.Print(\"two numbers: \")\nfmt.Scan(&a, &b)\nfmt.Println(\"sum\", a+b)")
	p.start()
	p.Until(`client.box() && client.box() === document.activeElement`)
	p.Shot("input")
	p.Key("19 23")
	p.Key(pages.Enter)
	p.done(n)
	p.has(n, "two numbers:", "sum 42")
	p.Shot("answered")

	n = p.cell("word, err := display.Password(\"word: \")\nfmt.Println(len(word), err)")
	p.start()
	p.Until(`client.box() && client.box().type === "password" && client.box() === document.activeElement`)
	p.Key("secret")
	p.Shot("password")
	p.Key(pages.Enter)
	p.done(n)
	p.has(n, "word:", "6 <nil>")
	p.lacks(n, "secret")

	// An interrupt ends an input request.
	n = p.cell("fmt.Scan(&a)")
	p.start()
	p.Until("client.box()")
	p.press("interrupt")
	p.done(n)
	p.clean(n)
	p.Shot("interrupted-input")

	// The page keeps the box of an interrupted input request. Input that comes late does not answer the next
	// request.
	if pages.Eval[bool](p.page, `!!client.box()`) {
		p.ClickElement(`client.box()`)
		p.Until(`client.box() === document.activeElement`)
		p.Key("99")
		p.Key(pages.Enter)
		p.Until(`!client.box()`)
	}
	n = p.run("a")
	p.has(n, "19")
	n = p.cell("fmt.Scan(&a)\nfmt.Println(\"a is\", a)")
	p.start()
	p.Until(`client.box() && client.box() === document.activeElement`)
	p.Key("5")
	p.Key(pages.Enter)
	p.done(n)
	p.has(n, "a is 5")
}

func restart(p tab) {
	p.press("restart")
	p.Until(`client.dialog() === "" && client.ready()`)
	n := p.run("turns")
	p.has(n, "turns")
	p.clean(n)
	p.Shot("restarted")
	n = p.run("1 + 1")
	p.has(n, "2")
	p.save()
}

// kill kills the kernel during a cell; the server restarts it automatically.
func kill(p tab) {
	n := p.run("import (\"fmt\"; \"os\")\nfmt.Println(os.Getpid())")
	pid, err := strconv.Atoi(strings.TrimSpace(p.output(n)))
	if err != nil {
		p.Fatal(err)
	}
	p.cell("for {}")
	p.start()
	p.Until(`client.busy()`)
	kernel, err := os.FindProcess(pid)
	if err == nil {
		err = kernel.Kill()
	}
	if err != nil {
		p.Fatal(err)
	}
	p.Until(`client.dialog()`)
	p.Shot("killed")
	p.press("accept")
	p.Until(`client.dialog() === ""`)
	n = p.run("40 + 2") // wait, because the classic Notebook shows a bomb as the kernel's icon until a cell runs
	p.has(n, "42")
	p.Shot("after-kill")
}

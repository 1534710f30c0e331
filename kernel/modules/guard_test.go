package modules

import (
	"context"
	"go/parser"
	"go/token"
	"os/exec"
	"strings"
	"testing"
)

// TestGuard: os.Exit and log.Fatal in a compiled module call cell.Exit, and log.Fatal logs its line first. A panic
// in a goroutine ends the goroutine. Functions that look at the stack are those of package callers.
func TestGuard(t *testing.T) {
	w := newWorld(t)
	p, err := w.open().Compile(context.Background(), []string{"example.com/guard"}, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, said(err))
	}
	for _, test := range []struct{ function, logged, code string }{
		{"ByPanic", "This goroutine, which package guard has started, has ended; the session goes on.\n", "5"},
		{"ByStarted", "This goroutine, which package guard has started, has ended; the session goes on.\n", "6"},
		{"ByExit", "", "3"}, {"ByCallers", "", "8"}, {"ByVariable", "", "4"}, {"ByFatal", "one2\n", "1"}, {"ByFatalf", "7\n", "1"}, {"ByFatalln", "one 2\n", "1"},
	} {
		var logged strings.Builder
		cmd := exec.Command(p.Path, test.function)
		cmd.Stderr = &logged
		out, err := cmd.Output()
		if err != nil || !strings.HasSuffix(string(out), "cell.Exit "+test.code+"\n") {
			t.Errorf("%s: %v\n%s", test.function, err, out)
		}
		if got := logged.String(); !strings.HasSuffix(got, test.logged) || got == "" != (test.logged == "") {
			t.Errorf("%s logged %q", test.function, got)
		} else if test.function == "ByStarted" && !(strings.Contains(got, "panic: 1 2 <nil> 2\n") && strings.Contains(got, "panic: 1 2.5 <nil> 1\n")) {
			t.Errorf("the arguments of the go statements are not those of the source: %q", got)
		}
	}
}

// TestGuarded: the text stays Go, lines keep their numbers, and what is not a call to os or log stays.
func TestGuarded(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"import \"os\"\n\nfunc f() { os.Exit(1) }", "import \"os\"\n\nfunc f() { overcomplete_Exit(1) }\nvar _ = os.Exit\n"},
		{"import o \"os\"\n\nvar quit = o.Exit", "import o \"os\"\n\nvar quit = overcomplete_Exit\nvar _ = o.Exit\n"},
		{"import \"log\"\n\nfunc f() { log.Fatalf(\n\"x\"); log.Fatalln() }", "import \"log\"\n\nfunc f() { overcomplete_Fatalf(\n\"x\"); overcomplete_Fatalln() }\nvar _ = log.Fatalln\n"},
		{"import \"runtime\"\n\nfunc f() { runtime.GC(); runtime.Callers(1, nil)\nruntime.FuncForPC(0) }", "import \"runtime\"\n\nfunc f() { runtime.GC(); overcomplete_Callers(1, nil)\novercomplete_FuncForPC(0) }\nvar _ = runtime.FuncForPC\n"},
		{"import \"os\"\n\nfunc f(os T) { os.Exit(1) }", ""},
		{"import \"os\"\n\nfunc f() { println(os.Args, \"Exit\") }", ""},
		{"import \"example.com/os\"\n\nfunc f() { os.Exit(1) }", ""},
		{"func f() { log.Fatal(1) }", ""},
		{"func f() {\ngo func(n int) {\ng(n)\n}(1)\n}", "func f() {\ngo func(n int) { defer overcomplete_Recover();\ng(n)\n}(1)\n}"},
		{"func f() { go func() {}(); go p.G(1); func() {}() }", "func f() { go func() { defer overcomplete_Recover();}(); go p.G(1); func() {}() }"},
		{"import \"os\"\nfunc f(s S) { go g(s.h(1),\nos.Exit); go s.run(s.xs...); go fs[1](); go close(c); go sum(1); go s.each(2); go sum[int](3) }",
			"import \"os\"\nfunc f(s S) { go overcomplete_Guard(g)(s.h(1),\novercomplete_Exit); go overcomplete_GuardSlice(s.run)(s.xs); go overcomplete_Guard(fs[1])(); go close(c); go sum(1); go s.each(2); go sum[int](3) }\nvar _ = os.Exit\n"},
		{"import \"os\"\nfunc f() { go func() { os.Exit(1) }() }", "import \"os\"\nfunc f() { go func() { defer overcomplete_Recover(); overcomplete_Exit(1) }() }\nvar _ = os.Exit\n"},
	} {
		text := "package p; " + test.text
		want := ""
		if test.want != "" {
			want = "package p; " + test.want
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, "", text, 0)
		if err != nil {
			t.Fatal(err)
		}
		got := string(guarded(fset, f, []byte(text), map[string]bool{"sum": true, "each": true}))
		if got != want {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
		if _, err := parser.ParseFile(token.NewFileSet(), "", got, 0); got != "" && err != nil {
			t.Error(err)
		}
	}
}

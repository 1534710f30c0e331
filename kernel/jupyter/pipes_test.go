package jupyter

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"log"
	"os"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"overcomplete/internal/patience"
	"overcomplete/kernel"
	"overcomplete/kernel/wire"
)

// TestOverPipes runs the tests of the server over sockets again, over pipes.
func TestOverPipes(t *testing.T) {
	again := []func(*testing.T){
		TestAnswer, TestAnswersWhileRunning, TestComms, TestCompletionTypes, TestDebug, TestEarlier, TestEveryRequestGetsAReply,
		TestExecute, TestFreesWhenIdle, TestHistory, TestInput, TestInterpreterDoesNotStart, TestKernelInfo, TestManyPrints,
		TestNoHandOverWhileDebugging, TestOutput, TestPromptText, TestReady, TestRealKernel, TestRedirect, TestServer2,
		TestSeveralAsk, TestShutdown, TestShutdownWhileHeld, TestStaleMetadata, TestStopOnError, TestStrangeContent,
		TestUserExpressions, TestWithoutDebugger,
	}
	done := map[string]bool{}
	for _, test := range again {
		name := runtime.FuncForPC(reflect.ValueOf(test).Pointer()).Name()
		name = name[strings.LastIndexByte(name, '.')+1:]
		done[name] = true
		t.Run(name, test)
	}
	for _, name := range serverTests(t) {
		if !done[name] {
			t.Errorf("%s uses the function start, and is not in the list", name)
		}
	}
}

// serverTests returns the names of the tests that call start or startOpening themselves, on all systems.
func serverTests(t *testing.T) (names []string) {
	pkgs, err := parser.ParseDir(token.NewFileSet(), ".", func(f fs.FileInfo) bool {
		return strings.HasSuffix(f.Name(), "_test.go") && !strings.HasSuffix(f.Name(), "_unix_test.go")
	}, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range pkgs["jupyter"].Files {
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || !strings.HasPrefix(f.Name.Name, "Test") {
				continue
			}
			starts := false
			ast.Inspect(f, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok {
					id, ok := call.Fun.(*ast.Ident)
					starts = starts || ok && (id.Name == "start" || id.Name == "startOpening")
				}
				return true
			})
			if starts {
				names = append(names, f.Name.Name)
			}
		}
	}
	if len(names) == 0 {
		t.Error("no test of the server was found")
	}
	return names
}

// overPipes returns pipes and the function that connects a client with them. The function gone is called when
// the client has gone.
func overPipes(t *testing.T, gone func()) (Channels, func() (*wire.Client, error)) {
	t.Helper()
	toKernel, toClient := filesOfPipe(t), filesOfPipe(t)
	pipes := wire.OpenPipes(toKernel[0], toClient[1], log.New(io.Discard, "", 0), gone)
	return OverPipes(pipes), func() (*wire.Client, error) { return wire.DialPipes(toClient[0], toKernel[1]), nil }
}

func filesOfPipe(t *testing.T) [2]*os.File {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	return [2]*os.File{r, w}
}

// TestClientGone: when the client of pipes ends, the server ends too, even if a running cell does not stop and the
// client has not read what the cell printed.
func TestClientGone(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), patience.Long)
	defer cancel()
	channels, dial := overPipes(t, cancel)
	f := standard()
	f["print"] = func(_ context.Context, out kernel.Output) error {
		for range 100 {
			out.Stream("stdout", strings.Repeat("x", 1<<20))
		}
		select {}
	}
	s := New(channels, "kernel", func() (Executor, error) { return f, nil }, Options{})
	ended := make(chan bool)
	go func() {
		s.Run(ctx)
		close(ended)
	}()
	c, err := dial()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Send(wire.Shell, "execute_request", code("print")); err != nil {
		t.Fatal(err)
	}
	for {
		m, err := c.Recv(ctx, wire.IOPub)
		if err != nil {
			t.Fatal(err)
		}
		if m.Header.MsgType == "stream" {
			break
		}
	}
	c.Close()
	select {
	case <-ended:
	case <-time.After(patience.Long):
		t.Error("the server does not end")
	}
}

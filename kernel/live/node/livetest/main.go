// Command livetest runs tests of the kernel for browsers under node, package by package, and lists the skipped
// tests with the reasons:
//
//	go run ./kernel/live/node/livetest [-run REGEXP] [PACKAGE...]
//
// By default it tests the packages that behave differently in a browser.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"overcomplete/kernel/internal/overlay"
)

// packages lists the packages that behave differently in a browser, and the parts of the kernel that a page
// uses most.
var packages = []string{
	"./kernel/internal/ixengine",
	"./kernel/internal/capture",
	"./kernel/internal/builtin",
	"./kernel/internal/render",
	"./kernel/internal/stale",
	"./kernel/internal/dap",
	"./kernel/lineage",
	"./ui/...",
}

// unsupported lists tests of features that a browser's kernel does not have, and the reasons.
var unsupported = []struct{ tests, reason string }{
	{"TestModule", "packages of other modules do not run there"},
}

func main() {
	run := flag.String("run", "", "the tests to run")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	list := flag.Args()
	if len(list) == 0 {
		list = packages
	}
	if err := test(ctx, *run, list); err != nil {
		fmt.Fprintln(os.Stderr, "livetest:", err)
		os.Exit(1)
	}
}

// test runs the tests of the given packages under node, and prints the results. It runs only tests that match the given
// regular expression, and none of those in the list named unsupported.
func test(ctx context.Context, run string, list []string) error {
	if _, err := exec.LookPath("node"); err != nil {
		fmt.Println("node is not installed: the tests of the kernel for browsers are skipped")
		return nil
	}
	goroot, err := output(ctx, "env", "GOROOT")
	if err != nil {
		return err
	}
	tmp, err := os.MkdirTemp("", "overcomplete-livetest-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	o, err := overlay.Write(tmp, goroot)
	if err != nil {
		return err
	}
	script, err := filepath.Abs(filepath.Join("kernel", "live", "node", "exec.cjs"))
	if err != nil {
		return err
	}
	if _, err := os.Stat(script); err != nil {
		return fmt.Errorf("run this command in the root of the project: %w", err)
	}
	begin := time.Now()
	var all results
	var without []string
	for _, n := range unsupported {
		without = append(without, "^"+n.tests)
	}
	// Test one package at a time, because linking a test binary takes a gigabyte, and some tests measure time.
	cmd := exec.CommandContext(ctx, o.Go(), append([]string{"test", "-json", "-p=1", "-count=1", "-vet=off", "-overlay=" + o.File,
		"-exec=" + quoted("node", script, filepath.Join(goroot, "lib", "wasm")), "-run=" + run, "-skip=" + strings.Join(without, "|"), "-timeout=20m"}, list...)...)
	cmd.Env = append(append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0"), o.Env()...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	all.read(out, os.Stdout)
	err = cmd.Wait()
	all.print(os.Stdout, time.Since(begin))
	for _, n := range unsupported {
		fmt.Printf("not run: %s...: %s\n", n.tests, n.reason)
	}
	if failed := len(all.failed); failed > 0 {
		return fmt.Errorf("%d failed", failed)
	}
	return errors.Join(err, ctx.Err())
}

// output runs the go command and returns its output.
func output(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "go", args...).Output()
	return strings.TrimSpace(string(out)), err
}

// quoted joins words into one string for the flag -exec of go test, with quotes, so that go test splits the string
// into the same words again.
func quoted(words ...string) string {
	for i, w := range words {
		words[i] = "'" + w + "'"
	}
	return strings.Join(words, " ")
}

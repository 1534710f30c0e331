package randprog

import (
	"bytes"
	"context"
	"fmt"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// compiledMemory is how many bytes compiled programs may hold. Programs made by New hold less than an eighth
// of this; programs tried by Shrink may grow forever.
const compiledMemory = 256 << 20

// compiledTime is how long compiled programs may run: programs made by New end at once, but not all programs
// tried by Shrink end.
const compiledTime = 20 * time.Second

// topLevel returns a pattern for the names that a program declares at its top level.
func topLevel(src string) (*regexp.Regexp, error) {
	f, err := parser.ParseFile(token.NewFileSet(), "p.go", src, 0)
	if err != nil {
		return nil, err
	}
	names := slices.Sorted(maps.Keys(f.Scope.Objects))
	return regexp.MustCompile(`\b(` + strings.Join(names, "|") + `)\b`), nil
}

// begin and end are lines around the output of each program.
const begin, end = "== begin", "== end"

// mainFile runs one program after another. The output of each begins on a line of its own, so that the
// outputs can be separated.
const mainFile = `package main

import (
	"fmt"
	"os"
	"runtime/metrics"
	"time"
)

func main() {
	go watch()
	for i, run := range programs {
		fmt.Println("` + begin + `", i)
		one(run)
		fmt.Println("` + end + `", i)
	}
}

// one runs a program up to the panic that nobody recovers.
func one(run func()) {
	defer func() {
		if e := recover(); e != nil {
			fmt.Println("panics:", e)
		}
	}()
	run()
}

// watch ends the process when a program holds too much.
func watch() {
	held := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	for range time.Tick(5 * time.Millisecond) {
		if metrics.Read(held); held[0].Value.Uint64() > memory {
			fmt.Fprintf(os.Stderr, "it holds more than %d MiB\n", memory>>20)
			os.Exit(1)
		}
	}
}
`

// A ProgramError says which of several programs did not end properly.
type ProgramError struct {
	Index int
	Why   string
}

func (e *ProgramError) Error() string {
	return fmt.Sprintf("program %d of the compiled ones has not ended: %s", e.Index, e.Why)
}

// Compiled builds programs into one binary with the go command, runs the binary, and returns the output of each
// program. If a program panics and does not recover, its output has a line that begins with "panics:".
func Compiled(sources []string) ([]string, error) {
	dir, err := os.MkdirTemp("", "randprog")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	write := func(name, text string) error { return os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644) }
	var runs strings.Builder
	for i, src := range sources {
		// A single package compiles faster, so each program's names get the program's number.
		names, err := topLevel(src)
		if err != nil {
			return nil, fmt.Errorf("program %d: %w", i, err)
		}
		text := names.ReplaceAllString(src, fmt.Sprintf("${1}_%d", i))
		if err := write(fmt.Sprintf("p%d.go", i), text); err != nil {
			return nil, err
		}
		fmt.Fprintf(&runs, "\tRun_%d,\n", i)
	}
	if err := write("main.go", mainFile+fmt.Sprintf("\nconst memory = %d\n", compiledMemory)+"\nvar programs = []func(){\n"+runs.String()+"}\n"); err != nil {
		return nil, err
	}
	if err := write("go.mod", "module randomprograms\n\ngo 1.26\n"); err != nil {
		return nil, err
	}
	exe := filepath.Join(dir, "programs.exe")
	build := exec.Command("go", "build", "-o", exe, ".")
	build.Dir = dir
	build.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-trimpath", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build: %v\n%s", err, out)
	}
	ctx, cancel := context.WithTimeout(context.Background(), compiledTime)
	defer cancel()
	var out, errs Output
	run := exec.CommandContext(ctx, exe)
	run.Stdout, run.Stderr = &out, &errs
	if err := run.Run(); err != nil {
		why := strings.TrimSpace(errs.String())
		if ctx.Err() != nil {
			why = fmt.Sprint("it runs longer than ", compiledTime)
		} else if why == "" {
			why = err.Error()
		}
		return nil, &ProgramError{strings.Count(out.String(), end+" "), why}
	}
	return outputs(out.String(), len(sources))
}

// outputs splits the output of n programs.
func outputs(text string, n int) ([]string, error) {
	var list []string
	for i := range n {
		_, after, ok := strings.Cut(text, fmt.Sprintf("%s %d\n", begin, i))
		one, rest, ok2 := strings.Cut(after, fmt.Sprintf("%s %d\n", end, i))
		if !ok || !ok2 {
			return nil, &ProgramError{i, "the end of its output is missing"}
		}
		number := regexp.MustCompile(fmt.Sprintf(`\b([\pL\d]+)_%d\b`, i))
		list, text = append(list, number.ReplaceAllString(one, "$1")), rest
	}
	return list, nil
}

// mostOutput is the maximum size of an Output, in bytes. A program that prints more is assumed to print
// forever.
const mostOutput = 64 << 20

// An Output keeps the output of programs up to a limit.
type Output struct{ text bytes.Buffer }

func (o *Output) Write(p []byte) (int, error) {
	o.text.Write(p[:min(len(p), mostOutput-o.text.Len())])
	return len(p), nil
}

// String returns the output that was kept.
func (o *Output) String() string { return o.text.String() }

//go:build realmodules && linux

package main

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"overcomplete/internal/atomicfile"
	"overcomplete/internal/nested"
	patient "overcomplete/internal/patience"
	"overcomplete/kernel/wire"
)

// This test uses the modules in kernel/modules/testdata/tried.txtar as users would: in a real kernel, over its
// sockets, with a network. The archive of a module contains the cells, separated by ---, and a file "out"
// with the cells' outputs when the module is compiled in. If there is a file "source", it has the outputs when the module
// is run from source.
//
//	go test -tags realmodules -run TestTried -timeout 2h -v ./cmd/overcomplete [-only uuid,lo] [-update-tried]
//
// The test needs bin/overcomplete, as built by make. The flag -update-tried writes the table
// testdata/tried.md.
var (
	updateTried = flag.Bool("update-tried", false, "write what the cells show, and the table")
	onlyTried   = flag.String("only", "", "the names of the archives to run, with commas between them")
)

const triedFile = "../../kernel/modules/testdata/tried"

// A triedSession is a kernel and its client.
type triedSession struct {
	t      *testing.T
	cmd    *exec.Cmd
	client *wire.Client
}

// A shownCell is the output of one cell.
type shownCell struct {
	text      string // values, errors, and streams without the progress of modules
	about     string // messages about modules
	wall, cpu time.Duration
}

// startTried starts bin/overcomplete in a folder with a cache.
func startTried(t *testing.T, folder, cache string) *triedSession {
	t.Helper()
	program, err := filepath.Abs("../../bin/overcomplete")
	if err != nil {
		t.Fatal(err)
	}
	info, err := wire.NewConnectionInfo()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "connection.json")
	if err := info.WriteFile(file); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "kernel", "--quiet", file)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "OVERCOMPLETE_HISTORY=off", "XDG_CACHE_HOME="+cache, "XDG_CONFIG_HOME="+cache, "GOCACHE="+goEnv(t, "GOCACHE"), "GOMODCACHE="+goEnv(t, "GOMODCACHE"))
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patient.Long)
	defer cancel()
	client, err := wire.Dial(ctx, info)
	if err != nil {
		cmd.Process.Kill()
		t.Fatal(err)
	}
	s := &triedSession{t, cmd, client}
	t.Cleanup(s.close)
	return s
}

func goEnv(t *testing.T, name string) string {
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

func (s *triedSession) close() {
	if s.client != nil {
		s.client.Send(wire.Control, "shutdown_request", map[string]any{"restart": false})
		s.client.Close()
		s.client = nil
		time.AfterFunc(5*time.Second, func() { s.cmd.Process.Kill() })
		s.cmd.Wait()
	}
}

// processor returns the processor time of the kernel and of its finished child processes.
func (s *triedSession) processor() time.Duration {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	f := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))
	sum := 0
	for _, x := range f[11:15] { // utime, stime, cutime, cstime
		n, _ := strconv.Atoi(x)
		sum += n
	}
	return time.Duration(sum) * 10 * time.Millisecond
}

// run runs a cell.
func (s *triedSession) run(code string) (c shownCell) {
	ctx, cancel := context.WithTimeout(s.t.Context(), 10*time.Minute)
	defer cancel()
	begin, used := time.Now(), s.processor()
	h, err := s.client.Send(wire.Shell, "execute_request", map[string]any{"code": code, "silent": false, "store_history": true, "allow_stdin": false})
	if err != nil {
		s.t.Fatal(err)
	}
	var text, about strings.Builder
	for idle := false; !idle; {
		m, err := s.client.Recv(ctx, wire.IOPub)
		if err != nil {
			s.t.Fatalf("%v\nin\n%s", err, code)
		}
		if m.Parent().MsgID != h.MsgID {
			continue
		}
		var content struct {
			State, Name, Text, Evalue, Ename string
			Execution                        string `json:"execution_state"`
			Data                             map[string]any
		}
		json.Unmarshal(m.Content, &content)
		switch m.Header.MsgType {
		case "status":
			idle = content.Execution == "idle"
		case "stream":
			if content.Name == "stderr" {
				about.WriteString(content.Text)
			} else {
				text.WriteString(content.Text)
			}
		case "execute_result", "display_data":
			fmt.Fprintf(&text, "=> %v\n", content.Data["text/plain"])
		case "error":
			fmt.Fprintf(&text, "!! %s: %s\n", content.Ename, content.Evalue)
		}
	}
	c.wall, c.cpu = time.Since(begin), s.processor()-used
	c.text, c.about = text.String(), about.String()
	return c
}

// program returns the path of the file that the kernel's process executes.
func (s *triedSession) program() string {
	p, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", s.cmd.Process.Pid))
	return p
}

func TestTried(t *testing.T) {
	file, err := nested.Read(triedFile + ".txtar")
	if err != nil {
		t.Fatal(err)
	}
	cache := cmp.Or(os.Getenv("TRIED_CACHE"), t.TempDir())
	// A first small module pays for the work that is done once for all modules.
	s := startTried(t, t.TempDir(), cache)
	warm := s.run("%get rsc.io/quote@v1.5.2\nimport \"rsc.io/quote\"\nquote.Hello()")
	t.Logf("the first module of all: %.1f s, %.1f s of processor time: %s%s", warm.wall.Seconds(), warm.cpu.Seconds(), warm.about, warm.text)
	s.close()
	table := "| module | way | first import: s, processor s | program known: s | from source: s, processor s |\n|---|---|---|---|---|\n"
	for _, module := range file.Archives() {
		if *onlyTried != "" && !slices.Contains(strings.Split(*onlyTried, ","), module.Name) {
			continue
		}
		t.Run(module.Name, func(t *testing.T) { table += runTried(t, module.Archive, cache) })
		if *updateTried {
			if err := file.Write(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if *updateTried && *onlyTried == "" {
		if err := atomicfile.Write(triedFile+".md", []byte(table), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Log("\n" + table)
}

var pinned = regexp.MustCompile(`%get (\S+)`)

// runTried runs the cells of an archive in three kernels, and returns a table line.
func runTried(t *testing.T, parts *txtar.Archive, cache string) string {
	cells := strings.Split(strings.TrimSuffix(part(parts, "cell"), "\n"), "\n---\n")
	all := func(s *triedSession) (first shownCell, text string) {
		for i, code := range cells {
			c := s.run(code)
			if i == 0 {
				first = c
			}
			t.Logf("In[%d] %.2f s, %.2f s of processor time %s\n%s%s", i+1, c.wall.Seconds(), c.cpu.Seconds(), filepath.Base(s.program()), c.about, c.text)
			text += fmt.Sprintf("--- In[%d]\n%s", i+1, c.text)
		}
		return first, text
	}
	s := startTried(t, t.TempDir(), cache)
	plain := s.program()
	compiled, shown := all(s)
	way := "compiled"
	switch {
	case importFailed(compiled):
		way = "no"
	case s.program() == plain:
		way = "from source"
	}
	s.close()
	triedGolden(t, parts, "out", shown)

	s = startTried(t, t.TempDir(), cache)
	known, again := all(s)
	if again != shown {
		t.Errorf("with the program known it shows\n%s", again)
	}
	s.close()

	s = startTried(t, t.TempDir(), cache)
	s.run("state := 1")
	source, shownBySource := all(s)
	if s.program() != plain {
		t.Error("the session had a variable, and the program was replaced")
	}
	s.close()
	if part(parts, "source") != "" || *updateTried && shownBySource != shown {
		triedGolden(t, parts, "source", shownBySource)
	} else if shownBySource != shown {
		t.Errorf("from source it shows\n%s", shownBySource)
	}
	bySource := fmt.Sprintf("%.2f, %.2f", source.wall.Seconds(), source.cpu.Seconds())
	if importFailed(source) {
		bySource = "no (" + bySource + ")"
	}
	pin := pinned.FindStringSubmatch(cells[0])
	return fmt.Sprintf("| %s | %s | %.1f, %.1f | %.2f | %s |\n", pin[1], way, compiled.wall.Seconds(), compiled.cpu.Seconds(), known.wall.Seconds(), bySource)
}

// importFailed reports whether a cell with an import has failed.
func importFailed(c shownCell) bool { return strings.Contains(c.text, "!! ") }

// part returns the content of a file of an archive, or "" if the archive does not contain the file.
func part(of *txtar.Archive, name string) string {
	for _, f := range of.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}

// triedGolden compares what cells show with a file of the archive. With -update-tried, it replaces the file.
func triedGolden(t *testing.T, parts *txtar.Archive, name, shown string) {
	t.Helper()
	switch want := part(parts, name); {
	case *updateTried:
		parts.Files = slices.DeleteFunc(parts.Files, func(f txtar.File) bool { return f.Name == name })
		parts.Files = append(parts.Files, txtar.File{Name: name, Data: []byte(shown)})
	case shown != want:
		t.Errorf("it shows\n%swant\n%s", shown, want)
	}
}

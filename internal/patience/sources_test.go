package patience

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// hurried matches a wait of a few seconds after which a test fails.
var hurried = regexp.MustCompile(`<-time\.After\(([0-9]+ ?\* ?)?time\.Second\)|for .*time\.Now\(\)\.Add\(([0-9]+ ?\* ?)?time\.Second\)|WithTimeout\([^,]+, ?([0-9]+ ?\* ?)?time\.Second\)|Deadline\(time\.Now\(\)\.Add\(([0-9]+ ?\* ?)?time\.Second`)

// allowed lists lines in which a second is not a time limit but the subject of the test, by file and part of
// the line.
var allowed = map[string]string{
	"suite/grade/grade_test.go":            "WithTimeout(context.Background(), time.Second)", // the program is stopped after that time
	"kernel/jupyter/handover_unix_test.go": "WithTimeout(p.ctx, time.Second)",                // the cell is interrupted once more after that time
	"kernel/internal/bench/abuse_test.go":  "SetWriteDeadline(time.Now().Add(time.Second))",  // for output that nobody reads
}

// TestNoHurry checks that no test fails because a busy machine pauses for ten seconds.
func TestNoHurry(t *testing.T) {
	for line, want := range map[string]bool{
		"case <-time.After(5 * time.Second):": true, "case <-time.After(time.Second):": true, "case <-time.After(patience.Long):": false, "case <-time.After(5 * time.Millisecond):": false,
		"for end := time.Now().Add(3 * time.Second); len(left) > 0 && time.Now().Before(end); {": true, "later := time.Now().Add(2 * time.Second)": false,
		"ctx, cancel := context.WithTimeout(ctx, 20*time.Second)": true, "ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)": false,
	} {
		if got := hurried.MatchString(line); got != want {
			t.Errorf("%s: %v", line, got)
		}
	}
	root := filepath.Join("..", "..")
	files := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(root, path)
		name = filepath.ToSlash(name)
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && d.Name() != ".." || d.Name() == "node_modules" || name == "internal/patience") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(name, "_test.go") {
			return nil
		}
		files++
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for i, line := range strings.Split(string(text), "\n") {
			if hurried.MatchString(line) && (allowed[name] == "" || !strings.Contains(line, allowed[name])) {
				t.Errorf("%s:%d: a wait of seconds: package patience has longer ones\n%s", name, i+1, line)
			}
		}
		return nil
	})
	if err != nil || files < 100 {
		t.Errorf("%d files, %v", files, err)
	}
}

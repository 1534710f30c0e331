package signature

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"overcomplete/internal/testfile"
	"overcomplete/kernel/notebook"
)

func shown(forms map[string]any) notebook.Output {
	return notebook.Output{"output_type": "display_data", "data": forms}
}

func TestSigned(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "trust")
	o := shown(map[string]any{"text/html": "<script>draw()</script>", "text/plain": "a drawing"})
	if In(dir).Signed(o) {
		t.Error("an output is trusted before anything was signed")
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("asking made a key")
	}
	s := In(dir)
	if err := s.Sign(o); err != nil {
		t.Fatal(err)
	}
	for _, s := range []*Store{s, In(dir)} { // as in this process and in a later one
		if !s.Signed(o) {
			t.Error("an output that was signed is not trusted")
		}
		for name, other := range map[string]notebook.Output{
			"other text": shown(map[string]any{"text/html": "<script>draw( )</script>"}),
			"other kind": shown(map[string]any{"application/javascript": "<script>draw()</script>"}),
			"one more":   shown(map[string]any{"text/html": "<script>draw()</script>", "text/markdown": "<script>"}),
			"none":       shown(map[string]any{"text/plain": "a drawing"}),
		} {
			if s.Signed(other) {
				t.Errorf("%s is trusted", name)
			}
		}
	}
	if info, err := os.Stat(filepath.Join(dir, keyFile)); err != nil || runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		t.Errorf("others may read the key: %v, %v", info.Mode(), err)
	}
}

// TestOtherKey: signatures are copied to a user with another key.
func TestOtherKey(t *testing.T) {
	mine, theirs := t.TempDir(), t.TempDir()
	o := shown(map[string]any{"application/javascript": "draw()"})
	for dir, signs := range map[string]notebook.Output{mine: shown(map[string]any{"text/html": "x"}), theirs: o} {
		if err := In(dir).Sign(signs); err != nil {
			t.Fatal(err)
		}
	}
	b := testfile.Read(t, filepath.Join(theirs, signaturesFile))
	if err := os.WriteFile(filepath.Join(mine, signaturesFile), b, 0o600); err != nil {
		t.Fatal(err)
	}
	if In(mine).Signed(o) {
		t.Error("a signature made with another key is accepted")
	}
}

func TestOff(t *testing.T) {
	t.Setenv(Variable, "off")
	s, o := ForUser(), shown(map[string]any{"text/html": "x"})
	if err := s.Sign(o); err != nil || s.Signed(o) {
		t.Errorf("signed: %v, %v", s.Signed(o), err)
	}
}

func TestShortened(t *testing.T) {
	dir := t.TempDir()
	old, recent := shown(map[string]any{"text/html": "old"}), shown(map[string]any{"text/html": "recent"})
	s := In(dir)
	if err := s.Sign(old); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, signaturesFile)
	b := testfile.Read(t, file)
	if err := os.WriteFile(file, append(b, strings.Repeat("00\n", 2*most)...), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := In(dir).Sign(recent); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(testfile.Read(t, file)), "\n"); n != most+1 {
		t.Errorf("%d signatures are left", n)
	}
	if s := In(dir); !s.Signed(recent) || s.Signed(old) {
		t.Error("not the oldest were dropped")
	}
}

func TestDamagedKey(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, keyFile), []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	o := shown(map[string]any{"text/html": "x"})
	if err := In(dir).Sign(o); err == nil || !strings.Contains(err.Error(), "remove it") {
		t.Errorf("a damaged key: %v", err)
	}
}

// TestEmptyKey: an empty key, which a full disk or a killed program can leave behind, is not used.
func TestEmptyKey(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, keyFile), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	o := shown(map[string]any{"text/html": "x"})
	if In(dir).Signed(o) {
		t.Error("an output is trusted before anything was signed")
	}
	if _, err := In(dir).Condition(); err != nil {
		t.Errorf("an empty key is made anew, and yet: %v", err)
	}
	if err := In(dir).Sign(o); err != nil {
		t.Fatal(err)
	}
	if !In(dir).Signed(o) {
		t.Error("what was signed is not trusted")
	}
}

// TestTornLine: if a full disk has left an incomplete line, outputs signed later are trusted.
func TestTornLine(t *testing.T) {
	dir := t.TempDir()
	a, b := shown(map[string]any{"text/html": "a"}), shown(map[string]any{"text/html": "b"})
	if err := In(dir).Sign(a); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(dir, signaturesFile), 20); err != nil {
		t.Fatal(err)
	}
	if err := In(dir).Sign(b); err != nil {
		t.Fatal(err)
	}
	if s := In(dir); !s.Signed(b) || s.Signed(a) {
		t.Errorf("signed: %v, want true; cut off: %v, want false", s.Signed(b), s.Signed(a))
	}
}

func TestCondition(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "trust")
	if at, err := In(dir).Condition(); at != dir || err != nil {
		t.Errorf("nothing there: %q, %v", at, err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("asking made the folder")
	}
	if err := In(dir).Sign(shown(map[string]any{"text/html": "x"})); err != nil {
		t.Fatal(err)
	}
	if _, err := In(dir).Condition(); err != nil {
		t.Error(err)
	}
	key := filepath.Join(dir, keyFile)
	if runtime.GOOS != "windows" {
		if err := os.Chmod(key, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := In(dir).Condition(); err == nil || !strings.Contains(err.Error(), "other users can read") {
			t.Errorf("a key that others can read: %v", err)
		}
		os.Chmod(key, 0o600)
	}
	if err := os.Truncate(key, 7); err != nil {
		t.Fatal(err)
	}
	if _, err := In(dir).Condition(); err == nil || !strings.Contains(err.Error(), "remove it") {
		t.Errorf("a damaged key: %v", err)
	}
}

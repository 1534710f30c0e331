//go:build realmodules

package modules_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"overcomplete/internal/testfile"
)

// notebook returns the recipe as a notebook file.
func (r recipe) notebook(t *testing.T) []byte {
	t.Helper()
	var cells []any
	for _, c := range r.cells {
		cells = append(cells, map[string]any{"cell_type": "code", "source": c, "metadata": map[string]any{}, "outputs": []any{}, "execution_count": nil})
	}
	b, err := json.Marshal(map[string]any{
		"nbformat": 4, "nbformat_minor": 4, "cells": cells,
		"metadata": map[string]any{"kernelspec": map[string]any{"name": "overcomplete", "display_name": "Go (overcomplete)", "language": "go"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestRecipes runs the recipes in docs/data.md with "overcomplete run", as a user does. The recipe for
// PostgreSQL needs a server at the address in DATABASE_URL.
func TestRecipes(t *testing.T) {
	program := filepath.Join(t.TempDir(), "overcomplete.exe")
	for _, args := range [][]string{ // as make does
		{"run", "-trimpath", "./kernel/internal/selfsource/pack"},
		{"build", "-trimpath", "-tags", "packed", "-o", program, "./cmd/overcomplete"},
	} {
		cmd := exec.Command("go", args...)
		cmd.Dir = "../.."
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	// The programs go into a temporary folder. Go's build cache stays the same, because otherwise everything
	// would be compiled again.
	compiled, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	cache := os.Getenv("OVERCOMPLETE_TEST_CACHE")
	if cache == "" {
		cache = t.TempDir()
	}
	for name, r := range readRecipes(t) {
		t.Run(name, func(t *testing.T) {
			if name == "postgres" && os.Getenv("DATABASE_URL") == "" {
				t.Skip("there is no DATABASE_URL: postgres://user@127.0.0.1/database")
			}
			dir := t.TempDir()
			in, out := filepath.Join(dir, name+".ipynb"), filepath.Join(dir, "out.ipynb")
			testfile.Write(t, in, r.notebook(t))
			cmd := exec.Command(program, "run", "--out", out, in)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+cache, "GOCACHE="+strings.TrimSpace(string(compiled)))
			begin := time.Now()
			said, err := cmd.CombinedOutput()
			t.Logf("%.1f s, of processors %.1f s\n%s", time.Since(begin).Seconds(),
				(cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), said)
			if err != nil {
				t.Fatal(err)
			}
			r.check(t, out)
		})
	}
}

// check compares the last values of a notebook's cells with the expected values.
func (r recipe) check(t *testing.T, path string) {
	t.Helper()
	b := testfile.Read(t, path)
	var nb struct {
		Cells []struct {
			Outputs []struct {
				Type string                     `json:"output_type"`
				Data map[string]json.RawMessage `json:"data"`
			} `json:"outputs"`
		} `json:"cells"`
	}
	if err := json.Unmarshal(b, &nb); err != nil {
		t.Fatal(err)
	}
	if len(nb.Cells) != len(r.cells) {
		t.Fatalf("%d cells came out of %d", len(nb.Cells), len(r.cells))
	}
	for n, want := range r.wants {
		got := ""
		for _, o := range nb.Cells[n].Outputs {
			if o.Type == "execute_result" {
				got = text(t, o.Data["text/plain"])
				if page := text(t, o.Data["text/html"]); !strings.Contains(page, "<table") {
					t.Errorf("cell %d shows no table: %s", n+1, page)
				}
			}
		}
		if got != want {
			t.Errorf("cell %d shows\n%s\nwant\n%s", n+1, got, want)
		}
	}
}

// text decodes a text in a notebook, which is a string or a list of lines.
func text(t *testing.T, raw json.RawMessage) string {
	t.Helper()
	if len(raw) == 0 {
		return ""
	}
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var lines []string
	if err := json.Unmarshal(raw, &lines); err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "")
}

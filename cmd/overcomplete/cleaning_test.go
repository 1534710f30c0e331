package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"overcomplete/kernel/kernelspec"
	"overcomplete/kernel/notebook"
	"overcomplete/kernel/signature"
)

// TestExportCleans exports a notebook before and after running it on this machine.
func TestExportCleans(t *testing.T) {
	t.Setenv(signature.Variable, t.TempDir())
	const active = "<b>shown</b><script>draw()</script>"
	dir := notebooks(t, map[string][]string{"foreign": {`display.Display(display.HTML("` + active + `"))`}})
	file := filepath.Join(dir, "foreign.ipynb")
	nb, err := notebook.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	nb.Cells[0].Outputs = []notebook.Output{{"output_type": "display_data", "data": map[string]any{"text/html": active}, "metadata": map[string]any{}}}
	if err := nb.Write(file); err != nil {
		t.Fatal(err)
	}
	page := func(args ...string) (text, errs string) {
		t.Helper()
		code, _, errs := output(t, dir, append([]string{"export", "--out", "page.html"}, args...)...)
		b, err := os.ReadFile(filepath.Join(dir, "page.html"))
		if code != 0 || err != nil {
			t.Fatalf("status %d, %v: %s", code, err, errs)
		}
		return string(b), errs
	}
	if text, errs := page("foreign.ipynb"); strings.Contains(text, "draw()</script>") || !strings.Contains(text, "--trust</code> keeps it") || !strings.Contains(errs, `left out of the page because it could harm the reader: "script"; --trust keeps it`) {
		t.Errorf("a stranger's page is not cleaned, or does not say so: %s", errs)
	}
	if text, errs := page("--markdown", "foreign.ipynb"); !strings.Contains(text, "\n<div><b>shown</b></div>\n") || !strings.Contains(text, "> This text was cleaned") || !strings.Contains(errs, "left out of the page") {
		t.Errorf("a stranger's Markdown is not cleaned, or does not say so: %s", errs)
	}
	if text, errs := page("--trust", "foreign.ipynb"); !strings.Contains(text, active) || errs != "" {
		t.Errorf("with --trust something is left out: %s", errs)
	}
	if code, _, errs := output(t, dir, "run", "--out", "here.ipynb", "foreign.ipynb"); code != 0 {
		t.Fatal(errs)
	}
	if text, errs := page("here.ipynb"); !strings.Contains(text, active) || errs != "" {
		t.Errorf("what was run here is cleaned: %s", errs)
	}
	if text, _ := page("--clean", "here.ipynb"); strings.Contains(text, "draw()</script>") {
		t.Error("with --clean what was run here keeps its script")
	}
	for _, args := range [][]string{{"--markdown", "here.ipynb"}, {"--markdown", "--trust", "foreign.ipynb"}} {
		if text, errs := page(args...); !strings.Contains(text, "\n"+active+"\n") || errs != "" {
			t.Errorf("%v: something is left out: %s", args, errs)
		}
	}
	for _, args := range [][]string{{"--trust", "--clean"}, {"--slide-types", "--trust"}} {
		if code, _, _ := output(t, dir, append(append([]string{"export"}, args...), "foreign.ipynb")...); code != 2 {
			t.Errorf("%v: status %d", args, code)
		}
	}
}

// TestRunForeign runs an untrusted notebook: its saved outputs are trusted neither during the run nor later.
func TestRunForeign(t *testing.T) {
	t.Setenv(signature.Variable, t.TempDir())
	dir := notebooks(t, map[string][]string{"foreign": {`display.Display(display.HTML("<b>shown</b><script>draw()</script>"))`}})
	exported := func(format, file string, args ...string) string {
		t.Helper()
		code, _, errs := output(t, dir, append([]string{"run", "foreign.ipynb", "--out", "out.ipynb", "--export", format}, args...)...)
		b, err := os.ReadFile(filepath.Join(dir, file))
		if code != 0 || err != nil {
			t.Fatalf("status %d, %v: %s", code, err, errs)
		}
		return string(b)
	}
	if text := exported("html", "out.html", "--clean"); !strings.Contains(text, "<b>shown</b>") || strings.Contains(text, "draw()</script>") {
		t.Error("with --clean the page is not cleaned")
	}
	if code, _, errs := output(t, dir, "export", "out.ipynb", "--out", "later.html"); code != 0 {
		t.Fatal(errs)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "later.html")); err != nil || strings.Contains(string(text), "draw()</script>") {
		t.Errorf("a page made later trusts what was run with --clean (%v)", err)
	}
	if text := exported("html", "out.html"); !strings.Contains(text, "draw()</script>") {
		t.Error("without --clean what was run here is cleaned")
	}
	t.Setenv(signature.Variable, "off")
	if text := exported("html", "out.html"); strings.Contains(text, "draw()</script>") {
		t.Error("where nothing is trusted, what was run is not cleaned")
	}
	if code, _, _ := output(t, dir, "run", "--check", "--clean", "foreign.ipynb"); code != 2 {
		t.Errorf("--check --clean: status %d", code)
	}
}

// TestKernelSigns makes a front end's kernel show something, and checks that this output is trusted
// afterwards.
func TestKernelSigns(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	spec := kernelspec.New(self, "test")
	spec.Env = map[string]string{"OVERCOMPLETE_TEST": "1", "OVERCOMPLETE_HISTORY": "off", signature.Variable: dir}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	const shown, result = "<script>shown()</script>", "<script>result()</script>"
	if _, err := kernelspec.CheckCell(ctx, spec, `display.Display(display.HTML("`+shown+`"))`+"\n"+`display.HTML("`+result+`")`); err != nil {
		t.Fatal(err)
	}
	signed := func(text string) bool {
		return signature.In(dir).Signed(notebook.Output{"data": map[string]any{"text/html": text}})
	}
	if !signed(shown) || !signed(result) || signed("<script>other()</script>") {
		t.Errorf("what is displayed is signed: %v, a value: %v; what was not shown: %v", signed(shown), signed(result), signed("<script>other()</script>"))
	}
}

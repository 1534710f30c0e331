package live

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overcomplete/kernel/internal/browser/pages"
)

// TestEdits: a reader's edits are kept in the browser's storage, in a file, and in a link.
func TestEdits(t *testing.T) {
	steps := []step{{"storage", storage}, {"download", downloaded}, {"open", openedFile}, {"link", link}}
	inEachBrowser(t, func(t *testing.T, b pages.Browser) {
		open(t, b, serveSite(t, 0), "exit.html", pages.Options{}).steps(steps)
	})
}

// mine is the text that the test's reader types.
const mine = "// mine, ☃\nfmt.Println(\"mine\", 6*7)"

// storage reloads the page right after typing; the edit is kept.
func storage(r reader) {
	r.edit("edit", mine)
	r.Key("+")
	r.Key(pages.Backspace)
	r.reload()
	if got := r.source("edit"); got != mine {
		r.Errorf("after loading the page again, the cell has %q", got)
	}
	r.press("save")
	r.Until(`/sav|kept|keep/i.test(client.live())`)
	r.Shot("saved")
}

// A notebookFile is the part of a notebook file that the test reads.
type notebookFile struct {
	Format   int `json:"nbformat"`
	Minor    int `json:"nbformat_minor"`
	Cells    []notebookCell
	Metadata struct{ Kernelspec struct{ Name string } }
}

type notebookCell struct {
	ID      string
	Source  []string
	Outputs []struct{ Text []string }
}

// downloaded checks the file that the page writes.
func downloaded(r reader) {
	r.run("edit")
	r.shows("edit", "mine 42")
	name, text := r.Download(func() { r.press("download") })
	var nb notebookFile
	if err := json.Unmarshal(text, &nb); err != nil {
		r.Fatalf("%s: %v", name, err)
	}
	if name != "exit.ipynb" || nb.Format != 4 || nb.Minor != 5 || nb.Metadata.Kernelspec.Name != "overcomplete" {
		r.Errorf("%s is %d.%d of kernel %s", name, nb.Format, nb.Minor, nb.Metadata.Kernelspec.Name)
	}
	at := slices.IndexFunc(nb.Cells, func(c notebookCell) bool { return c.ID == "edit" })
	if len(nb.Cells) != len(notebooks["exit"]) || at < 0 {
		r.Fatalf("%d cells, the edited one at %d:\n%s", len(nb.Cells), at, text)
	}
	if c := nb.Cells[at]; strings.Join(c.Source, "") != mine || len(c.Outputs) != 1 || strings.Join(c.Outputs[0].Text, "") != "mine 42\n" {
		r.Errorf("the edited cell is %+v", c)
	}
	// The program on the reader's machine accepts the file.
	file := filepath.Join(r.TempDir(), name)
	if err := os.WriteFile(file, text, 0o600); err != nil {
		r.Fatal(err)
	}
	if out, err := exec.Command(program, "export", "--out", file+".html", file).CombinedOutput(); err != nil {
		r.Errorf("export: %v\n%s", err, out)
	}
}

// openedFile opens a notebook of the reader; the page shows its own notebook again after a reload.
func openedFile(r reader) {
	other := `{"cells": [{"id": "title", "cell_type": "markdown", "metadata": {}, "source": "# Another notebook"},
		{"id": "theirs", "cell_type": "code", "metadata": {}, "source": ["import \"fmt\"\n", "fmt.Println(\"theirs\", 1<<10)"], "outputs": [
			{"output_type": "stream", "name": "stdout", "text": ["as it was saved\n"]}], "execution_count": 7}],
		"metadata": {}, "nbformat": 4, "nbformat_minor": 5}`
	name := r.file("other.ipynb", other)
	r.Choose(func() { r.press("open") }, name)
	r.Until(`document.body.innerText.includes("Another notebook") && client.cell("theirs")`)
	r.shows("theirs", "as it was saved")
	r.run("theirs")
	r.shows("theirs", "theirs 1024")
	r.Shot("opened")
	r.Navigate("about:blank")
	r.Navigate(r.site.url("exit.html"))
	r.ready()
}

// link checks edits that are carried in an address.
func link(r reader) {
	if !pages.Eval[bool](r.Page, `!!client.cell("edit")`) {
		r.Fatal("the page does not show its own notebook")
	}
	r.edit("edit", mine+"\n// in a link")
	r.press("link")
	r.Until(`client.copied.length === 1`)
	address := pages.Eval[string](r.Page, `client.copied[0]`)
	if !strings.HasPrefix(address, r.site.url("exit.html#")) {
		r.Fatalf("the link is %q", address)
	}
	r.Shot("link")
	r.edit("edit", "my own")
	guest := r.another(address)
	if got := guest.source("edit"); got != mine+"\n// in a link" {
		r.Errorf("the link shows %q", got)
	}
	guest.Until(`client.button("trust")`) // the author of the link is a stranger
	guest.Shot("link-opened")
	// The linked notebook has not overwritten the reader's edits.
	r.Front()
	r.reload()
	if got := r.source("edit"); got != "my own" {
		r.Errorf("after a link was opened, the page's own edits are %q", got)
	}
}

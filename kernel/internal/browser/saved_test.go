package browser

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// written is the part of a notebook file that is checked.
type written struct {
	Cells []struct {
		Source  any
		Outputs []output
	}
	Metadata struct {
		Kernelspec struct{ Name string }
		Language   struct {
			Name      string
			Version   string
			Extension string `json:"file_extension"`
		} `json:"language_info"`
	}
}

func saved(p tab) {
	text := p.save()
	var nb written
	if err := json.Unmarshal([]byte(text), &nb); err != nil {
		p.Fatal(err)
	}
	if nb.Metadata.Kernelspec.Name != "overcomplete" || nb.Metadata.Language.Name != "go" || nb.Metadata.Language.Extension != ".go" || nb.Metadata.Language.Version == "" {
		p.Errorf("metadata %+v", nb.Metadata)
	}
	for n, mime := range map[int]string{2: "image/", 3: "image/", 4: "image/png", 5: "text/html", 6: "text/html", 7: "text/markdown", 8: "image/svg+xml"} {
		if len(nb.Cells[n].Outputs) == 0 || !has(nb.Cells[n].Outputs[0].Data, mime) {
			p.Errorf("cell %d was saved without %s: %+v", n, mime, nb.Cells[n].Outputs)
		}
	}
	for _, want := range []string{"index out of range [3]", "line 2999", "sum 42", "40 of 40", "turn 4", "9 waves", "there are 7 waves", "stopped at 13"} {
		if !strings.Contains(text, want) {
			p.Errorf("the file lacks %q", want)
		}
	}
	for _, not := range []string{"turn 3", "2 waves", "39 of 40", "secret"} {
		if strings.Contains(text, not) {
			p.Errorf("the file has %q", not)
		}
	}
	p.Shot("saved")

	// The exported page shows the last output.
	cmd := exec.Command(p.server.Binary, "export", "--out", "page.html", p.notebook)
	cmd.Dir = p.server.Folder
	if out, err := cmd.CombinedOutput(); err != nil {
		p.Fatalf("export: %v\n%s", err, out)
	}
	page, err := os.ReadFile(filepath.Join(p.server.Folder, "page.html"))
	if err != nil {
		p.Fatal(err)
	}
	if !strings.Contains(string(page), "there are 7 waves") || strings.Contains(string(page), "there are 2 waves") {
		p.Error("the exported page has not what Interact showed last")
	}
}

// has reports whether data contains a MIME type that begins with mime.
func has(data map[string]any, mime string) bool {
	for k := range data {
		if strings.HasPrefix(k, mime) {
			return true
		}
	}
	return false
}

package notebook

import (
	"bytes"
	"flag"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"overcomplete/internal/testfile"
)

var update = flag.Bool("update", false, "give the notebooks of this project the metadata that front ends would write")

// TestSettle: Settle adds the metadata that a front end would write. It does not change the metadata of a
// notebook in another language, or metadata that are already set.
func TestSettle(t *testing.T) {
	for _, c := range []struct{ what, metadata, cell, want string }{
		{"nothing", `{}`, `{}`, `map[display_name:Go (overcomplete) language:go name:overcomplete] go .go map[]`},
		{"a name of one's own", `{"kernelspec":{"name":"mine","language":"Go"},"language_info":{"name":"go"}}`, `{}`, `map[language:Go name:mine] go .go map[]`},
		{"no language", `{"kernelspec":{"name":"mine"},"language_info":{"name":"go"}}`, `{}`, `map[name:mine] go .go map[]`},
		{"Python", `{"kernelspec":{"name":"python3","language":"python"},"language_info":{"name":"python","file_extension":".py"}}`, `{}`, `map[language:python name:python3] python .py map[]`},
		{"Python, no language", `{"kernelspec":{"name":"python3"},"language_info":{"name":"python","file_extension":".py"}}`, `{}`, `map[name:python3] python .py map[]`},
		{"not an object", `{"kernelspec":7,"language_info":[]}`, `{"jupyter":true}`, `7 go .go map[jupyter:true]`},
		{"output hidden", `{}`, `{"jupyter":{"outputs_hidden":true,"source_hidden":true}}`, `map[display_name:Go (overcomplete) language:go name:overcomplete] go .go map[collapsed:true jupyter:map[outputs_hidden:true source_hidden:true]]`},
		{"source hidden", `{}`, `{"jupyter":{"source_hidden":true}}`, `map[display_name:Go (overcomplete) language:go name:overcomplete] go .go map[jupyter:map[source_hidden:true]]`},
		{"collapsed", `{}`, `{"collapsed":false}`, `map[display_name:Go (overcomplete) language:go name:overcomplete] go .go map[collapsed:false jupyter:map[outputs_hidden:false]]`},
		{"one against the other", `{}`, `{"collapsed":true,"jupyter":{"outputs_hidden":false}}`, `map[display_name:Go (overcomplete) language:go name:overcomplete] go .go map[collapsed:true jupyter:map[outputs_hidden:true]]`},
	} {
		n, err := Parse(fmt.Appendf(nil, `{"nbformat":4,"nbformat_minor":5,"metadata":%s,"cells":[{"id":"a","cell_type":"code","source":"","outputs":[],"execution_count":null,"metadata":%s}]}`, c.metadata, c.cell))
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second call changes nothing
			n.Settle()
			info := n.Metadata["language_info"].(map[string]any)
			if got := fmt.Sprint(n.Metadata["kernelspec"], info["name"], info["file_extension"], n.Cells[0].Metadata); strings.ReplaceAll(got, " ", "") != strings.ReplaceAll(c.want, " ", "") {
				t.Errorf("%s: %s\nwant %s", c.what, got, c.want)
			}
		}
	}
	(&Notebook{Cells: []*Cell{{Type: Code}}}).Settle() // the metadata are nil
}

// TestCommitted: if JupyterLab opens and saves a notebook of this project, the file does not change. The only
// exception is Go's language version, which is that of the kernel that ran the notebook.
func TestCommitted(t *testing.T) {
	list, err := filepath.Glob("../../notebooks/*.ipynb")
	if err != nil || len(list) == 0 {
		t.Fatal("no notebooks", err)
	}
	for _, path := range list {
		n, err := Read(path)
		if err != nil {
			t.Fatal(err)
		}
		before := testfile.Read(t, path)
		was, _ := n.Metadata["language_info"].(map[string]any)
		n.Settle()
		if *update {
			if err := n.Write(path); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if v, _ := was["version"].(string); strings.Count(v, ".") == 1 {
			n.Metadata["language_info"].(map[string]any)["version"] = v
		}
		after, err := n.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(before, after) {
			t.Errorf("%s: a front end that opens it writes other metadata: run it again with 'overcomplete run', or 'go test ./kernel/notebook -run TestCommitted -update'", path)
		}
	}
}

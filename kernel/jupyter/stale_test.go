package jupyter

import (
	"encoding/json"
	"regexp"
	"testing"

	"overcomplete/kernel"
	"overcomplete/kernel/wire"
)

var _ Tracker = (*kernel.Kernel)(nil)

var instant = regexp.MustCompile(`\d{4}-\d\d-\d\dT[^"]*`)

// TestStaleMetadata: the metadata of replies list the stale cells. The ids have the forms used in requests of
// JupyterLab and VS Code; other values do no harm.
func TestStaleMetadata(t *testing.T) {
	k, err := kernel.New(kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { k.Close() })
	s := start(t, k, Options{})
	run := func(metadata, code string) string {
		t.Helper()
		h := wire.NewHeader("front-end", "me", "execute_request")
		content, _ := json.Marshal(map[string]any{"code": code})
		if err := s.SendMessage(wire.Shell, &wire.Message{Header: h, Metadata: json.RawMessage(metadata), Content: content}); err != nil {
			t.Fatal(err)
		}
		m, _ := s.recv(wire.Shell)
		return instant.ReplaceAllString(string(m.Metadata), "T")
	}
	const none = "{}"
	for i, step := range []struct{ metadata, code, want string }{
		{`{"cellId": "a", "deletedCells": [], "recordTiming": false}`, "x := 1", none},
		{`{"cellId": "vscode-notebook-cell:/b.ipynb#W1"}`, "y := x", none},
		{`{"cellId": "c"}`, "y", none},
		{`{"cellId": "a"}`, "x := 2", `{"overcomplete":{"stale":[` +
			`{"id":"vscode-notebook-cell:/b.ipynb#W1","cell":"In[2]","because":[{"kind":"changed","name":"x","id":"a","by":"In[4]","since":"T"}]},` +
			`{"id":"c","cell":"In[3]","because":[{"kind":"input","name":"y","id":"vscode-notebook-cell:/b.ipynb#W1","by":"In[2]"}]}]}}`},
		{`{"cellId": "vscode-notebook-cell:/b.ipynb#W1"}`, "y := x", `{"overcomplete":{"stale":[{"id":"c","cell":"In[3]","because":[{"kind":"changed","name":"y","id":"vscode-notebook-cell:/b.ipynb#W1","by":"In[5]","since":"T"}]}]}}`},
		{`{"cellId": "d", "deletedCells": ["c", 7, "d", "nobody"]}`, "1", none},
		{`{"cellId": 7, "deletedCells": "a"}`, "1", none},
		{`{}`, "1", none},
		{`{"cellId": "e", "deletedCells": ["a"]}`, "1", `{"overcomplete":{"stale":[{"id":"vscode-notebook-cell:/b.ipynb#W1","cell":"In[5]","because":[{"kind":"deleted","name":"x","id":"a","by":"In[4]"}]}]}}`},
	} {
		if got := run(step.metadata, step.code); got != step.want {
			t.Errorf("step %d, %s: metadata %s, want %s", i+1, step.code, got, step.want)
		}
	}
}

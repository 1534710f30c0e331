package paired

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overcomplete/kernel/notebook"
)

var update = flag.Bool("update", false, "write the golden files anew")

// through checks what the package promises of a notebook.
func through(t *testing.T, n *notebook.Notebook) []byte {
	t.Helper()
	before, err := n.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	text, err := Text(n)
	if err != nil {
		t.Fatal(err)
	}
	if after, _ := n.Bytes(); !bytes.Equal(before, after) {
		t.Error("Text has changed the notebook")
	}
	read, err := Parse(text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	again, err := Text(read)
	if err != nil || !bytes.Equal(text, again) {
		t.Errorf("the text comes back changed (%v):\n%q\nwas\n%q", err, again, text)
	}
	if !Is(text) {
		t.Error("the text is not taken for one")
	}
	merged, err := Merge(read, n).Bytes()
	if err != nil || !bytes.Equal(merged, before) {
		t.Errorf("the notebook comes back changed (%v):\n%s\nwas\n%s", err, clip(merged), clip(before))
	}
	windows, err := Parse(bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n")))
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := Text(windows); !bytes.Equal(text, again) {
		t.Error("the text with line ends of Windows is another")
	}
	return text
}

func clip(b []byte) []byte { return b[:min(len(b), 5000)] }

// TestNotebooks takes all notebooks of the project to text and back.
func TestNotebooks(t *testing.T) {
	var paths []string
	for _, pattern := range []string{"../../notebooks/*.ipynb", "../*/testdata/*.ipynb", "../../cmd/overcomplete/testdata/*.ipynb"} {
		list, _ := filepath.Glob(pattern)
		paths = append(paths, list...)
	}
	if len(paths) < 15 {
		t.Fatalf("only %d notebooks", len(paths))
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			n, err := notebook.Read(path)
			if err != nil {
				t.Skip(err) // a test's faulty notebook
			}
			text := through(t, n)
			for _, word := range []string{"image/png", "execution_count"} {
				if bytes.Contains(text, []byte(`"`+word+`"`)) && !bytes.Contains(text, []byte("attachments")) {
					t.Errorf("the text has %s", word)
				}
			}
		})
	}
}

// strange is a notebook of what might go wrong.
func strange() *notebook.Notebook {
	out := []notebook.Output{{"output_type": "stream", "name": "stdout", "text": "1\n"}}
	return &notebook.Notebook{
		Minor: 6,
		Extra: map[string]any{"more": "kept"},
		Metadata: map[string]any{
			"kernelspec": map[string]any{"name": "overcomplete"}, "two words": "é\u2028",
			"widgets":      map[string]any{"state": "much"},
			"overcomplete": map[string]any{"ran": map[string]any{"a": "1"}, "modules": map[string]any{"go.mod": "module x\n"}},
		},
		Cells: []*notebook.Cell{
			{ID: "a", Type: notebook.Markdown, Source: "# Title\n\ntext <b>\n%% not a mark\n \n"},
			{ID: "b", Type: notebook.Code, Source: "x := 1\n// %% not a mark\n//  %%\n// %%+ {}\n// %%time is none anyway\n", ExecutionCount: 3, Outputs: out},
			{ID: "c", Type: notebook.Code, Source: "", Metadata: map[string]any{"tags": []any{"a b", "{}"}, "execution": map[string]any{"t": "1"}}},
			{ID: "d", Type: notebook.Code, Source: "\n"},
			{ID: "e", Type: notebook.Code, Source: "a\r\nb\r\n"},
			{ID: "f", Type: notebook.Code, Source: "a\rb\n\x00"},
			{ID: "g", Type: notebook.Raw, Source: "\\raw\n\n\n", Metadata: map[string]any{"format": "text/latex"}},
			{ID: "h", Type: notebook.Markdown, Source: "![a](attachment:a.png)", Extra: map[string]any{"attachments": map[string]any{"a.png": map[string]any{"image/png": "AAAA\nBBBB"}}}},
			{ID: "i", Type: "new kind", Source: "x"},
			{ID: "j", Type: notebook.Markdown, Source: ""},
			{ID: "k", Type: notebook.Code, Source: "$ ls\n%time f()\n\n\n"},
		},
	}
}

func TestStrange(t *testing.T) {
	text := through(t, strange())
	const golden = "testdata/strange.txt"
	if *update {
		if err := os.WriteFile(golden, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || !bytes.Equal(text, want) {
		t.Errorf("%v, the text is\n%s\nand is kept as\n%s", err, text, want)
	}
	through(t, &notebook.Notebook{})
}

// TestRandom takes notebooks of random parts to text and back.
func TestRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	parts := []string{"\n", "\n", "// %%", " ", "x", "\r", "\r\n", "//", "%%", "+ ", "{}", "é", "\u2028", "\t", "[markdown]", "// %%% {}", "\x01", "`", "id=a"}
	text := func() string {
		var b strings.Builder
		for range rng.IntN(8) {
			b.WriteString(parts[rng.IntN(len(parts))])
		}
		return b.String()
	}
	for range 2000 {
		n := &notebook.Notebook{Metadata: map[string]any{text(): text()}, Extra: map[string]any{}}
		for i := range rng.IntN(5) {
			c := &notebook.Cell{ID: fmt.Sprint("c", i), Type: []string{notebook.Code, notebook.Markdown, notebook.Raw, text() + "z"}[rng.IntN(4)], Source: text(), Metadata: map[string]any{}}
			if rng.IntN(3) == 0 {
				c.Metadata[text()] = text()
			}
			if c.Type == notebook.Code && rng.IntN(2) == 0 {
				c.ExecutionCount = 1
				c.Outputs = []notebook.Output{{"output_type": "stream", "name": "stdout", "text": text()}}
			}
			n.Cells = append(n.Cells, c)
		}
		through(t, n)
		if t.Failed() {
			return
		}
	}
}

// TestByHand reads texts that somebody has written.
func TestByHand(t *testing.T) {
	_, err := Parse([]byte("// %%\nx := 1\n// %% [markdown]\n// # A\n//\n// b\n\n\n// %% {\"tags\":[\"t\"]}\n\nx"))
	if err == nil {
		t.Error("an empty line of a Markdown cell without //")
	}
	n, err := Parse([]byte("// %%\nx := 1\n// %% [markdown]\n// # A\n//\n// b\n\n// %% {\"tags\":[\"t\"]}\n\nx"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range n.Cells {
		if c.ID == "" {
			t.Error("a cell has no id")
		}
		got = append(got, fmt.Sprintf("%s %q %v", c.Type, c.Source, c.Tags()))
	}
	if want := `code "x := 1" [] | markdown "# A\n\nb" [] | code "\nx" [t]`; strings.Join(got, " | ") != want {
		t.Errorf("got %s", strings.Join(got, " | "))
	}
	for text, want := range map[string]string{
		"x := 1":                          `line 1: "x := 1" is in no cell`,
		"// %% A title\nx":                `line 1: "// %% A title": a cell begins with`,
		"\n// %% {\"a\":}\n":              "line 2: {\"a\":} is not JSON",
		"// %%\n// %%+ {\n":               "line 2: { is not JSON",
		"// %% [raw]\n// a\nb":            `line 3: "b": in a cell that is not code`,
		"// %%% []":                       "line 1: [] is not JSON",
		"// %%%+ {\"nbformat_minor\":-1}": "line 1: nbformat_minor is not",
		"\xff":                            "not UTF-8",
	} {
		if _, err := Parse([]byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// TestMerge: outputs stay with their cells.
func TestMerge(t *testing.T) {
	output := func(s string) []notebook.Output {
		return []notebook.Output{{"output_type": "stream", "name": "stdout", "text": s}}
	}
	before := &notebook.Notebook{Cells: []*notebook.Cell{
		{ID: "a", Type: notebook.Code, Source: "a", Outputs: output("A"), ExecutionCount: 1},
		{ID: "b", Type: notebook.Code, Source: "b", Outputs: output("B")},
		{ID: "c", Type: notebook.Code, Source: "same", Outputs: output("C")},
		{ID: "d", Type: notebook.Code, Source: "same", Outputs: output("D")},
		{ID: "e", Type: notebook.Code, Source: "gone", Outputs: output("E")},
	}}
	text := &notebook.Notebook{Cells: []*notebook.Cell{
		{ID: "d", Type: notebook.Code, Source: "same"},
		{ID: "new1", Type: notebook.Code, Source: "same"},
		{ID: "a", Type: notebook.Code, Source: "a, changed"},
		{ID: "b", Type: notebook.Markdown, Source: "b"},
		{ID: "new2", Type: notebook.Code, Source: "new"},
	}}
	var got []string
	for _, c := range Merge(text, before).Cells {
		o := "-"
		if len(c.Outputs) > 0 {
			o = c.Outputs[0]["text"].(string)
		}
		got = append(got, fmt.Sprint(c.ID, c.ExecutionCount, o))
	}
	if want := "d0D c0C a1A b0- new20-"; strings.Join(got, " ") != want {
		t.Errorf("got %s, want %s", strings.Join(got, " "), want)
	}
}

// FuzzParse: a text that can be read becomes one that stays as it is, and holds the same notebook.
func FuzzParse(f *testing.F) {
	text, err := Text(strange())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte("// %%\nx\n// %% [markdown]\n// a\n"))
	f.Add([]byte("// %% id=a {\"a\":1}\n// %%+ {\"eol\":\"\\r\\n\",\"source\":\"a\",\"extra\":{\"id\":1}}\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		n, err := Parse(b)
		if err != nil {
			return
		}
		through(t, n)
	})
}

// A slip in the line that begins a cell is told, and other comments are not.
func TestDoubtful(t *testing.T) {
	doubtful := "//%%\n//%% id=a\r\n//%% a title\n// %%id=b\n// %%[markdown]\n"
	fine := "// %% id=a\n//  %% escaped\n// %%%\n// 5 %% of it\n//%%writefile x\n%%time\nx := 1 //%% y\n// %%+ {}\n"
	if got := Doubtful([]byte(doubtful + fine)); !slices.Equal(got, []int{1, 2, 3, 4, 5}) {
		t.Errorf("lines %v are doubtful, not 1 to 5", got)
	}
}

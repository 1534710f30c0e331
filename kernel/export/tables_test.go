package export

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"overcomplete/kernel/export/clean"
	"overcomplete/kernel/notebook"
)

const structs = `<table class="dataframe">
<thead>
<tr><th></th><th style="text-align: left">Way</th><th>N</th></tr>
<tr><th></th><td style="text-align: left">string</td><td>int</td></tr>
</thead>
<tbody>
<tr><th>0</th><td style="text-align: left">one</td><td>1</td></tr>
<tr><th>1</th><td style="text-align: left">two</td><td>2</td></tr>
</tbody>
</table>
<p>2 × paper.Row</p>
`

func TestStructsOnPages(t *testing.T) {
	want := `<table class="dataframe">
<thead>
<tr><th style="text-align: left">Way</th><th>N</th></tr>
</thead>
<tbody>
<tr><td style="text-align: left">one</td><td>1</td></tr>
<tr><td style="text-align: left">two</td><td>2</td></tr>
</tbody>
</table>
`
	if got, _ := tableHTML(structs); got != want {
		t.Errorf("%s", got)
	}
	// Numbers are powers of ten.
	numbers := strings.NewReplacer(">one<", ">1e-12<", ">two<", ">1e-12 at most<").Replace(structs)
	if got, _ := tableHTML(numbers); !strings.Contains(got, `<td style="text-align: left">10⁻¹²</td>`) || !strings.Contains(got, `<td style="text-align: left">10⁻¹² at most</td>`) {
		t.Errorf("%s", got)
	}
	// The table has thirty rows, of which the page shows two.
	long := strings.NewReplacer("</tr>\n<tr><th>1</th>", "</tr>\n<tr><th>…</th><td>…</td><td>…</td></tr>\n<tr><th>29</th>", "2 × paper.Row", "30 × paper.Row").Replace(structs)
	if got, _ := tableHTML(long); strings.Count(got, "<tr>") != 4 || strings.Contains(got, "string") || strings.Contains(got, "29") || !strings.HasSuffix(got, "</table>\n<p>30 rows</p>\n") {
		t.Errorf("%s", got)
	}
	for name, other := range map[string]string{
		"a frame":                 strings.Replace(structs, "2 × paper.Row", "2 × 3", 1),
		"another number":          strings.Replace(structs, "2 × paper.Row", "3 × paper.Row", 1),
		"labels that say more":    strings.Replace(structs, "<th>1</th>", "<th>7</th>", 1),
		"a map, which has no end": strings.Replace(structs, "<p>2 × paper.Row</p>\n", "", 1),
		"something behind it":     structs + "<p>more</p>",
		"nothing after the gap":   strings.Replace(structs, "<tr><th>1</th>", "<tr><th>…</th>", 1),
	} {
		if got, _ := tableHTML(other); got != other {
			t.Errorf("%s was changed: %s", name, got)
		}
	}
}

// TestPagedOnPages: the number of rows is shown below a paged table, without the rows' type.
func TestPagedOnPages(t *testing.T) {
	const paged = `<div class="overcomplete-paged tex2jax_ignore" style="overflow-x: auto">
<table class="dataframe">
</table>
<p>first 20 of 21 × paper.Row</p>
<script type="application/json">{"rows":21,"all":21,"unit":" × paper.Row","cols":[{"v":["a × b.C"]}]}</script>
</div>`
	want := strings.NewReplacer("21 × paper.Row", "21 rows", `" × paper.Row"`, `" rows"`).Replace(paged)
	if got, _ := tableHTML(paged); got != want {
		t.Errorf("%s", got)
	}
	frame := strings.ReplaceAll(paged, "paper.Row", "3 columns")
	if got, _ := tableHTML(frame); got != frame {
		t.Errorf("a frame was changed: %s", got)
	}
	list, err := filepath.Glob("../../notebooks/*.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, path := range list {
		nb, err := notebook.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range nb.Cells {
			for _, o := range c.Outputs {
				data, _ := o["data"].(map[string]any)
				if s, _ := data["text/html"].(string); strings.HasPrefix(s, `<div class="overcomplete-paged `) {
					seen++
					if got, _ := tableHTML(s); !strings.Contains(got, ` rows"`) || !strings.Contains(got, " rows</p>") {
						t.Errorf("%s, cell %s: %.200s", path, c.ID, got)
					}
				}
			}
		}
	}
	if seen == 0 {
		t.Error("no notebook has such a table")
	}
}

func TestSigns(t *testing.T) {
	const cell = ` style="padding:5px 10px;background:`
	old := `<table style="x"><tbody><tr><td` + cell + `rgba(46,160,67,.22)" title="a &gt; b"><b>1.3</b><br>2</td><td` + cell + `rgba(248,81,73,.24)" title=""><i style="opacity:.65">4</i></td><td` +
		cell + `rgba(128,128,128,.12)" title=""><b>–</b></td></tr></tbody></table><p><span style="background:rgba(210,153,34,.26);padding:1px 6px">partial</span></p>`
	got, folded := tableHTML(old)
	for _, want := range []string{`<b>1.3</b>&nbsp;<span style="opacity:.75">✓</span><br>2`, `4</i>&nbsp;<span style="opacity:.75">✗</span></td>`, `<b>–</b></td>`, `">~ partial</span>`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
	if again, _ := tableHTML(got); again != got || folded != "" {
		t.Errorf("twice: %s %s", again, folded)
	}
}

// TestClaimsAreFolded exports the notebooks. Their tables of claims are collapsed below a summary line, and
// published tables have signs.
func TestClaimsAreFolded(t *testing.T) {
	list, err := filepath.Glob("../../notebooks/*.ipynb")
	if err != nil || len(list) == 0 {
		t.Fatal("no notebooks", err)
	}
	for _, path := range list {
		nb, err := notebook.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		withoutPictures(nb) // pictures take seconds, and contain no claims
		page := string(HTML(nb, HTMLOptions{Clean: clean.HTML}).HTML)
		_, after, ok := strings.Cut(page, `<details class="held"><summary><span class="bar" aria-hidden="true">`)
		summary, rest, _ := strings.Cut(after, "</summary>")
		if !ok || !strings.Contains(summary, " reproduced") || !strings.HasPrefix(rest, "\n<div class=\"wide html\" tabindex=\"0\" role=\"group\" aria-label=\"output\"><table") || strings.Count(page, `class="held"`) != 1 {
			t.Errorf("%s: %s", path, summary)
		}
		unpaged := regexp.MustCompile(`(?s)<div class="overcomplete-paged.*?</table>`).ReplaceAllString(page, "") // paged tables keep their types
		if n := strings.Count(unpaged, `<td style="text-align: left">string</td>`); n > 0 {
			t.Errorf("%s: %d types in tables", path, n)
		}
	}
	nb, err := notebook.Read("../../notebooks/differentiable-sparse-coding.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	page := string(HTML(nb, HTMLOptions{}).HTML)
	for _, want := range []string{`title="\d+ reproduced">✓ \d+</span>`, `title="\d+ not reproduced">✗ \d+</span>`, `; own checks: \d+ of \d+ hold <span`, `<b>[0-9.]+</b>&nbsp;<span style="opacity:.75">[✓~✗]</span><br>`} {
		if !regexp.MustCompile(want).MatchString(page) {
			t.Errorf("differentiable-sparse-coding: no %s", want)
		}
	}
}

// withoutPictures removes the pictures from the outputs of a notebook.
func withoutPictures(nb *notebook.Notebook) {
	for _, c := range nb.Cells {
		for _, o := range c.Outputs {
			if data, ok := o["data"].(map[string]any); ok {
				delete(data, "image/png")
				delete(data, "image/svg+xml")
			}
		}
	}
}

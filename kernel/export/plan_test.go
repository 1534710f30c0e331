package export

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"overcomplete/internal/patience"
	"overcomplete/internal/testfile"
	"overcomplete/kernel/notebook"
)

// show gives a cell slideshow metadata.
func show(c *notebook.Cell, about map[string]any) *notebook.Cell {
	c.Metadata["slideshow"] = about
	return c
}

// A plan chooses the cells that are shown, says their claims, and puts figures beside their text.
func TestPlan(t *testing.T) {
	right, number := htmlOutput("<b>✓ right</b>"), notebook.NewStream("stdout", "7\n")
	nb := &notebook.Notebook{Cells: []*notebook.Cell{
		show(markdownCell("# Talk\n\nGoals.\n\n- a\n- b"), map[string]any{"slide_type": "slide", "minutes": 1, "claim": "Of *two* things", "show": "claim"}),
		markdownCell("Said only.\n\n$$r$$"),
		codeCell("prepare()", number),
		show(markdownCell("Of before.\n\n## Part\n\nThe sum is\n\n$$s$$\n\nand\n\n$$t$$"), map[string]any{"slide_type": "slide", "minutes": 2.5, "claim": "A sum $u$", "formulas": []any{2}}),
		show(codeCell("draw()", number, drawn), map[string]any{"slide_type": "-"}),
		show(markdownCell("**Predict.** What?\n\n<details><summary>A. This</summary>\n\nWrong: no.\n\n</details>"), map[string]any{"slide_type": "subslide", "minutes": 2, "optional": true}),
		markdownCell("Of the question."),
		show(codeCell("check()", number, right), map[string]any{"slide_type": "subslide", "minutes": 1, "claim": "It holds"}),
		show(codeCell("a()\ncheck()\nb()", number, right), map[string]any{"slide_type": "subslide", "minutes": 1, "code": true, "lines": []any{2, 2}, "optional": true}),
		show(markdownCell("Whole. Really."), map[string]any{"slide_type": "subslide", "minutes": 1, "show": "all"}),
		markdownCell("Secret.", "solution"),
	}}
	want := [][3]string{
		{"text first alone", "Talk Of two things", "1 minute Goals. a b Said only. r Of before."},
		{"both claim", "A sum u t Seen.", "2.5 minutes The sum is s and t 7"},
		{"text", "Part Predict. What? A. This Wrong: no.", "2 minutes, optional Of the question."},
		{"output claim", "It holds 7", "1 minute"},
		{"listing", "Part check() 7 ✓ right", "1 minute, optional"},
		{"text", "Part Whole. Really.", "1 minute"},
	}
	for _, limit := range []float64{0, 8.5, 8} {
		page := Slides(nb, HTMLOptions{Minutes: limit})
		list, minutes := want, 8.5
		if limit == 8 {
			list, minutes = [][3]string{want[0], want[1], want[3], want[5]}, 5.5
		}
		if page.Minutes != minutes {
			t.Errorf("limit %v: %v minutes, not %v", limit, page.Minutes, minutes)
		}
		got := partsOf(page)
		for i := range max(len(got), len(list)) {
			var g, w [3]string
			if i < len(got) {
				g = got[i]
			}
			if i < len(list) {
				w = list[i]
			}
			if g != w {
				t.Errorf("limit %v, slide %d:\n got %q\nwant %q", limit, i+1, g, w)
			}
		}
	}
	text := string(Slides(nb, HTMLOptions{}).HTML)
	for _, w := range []string{`id="s2" data-until="3.5">`, "<footer><span>Part</span><span>2</span>", "<details><summary>A. This</summary>\n<p>Wrong: no.</p>"} {
		if !strings.Contains(text, w) {
			t.Errorf("the slides do not have %s", w)
		}
	}
	types := ""
	for _, c := range SlideTypes(nb).Cells {
		types += slideType(c) + " "
	}
	if want := "slide notes skip slide - subslide notes subslide subslide subslide skip "; types != want {
		t.Errorf("slide types %q, not %q", types, want)
	}
}

var (
	footers = regexp.MustCompile(`<footer>.*</footer>`)
	more    = regexp.MustCompile(`<(math|img|svg|table|ul|ol|details|pre|input)\b`)
)

// talks reads the notebooks of the project that have a plan, by their names. A new paper's may not have one yet.
func talks(t *testing.T) map[string]*notebook.Notebook {
	t.Helper()
	paths, err := filepath.Glob("../../notebooks/*.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*notebook.Notebook{}
	for _, path := range paths {
		nb, err := notebook.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		if planned(nb) {
			all[filepath.Base(path)] = nb
		}
	}
	if len(all) < 8 {
		t.Fatalf("only %d notebooks have a plan", len(all))
	}
	return all
}

// The notebooks of the project are talks of ninety minutes, which have a cut of forty-five. Code is shown only where
// a cell asks for it, and no slide is a scrap.
func TestDecks(t *testing.T) {
	for name, nb := range talks(t) {
		marked, claims := 0, map[string]bool{}
		for _, cell := range nb.Cells {
			s := slideshowOf(cell)
			if s.Code {
				marked++
			}
			if s.Claim != "" && claims[s.Claim] {
				t.Errorf("%s: two slides claim %q", name, s.Claim)
			}
			claims[s.Claim] = true
			if s.starts() != (s.Minutes > 0) {
				t.Errorf("%s, cell %s: a slide has minutes, and only a slide has", name, cell.ID)
			}
			if cell.Type == notebook.Code && s.starts() && s.Claim == "" {
				t.Errorf("%s, cell %s: the slide has no claim", name, cell.ID)
			}
		}
		for _, limit := range []float64{90, 45} {
			page := Slides(nb, HTMLOptions{Minutes: limit})
			if page.Minutes != limit {
				t.Errorf("%s takes %v minutes, not %v", name, page.Minutes, limit)
			}
			parts := slideParts.FindAllStringSubmatch(string(page.HTML), -1)
			if len(parts) > 45 || len(parts) < 15 {
				t.Errorf("%s, %v minutes: %d slides", name, limit, len(parts))
			}
			listed := 0
			for i, m := range parts {
				body := footers.ReplaceAllString(m[2], "")
				if words := len(strings.Fields(plainHTML(body))); words < 15 && !more.MatchString(body) {
					t.Errorf("%s, %v minutes, slide %d has %d words, and nothing else: %s", name, limit, i+1, words, plainHTML(body))
				}
				if strings.Contains(body, `<pre class="code"`) {
					listed++
				}
			}
			if limit == 90 && listed != marked {
				t.Errorf("%s: %d slides have code, and %d cells are marked so", name, listed, marked)
			}
		}
	}
}

// TestDecksFit checks that on a screen of 1280×720 nothing of a slide lies below its edge, and that code is not tiny.
// Normally it takes only a third of the decks (see patience.LeftOut).
func TestDecksFit(t *testing.T) {
	patience.SkipShort(t, "starts a browser")
	const looking = `<script>addEventListener("load", function () {
  var bad = [], slides = document.querySelectorAll("section.slide");
  function walk(look) {
    slides.forEach(function (s, i) {
      document.body.dispatchEvent(new KeyboardEvent("keydown", {key: i ? "ArrowRight" : "Home", bubbles: true}));
      look(s);
    });
  }
  walk(function (s) { s.getBoundingClientRect(); }); // so that all fonts are fetched
  document.fonts.ready.then(function () {
    dispatchEvent(new Event("resize")); // fits the slides anew
    walk(function (s) {
      [s.querySelector(".body")].concat(Array.from(s.querySelectorAll(".told, .formula, .wide"))).forEach(function (e) {
        if (e.scrollHeight > e.clientHeight + 2 && !e.matches(".formula") || e.scrollWidth > e.clientWidth + 2) {
          bad.push(s.id + " (" + e.className + ", " + e.scrollWidth + "×" + e.scrollHeight + " in " + e.clientWidth + "×" + e.clientHeight + ")");
        }
      });
      s.querySelectorAll("pre.code").forEach(function (e) { if (parseFloat(getComputedStyle(e).fontSize) < 12) { bad.push(s.id + " (code in " + getComputedStyle(e).fontSize + ")"); } });
    });
    document.documentElement.dataset.bad = slides.length + " slides: " + bad.join("; ");
  });
});</script>`
	for name, nb := range talks(t) {
		if patience.LeftOut(name) {
			continue
		}
		file := filepath.Join(t.TempDir(), "slides.html")
		page := strings.Replace(string(Slides(nb, HTMLOptions{Figure: FiguresBeside("../../notebooks")}).HTML), "</body>", looking+"</body>", 1)
		testfile.Write(t, file, page)
		shown := chromium(t, file, "--window-size=1280,807", "--virtual-time-budget=5000", "--dump-dom")
		if said := regexp.MustCompile(`data-bad="([^"]*)"`).FindStringSubmatch(shown); said == nil || !strings.HasSuffix(said[1], " slides: ") {
			t.Errorf("%s: %q", name, said)
		}
	}
}

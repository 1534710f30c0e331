package export

import (
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"overcomplete/internal/patience"
	"overcomplete/internal/testfile"
	"overcomplete/kernel/export/clean"
	"overcomplete/kernel/internal/cleantest"
	"overcomplete/kernel/notebook"
)

func markdownCell(source string, tags ...string) *notebook.Cell {
	c := &notebook.Cell{Type: notebook.Markdown, Source: source, Metadata: map[string]any{}}
	c.SetTags(tags...)
	return c
}

func codeCell(source string, outputs ...notebook.Output) *notebook.Cell {
	c := notebook.NewCode(source)
	c.Metadata, c.Outputs = map[string]any{}, outputs
	return c
}

func typed(c *notebook.Cell, kind string) *notebook.Cell {
	c.Metadata["slideshow"] = map[string]any{"slide_type": kind}
	return c
}

var drawn = notebook.Output{"output_type": "display_data", "data": map[string]any{"image/png": "AAAA", "text/plain": "[figure] Seen."}}

var slideParts = regexp.MustCompile(`(?s)<section class="slide ([a-z ]+)" id="s\d+"[^>]*><div class="in">\n(.*?)</div></section>\n<aside class="notes">(.*?)</aside>`)

// slidesOf returns the class, text and notes of each slide.
func slidesOf(t *testing.T, nb *notebook.Notebook) (list [][3]string) {
	t.Helper()
	return partsOf(Slides(nb, HTMLOptions{}))
}

func partsOf(page Page) (list [][3]string) {
	for _, m := range slideParts.FindAllStringSubmatch(string(page.HTML), -1) {
		text := regexp.MustCompile(`<footer>.*</footer>`).ReplaceAllString(m[2], "")
		list = append(list, [3]string{m[1], strings.Join(strings.Fields(plainHTML(text)), " "), strings.Join(strings.Fields(plainHTML(m[3])), " ")})
	}
	return list
}

func TestSlides(t *testing.T) {
	long := strings.Repeat("x := 1\n", 30)
	nb := &notebook.Notebook{Cells: []*notebook.Cell{
		markdownCell("# Talk\n\nOf one thing and of another, which is told at such a length that nobody would want to read it from a wall. More of it, and then still more, until nobody listens.\n\n## Part\n\n- a\n- b\n\nSaid only."),
		codeCell(`import "fmt"`),
		codeCell("draw()", drawn),
		markdownCell("About the picture."),
		markdownCell("The sum is\n\n$$s$$"),
		codeCell(long, notebook.NewStream("stdout", "sum\n")),
		codeCell("short()", notebook.NewStream("stdout", "7\n")),
		markdownCell("Secret.", "solution"),
		codeCell("secret()", drawn),
		markdownCell("Do it. All of this is to be read, however long it takes.", "exercise"),
		typed(markdownCell("Left out."), "skip"),
		typed(markdownCell("## Whispered\n\n- c"), "notes"),
		typed(markdownCell("Shown whole. In two sentences."), "slide"),
		markdownCell("## Bare"),
		codeCell("draw()", drawn),
		codeCell(long, htmlOutput("<b>✓ right</b>")),
		codeCell(long, htmlOutput("<b>✓ right</b><br>\nand more")),
		codeCell(long+long, htmlOutput("<b>✓ right</b>")),
	}}
	nb.Cells[8].SetTags("solution")
	listed := strings.TrimSpace(strings.ReplaceAll(long, "\n", " "))
	want := [][3]string{
		{"text first", "Talk Of one thing and of another, which is told at such a length that nobody would want to read it from a wall.", "Of one thing and of another, which is told at such a length that nobody would want to read it from a wall. More of it, and then still more, until nobody listens."},
		{"text", "Part a b", "Said only."},
		{"picture", "Part Seen.", "About the picture. The sum is"},
		{"text", "Part The sum is s", "s"},
		{"listing", "Part " + strings.TrimSpace(strings.ReplaceAll(long, "\n", " ")), ""},
		{"output", "Part sum", ""},
		{"output", "Part short() 7", ""},
		{"text", "Part Do it. All of this is to be read, however long it takes.", "Do it. All of this is to be read, however long it takes. Whispered c"},
		{"text", "Part Shown whole. In two sentences.", "Shown whole. In two sentences."},
		{"picture", "Bare Seen.", ""}, // no slide has only a heading
		{"output", "Bare " + listed + " ✓ right", ""},
		{"listing", "Bare " + listed, ""},
		{"output", "Bare ✓ right and more", ""},
		{"listing", "Bare " + listed + " " + listed, ""},
		{"output", "Bare ✓ right", ""},
	}
	got := slidesOf(t, nb)
	for i := range max(len(got), len(want)) {
		var g, w [3]string
		if i < len(got) {
			g = got[i]
		}
		if i < len(want) {
			w = want[i]
		}
		if g != w {
			t.Errorf("slide %d:\n got %q\nwant %q", i+1, g, w)
		}
	}
}

// TestSlidesAreCleaned normally takes only a third of the vectors (see patience.LeftOut); TestHostileNotebook, whose
// pages are cleaned by the same code, takes all.
func TestSlidesAreCleaned(t *testing.T) {
	for _, v := range cleantest.Vectors {
		if patience.LeftOut(v) {
			continue
		}
		for _, planned := range []bool{false, true} {
			nb := hostile(v)
			for _, c := range nb.Cells {
				if planned {
					show(c, map[string]any{"slide_type": "slide", "minutes": 1, "claim": v, "code": true, "show": "all"})
				}
			}
			page := Slides(nb, HTMLOptions{Clean: clean.HTML, Sealed: true})
			text := string(page.HTML)
			_, main, _ := strings.Cut(text, "<main>")
			main, _, _ = strings.Cut(main, "</main>\n<div id=\"desk\">")
			if found := cleantest.Harm(ours.Replace(formulas.ReplaceAllString(main, ""))); len(found) > 0 || len(page.Left) == 0 || strings.Count(text, "<script") != 1 {
				t.Errorf("%s (with a plan: %v): it has %v and %d scripts, left out: %v", v, planned, found, strings.Count(text, "<script"), page.Left)
			}
		}
	}
}

func TestSlideTypes(t *testing.T) {
	nb := &notebook.Notebook{Cells: []*notebook.Cell{
		markdownCell("## Part\n\ntext"), markdownCell("text"), codeCell("x := 1"), codeCell("draw()", drawn),
		markdownCell("s", "solution"), markdownCell("e", "exercise"), typed(markdownCell("text"), "fragment"),
	}}
	before, err := nb.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range SlideTypes(nb).Cells {
		got = append(got, slideType(c))
	}
	if want := "slide notes skip subslide skip subslide fragment"; strings.Join(got, " ") != want {
		t.Errorf("%q, not %q", got, want)
	}
	if after, err := nb.Bytes(); err != nil || string(after) != string(before) {
		t.Errorf("the notebook itself was changed (%v)", err)
	}
}

// TestLeadingWords: a formula on a slide is preceded by the words that introduce it, which are a sentence or a
// whole parenthesis.
func TestLeadingWords(t *testing.T) {
	for source, want := range map[string]string{
		"One. Two. So":                     "So",
		"One. (Two. Three.) ":              "(Two. Three.)",
		"One. (Two.) Three, *f*(x) is ":    "Three, f(x) is",
		"(All of it. In parentheses.) ":    "(All of it. In parentheses.)",
		"An odd one) here. And another). ": "An odd one) here. And another).",
	} {
		got := slidesOf(t, &notebook.Notebook{Cells: []*notebook.Cell{markdownCell("## A\n\n" + source + "\n$$x$$")}})
		if len(got) != 1 || got[0][1] != "A "+want+" x" {
			t.Errorf("%q: %q, want %q", source, got, want)
		}
	}
}

// TestTitle: the title slide shows the goals or the table, whichever is first. The other one has its own slide.
func TestTitle(t *testing.T) {
	const goals, table = "- a goal\n- another\n\n", "| one | two |\n|---|---|\n| 1 | 2 |\n\n"
	for source, want := range map[string][]string{
		"# Talk\n\n" + goals:         {"Talk a goal another"},
		"# Talk\n\n" + table:         {"Talk one two 1 2"},
		"# Talk\n\n" + goals + table: {"Talk a goal another", "Talk one two 1 2"},
	} {
		var got []string
		for _, s := range slidesOf(t, &notebook.Notebook{Cells: []*notebook.Cell{markdownCell(source)}}) {
			got = append(got, strings.Join(strings.Fields(s[1]), " "))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", source, got, want)
		}
	}
}

// TestSlidesInBrowser changes slides with keys. The page's security policy permits the slides' script.
func TestSlidesInBrowser(t *testing.T) {
	patience.SkipShort(t, "starts a browser")
	nb, err := notebook.Read("../../notebooks/lecture-pca.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	const keys = `<script>
addEventListener("load", function () {
  var seen = [];
  ["ArrowRight", " ", "End", "ArrowLeft", "Home", "d"].forEach(function (k) {
    document.body.dispatchEvent(new KeyboardEvent("keydown", {key: k, bubbles: true}));
    seen.push(document.querySelector("section.now").id);
  });
  var over = Array.from(document.querySelectorAll("section.slide")).filter(function (s, i) {
    document.body.dispatchEvent(new KeyboardEvent("keydown", {key: i ? "ArrowRight" : "Home", bubbles: true}));
    var body = s.querySelector(".body");
    return body.clientHeight < 100 || body.scrollHeight > body.clientHeight + 1;
  }).map(function (s) { return s.querySelector("h1, h2").textContent; });
  document.documentElement.dataset.seen = seen.join(" ") + " " + document.documentElement.dataset.theme;
  document.documentElement.dataset.over = over.join("|");
});
</script>`
	look := func(opt HTMLOptions, more string) string {
		file := filepath.Join(t.TempDir(), "slides.html")
		page := strings.Replace(string(Slides(nb, opt).HTML), "</body>", more+"</body>", 1)
		testfile.Write(t, file, page)
		return chromium(t, file, "--blink-settings=preferredColorScheme=1", "--window-size=1280,807", "--virtual-time-budget=5000", "--dump-dom")
	}
	n := len(slidesOf(t, nb))
	shown := look(HTMLOptions{Figure: FiguresBeside("../../notebooks")}, keys)
	want := strings.NewReplacer("N", strconv.Itoa(n), "M", strconv.Itoa(n-1)).Replace(`data-seen="s2 s3 sN sM s1 s1 dark"`)
	if !strings.Contains(shown, want) {
		t.Errorf("not %s but %s", want, regexp.MustCompile(`data-seen="[^"]*"`).FindString(shown))
	}
	// The table of all claims is collapsed, because it is too long for a slide.
	if over := regexp.MustCompile(`data-over="([^"]*)"`).FindString(shown); over != `data-over=""` {
		t.Errorf("slides that do not fit: %s", over)
	}
	if shown := look(HTMLOptions{Clean: clean.HTML, Sealed: true}, ""); !strings.Contains(shown, "Content-Security-Policy") || !strings.Contains(shown, `first alone now"`) {
		t.Error("sealed slides do not turn")
	}
}

// TestSlidesOnPhones shows slides on phones in portrait and landscape. In portrait, slides are stacked without
// overlap. In landscape, swipes change slides, and content that is too large for a readable size can be
// scrolled.
func TestSlidesOnPhones(t *testing.T) {
	patience.SkipShort(t, "starts a browser")
	nb, err := notebook.Read("../../notebooks/lecture-pca.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	const looking = `<script>addEventListener("load", function () {
  var slides = Array.from(document.querySelectorAll("section.slide")), bad = [], seen = [], upright = innerWidth < innerHeight;
  function say(s, what) { bad.push(s.id + " " + what); }
  function swipe(dx, dy, on) {
    function touch(x, y) { return new Touch({identifier: 1, target: on, clientX: x, clientY: y}); }
    on.dispatchEvent(new TouchEvent("touchstart", {touches: [touch(400, 100)], changedTouches: [touch(400, 100)], bubbles: true}));
    on.dispatchEvent(new TouchEvent("touchend", {changedTouches: [touch(400 + dx, 100 + dy)], bubbles: true}));
    seen.push(document.querySelector("section.now").id);
  }
  if (upright) {
    if (document.documentElement.scrollWidth > innerWidth + 1) { say(slides[0], "is wider than the phone"); }
    slides.forEach(function (s, i) {
      if (i && s.getBoundingClientRect().top < slides[i - 1].getBoundingClientRect().bottom - 1) { say(s, "lies on another"); }
    });
  } else {
    var turn = document.querySelectorAll("button.turn"), h = slides[0].querySelector("h1");
    swipe(-80, 10, h); swipe(-80, 10, h); swipe(80, 10, h); swipe(-80, 70, h); swipe(-30, 0, h);
    [turn[0], turn[0], turn[1]].forEach(function (b) { b.click(); seen.push(document.querySelector("section.now").id); });
    swipe(-80, 0, document.querySelector("input[type=range]"));
  }
  slides.forEach(function (s, i) {
    if (!upright) { document.body.dispatchEvent(new KeyboardEvent("keydown", {key: i ? "ArrowRight" : "Home", bubbles: true})); }
    var body = s.querySelector(".body"), below = getComputedStyle(body).overflowY === "auto";
    if (!below && body.scrollHeight > body.clientHeight + 2) { say(s, "has something below it: " + body.scrollHeight + " in " + body.clientHeight); }
    body.scrollTop = 0;
    if (body.firstElementChild && body.firstElementChild.getBoundingClientRect().top < body.getBoundingClientRect().top - 1) { say(s, "has something above it"); }
    s.querySelectorAll("pre").forEach(function (e) { if (parseFloat(getComputedStyle(e).fontSize) < 8.5) { say(s, "has small code"); } });
    s.querySelectorAll(".drawing").forEach(function (d) {
      var r = d.getBoundingClientRect(), high = Array.from(d.querySelectorAll(".panel > svg")).filter(function (e) { return getComputedStyle(e).display !== "none"; }).map(function (e) { return e.getBoundingClientRect().height; });
      if (Math.min.apply(null, high) < 20) { say(s, "has a flat figure"); }
    });
  });
  parent.postMessage((upright ? "upright " : "lying ") + document.documentElement.matches(".live") + "|" + seen.join(" ") + "|" + bad.join("; "), "*");
});</script>`
	dir := t.TempDir()
	page := strings.Replace(string(Slides(nb, HTMLOptions{Figure: FiguresBeside("../../notebooks")}).HTML), "</body>", looking+"</body>", 1)
	testfile.Write(t, filepath.Join(dir, "slides.html"), page)
	frames := `<iframe src="slides.html" style="width:360px;height:640px"></iframe><iframe src="slides.html" style="width:800px;height:360px"></iframe>`
	testfile.Write(t, filepath.Join(dir, "frames.html"), heard+frames)
	said := listen(t, filepath.Join(dir, "frames.html"))
	slices.Sort(said)
	if want := []string{"lying true|s2 s3 s2 s2 s2 s1 s1 s2 s2|", "upright false||"}; !slices.Equal(said, want) {
		t.Errorf("%q, not %q", said, want)
	}
}

func htmlOutput(s string) notebook.Output {
	return notebook.Output{"output_type": "display_data", "data": map[string]any{"text/html": s}}
}

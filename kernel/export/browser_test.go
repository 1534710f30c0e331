package export

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"image/png"
	"net/url"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"overcomplete/internal/figuremeta"
	"overcomplete/internal/patience"
	"overcomplete/internal/pointertest"
	"overcomplete/internal/testfile"
	"overcomplete/kernel/export/clean"
	"overcomplete/kernel/notebook"
)

// chromium opens a page in a headless browser, and returns the browser's output.
func chromium(t *testing.T, page string, flags ...string) string {
	t.Helper()
	patience.SkipShort(t, "starts a browser")
	program := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			program = p
			break
		}
	}
	if program == "" {
		t.Skip("there is no Chromium")
	}
	address := &url.URL{Scheme: "file", Path: filepath.ToSlash(page)}
	var shown string
	patience.Try(t, func() string { // a browser may fail to start, or hang
		ctx, cancel := context.WithTimeout(context.Background(), patience.Long)
		defer cancel()
		args := append([]string{"--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--user-data-dir=" + t.TempDir()}, flags...)
		cmd := exec.CommandContext(ctx, program, append(args, address.String())...)
		cmd.WaitDelay = 5 * time.Second
		out, err := cmd.CombinedOutput()
		if err != nil {
			return fmt.Sprintf("%v\n%s", err, out)
		}
		shown = string(out)
		return ""
	})
	return shown
}

// TestAccentsInBrowser checks accents in a browser: there is space between a letter and its accent, and a
// stretched accent is as wide as its base at every place on the screen.
func TestAccentsInBrowser(t *testing.T) {
	patience.SkipShort(t, "starts a browser")
	formulas := []struct {
		tex     string
		stretch bool
	}{
		{`\bar X`, false}, {`\bar x`, false}, {`\hat X`, false}, {`\hat x`, false}, {`\tilde X`, false}, {`\tilde x`, false}, {`\dot X`, false}, {`\dot x`, false},
		{`\check x`, false}, {`\ddot x`, false}, {`\acute x`, false}, {`\breve x`, false}, {`\mathring x`, false},
		{`\vec e`, true}, {`\vec X`, true}, {`\overline{x}`, true}, {`\overline{XYZUVW}`, true}, {`\widehat{XYZ}`, true}, {`\widetilde{XYZ}`, true},
		{`\overrightarrow{XYZUVW}`, true}, {`\overbrace{XYZUVW}`, true}, {`\underline{XYZUVW}`, true}, {`\underbrace{XYZUVW}`, true},
		{`{}^{\bar x}`, false}, {`{}^{\hat X}`, false}, {`{}^{\tilde x}`, false}, {`{}^{\dot x}`, false}, {`{}^{\vec x}`, true}, {`{}^{\overline{xxx}}`, true},
	}
	// Each formula has its own column.
	const column, height = 180, 100 // the browser uses only a part of the window for the page
	nb := &notebook.Notebook{Metadata: map[string]any{}}
	style := "<style>header{display:none} section{position:absolute;top:0;margin:0}"
	for i, f := range formulas {
		nb.Cells = append(nb.Cells, &notebook.Cell{Type: notebook.Markdown, ID: fmt.Sprint(i), Source: "$" + f.tex + "$"})
		style += fmt.Sprintf(" #cell-%d{left:%dpx}", i, column*i+20)
	}
	nb.Cells = append(nb.Cells, &notebook.Cell{Type: notebook.Raw, Metadata: map[string]any{"raw_mimetype": "text/html"}, Source: style + "</style>"})
	page := HTML(nb, HTMLOptions{})
	if len(page.Unknown) > 0 {
		t.Fatal(page.Unknown)
	}
	dir := t.TempDir()
	file, shot := filepath.Join(dir, "page.html"), filepath.Join(dir, "shot.png")
	testfile.Write(t, file, page.HTML)
	const scale = 2
	for scheme, flag := range map[string]string{"light": "--blink-settings=preferredColorScheme=1", "dark": "--blink-settings=preferredColorScheme=0"} {
		chromium(t, file, flag, fmt.Sprintf("--force-device-scale-factor=%d", scale), fmt.Sprintf("--window-size=%d,%d", column*len(formulas), height+200), "--screenshot="+shot)
		b := testfile.Read(t, shot)
		img, err := png.Decode(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		paper, _, _, _ := img.At(0, 0).RGBA()
		for i, f := range formulas {
			// pieces are the parts of a column separated by blank rows, with their widths.
			var pieces [][2]int
			blank := true
			for y := range scale * height {
				left, right := -1, -1
				for x := scale * column * i; x < scale*column*(i+1); x++ {
					ink, _, _, _ := img.At(x, y).RGBA()
					if d := int(ink) - int(paper); max(d, -d) > 0x2800 {
						right = x
						if left < 0 {
							left = x
						}
					}
				}
				if left < 0 {
					blank = true
					continue
				}
				if blank {
					pieces = append(pieces, [2]int{left, right})
					blank = false
				}
				p := &pieces[len(pieces)-1]
				p[0], p[1] = min(p[0], left), max(p[1], right)
			}
			if len(pieces) != 2 {
				t.Errorf("%s, %s: %d pieces with room between them", scheme, f.tex, len(pieces))
				continue
			}
			mark, base := pieces[0], pieces[1]
			if strings.Contains(f.tex, "under") {
				mark, base = base, mark
			}
			wide, letters := mark[1]-mark[0], base[1]-base[0]
			// An arrow has a minimum width.
			if f.stretch && (10*wide < 9*letters || 10*wide > 13*max(letters, 9*scale)) {
				t.Errorf("%s, %s: %d pixels over %d", scheme, f.tex, wide, letters)
			}
			if off := mark[0] + mark[1] - base[0] - base[1]; max(off, -off) > 2*scale*5 {
				t.Errorf("%s, %s: the middles are %d pixels apart", scheme, f.tex, off/2)
			}
		}
	}
}

// TestPrintedSolutions: content that is collapsed on the screen is expanded on paper.
func TestPrintedSolutions(t *testing.T) {
	reader, err := exec.LookPath("pdftotext")
	if err != nil {
		t.Skip("there is no pdftotext")
	}
	nb, err := notebook.Parse([]byte(lecture))
	if err != nil {
		t.Fatal(err)
	}
	page := string(HTML(nb, HTMLOptions{}).HTML)
	for name, page := range map[string]string{
		"by style":  strings.Replace(page, "<script>\n"+script, "<script>\n", 1),
		"by script": strings.Replace(page, "::details-content", "::no-such-thing", 1),
	} {
		dir := t.TempDir()
		file, pdf := filepath.Join(dir, "page.html"), filepath.Join(dir, "page.pdf")
		testfile.Write(t, file, page)
		chromium(t, file, "--no-pdf-header-footer", "--print-to-pdf="+pdf)
		text, err := exec.Command(reader, "-layout", pdf, "-").Output()
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"solve()", "42", "Because", "setup()", "last()"} {
			if !strings.Contains(string(text), want) {
				t.Errorf("%s: %s is not on the paper:\n%s", name, want, text)
			}
		}
	}
}

// measuring is a script for a page. It checks that the browser keeps each text within its box, except in a box
// that can be scrolled, and that a control and what it moves are in one window.
const measuring = `<script>addEventListener("load", function () {
	var found = [], seen = 0;
	document.querySelectorAll("[data-positions] [data-part='result']").forEach(function (e) {
		var high = e.getBoundingClientRect().bottom - e.closest("section").getBoundingClientRect().top;
		if (high > 800) { say("a control's cell has " + high + " pixels, more than a window, with the picture that it moves", e.closest("section")); }
	});
	document.querySelectorAll("main details").forEach(function (d) { d.open = true; });
	function say(what, e) { found.push(what + ": " + (e.textContent || e.className.baseVal || e.className).trim().slice(0, 60)); }
	if (document.documentElement.scrollWidth > innerWidth + 1) { say("the page is " + document.documentElement.scrollWidth + " wide, the window " + innerWidth, document.body.firstElementChild); }
	document.querySelectorAll(".drawing .panel > svg").forEach(function (svg) {
		var box = svg.getBoundingClientRect();
		svg.querySelectorAll("text").forEach(function (t) {
			var r = t.getBoundingClientRect();
			seen++;
			if (r.left < box.left - 1.5 || r.right > box.right + 1.5 || r.top < box.top - 3 || r.bottom > box.bottom + 3) { say("a text leaves its picture", t); }
		});
	});
	document.querySelectorAll("p, li, h1, h2, h3, h4, figcaption, summary, pre.code, .keys, .name, td, th").forEach(function (e) {
		if (!e.offsetParent || e.closest(".wide, .equation, nav, pre:not(.code)")) { return; }
		seen++;
		var scrolls = e.querySelector(".equation, .wide, .long");
		if (!scrolls && e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).display !== "inline") { say(e.tagName + " is " + e.clientWidth + " wide, its text " + e.scrollWidth, e); }
	});
	document.querySelectorAll(".wide, pre.stdout, pre.result").forEach(function (e) {
		if (!e.offsetParent || e.scrollWidth <= e.clientWidth + 1) { return; }
		if (getComputedStyle(e).backgroundImage.split("gradient").length < 3) { say("a table or a printed line is cut without a shade", e); }
		var cell = e.querySelector("tbody tr > :first-child:not([colspan])");
		if (innerWidth > 600 || !cell || cell.style.background || cell.parentElement.children.length < 3) { return; }
		e.scrollLeft = e.scrollWidth;
		if (cell.getBoundingClientRect().left > e.getBoundingClientRect().left + 1 || cell.getBoundingClientRect().right < e.getBoundingClientRect().left + 8) { say("the first column of a table is not to be seen beside its last one", e); }
		e.scrollLeft = 0;
	});
	parent.postMessage(JSON.stringify({seen: seen, found: found}), "*");
});</script>`

// TestTextStaysInItsBox opens pages of notebooks in a wide window and in a phone-sized one, and with a font for
// which the figures were not laid out. A browser takes some seconds for each page: where nothing is left out (in CI),
// the test opens all pages, otherwise only the page with the most kinds of figures.
func TestTextStaysInItsBox(t *testing.T) {
	patience.SkipShort(t, "starts a browser")
	which := "lewicki-sejnowski"
	if patience.All() {
		which = "*"
	}
	list, err := filepath.Glob("../../notebooks/" + which + ".ipynb")
	if err != nil || len(list) == 0 {
		t.Fatal("no notebooks", err)
	}
	result := regexp.MustCompile(`(?s)<pre id="said">(.*?)</pre>`)
	dir := t.TempDir()
	for _, path := range list {
		nb, err := notebook.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(path), ".ipynb")
		page := string(HTML(nb, HTMLOptions{Name: name, Dir: filepath.Dir(path), Clean: clean.HTML, Figure: FiguresBeside(filepath.Dir(path))}).HTML)
		var frames strings.Builder
		for _, font := range []string{"", "<style>.drawing svg text{font-family:monospace!important}</style>"} {
			file := fmt.Sprintf("%s%d.html", name, len(font))
			testfile.Write(t, filepath.Join(dir, file), strings.Replace(page, "</body>", font+measuring+"</body>", 1))
			for _, width := range []int{1200, 360} {
				fmt.Fprintf(&frames, `<iframe src="%s" style="width:%dpx;height:800px;border:0"></iframe>`, file, width)
			}
		}
		outer := filepath.Join(dir, "frames.html")
		testfile.Write(t, outer, `<pre id="said"></pre><script>addEventListener("message", function (e) { document.getElementById("said").textContent += e.data + "\n"; });</script>`+frames.String())
		m := result.FindStringSubmatch(chromium(t, outer, "--dump-dom", "--virtual-time-budget=20000", "--window-size=1300,900"))
		if m == nil {
			t.Fatalf("%s: the browser says nothing", name)
		}
		lines := strings.Split(strings.TrimSpace(html.UnescapeString(m[1])), "\n")
		if len(lines) != 4 {
			t.Fatalf("%s: %d of 4 pages were measured", name, len(lines))
		}
		for _, line := range lines {
			var said struct {
				Seen  int
				Found []string
			}
			if err := json.Unmarshal([]byte(line), &said); err != nil || said.Seen < 100 {
				t.Errorf("%s: %d texts were measured: %v", name, said.Seen, err)
			}
			for _, f := range said.Found {
				t.Errorf("%s: %s", name, f)
			}
		}
	}
}

// TestValuesAtPointer moves the pointer to a point of a figure and away from it, in light and dark mode. The
// ring around the point must have the text's color.
func TestValuesAtPointer(t *testing.T) {
	_, nb := figureOf(t, "lewicki-sejnowski/e2-paths")
	const moving = `<script>addEventListener("load", function () {
	var svg = Array.from(document.querySelectorAll("svg[data-values]")).find(function (e) { return e.getBoundingClientRect().width; }), s = JSON.parse(svg.dataset.values).s[0], box = svg.viewBox.baseVal, r = svg.getBoundingClientRect(), k = r.width / box.width;
	function move(x, y) { svg.dispatchEvent(new PointerEvent("pointermove", {clientX: r.left + (x - box.x) * k, clientY: r.top + (y - box.y) * k, bubbles: true})); }
	move(s.p[4] / 10 + 1, s.p[5] / 10);
	var said = document.querySelector(".value").textContent, v = said.indexOf(String(Number(s.v[5].toPrecision(6)))) > 0 && said.indexOf(s.n) === 0;
	var colour = getComputedStyle(svg.querySelector(".at")).stroke === getComputedStyle(svg.querySelector("text")).fill;
	move(box.x - 500, box.y);
	document.documentElement.dataset.found = [v, colour, document.querySelectorAll(".value, .at").length, getComputedStyle(document.body).backgroundColor].join(" ");
});</script>`
	file := filepath.Join(t.TempDir(), "page.html")
	page := string(HTML(nb, HTMLOptions{Clean: clean.HTML, Figure: FiguresBeside("../../notebooks")}).HTML)
	testfile.Write(t, file, strings.Replace(page, "</body>", moving+"</body>", 1))
	for scheme, want := range map[string]string{"1": "true true 0 rgb(255, 255, 255)", "0": "true true 0 rgb(20, 24, 29)"} {
		shown := chromium(t, file, "--blink-settings=preferredColorScheme="+scheme, "--window-size=1200,900", "--virtual-time-budget=5000", "--dump-dom")
		if m := regexp.MustCompile(`data-found="([^"]*)"`).FindStringSubmatch(shown); m == nil || m[1] != want {
			t.Errorf("scheme %s: %q, want %s", scheme, m, want)
		}
	}
}

// TestValuesAreThoseOfTheFile points at positions read off the axes. The values shown must be those in the
// figure's CSV. It tests a page, a phone, and a slide, because slides center their pictures.
func TestValuesAreThoseOfTheFile(t *testing.T) {
	patience.SkipShort(t, "draws all figures")
	looks := []struct {
		notebook, title string
		x               any // a number, or the label of bars
		y, shift        float64
		want            string
	}{
		{"lecture-pca", "Denoising", 150, .62238, 0, "reconstruction from k axes of the noisy faces: k 150, error / noise 0.62238"},
		{"lecture-pca", "Denoising", 300, .772602, 0, "reconstruction from k axes of the noisy faces: k 300, error / noise 0.772602"},
		{"s3c", "Probability of each unit", "2", .62, 0, "given v: 2: 0.624056"},
		{"s3c", "Probability of each unit", "5", .12, 1, "given v and unit 3 on: 5: 0.0973202"},
	}
	// The files contain the numbers above.
	for name, lines := range map[string][]string{
		"lecture-pca/denoise": {"line,150,0.62238", "line,300,0.772602"},
		"s3c/toy-explaining":  {"given v,bar,2,1,0.624056", "given v and unit 3 on,bar,5,4,0.0973202"},
	} {
		svg, _ := figureOf(t, name)
		about, err := figuremeta.Read(svg)
		if err != nil {
			t.Fatal(err)
		}
		b, err := about.Data()
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range lines {
			if !strings.Contains(string(b), line+"\n") {
				t.Errorf("%s has no %s", name, line)
			}
		}
	}
	dir := t.TempDir()
	for name, write := range map[string]func(*notebook.Notebook, HTMLOptions) Page{"lecture-pca": Slides, "s3c": HTML} {
		nb, err := notebook.Read("../../notebooks/" + name + ".ipynb")
		if err != nil {
			t.Fatal(err)
		}
		var asked strings.Builder
		var want []string
		for _, l := range looks {
			if l.notebook == name {
				fmt.Fprintf(&asked, "[%q, %#v, %v, %v],", l.title, l.x, l.y, l.shift)
				want = append(want, l.want)
			}
		}
		// On slides, show the slide with the figure first.
		asking := pointertest.Script + `<script>addEventListener("load", function () {
	parent.postMessage(document.title + "|" + innerWidth + "|" + [` + asked.String() + `].map(function (a) {
		function svg() { return pointed.figure(a[0]); }
		var slides = document.querySelectorAll("section.slide"), slide = svg().closest("section.slide");
		if (slide && document.documentElement.matches(".live")) {
			document.body.dispatchEvent(new KeyboardEvent("keydown", {key: "Home", bubbles: true}));
			for (var i = 0; slides[i] !== slide; i++) { document.body.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight", bubbles: true})); }
		}
		return pointed(svg(), a[1], a[2], a[3]);
	}).join("|"), "*");
});</script>`
		opt := HTMLOptions{Clean: clean.HTML, Figure: FiguresBeside("../../notebooks")}
		var frames strings.Builder
		page := strings.Replace(string(write(nb, opt).HTML), "</body>", asking+"</body>", 1)
		testfile.Write(t, filepath.Join(dir, name+".html"), page)
		for _, size := range []string{"800px;height:360px", "360px;height:640px"} {
			fmt.Fprintf(&frames, `<iframe src="%s.html" style="width:%s;border:0"></iframe>`, name, size)
		}
		outer := filepath.Join(dir, "frames.html")
		testfile.Write(t, outer, heard+frames.String())
		said := listen(t, outer)
		if len(said) != 2 {
			t.Fatalf("%s: %d of 2 pages answer", name, len(said))
		}
		for _, line := range said {
			if parts := strings.SplitN(line, "|", 3); parts[2] != strings.Join(want, "|") {
				t.Errorf("%s, %s wide: %s, not %s", name, parts[1], parts[2], strings.Join(want, "|"))
			}
		}
	}
}

// heard is the start of a page with frames that report to the page. The function listen returns the reports.
const heard = `<pre id="said"></pre><script>addEventListener("message", function (e) { document.getElementById("said").textContent += e.data + "\n"; });</script>`

func listen(t *testing.T, outer string) []string {
	t.Helper()
	m := regexp.MustCompile(`(?s)<pre id="said">(.*?)</pre>`).FindStringSubmatch(chromium(t, outer, "--dump-dom", "--virtual-time-budget=20000", "--window-size=1300,900"))
	if m == nil {
		t.Fatal("the browser says nothing")
	}
	return strings.Split(strings.TrimSpace(html.UnescapeString(m[1])), "\n")
}

package report

import (
	"bytes"
	"context"
	"fmt"
	"html"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"overcomplete/internal/figuremeta"
	"overcomplete/internal/patience"
	"overcomplete/internal/pointertest"
)

// chromium runs the browser without a window and returns its output.
func chromium(t *testing.T, page string, flags ...string) string {
	t.Helper()
	var program string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			program = p
			break
		}
	}
	if program == "" {
		t.Skip("there is no Chromium")
	}
	var shown string
	patience.Try(t, func() string { // a browser may fail to start, or hang
		ctx, cancel := context.WithTimeout(context.Background(), patience.Long)
		defer cancel()
		args := append([]string{"--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--user-data-dir=" + t.TempDir()}, flags...)
		cmd := exec.CommandContext(ctx, program, append(args, page)...)
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		cmd.WaitDelay = 5 * time.Second
		if err := cmd.Run(); err != nil {
			return fmt.Sprintf("%v\n%s", err, errs.String())
		}
		shown = out.String()
		return ""
	})
	return shown
}

func address(file string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(file)}).String()
}

var claimRow = regexp.MustCompile(`<tr data-paper="[^"]*" data-verdict="[^"]*"[^>]*>`)

// TestFilters makes a browser follow links that filter the claims.
func TestFilters(t *testing.T) {
	root := madeUp(t)
	s, err := Write(root, filepath.Join(t.TempDir(), "site"), Options{NoNotebooks: true})
	if err != nil {
		t.Fatal(err)
	}
	// Open the page with a filter, as from a link.
	claims := filepath.Join(s.Dir, "claims.html")
	page := chromium(t, address(claims)+"#verdict=partial,failed&paper=alpha", "--dump-dom")
	for _, row := range claimRow.FindAllString(page, -1) {
		want := strings.Contains(row, `data-paper="alpha"`) && (strings.Contains(row, `"partial"`) || strings.Contains(row, `"failed"`))
		if shown := !strings.Contains(row, " hidden"); shown != want {
			t.Errorf("shown %v: %s", shown, row)
		}
	}
	if !strings.Contains(page, ">2 of 8 claims</output>") || strings.Contains(page, `id="filters" hidden`) {
		t.Error("the form does not say how many there are")
	}
	// An old address must still work: the table was once on the scoreboard.
	if page := chromium(t, address(s.Index)+"#paper=beta", "--dump-dom", "--virtual-time-budget=5000"); !strings.Contains(page, ">2 of 8 claims</output>") {
		t.Error("an address of the scoreboard with filters does not lead to the claims")
	}
	// Apply one filter after the other on one page, and test the form without scripts.
	cases := []struct {
		hash string
		want int
	}{
		{"paper=beta", 2}, {"verdict=nodata", 1}, {"kind=own", 3}, {"as=claim", 5}, {"changed=yes", 0}, {"kind=published&data=generated", 3}, {"data=real", 1}, {"size=smoke", 8}, {"size=lecture&q=THING+second", 1},
		{"q=%3Cscript%3E", 1}, {"", 8}, {"verdict=reproduced&paper=alpha", 3}, {"claims", 3}, {"paper=nonsense&verdict=what", 8},
	}
	var script strings.Builder
	script.WriteString(`<pre id="results"></pre><script>addEventListener("load", async function () {
		var out = document.getElementById("results");
		function count() { return document.querySelectorAll("#all-claims tbody tr:not([hidden])").length; }
		function later() { return new Promise(function (done) { setTimeout(done, 50); }); }
		`)
	for _, c := range cases {
		fmt.Fprintf(&script, "location.hash = %q; await later(); out.textContent += count() + \";\";\n", c.hash)
	}
	script.WriteString(`var form = document.getElementById("filters");
		form.elements.q.value = "thing  the"; form.elements.verdict[0].checked = true;
		form.dispatchEvent(new Event("input")); out.textContent += count() + location.hash + ";";
		form.reset(); await later(); out.textContent += count() + location.hash + ";done";
		});</script>`)
	b, err := os.ReadFile(claims)
	if err != nil {
		t.Fatal(err)
	}
	// Without scripts all claims are shown, and the form is hidden because it would do nothing.
	put(t, s.Dir, "plain.html", strings.ReplaceAll(string(b), "<script src=", "<meta name="))
	page = chromium(t, address(filepath.Join(s.Dir, "plain.html"))+"#verdict=partial", "--dump-dom")
	if rows := claimRow.FindAllString(page, -1); len(rows) != 8 || strings.Contains(strings.Join(rows, ""), "hidden") || !strings.Contains(page, `id="filters" hidden`) {
		t.Errorf("without scripts: %q", rows)
	}
	put(t, s.Dir, "tried.html", strings.Replace(string(b), "</body>", script.String()+"</body>", 1))
	page = chromium(t, address(filepath.Join(s.Dir, "tried.html")), "--dump-dom", "--virtual-time-budget=20000")
	m := regexp.MustCompile(`<pre id="results">([^<]*)</pre>`).FindStringSubmatch(page)
	if m == nil {
		t.Fatal("no results")
	}
	var want strings.Builder
	for _, c := range cases {
		fmt.Fprintf(&want, "%d;", c.want)
	}
	want.WriteString("1#verdict=reproduced&q=thing++the;8;done")
	if got := html.UnescapeString(m[1]); got != want.String() {
		t.Errorf("%s\nwant\n%s", got, want.String())
	}
}

// TestValuesAtPointer points at a place in a figure on a paper's page, which it finds by the axes. The page
// must show the values of the figure's data at that place.
func TestValuesAtPointer(t *testing.T) {
	root := madeUp(t)
	svg, err := os.ReadFile("../../figures/lecture-pca/denoise.svg")
	if err != nil {
		t.Fatal(err)
	}
	about, err := figuremeta.Read(svg)
	if err != nil {
		t.Fatal(err)
	}
	csv, err := about.Data()
	if err != nil || !strings.Contains(string(csv), "line,150,0.62238\n") {
		t.Fatal("the figure has other values", err)
	}
	put(t, root, "figures/alpha/one.svg", string(svg))
	s, err := Write(root, filepath.Join(t.TempDir(), "site"), Options{NoNotebooks: true})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(s.Dir, "alpha.html")
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	asking := pointertest.Script + `<script>addEventListener("load", function () {
		document.documentElement.dataset.found = pointed(Array.from(document.querySelectorAll("svg[data-values]")).find(function (e) { return getComputedStyle(e).display !== "none"; }), 150, 0.62238);
	});</script>`
	put(t, s.Dir, "alpha.html", strings.Replace(string(page), "</body>", asking+"</body>", 1))
	shown := chromium(t, address(file), "--dump-dom", "--virtual-time-budget=5000", "--window-size=1200,900")
	const want = "reconstruction from k axes of the noisy faces: k 150, error / noise 0.62238"
	if m := regexp.MustCompile(`data-found="([^"]*)"`).FindStringSubmatch(shown); m == nil || m[1] != want {
		t.Errorf("%q, not %q", m, want)
	}
}

// TestPictures writes pictures of this project's site to the folder
// OVERCOMPLETE_SCREENSHOTS, wide and as on a phone, light and dark, and some pages as PDF.
func TestPictures(t *testing.T) {
	shots := os.Getenv("OVERCOMPLETE_SCREENSHOTS")
	if shots == "" {
		t.Skip("OVERCOMPLETE_SCREENSHOTS names no folder")
	}
	s, err := Write("../..", filepath.Join(t.TempDir(), "site"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	list := []string{"index.html", "claims.html", "code/paper/record/rule.go.html"}
	for _, p := range s.Papers {
		list = append(list, p+".html")
	}
	for _, name := range list {
		base := filepath.Join(shots, strings.ReplaceAll(strings.TrimSuffix(name, ".html"), "/", "-"))
		// A window cannot be as narrow as a phone, but a frame can.
		put(t, s.Dir, "phone.html", `<body style="margin:0"><iframe src="`+name+`" style="width:360px;height:2400px;border:0">`)
		for scheme, flag := range map[string]string{"light": "--blink-settings=preferredColorScheme=1", "dark": "--blink-settings=preferredColorScheme=0"} {
			chromium(t, address(filepath.Join(s.Dir, filepath.FromSlash(name))), flag, "--window-size=1280,2400", "--screenshot="+base+"-1280-"+scheme+".png")
			chromium(t, address(filepath.Join(s.Dir, "phone.html")), flag, "--window-size=500,2400", "--screenshot="+base+"-360-"+scheme+".png")
		}
		chromium(t, address(filepath.Join(s.Dir, filepath.FromSlash(name))), "--no-pdf-header-footer", "--print-to-pdf="+base+".pdf")
	}
}

package export

import (
	"fmt"
	"html"
	"regexp"
	"strconv"
	"strings"

	"overcomplete/internal/powers"
)

// Tables written by the project's own code are recognized by their HTML, so that the pages of older notebooks
// are also improved. Other tables stay unchanged.

// tableHTML returns the HTML of an output with its tables improved for a page. For a long table of claims it also
// returns a summary, which is visible while the table is collapsed.
func tableHTML(s string) (shown, summary string) {
	switch {
	case strings.HasPrefix(s, `<table class="dataframe">`):
		return withPowers(plainStructs(s)), ""
	case strings.HasPrefix(s, `<div class="overcomplete-paged `):
		return pagedUnit.ReplaceAllString(s, "$1 rows$2"), ""
	case claimHead.MatchString(s):
		return withPowers(s), claims(s)
	}
	return withPowers(withSigns(s)), ""
}

// inCell matches the text between two tags if this text contains a number such as 1e-08.
var inCell = regexp.MustCompile(`>[^<>]*[0-9]e[+-][0-9][^<>]*<`)

// withPowers returns a table in which numbers such as 1e-08 are written with powers of ten. Any other HTML stays
// unchanged.
func withPowers(s string) string {
	if !strings.HasPrefix(s, "<table") {
		return s
	}
	return inCell.ReplaceAllStringFunc(s, powers.In)
}

var (
	// The head of a table of structs, which has a row of names and a row of types, and the foot of the table.
	structsHead = regexp.MustCompile(`^<table class="dataframe">\n<thead>\n<tr><th></th>(<th.*</th></tr>\n)<tr><th></th>(?:<td[^>]*>[^<]*</td>)+</tr>\n</thead>\n<tbody>\n`)
	structsFoot = regexp.MustCompile(`</tbody>\n</table>\n<p>([0-9]+) × [^<\n]*</p>\n?$`)
	structsRow  = regexp.MustCompile(`(?m)^<tr><th>([0-9]+|…)</th>`)
)

// pagedUnit matches the type name after the number of rows, both below a paged table and in its data. The
// caption of a data frame has a number instead of a type name.
var pagedUnit = regexp.MustCompile(`(?m)(^<p>first [0-9]+ of [0-9,\x{202f}\x{a0}]+|^<script type="application/json">\{"rows":[0-9]+,"all":[0-9]+,"unit":") × [^0-9<"\n][^<"\n]*(</p>$|")`)

// plainStructs removes from a table of structs what matters only to the programmer: the row of types, the row numbers,
// and the type name below the table. Any other HTML stays unchanged. So does a data frame, which differs from a table
// of structs in its caption.
func plainStructs(s string) string {
	head, foot := structsHead.FindStringSubmatch(s), structsFoot.FindStringSubmatch(s)
	if head == nil || foot == nil || frameSize.MatchString(foot[0]) {
		return s
	}
	rows := strings.TrimSuffix(strings.TrimPrefix(s, head[0]), foot[0])
	shown, next := 0, 0
	inOrder, gap := true, false
	rows = structsRow.ReplaceAllStringFunc(rows, func(m string) string {
		label := structsRow.FindStringSubmatch(m)[1]
		shown++
		if label == "…" && !gap { // some rows in the middle are omitted
			gap, next = true, -1
			return "<tr>"
		}
		n, err := strconv.Atoi(label)
		inOrder = inOrder && err == nil && (n == next || next < 0)
		next = n + 1
		return "<tr>"
	})
	if !inOrder || strconv.Itoa(next) != foot[1] || strings.Count(rows, "<tr>") != shown {
		return s
	}
	s = `<table class="dataframe">` + "\n<thead>\n<tr>" + head[1] + "</thead>\n<tbody>\n" + rows + "</tbody>\n</table>\n"
	if gap {
		s += "<p>" + foot[1] + " rows</p>\n"
	}
	return s
}

// frameSize matches the caption of a data frame or a matrix.
var frameSize = regexp.MustCompile(`<p>[0-9]+ × [0-9]`)

// tints are the background colors of verdicts, as in package record. The signs are for readers who cannot tell
// the colors apart.
var tints = []struct{ colour, sign string }{
	{"rgba(46,160,67,.22)", "✓"}, {"rgba(210,153,34,.26)", "~"}, {"rgba(248,81,73,.24)", "✗"}, {"rgba(128,128,128,.12)", ""},
}

var (
	tinted      = regexp.MustCompile(`<td style="[^"]*;background:(rgba\([0-9,.]+\))" title="[^"]*">(?:<b>[^<]*</b>|<i[^>]*>[^<]*</i>)`)
	tintedWords = regexp.MustCompile(`<span style="background:(rgba\([0-9,.]+\));padding:1px 6px">`)
)

// withSigns adds the signs ✓, ~ and ✗ to the colored verdicts in a table, for readers who cannot tell the colors
// apart.
func withSigns(s string) string {
	if !strings.HasPrefix(s, "<table") || strings.Contains(s, signOpen) {
		return s
	}
	mark := func(colour, before, after string) string {
		for _, t := range tints {
			if t.colour == colour && t.sign != "" {
				return before + t.sign + after
			}
		}
		return ""
	}
	s = tinted.ReplaceAllStringFunc(s, func(m string) string {
		return m + mark(tinted.FindStringSubmatch(m)[1], "&nbsp;"+signOpen, "</span>")
	})
	return tintedWords.ReplaceAllStringFunc(s, func(m string) string {
		return m + mark(tintedWords.FindStringSubmatch(m)[1], "", " ")
	})
}

// signOpen begins a sign; package record writes the same HTML.
const signOpen = `<span style="opacity:.75">`

var (
	claimHead = regexp.MustCompile(`^<table[^>]*>(?:<caption[^>]*>([^<]*)</caption>)?<thead><tr[^>]*><th[^>]*>Verdict</th><th[^>]*>Claim</th><th[^>]*>Published</th><th[^>]*>Measured</th></tr>`)
	claimFoot = regexp.MustCompile(`</table>\s*<p>([^<]*)</p>\s*$`)
	counted   = regexp.MustCompile(`([0-9]{1,6}) (reproduced|partial|not reproduced|without data)`)
)

// A table of claims with fewer than fewClaims rows stays expanded.
const fewClaims = 20

var verdicts = map[string]struct{ class, sign string }{
	"reproduced": {"reproduced", "✓"}, "partial": {"partial", "~"}, "not reproduced": {"failed", "✗"}, "without data": {"nodata", "–"},
}

// claims returns a one-line summary of a table of claims: a bar that shows how often each verdict occurs, and the same
// counts in words. It returns "" for a short table, which stays expanded.
func claims(s string) string {
	foot := claimFoot.FindStringSubmatch(s)
	if foot == nil || strings.Count(s, "\n<tr") < fewClaims {
		return ""
	}
	words := html.UnescapeString(foot[1])
	published, _, _ := strings.Cut(words, ";")
	var bar strings.Builder
	for _, m := range counted.FindAllStringSubmatch(published, -1) {
		v := verdicts[m[2]]
		fmt.Fprintf(&bar, `<span class="%s" style="flex-grow:%s" title="%s %s">%s %s</span>`, v.class, m[1], m[1], m[2], v.sign, m[1])
	}
	line := html.EscapeString(words)
	if bar.Len() > 0 {
		line = `<span class="bar" aria-hidden="true">` + bar.String() + `</span> ` + line
	}
	return line + ` <span class="unfold">every claim</span>`
}

package audit

import (
	"fmt"
	"strconv"
	"strings"
)

// A Counts says how many claims have each verdict. Each claim counts once, however many rows state it.
type Counts struct {
	Reproduced, Partial, False, Unreached, Differs, NoData int
	// Numbers counts the claims that are published numbers about real data, by verdict: reproduced, reproduced in part,
	// not reproduced, and without data.
	Numbers [4]int
	// Checks is the number of the project's own checks that were made; Hold is the number of these that hold.
	Checks, Hold int
}

func (c *Counts) add(d Counts) {
	c.Reproduced += d.Reproduced
	c.Partial += d.Partial
	c.False += d.False
	c.Unreached += d.Unreached
	c.Differs += d.Differs
	c.NoData += d.NoData
	c.Checks += d.Checks
	c.Hold += d.Hold
	for i := range c.Numbers {
		c.Numbers[i] += d.Numbers[i]
	}
}

// count counts the claims in the rows of a record, by verdict, and the project's own checks. byID has the entries of
// the protocol, which say which rows are claims, and which rows state the same claim.
func count(rs []row, byID map[string]*entry) Counts {
	var c Counts
	type group struct {
		n, yes, none, no int
		finding          map[string]bool
		number           bool
	}
	groups := map[string]*group{}
	for i := range rs {
		r := &rs[i]
		e := byID[r.ID]
		if e == nil {
			continue // reported as a finding elsewhere
		}
		if r.own() {
			if r.measured() {
				c.Checks++
			}
			if r.Verdict == reproduced {
				c.Hold++
			}
			continue
		}
		if e.Kind != "claim" {
			continue
		}
		name := e.Claim
		if name == "" {
			name = r.ID
		}
		g := groups[name]
		if g == nil {
			g = &group{finding: map[string]bool{}}
			groups[name] = g
		}
		g.n++
		switch r.Verdict {
		case reproduced:
			g.yes++
		case not:
			g.no++
			g.finding[e.Finding] = true
		case noData:
			g.none++
		}
		if d := r.Data; r.Published.Kind == "number" && !d.Generated && !d.Example && (d.Name != "" || !r.measured()) {
			g.number = true
		}
	}
	for _, g := range groups {
		k := 1
		switch {
		case g.no > 0:
			k = 2
			switch {
			case g.finding["false"]:
				c.False++
			case g.finding["differs"] || g.finding[""]:
				c.Differs++
			default:
				c.Unreached++
			}
		case g.yes == g.n:
			k = 0
			c.Reproduced++
		case g.none == g.n:
			k = 3
			c.NoData++
		default:
			c.Partial++
		}
		if g.number {
			c.Numbers[k]++
		}
	}
	return c
}

// columns says which count is in which column of the scoreboard.
var columns = map[string]func(*Counts) int{
	"reproduced":      func(c *Counts) int { return c.Reproduced },
	"partial":         func(c *Counts) int { return c.Partial },
	"false as stated": func(c *Counts) int { return c.False },
	"not reached":     func(c *Counts) int { return c.Unreached },
	"differs":         func(c *Counts) int { return c.Differs },
	"no data":         func(c *Counts) int { return c.NoData },
}

// numbersColumn is the column with counts of published numbers on real data.
const numbersColumn = "numbers on real data"

func numbers(c *Counts) string {
	if c.Numbers[0]+c.Numbers[1]+c.Numbers[2] == 0 {
		return "none"
	}
	return fmt.Sprintf("%d of %d", c.Numbers[0], c.Numbers[0]+c.Numbers[1]+c.Numbers[2])
}

// board compares the scoreboard on a page with the counts. The page has a table with one line for each paper,
// which links to the paper's notebook, and one line for all papers.
func board(page string, papers map[string]*Counts, all *Counts) (wrong []finding) {
	var head []string
	lines := 0
	for line := range strings.Lines(page) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "|") {
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if cells[0] == "paper" {
			head = cells
			continue
		}
		if head == nil || len(cells) != len(head) {
			continue
		}
		var c *Counts
		name := "all"
		if cells[0] == "**all**" {
			c = all
		} else if _, after, ok := strings.Cut(cells[0], "notebooks/"); ok {
			name, _, _ = strings.Cut(after, ".ipynb")
			c = papers[name]
		}
		if c == nil {
			continue
		}
		lines++
		for i, h := range head {
			if of, ok := columns[h]; ok && cells[i] != strconv.Itoa(of(c)) {
				wrong = append(wrong, finding{Paper: name, Check: "count", Text: fmt.Sprintf("the scoreboard has %s in the column “%s”, counted are %d", cells[i], h, of(c))})
			}
			if h == numbersColumn && cells[i] != numbers(c) {
				wrong = append(wrong, finding{Paper: name, Check: "count", Text: fmt.Sprintf("the scoreboard has “%s” in the column “%s”, counted are %s", cells[i], h, numbers(c))})
			}
			if h == "own checks" {
				if want := fmt.Sprintf("%d of %d hold", c.Hold, c.Checks); c.Checks > 0 && cells[i] != want {
					wrong = append(wrong, finding{Paper: name, Check: "count", Text: fmt.Sprintf("the scoreboard says of own checks “%s”, counted are %s", cells[i], want)})
				}
			}
		}
	}
	if lines != len(papers)+1 {
		wrong = append(wrong, finding{Check: "count", Text: fmt.Sprintf("the scoreboard has %d lines for %d papers and their sum", lines, len(papers))})
	}
	return wrong
}

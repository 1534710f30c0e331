package flame

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"overcomplete/kernel/engine"
)

// Table returns rows as a text table. Percentages are shares of root.Total.
func Table(kind engine.ProfileKind, root *Node, rows []Row) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "self\t\twith calls\t\t \t\n")
	for _, r := range rows {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t\v%s\n", Amount(kind, r.Self), percent(r.Self, root.Total), Amount(kind, r.Total), percent(r.Total, root.Total),
			strings.TrimSpace(r.Name+"  "+strings.Join(strings.Fields(r.Text), " ")))
	}
	w.Flush()
	lines := strings.Split(strings.ReplaceAll(b.String(), "\v", "  "), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	return strings.Join(lines, "\n")
}

func percent(part, all int64) string {
	if all == 0 {
		return ""
	}
	return fmt.Sprintf("%.1f%%", 100*float64(part)/float64(all))
}

// Amount formats v for display. v is a number of bytes in a heap profile, and otherwise processor time in nanoseconds.
func Amount(kind engine.ProfileKind, v int64) string {
	if kind == engine.HeapProfile {
		switch {
		case v >= 1e9:
			return fmt.Sprintf("%.2f GB", float64(v)/1e9)
		case v >= 1e6:
			return fmt.Sprintf("%.1f MB", float64(v)/1e6)
		}
		return fmt.Sprintf("%.1f kB", float64(v)/1e3)
	}
	switch d := time.Duration(v); {
	case d >= 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d >= time.Second:
		return fmt.Sprintf("%.2f s", d.Seconds())
	}
	return fmt.Sprintf("%d ms", time.Duration(v).Milliseconds())
}

// Caption returns a string that says what the profile measures, and what it omits.
func Caption(p *engine.Profile, root *Node) string {
	if p.Kind == engine.HeapProfile {
		n := int64(0)
		for _, s := range p.Profile.Sample {
			n += s.Value[0]
		}
		return fmt.Sprintf("Memory allocated by the cell, including memory freed later: %s in %d objects, estimated from one sample in %s. With profiling, the cell took %s.",
			Amount(p.Kind, root.Total), n, Amount(p.Kind, int64(p.Rate)), wall(p.Took))
	}
	n := int64(0)
	for _, s := range p.Profile.Sample {
		n += s.Value[0]
	}
	text := fmt.Sprintf("Processor time: %d samples at %d per second are %s, in a cell that took %s", n, p.Rate, Amount(p.Kind, root.Total), wall(p.Took))
	if p.Processor > 0 {
		text += fmt.Sprintf(" and %s of the processors' time", wall(p.Processor))
	}
	text += "."
	if p.Collector > 0 {
		text += fmt.Sprintf(" %d of them are the garbage collector's.", p.Collector)
	}
	if p.Outside > 0 {
		text += fmt.Sprintf(" %d more belong to the kernel, which also compiled the cell.", p.Outside)
	}
	if n < 50 {
		text += " So few samples say little: give the cell more work, or use a higher -rate."
	}
	return text
}

// Empty returns a message that says why the profile p has no samples. There is then no picture.
func Empty(p *engine.Profile) string {
	if p.Kind == engine.HeapProfile {
		return fmt.Sprintf("no samples: the cell allocated less than the %s between two samples; use a lower -rate", Amount(p.Kind, int64(p.Rate)))
	}
	text := fmt.Sprintf("no samples: the cell took %s", wall(p.Took))
	if p.Processor > 0 {
		text += fmt.Sprintf(" and %s of the processors' time", wall(p.Processor))
	}
	return text + "; waiting is not measured, and a cell that takes only a few milliseconds needs more work"
}

func wall(d time.Duration) string {
	if d >= time.Second {
		return fmt.Sprintf("%.2f s", d.Seconds())
	}
	return fmt.Sprintf("%d ms", d.Milliseconds())
}

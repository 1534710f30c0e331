package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// report writes the tables as Markdown.
func (r *Results) report(w io.Writer) {
	p := func(format string, args ...any) { fmt.Fprintf(w, format, args...) }
	p("# What cells cost\n\n")
	p("This file was written by `%s` on %s, in %s; nothing here is typed by hand. Machine: %s. Load at the beginning: %s.", r.Command, r.Date, r.Took, r.Machine, cmp.Or(r.Load, "unknown"))
	if r.Quick {
		p(" **Quick run: the sizes are a tenth of the usual sizes, and the times are so short that they say little.**")
	}
	p("\n\n")
	for _, v := range r.Versions {
		p("* %s\n", v)
	}
	for _, m := range r.Missing {
		p("* left out: %s\n", m)
	}
	p("* before: %s\n", r.Before)
	p(`
Each time is the median of several turns. The kernels, CPython and compiled Go take turns in one run, and the first turn of each is left out. The time of a turn is its clock time or its processor time, whichever is smaller, because other programs use the machine too. For interrupts it is always the clock time. For cells and for GoNB, the time is how long a front end waits. For CPython and compiled Go, the time is measured inside the program, around the call. A program whose checksum differs from the checksum of compiled Go is listed at the end, under the heading "What went wrong". The goal *no worse* allows an increase of %.0f percent, because two measurements of the same kernel differ by up to this much on a busy machine.

`, 100*(noise-1))
	p("## Programs\n\n")
	p("| program | size | cell, ms (first) | CPython, ms | Go, ms | GoNB, ms (first) | cell/Go | CPython/cell | before, ms | before/cell | goal | met? |\n")
	p("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|---|\n")
	for _, x := range r.Programs {
		p("| %s | %d | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", x.Name, x.Size,
			withFirst(x.Cell, x.CellFirst), number(x.Python), number(x.Go), withFirst(x.GoNB, x.GoNBFirst),
			ratio(x.Cell, x.Go), ratio(x.Python, x.Cell), number(x.Before), ratio(x.Before, x.Cell), x.goal, x.goal.met(x))
	}
	p("\n%s\n", summary(r.Programs))
	if len(r.Others) > 0 {
		p("\n## Other figures\n\n")
		p("In this table, CPython stands for ipykernel.\n\n")
		p("| | unit | cell (first) | CPython | Go | GoNB (first) | CPython/cell | before | before/cell | goal | met? |\n")
		p("|---|---|--:|--:|--:|--:|--:|--:|--:|---|---|\n")
		for _, x := range r.Others {
			p("| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", x.Name, x.Unit,
				withFirst(x.Cell, x.CellFirst), number(x.Python), number(x.Go), withFirst(x.GoNB, x.GoNBFirst),
				ratio(x.Python, x.Cell), number(x.Before), ratio(x.Before, x.Cell), x.goal, x.goal.met(x))
		}
	}
	if faults := r.faults(); len(faults) > 0 {
		p("\n## What went wrong\n\n")
		for _, f := range faults {
			p("* %s\n", f)
		}
	}
}

// faults lists the rows that failed or printed a wrong checksum, and the reason for each.
func (r *Results) faults() (list []string) {
	for _, x := range slices.Concat(r.Programs, r.Others) {
		if x.Fault != "" {
			list = append(list, x.Name+": "+strings.ReplaceAll(x.Fault, "\n", "; "))
		}
	}
	return list
}

// summary returns a sentence with several counts of the given rows, such as "9 of 10 numeric rows take at most 10
// times as long".
func summary(rows []Result) string {
	var lines []string
	count := func(what string, of func(Result) bool, holds func(Result) bool) {
		n, all := 0, 0
		for _, r := range rows {
			if of(r) {
				all++
				if r.Cell > 0 && holds(r) {
					n++
				}
			}
		}
		if all > 0 {
			lines = append(lines, fmt.Sprintf("%d of %d %s", n, all, what))
		}
	}
	loops := func(r Result) bool { return r.goal == numeric && r.Go > 0 }
	count("numeric rows take at most 4 times as long as compiled Go", loops, func(r Result) bool { return r.Cell <= r.goal.timesGo*r.Go })
	count(fmt.Sprintf("numeric rows take at most %d times as long", hardest), loops, func(r Result) bool { return r.Cell <= hardest*r.Go })
	count("rows with the goal ≤ CPython are no slower than CPython", func(r Result) bool { return r.goal == likePython && r.Python > 0 }, func(r Result) bool { return r.Cell <= r.Python })
	count("rows with the goal ≤ 2 × CPython take at most twice as long as CPython", func(r Result) bool { return r.goal == twicePython && r.Python > 0 }, func(r Result) bool { return r.Cell <= 2*r.Python })
	count("rows that CPython runs too are no slower than CPython", func(r Result) bool { return r.Python > 0 }, func(r Result) bool { return r.Cell <= r.Python })
	return strings.Join(lines, "; ") + "."
}

// number formats a figure with three digits. It returns "" for a missing figure.
func number(x float64) string {
	if x <= 0 {
		return ""
	}
	digits := max(0, 2-int(math.Floor(math.Log10(x))))
	return fmt.Sprintf("%.*f", digits, x)
}

func withFirst(x, first float64) string {
	if x <= 0 || first <= 0 {
		return number(x)
	}
	return number(x) + " (" + number(first) + ")"
}

func ratio(x, y float64) string {
	if x <= 0 || y <= 0 {
		return ""
	}
	if x/y >= 100 {
		return fmt.Sprintf("%.0f", x/y)
	}
	return fmt.Sprintf("%.2g", x/y)
}

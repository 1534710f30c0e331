// Package export writes notebooks as pages to read: HTML in one file, and
// Markdown.
//
// HTML needs nothing but a browser: pictures, styles and scripts are in the
// file, formulas are MathML (see package mathml), and nothing is asked of the
// network. It reads on a phone, in light and dark, and on paper.
//
// # Reading order
//
// html.go builds the page of a notebook from its cells; solution.go folds the
// solutions of exercises; madewith.go says with which parameters outputs were
// made; text.go writes a Markdown cell, its formulas kept from the Markdown
// parser by formula.go; code.go colours Go; outputs.go chooses what to show of
// an output, with the colours of terminals from ansi.go; markdown.go is the
// other format. The page's frame, style and script are in the folder page.
//
// # Invariants
//
// The same notebook gives the same bytes. Nothing between dollar signs is
// changed by Markdown, as Jupyter has it too. A formula that package mathml
// does not know is shown as its source and listed in Page.Unknown.
//
// # Traps
//
// The HTML of outputs and of Markdown cells is written as it is, scripts too,
// since sliders and the like consist of them: a page is as trustworthy as the
// notebook. SVG is put into img elements, in which scripts do not run and the
// names of one picture cannot meet those of another.
package export

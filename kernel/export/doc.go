// Package export writes notebooks as pages to read: HTML in one file, and
// Markdown.
//
// An HTML page needs nothing but a browser: pictures, styles and scripts are in
// the file, formulas are MathML (see package mathml), and nothing is loaded
// from the network. The page can be read on a phone, in light and dark, and on
// paper.
//
// # Reading order
//
// html.go builds the page of a notebook from its cells; solution.go folds the
// solutions of exercises; madewith.go says with which parameters outputs were
// made; text.go writes a Markdown cell, and formula.go keeps its formulas from
// the Markdown parser; code.go colours Go; outputs.go chooses what to show of
// an output, and ansi.go converts the colours of terminals; figures.go shows figures
// panel by panel (see package drawing), and tables.go folds tables of claims below a
// line; markdown.go writes the other format. The page's frame, style and script are in the folder page.
//
// # Invariants
//
// The same notebook always gives the same bytes. Markdown changes nothing
// between dollar signs, as in Jupyter. A formula that package mathml cannot
// convert is shown as its source and listed in Page.Unknown.
//
// # Traps
//
// Without HTMLOptions.Clean the HTML of outputs and of Markdown cells is copied
// unchanged, scripts included, since sliders and the like consist of them: a
// page is as trustworthy as the notebook. The cleaning itself is in package
// clean, which programs that make no pages of strangers' notebooks need not
// link. SVG is put into img elements, in which scripts
// do not run and the names of one picture cannot clash with those of another; but
// for that of package figure, which package drawing writes anew.
package export

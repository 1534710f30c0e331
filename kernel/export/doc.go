// Package export writes notebooks as pages: HTML in one file, and Markdown.
//
// An HTML page needs only a browser: pictures, styles and scripts are in the file, formulas are MathML (see package
// mathml), and nothing is loaded from the network. The page can be read on a phone, in light and dark, and on paper.
//
// # Reading order
//
// html.go builds the page of a notebook from its cells; body.go folds sections and the solutions to exercises;
// madewith.go notes the parameters with which outputs were made; text.go writes a Markdown cell, and formula.go
// protects its formulas from the Markdown parser; code.go colors Go; outputs.go chooses the representation of an
// output, and converts one output for pages on which cells run; ansi.go converts terminal colors; figures.go shows
// figures panel by panel (see package drawing, which also shows the values at the pointer, and adapts colors to a light
// or dark page), and fits the texts in the drawings that sliders show; tables.go collapses a table of claims to one
// line; share.go lets the pages of a site share fonts and pictures; cleaned.go removes what could run from outputs and
// text (see package clean); markdown.go writes Markdown; slides.go writes a talk, and plan.go writes a talk for which
// the notebook contains a plan. The page's template, style and script are in the folder page.
//
// A notebook stores a figure as a PNG with the figure's name. The drawing itself, an SVG with its data, is in the
// folder figures; figures.go finds it by that name.
//
// # Invariants
//
// The same notebook always gives the same bytes. Markdown leaves text between dollar signs unchanged, as in Jupyter. A
// formula that package mathml cannot convert is shown as its source and listed in Page.Unknown.
//
// # Traps
//
// Without HTMLOptions.Clean the HTML of outputs and of Markdown cells is copied unchanged. It includes scripts,
// because sliders and other controls need them. Such a page is only as trustworthy as the notebook. Cleaning is in
// package clean, so that programs that never export untrusted notebooks need not link it. SVG goes into img elements,
// where scripts do not run and ids of different pictures cannot clash. The exception is SVG of package figure, which
// package drawing rewrites.
package export

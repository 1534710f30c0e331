// Package render converts the value of a cell into a form that a front end can
// show.
//
// Value tries, in this order:
//
//  1. a display.Data is shown unchanged;
//  2. the methods by which a value shows itself (HTML, Markdown, LaTeX, SVG, PNG,
//     JPEG, GIF, PDF, JSON, JavaScript, Render, SimpleRender), with or without
//     an error as their second result, on the value or on its pointer; or a method
//     Render(io.Writer) error that writes a page, HTML, SVG or a picture, as the charts of
//     go-echarts have;
//  3. the kinds of value that are common in research notebooks: plots, canvases,
//     images, matrices and vectors, slices of slices of numbers, data frames and series
//     of gota and of Arrow, slices of structs and of maps, small maps;
//  4. text, much as package fmt writes it, but with the names of structs and of
//     their fields, and with the values that pointers lead to.
//
// # Invariants
//
// The result always contains text/plain, for terminals and for comparing
// notebooks. The same value always gives the same bytes: addresses, which
// differ from run to run, are left out of the text. HTML has no colours of its
// own, so it can be read on a light and on a dark page, and everything that
// comes from a value is escaped. A large value is shortened, and its output
// says so.
//
// # Tables that are leafed through
//
// Frames, and slices of more than a page, are a plain table of their first rows (grid.go, paged.go),
// with a script beside it (package pagedtable) that sorts, turns pages and finds. The order of each column is
// computed here, where its type is known. Front ends that run no scripts leave out what is in
// them, and the table says of how many rows it has the first. A slice of structs of one page shows the names of
// the fields and the values, nothing else. An output carries at most 1000 rows and 300 kB.
// Text, for terminals, has the first and last five rows.
//
// # Traps
//
// Methods belong to the user and may panic; the panic becomes the text of the
// output and never ends the kernel. A method that does not return cannot be
// stopped here. A value that another goroutine changes while it is rendered is
// a data race, as with fmt.
package render

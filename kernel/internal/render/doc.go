// Package render converts the value of a cell into a form that a front end can show.
//
// Value tries, in this order:
//
//  1. a display.Data, which is shown unchanged;
//  2. a value with a method that renders it: HTML, Markdown, LaTeX, SVG, PNG,
//     JPEG, GIF, PDF, JSON, JavaScript, Render or SimpleRender. The method may
//     have an error as its second result, and may belong to a pointer to
//     the value. It may also be a method Render(io.Writer) error that writes a
//     page, HTML, SVG or a picture, like that of go-echarts charts;
//  3. the kinds of value that are common in research notebooks: plots, canvases,
//     images, matrices and vectors, slices of slices of numbers, data frames and series
//     of gota and of Arrow, slices of structs and of maps, small maps;
//  4. text, much as package fmt writes it, but with the names of structs and of
//     their fields, and with the values that pointers point to.
//
// # Invariants
//
// The result always contains text/plain, for terminals and for comparing notebooks. The same value always gives the
// same bytes, because addresses, which differ from run to run, are omitted from the text. HTML sets no colors, so it
// is readable on light and dark pages. All text that comes from a value is escaped. A large value is shortened, and
// its output says so.
//
// # Paged tables
//
// Data frames, and slices longer than a page, are shown as a plain table of their first rows (grid.go, paged.go),
// followed by a script (package pagedtable) that sorts, turns pages and searches. The sorted order of each column is
// computed here, where the column's type is known. A front end that runs no scripts also removes the script's data;
// the table then says which rows it shows. A slice of structs that fits on one page shows only field names and values.
// An output carries at most 1000 rows and 300 kB. Text, for terminals, has the first and last five rows.
//
// # Traps
//
// The methods of a value belong to the user and may panic; the panic becomes the text of the output and never ends the
// kernel. A method that does not return cannot be stopped here. If another goroutine changes a value while it is
// rendered, this is a data race, as with fmt.
package render

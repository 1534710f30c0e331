// Package display shows HTML, Markdown, formulas and pictures in a notebook. Its names are the same as in gophernotes.
//
// Functions such as HTML, Markdown and Image return a Data, which is shown if it is a cell's last value. Display shows
// a Data at once, in the middle of a cell:
//
//	display.Display(display.Markdown("**so far so good**"))
//
// Values that need no such call (plots, images, matrices, data frames, slices of structs, and anything with one of the
// methods of HTMLer, SVGer, PNGer and the other interfaces here) can be passed to Display directly.
//
// Content shown under an id can be changed later, so that a picture moves while a solver runs:
//
//	id := display.NewID()
//	display.DisplayID(id, first)
//	display.UpdateDisplay(id, second)
//
// UpdateSoon is for content that changes faster than a reader can follow.
//
// Register defines how values of another package's type are shown.
//
// # Asking
//
//	name, err := display.Input("name? ")
//	key, err := display.Password("key: ")
//
// In a notebook, the fmt.Scan functions and other readers of os.Stdin prompt the user too.
//
// # Outside a notebook
//
// The same code runs in an ordinary program: if no kernel is attached, displayed values are printed as text on the
// standard output, and Clear does nothing. A kernel attaches itself with SetPublisher and SetRenderer.
package display

// Data holds the same content in several MIME types. A front end shows the richest type that it supports.
type Data struct {
	// Data holds the content by MIME type: a string, a []byte (sent as base64)
	// or, for application/json, any value that encoding/json can write.
	Data map[string]any
	// Metadata describes the content, for example the width of a picture.
	Metadata map[string]any
	// Transient holds entries that are not saved in the notebook: display_id, and Undrawn.
	Transient map[string]any
}

// Undrawn is the entry of Transient that says why a picture could not be drawn.
const Undrawn = "undrawn"

// MIMEMap holds content or metadata by MIME type.
type MIMEMap = map[string]any

// The MIME types that the functions of this package use.
const (
	MIMETypeGIF        = "image/gif"
	MIMETypeHTML       = "text/html"
	MIMETypeJavaScript = "application/javascript"
	MIMETypeJPEG       = "image/jpeg"
	MIMETypeJSON       = "application/json"
	MIMETypeLatex      = "text/latex"
	MIMETypeMarkdown   = "text/markdown"
	MIMETypePDF        = "application/pdf"
	MIMETypePNG        = "image/png"
	MIMETypeSVG        = "image/svg+xml"
	MIMETypeText       = "text/plain"
)

// A value with one of these methods is shown by calling the method. A library can implement these interfaces without
// importing this package, because their methods use only built-in types (MIMEMap is an alias). The exception is
// Renderer, whose method returns a Data. Without importing this package, a library may return any struct with the same
// three fields instead.
type (
	// A Renderer is a value that returns its complete Data: content by MIME type, and metadata.
	Renderer = interface{ Render() Data }
	// A SimpleRenderer is a value that returns its content by MIME type, without metadata.
	SimpleRenderer = interface{ SimpleRender() MIMEMap }
	// HTMLer returns HTML.
	HTMLer = interface{ HTML() string }
	// JavaScripter returns JavaScript, which the front end runs.
	JavaScripter = interface{ JavaScript() string }
	// JPEGer returns a JPEG file.
	JPEGer = interface{ JPEG() []byte }
	// JSONer returns an object, shown as a tree.
	JSONer = interface{ JSON() map[string]any }
	// Latexer returns LaTeX, such as a formula.
	Latexer = interface{ Latex() string }
	// Markdowner returns Markdown.
	Markdowner = interface{ Markdown() string }
	// PDFer returns a PDF file.
	PDFer = interface{ PDF() []byte }
	// PNGer returns a PNG file.
	PNGer = interface{ PNG() []byte }
	// SVGer returns an SVG document.
	SVGer = interface{ SVG() string }
)

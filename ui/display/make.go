package display

import (
	"bytes"
	"fmt"
	"image"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	_ "image/gif"  // for the size of a GIF
	_ "image/jpeg" // for the size of a JPEG
	_ "image/png"  // for the size of a PNG

	"overcomplete/internal/quickpng"
	"overcomplete/internal/sniff"
)

// shortText is the length in bytes above which a document's source is not repeated as its plain text.
const shortText = 1000

// HTML shows a piece of HTML.
func HTML(html string) Data { return document(MIMETypeHTML, "HTML", html) }

// Markdown shows Markdown, with formulas between dollar signs.
func Markdown(markdown string) Data { return document(MIMETypeMarkdown, "Markdown", markdown) }

// JavaScript shows JavaScript, which the front end runs.
func JavaScript(javascript string) Data {
	return document(MIMETypeJavaScript, "JavaScript", javascript)
}

// SVG shows an SVG document.
func SVG(svg string) Data { return document(MIMETypeSVG, "SVG image", svg) }

// Text shows plain text.
func Text(text string) Data { return Data{Data: MIMEMap{MIMETypeText: text}} }

// Latex shows an inline formula. The dollar signs around it may be omitted.
func Latex(latex string) Data { return formula(latex, "$") }

// LaTeX is like Latex, with the spelling that LaTeX's authors use.
func LaTeX(latex string) Data { return formula(latex, "$") }

// Math shows a formula on its own line.
func Math(latex string) Data { return formula(latex, "$$") }

// JSON shows any value that encoding/json can encode, as a tree.
func JSON(v any) Data { return MakeData(MIMETypeJSON, v) }

// PNG shows a PNG file.
func PNG(png []byte) Data { return MakeData(MIMETypePNG, png) }

// JPEG shows a JPEG file.
func JPEG(jpeg []byte) Data { return MakeData(MIMETypeJPEG, jpeg) }

// GIF shows a GIF file, which may be animated.
func GIF(gif []byte) Data { return MakeData(MIMETypeGIF, gif) }

// PDF shows a PDF file, if the front end supports PDF.
func PDF(pdf []byte) Data { return MakeData(MIMETypePDF, pdf) }

// Image shows a picture, as PNG. It panics if m has no pixels, or if image/png cannot encode it,
// for example because it is too large.
func Image(m image.Image) Data {
	var buf bytes.Buffer
	if err := quickpng.Encode(&buf, m); err != nil {
		panic(fmt.Errorf("display: %w", err))
	}
	d := PNG(buf.Bytes())
	size := m.Bounds().Size()
	d.Metadata = MIMEMap{MIMETypePNG: MIMEMap{"width": size.X, "height": size.Y}}
	return d
}

// MIME shows content given by MIME type. Either map may be nil. The maps are not copied.
func MIME(data, metadata MIMEMap) Data { return Data{Data: data, Metadata: metadata} }

// MakeData returns a Data that shows content of the type mimeType: a string, a []byte or, for JSON, any value. Its
// plain text is derived from the content.
func MakeData(mimeType string, data any) Data {
	if mimeType == MIMETypeText {
		return Text(plainText(data))
	}
	return MakeData3(mimeType, describe(mimeType, data), data)
}

// MakeData3 is like MakeData, but takes the plain text as an argument.
func MakeData3(mimeType, plaintext string, data any) Data {
	return Data{Data: MIMEMap{MIMETypeText: plaintext, mimeType: data}}
}

// Any shows raw content (a string, a []byte, an io.Reader or an io.WriterTo) as the type mimeType. If mimeType is
// empty, the type is sniffed from the bytes, but a string is shown as plain text. All other values are shown as Display
// shows them. Any panics if reading fails.
func Any(mimeType string, v any) Data {
	switch x := v.(type) {
	case Data:
		return x
	case string:
		if mimeType == "" {
			return Text(x)
		}
		return MakeData(mimeType, x)
	case []byte:
		return bytesData(mimeType, x)
	}
	if d, ok := builtin(v); ok {
		return d
	}
	switch x := v.(type) {
	case io.Reader:
		b, err := io.ReadAll(x)
		if err != nil {
			panic(fmt.Errorf("display: %w", err))
		}
		return bytesData(mimeType, b)
	case io.WriterTo:
		var buf bytes.Buffer
		if _, err := x.WriteTo(&buf); err != nil {
			panic(fmt.Errorf("display: %w", err))
		}
		return bytesData(mimeType, buf.Bytes())
	}
	if mimeType == MIMETypeJSON {
		return JSON(v)
	}
	return render(v)
}

// Auto is Any with an empty MIME type, so the type is derived from v.
func Auto(v any) Data { return Any("", v) }

// File shows the content of a file. If mimeType is empty, it is derived from
// the content. Like its namesake in gophernotes, File panics if the file cannot
// be read.
func File(mimeType, path string) Data {
	b, err := os.ReadFile(path)
	if err != nil {
		panic(fmt.Errorf("display: %w", err))
	}
	return bytesData(mimeType, b)
}

func bytesData(mimeType string, b []byte) Data {
	if mimeType == "" {
		mimeType, _, _ = strings.Cut(sniff.Type(b), ";")
		// The sniffer recognizes SVG only as XML or text.
		if head := b[:min(len(b), 512)]; strings.HasPrefix(mimeType, "text/") && bytes.Contains(head, []byte("<svg")) {
			mimeType = MIMETypeSVG
		}
	}
	if isText(mimeType) {
		return MakeData(mimeType, string(b))
	}
	return MakeData(mimeType, b)
}

// isText reports whether content of the given type is text rather than bytes.
func isText(mimeType string) bool {
	return strings.HasPrefix(mimeType, "text/") || mimeType == MIMETypeSVG || mimeType == MIMETypeJavaScript
}

// formula returns a Data that shows latex as a formula between two copies of mark, which is $ for an inline formula
// and $$ for one on its own line. It removes the dollar signs that latex already has.
func formula(latex, mark string) Data {
	body := strings.TrimSpace(strings.Trim(strings.TrimSpace(latex), "$"))
	return MakeData3(MIMETypeLatex, latex, mark+body+mark)
}

func document(mimeType, name, source string) Data {
	text := source
	if len(text) > shortText {
		text = fmt.Sprintf("%s, %d bytes", name, len(source))
	}
	return MakeData3(mimeType, text, source)
}

// describe returns a short description of data for front ends that cannot show the content.
func describe(mimeType string, data any) string {
	switch x := data.(type) {
	case string:
		if len(x) > shortText {
			return fmt.Sprintf("%s, %d bytes", mimeType, len(x))
		}
		return x
	case []byte:
		name := mimeType
		if _, format, ok := strings.Cut(mimeType, "image/"); ok {
			name = strings.ToUpper(format) + " image"
		} else if mimeType == MIMETypePDF {
			name = "PDF document"
		}
		if c, _, err := image.DecodeConfig(bytes.NewReader(x)); err == nil {
			return fmt.Sprintf("%s, %d×%d", name, c.Width, c.Height)
		}
		return fmt.Sprintf("%s, %d bytes", name, len(x))
	}
	return fmt.Sprint(data)
}

func plainText(data any) string {
	if b, ok := data.([]byte); ok && utf8.Valid(b) {
		return string(b)
	}
	return fmt.Sprint(data)
}

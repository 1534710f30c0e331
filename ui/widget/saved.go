package widget

import (
	"fmt"
	"html"
	"maps"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"

	"overcomplete/ui/display"
)

// hint is shown below controls that do not move. A page with working controls hides it.
const hint = `<p data-part="hint" style="font-size:85%;opacity:0.75;margin:4px 0">` + toMove + `</p>`

const toMove = "To move the controls, run the cell, in a notebook that is trusted."

// colours matches the ANSI codes by which a terminal colors text.
var colours = regexp.MustCompile("\x1b\\[[0-9;]*m")

// savedOutput returns HTML that shows o, an output encoded as in a notebook file.
func savedOutput(o map[string]any) string {
	switch o["output_type"] {
	case "stream":
		text, _ := o["text"].(string)
		return preformatted(text)
	case "error":
		trace, _ := o["traceback"].([]string)
		return preformatted(strings.Join(trace, "\n"))
	}
	data, _ := o["data"].(map[string]any)
	metadata, _ := o["metadata"].(map[string]any)
	return savedData(data, metadata)
}

func preformatted(text string) string {
	return "<pre>" + html.EscapeString(colours.ReplaceAllString(text, "")) + "</pre>\n"
}

// savedData returns HTML that shows the richest form of an output. The arguments are the output's data and metadata,
// encoded as in a notebook file.
func savedData(data, metadata map[string]any) string {
	if s, ok := data[display.MIMETypeHTML].(string); ok {
		return s + "\n"
	}
	if s, ok := data[display.MIMETypeSVG].(string); ok {
		if at := strings.Index(s, "<svg"); at >= 0 {
			return s[at:] + "\n" // omit the XML declaration, which is not valid in HTML
		}
	}
	for _, mime := range []string{display.MIMETypePNG, display.MIMETypeJPEG, display.MIMETypeGIF} {
		content, ok := data[mime].(string)
		if !ok {
			continue
		}
		alt, _ := data[display.MIMETypeText].(string)
		return fmt.Sprintf(`<img alt="%s"%s src="data:%s;base64,%s" style="max-width:100%%;height:auto">`+"\n",
			html.EscapeString(alt), imageSize(metadata[mime]), mime, html.EscapeString(strings.Join(strings.Fields(content), "")))
	}
	if s, ok := data[display.MIMETypeLatex].(string); ok {
		return "<div>" + html.EscapeString(s) + "</div>\n"
	}
	for _, mime := range []string{display.MIMETypeMarkdown, display.MIMETypeText} {
		if s, ok := data[mime].(string); ok {
			return preformatted(s)
		}
	}
	return ""
}

// imageSize returns the width and height attributes of an HTML image, if the image's metadata give its size in CSS
// pixels. Otherwise it returns "".
func imageSize(metadata any) string {
	size, _ := metadata.(map[string]any)
	attributes := ""
	for _, side := range []string{"width", "height"} {
		if v, err := strconv.ParseFloat(fmt.Sprint(size[side]), 64); err == nil && v > 0 {
			attributes += fmt.Sprintf(` %s="%.0f"`, side, v)
		}
	}
	return attributes
}

// renderSaved returns the output of Interact that a notebook file keeps. Its HTML has the controls, their result, and
// the results for other positions. For viewers without HTML, the output also has the other forms of the result. id is
// the id of the live area. On a page that shows this area, the saved output is hidden, because the area shows the same
// content and stays live.
//
// The file cannot keep the live area instead. A front end with ipywidgets would look for the area's model, which no
// longer exists, and would show only an error.
func renderSaved(controls, standing string, shown *area, result display.Data, id string, other *positionResults) display.Data {
	d := result
	d.Data, d.Metadata = maps.Clone(result.Data), maps.Clone(result.Metadata)
	if d.Data == nil {
		d.Data = map[string]any{}
	}
	delete(d.Data, viewType)
	class, style, place := "", "", ""
	if id != "" {
		class = ` class="overcomplete-saved"`
		style = fmt.Sprintf(`<style>body:has(.overcomplete-live-%[1]s) [data-saved="%[1]s"], body:has(.overcomplete-page-%[1]s) [data-saved="%[1]s"] > [data-part="controls"], body:has(.overcomplete-still-%[1]s) [data-saved="%[1]s"] [data-part="hint"] { display: none }</style>`+"\n", id)
		place = fmt.Sprintf(` data-saved="%s"`, id)
	}
	elements := other.elements()
	if elements != "" {
		place += ` data-positions="1"`
	}
	d.Data[display.MIMETypeHTML] = fmt.Sprintf("%s<div%s%s>\n<div data-part=\"controls\">%s%s</div>\n<div data-part=\"result\">%s</div>\n%s</div>\n",
		style, class, place, controls, "\n"+strings.Replace(hint, toMove, toMove+other.hint(), 1), shown.html(), elements)
	if text, ok := d.Data[display.MIMETypeText].(string); ok {
		text = shown.printedText() + text
		if id != "" && standing != "" {
			text = standing + "\n" + text // the text may be for other values
		}
		d.Data[display.MIMETypeText] = text
	}
	return d
}

// earlierFunc holds the function that was passed to SetEarlier.
var earlierFunc atomic.Pointer[func() map[string]string]

// SetEarlier sets a function that returns the controls saved in the notebook's file: for each model id, the HTML that
// shows the control without a kernel. The function may be slow, and must not panic. If the function is nil, there are
// no saved controls. Kernels call SetEarlier.
//
// The controls come from an earlier kernel. A front end that opens the notebook with a new kernel does not know them,
// and would show an error in their place. So when the front end asks the kernel for the states of all controls, the
// answer includes the saved ones.
func SetEarlier(saved func() map[string]string) {
	if saved == nil {
		earlierFunc.Store(nil)
		return
	}
	earlierFunc.Store(&saved)
}

// addEarlier adds the controls that exist only in the notebook's file to the states of the open models. Each is added
// as a label that shows the control's saved HTML.
func addEarlier(states map[string]any, saved map[string]string) {
	for id, html := range saved {
		if states[id] != nil {
			continue
		}
		state := entries(controls, htmlLabel.model, controls, htmlLabel.view)
		state["value"], state["layout"], state["style"] = html, nil, nil
		states[id] = stateOf(state)
	}
}

// stateOf returns the state of one model in the form that the answer to a request for all states requires.
func stateOf(state map[string]any) map[string]any {
	return map[string]any{
		"model_name": state["_model_name"], "model_module": state["_model_module"],
		"model_module_version": state["_model_module_version"], "state": state,
	}
}

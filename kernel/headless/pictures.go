package headless

import (
	"encoding/base64"
	"maps"
	"reflect"
	"regexp"
	"strings"

	"overcomplete/internal/smallpng"
	"overcomplete/kernel/notebook"
)

// smallOutputs returns the given outputs in the smaller form in which Options.Record writes them into the original
// notebook: PNGs, including those in HTML, are reduced to few colors and compressed as far as possible, and Markdown
// that accompanies HTML is dropped, because it would repeat the content. This makes a notebook under version control a
// third as large. The given outputs are not modified.
func smallOutputs(outputs []notebook.Output) []notebook.Output {
	list := make([]notebook.Output, len(outputs))
	for i, o := range outputs {
		data, _ := o["data"].(map[string]any)
		small := maps.Clone(data)
		for mime, reduce := range map[string]func(string) string{"image/png": smallest, "text/html": smallEmbedded} {
			if text, ok := data[mime].(string); ok {
				small[mime] = reduce(text)
			}
		}
		if data["text/html"] != nil {
			delete(small, "text/markdown")
		}
		if list[i] = o; !reflect.DeepEqual(small, data) {
			list[i] = maps.Clone(o)
			list[i]["data"] = small
		}
	}
	return list
}

// smallEmbedded returns html with its PNGs made small.
func smallEmbedded(html string) string {
	return embedded.ReplaceAllStringFunc(html, func(address string) string {
		return embeddedType + smallest(strings.TrimPrefix(address, embeddedType))
	})
}

const embeddedType = "data:image/png;base64,"

var embedded = regexp.MustCompile(embeddedType + "[A-Za-z0-9+/]+={0,2}")

// smallest applies SmallPicture and then Recompress.
func smallest(text string) string {
	return changePicture(text, func(file []byte) []byte { return smallpng.Recompress(smallpng.Reduce(file)) })
}

// SmallPicture reduces a PNG, given and returned in base64, to a few colors. The pictures in recorded notebooks have
// the same pixels as the resulting PNGs. It returns the text unchanged if the result would not be smaller, or if the
// text is not a PNG in base64.
func SmallPicture(text string) string { return changePicture(text, smallpng.Reduce) }

// changePicture applies change to a PNG, given and returned in base64. It returns the text unchanged if the result is
// not smaller, or if the text is not in base64.
func changePicture(text string, change func(file []byte) []byte) string {
	file, err := base64.StdEncoding.DecodeString(strings.TrimSpace(text))
	if err != nil {
		return text
	}
	small := change(file)
	if len(small) >= len(file) {
		return text
	}
	return base64.StdEncoding.EncodeToString(small) + text[len(strings.TrimRight(text, "\n")):]
}

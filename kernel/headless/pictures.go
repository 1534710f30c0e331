package headless

import (
	"encoding/base64"
	"maps"
	"regexp"
	"strings"

	"overcomplete/internal/smallpng"
	"overcomplete/kernel/notebook"
)

// withSmallPictures returns the outputs with their PNGs reduced to few colors, as in the figures of a record.
// That makes a notebook under version control a third as large. The PNGs in HTML are reduced too. Outputs without a PNG are not
// copied.
func withSmallPictures(outputs []notebook.Output) []notebook.Output {
	list := make([]notebook.Output, len(outputs))
	for i, o := range outputs {
		list[i] = o
		data, _ := o["data"].(map[string]any)
		for mime, reduce := range map[string]func(string) string{"image/png": SmallPicture, "text/html": smallEmbedded} {
			text, ok := data[mime].(string)
			if !ok {
				continue
			}
			if small := reduce(text); small != text {
				list[i], data = maps.Clone(o), maps.Clone(data)
				data[mime] = small
				list[i]["data"] = data
				o = list[i]
			}
		}
	}
	return list
}

// smallEmbedded reduces the PNGs in HTML.
func smallEmbedded(html string) string {
	return embedded.ReplaceAllStringFunc(html, func(address string) string {
		return embeddedType + SmallPicture(strings.TrimPrefix(address, embeddedType))
	})
}

const embeddedType = "data:image/png;base64,"

var embedded = regexp.MustCompile(embeddedType + "[A-Za-z0-9+/]+={0,2}")

// SmallPicture reduces a PNG, given in base64, to few colors, as in a record. It returns other text unchanged.
func SmallPicture(text string) string {
	file, err := base64.StdEncoding.DecodeString(strings.TrimSpace(text))
	if err != nil {
		return text
	}
	small := smallpng.Reduce(file)
	if len(small) >= len(file) {
		return text
	}
	return base64.StdEncoding.EncodeToString(small) + text[len(strings.TrimRight(text, "\n")):]
}

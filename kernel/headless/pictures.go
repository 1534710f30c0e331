package headless

import (
	"encoding/base64"
	"maps"
	"strings"

	"overcomplete/internal/smallpng"
	"overcomplete/kernel/notebook"
)

// withSmallPictures returns the outputs with their PNGs reduced to few colors, as in the figures of a record.
// That makes a notebook under version control a third as large. Outputs without a PNG are not copied.
func withSmallPictures(outputs []notebook.Output) []notebook.Output {
	list := make([]notebook.Output, len(outputs))
	for i, o := range outputs {
		list[i] = o
		data, _ := o["data"].(map[string]any)
		text, ok := data["image/png"].(string)
		if !ok {
			continue
		}
		if small := SmallPicture(text); small != text {
			list[i], data = maps.Clone(o), maps.Clone(data)
			data["image/png"] = small
			list[i]["data"] = data
		}
	}
	return list
}

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

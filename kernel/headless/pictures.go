package headless

import (
	"encoding/base64"
	"maps"
	"strings"

	"overcomplete/internal/smallpng"
	"overcomplete/kernel/notebook"
)

// withSmallPictures returns outputs whose PNG have few colors, as the figures of a record have: a notebook under
// version control is a third as large with them. Outputs without a PNG are the same ones.
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

// SmallPicture returns a PNG, in base64, as a record has it; what is no PNG is returned as it is.
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

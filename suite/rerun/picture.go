package rerun

import (
	"encoding/base64"
	"strings"

	"overcomplete/kernel/headless"
	"overcomplete/suite/picture"
)

// isPicture reports whether content of this type is compared pixel by pixel. Other types, including SVG, are
// compared as text.
func isPicture(mime string) bool { return mime == "image/png" }

// comparePicture describes how two pictures, in base64, differ. It returns "" if they look the same. The old picture
// may have fewer colors, because a recorded notebook keeps its pictures small. So comparePicture also returns "" if
// the pictures look the same after the new picture has been reduced to few colors, too.
func comparePicture(old, now string) string {
	why := compareLooks(old, now)
	if why != "" && compareLooks(old, headless.SmallPicture(now)) == "" {
		return ""
	}
	return why
}

func compareLooks(old, now string) string {
	if old == now {
		return ""
	}
	var looks [2]picture.Signature
	for i, text := range []string{old, now} {
		file, err := base64.StdEncoding.DecodeString(strings.TrimSpace(text))
		if err != nil {
			return "the picture differs, or is missing: " + err.Error()
		}
		if looks[i], err = picture.Look(file); err != nil {
			return "the picture differs, or is missing: " + err.Error()
		}
	}
	_, why := picture.Compare(looks[0], looks[1])
	return why
}

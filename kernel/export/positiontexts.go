package export

import (
	"encoding/json"
	"regexp"
	"strings"

	"overcomplete/internal/positions"
	"overcomplete/kernel/export/drawing"
)

// savedPositions matches the control positions saved by overcomplete run.
var savedPositions = regexp.MustCompile(`(<script type="` + regexp.QuoteMeta(positions.Type) + `">)([^<]*)(</script>)`)

// withFittedText returns s, the HTML of an output, with fitted texts in the drawings of saved control positions (see
// drawing.Fitted). If s has no control with saved positions, it is unchanged.
func withFittedText(s string) string {
	if !strings.Contains(s, "data-positions") {
		return s
	}
	return savedPositions.ReplaceAllStringFunc(s, func(whole string) string {
		m := savedPositions.FindStringSubmatch(whole)
		var d positions.Data
		if json.Unmarshal([]byte(m[2]), &d) != nil {
			return whole
		}
		frames, err := positions.Unpack(d.Frames)
		if err != nil {
			return whole
		}
		changed := false
		for _, f := range frames {
			for i := range f {
				if svg := drawing.Fitted(f[i].SVG); svg != f[i].SVG {
					f[i].SVG, changed = svg, true
				}
			}
		}
		if !changed {
			return whole
		}
		d.Frames = positions.Pack(frames)
		b, err := json.Marshal(d)
		if err != nil {
			return whole
		}
		return m[1] + string(b) + m[3]
	})
}

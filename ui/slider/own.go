package slider

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// values matches the values that a slider inserts into its script.
var values = regexp.MustCompile(`var id = "(slider-[0-9a-f]{8}-[0-9]+)", labels = (\[.*\]), width = ([0-9]{1,6}), height = ([0-9]{1,6});`)

// OwnScript reports whether text is, byte for byte, a script that this package writes for a slider. Such a
// script is harmless, whoever wrote it: it only moves pictures and shows its labels as text.
func OwnScript(text string) bool {
	m := values.FindStringSubmatch(text)
	if m == nil {
		return false
	}
	var labels []string
	if json.Unmarshal([]byte(m[2]), &labels) != nil {
		return false
	}
	again, err := json.Marshal(labels)
	if err != nil {
		return false
	}
	width, err1 := strconv.Atoi(m[3])
	height, err2 := strconv.Atoi(m[4])
	if err1 != nil || err2 != nil {
		return false
	}
	own := fmt.Sprintf(script, m[1], again, width, height)
	return strings.TrimSuffix(strings.TrimPrefix(own, "<script>"), "</script>\n") == text
}

package figuremeta

import "regexp"

// outputKey is the key of this project's metadata in a notebook's output.
const outputKey = "overcomplete"

// A Name identifies the saved figure that an output shows.
type Name struct {
	Figure string // folder and file name without extension: "lecture-pca/ppca"
	Sum    string // checksum of the figure's SVG
}

// Put writes the name into the metadata of an output.
func (n Name) Put(metadata map[string]any) {
	metadata[outputKey] = map[string]any{"figure": n.Figure, "sum": n.Sum}
}

// named matches valid names, which cannot lead out of the folder with the figures.
var named = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]*/[A-Za-z0-9_][A-Za-z0-9._-]*$`)

// NameIn returns the name in the metadata of an output; ok is false if there is no valid name.
func NameIn(metadata map[string]any) (n Name, ok bool) {
	own, _ := metadata[outputKey].(map[string]any)
	n.Figure, _ = own["figure"].(string)
	n.Sum, _ = own["sum"].(string)
	return n, named.MatchString(n.Figure) && n.Sum != ""
}

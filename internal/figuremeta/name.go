package figuremeta

import "regexp"

// outputKey is where the metadata of a notebook's output have what this project says.
const outputKey = "overcomplete"

// A Name says which saved figure an output shows.
type Name struct {
	Figure string // the folder and the file without extension: "lecture-pca/ppca"
	Sum    string // of its SVG
}

// Put writes a name into the metadata of an output.
func (n Name) Put(metadata map[string]any) {
	metadata[outputKey] = map[string]any{"figure": n.Figure, "sum": n.Sum}
}

// named leads out of no folder.
var named = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]*/[A-Za-z0-9_][A-Za-z0-9._-]*$`)

// NameIn returns the name in the metadata of an output; ok is false if there is none that can be one.
func NameIn(metadata map[string]any) (n Name, ok bool) {
	own, _ := metadata[outputKey].(map[string]any)
	n.Figure, _ = own["figure"].(string)
	n.Sum, _ = own["sum"].(string)
	return n, named.MatchString(n.Figure) && n.Sum != ""
}

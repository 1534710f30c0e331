package notebook

import (
	"go/version"
	"maps"
	"runtime"
	"strings"
)

// Kernelspec returns the metadata kernelspec of a notebook of this kernel, as it is installed by
// default.
func Kernelspec() map[string]any {
	return map[string]any{"display_name": "Go (overcomplete)", "language": "go", "name": "overcomplete"}
}

// LanguageInfo returns what the kernel says of its language (the language_info of a
// kernel_info_reply). Front ends write all of it into each notebook that they open. So the version is that
// of the language, "1.26", which cells are written in and two releases of Go a year change; that of the
// compiler, go1.26.8, is in the banner, and would change every notebook with each of its repairs.
func LanguageInfo() map[string]any {
	v := strings.TrimPrefix(version.Lang(runtime.Version()), "go")
	if v == "" { // a compiler on its way to the next version
		v = runtime.Version()
	}
	return map[string]any{
		"name":               "go",
		"version":            v,
		"mimetype":           "text/x-go",
		"file_extension":     ".go",
		"pygments_lexer":     "go",
		"codemirror_mode":    "go",
		"nbconvert_exporter": "",
	}
}

// Settle gives n the metadata that JupyterLab and Notebook 7 would give it when they open it with
// this kernel, so that looking at a notebook does not change it: the kernel, unless one is named; all
// that the kernel says of its language, unless the notebook is of another; and for each cell
// whose output is hidden both names of that, "collapsed" of the format and "jupyter.outputs_hidden"
// of JupyterLab. Of two that differ JupyterLab takes the first, and so does this.
func (n *Notebook) Settle() {
	if n.Metadata == nil {
		n.Metadata = map[string]any{}
	}
	if n.Metadata["kernelspec"] == nil {
		n.Metadata["kernelspec"] = Kernelspec()
	}
	if n.isGo() {
		n.Metadata["language_info"] = LanguageInfo()
	}
	for _, c := range n.Cells {
		c.settle()
	}
}

// isGo reports whether a kernel for Go is named.
func (n *Notebook) isGo() bool {
	language := n.Language()
	return language == "" || strings.EqualFold(language, "go")
}

// Language returns the language of the kernel that is named, "" if none is or nothing is said of it.
func (n *Notebook) Language() string {
	spec, _ := n.Metadata["kernelspec"].(map[string]any)
	language, _ := spec["language"].(string)
	if language == "" { // not all programs write it
		info, _ := n.Metadata["language_info"].(map[string]any)
		language, _ = info["name"].(string)
	}
	return language
}

// settle makes the two names of a hidden output agree.
func (c *Cell) settle() {
	jupyter, _ := c.Metadata["jupyter"].(map[string]any)
	if collapsed := c.Metadata["collapsed"]; collapsed != nil {
		if jupyter["outputs_hidden"] != collapsed {
			jupyter = maps.Clone(jupyter)
			if jupyter == nil {
				jupyter = map[string]any{}
			}
			jupyter["outputs_hidden"] = collapsed
			c.Metadata["jupyter"] = jupyter
		}
	} else if hidden := jupyter["outputs_hidden"]; hidden != nil {
		c.Metadata["collapsed"] = hidden
	}
}

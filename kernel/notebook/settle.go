package notebook

import (
	"go/version"
	"maps"
	"runtime"
	"strings"
)

// Kernelspec returns a notebook's kernelspec metadata for this kernel, as installed by default.
func Kernelspec() map[string]any {
	return map[string]any{"display_name": "Go (overcomplete)", "language": "go", "name": "overcomplete"}
}

// LanguageInfo returns the kernel's description of its language (the language_info of a kernel_info_reply). Front ends
// write the whole description into each notebook that they open. So the version in the description is the language
// version, "1.26", which changes only twice a year. The compiler version, go1.26.8, is in the banner; in the
// description it would change every notebook with each patch release.
func LanguageInfo() map[string]any {
	v := strings.TrimPrefix(version.Lang(runtime.Version()), "go")
	if v == "" { // a development version of the compiler
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

// Settle gives n the metadata that JupyterLab and Notebook 7 would write on opening n with this kernel, so that viewing
// a notebook does not change it. It sets the kernel, unless the metadata already have one, and the kernel's
// language_info, unless the notebook has another language. A hidden output has two metadata entries in its cell, the
// format's "collapsed" and JupyterLab's "jupyter.outputs_hidden"; if a cell has only one of them, Settle adds the
// other. If the entries differ, "collapsed" takes precedence, as in JupyterLab.
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

// isGo reports whether the notebook's language is Go. It returns true if the metadata give no language.
func (n *Notebook) isGo() bool {
	language := n.Language()
	return language == "" || strings.EqualFold(language, "go")
}

// Language returns the language of the notebook's kernel, or "" if unknown.
func (n *Notebook) Language() string {
	spec, _ := n.Metadata["kernelspec"].(map[string]any)
	language, _ := spec["language"].(string)
	if language == "" { // some programs omit this field
		info, _ := n.Metadata["language_info"].(map[string]any)
		language, _ = info["name"].(string)
	}
	return language
}

// settle makes the two metadata entries for a hidden output agree.
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

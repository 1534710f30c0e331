package jupyter

// Rewrite makes the reply ask the front end to replace the text of the cell: a payload, which the protocol calls
// deprecated and has nothing instead of. JupyterLab, Notebook and VS Code heed it; a console would offer the
// text as its next input.
func (o *output) Rewrite(source string) {
	o.payload = append(o.payload, map[string]any{"source": "set_next_input", "text": source, "replace": true})
}

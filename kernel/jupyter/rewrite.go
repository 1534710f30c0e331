package jupyter

// Rewrite makes the reply ask the front end to replace the text of the cell. It uses a payload, which the
// protocol deprecates without a replacement. JupyterLab, Notebook and VS Code support it; a console would offer
// the text as its next input.
func (o *output) Rewrite(source string) {
	o.payload = append(o.payload, map[string]any{"source": "set_next_input", "text": source, "replace": true})
}

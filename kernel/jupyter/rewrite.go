package jupyter

// Rewrite makes the execute_reply ask the front end to replace the text of the cell by the argument. It uses a payload,
// which the protocol deprecates without providing a replacement. JupyterLab, Notebook and VS Code support payloads. A
// console would offer the argument as its next input.
func (o *output) Rewrite(source string) {
	o.payload = append(o.payload, map[string]any{"source": "set_next_input", "text": source, "replace": true})
}

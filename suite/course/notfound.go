package course

import _ "embed"

// NotFound is the page of a site for addresses that it does not have. It may be shown at any of
// them, so that it leads to the course by script.
//
//go:embed 404.html
var NotFound string

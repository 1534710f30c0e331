package course

import _ "embed"

// NotFound is the page for addresses that do not exist in the site. It may be shown at any address,
// so a script makes its link to the course.
//
//go:embed 404.html
var NotFound string

package course

import _ "embed"

// NotFound is the page for addresses that do not exist in the site. A server may show it at any address, so a script
// in the page computes the link to the course.
//
//go:embed 404.html
var NotFound string

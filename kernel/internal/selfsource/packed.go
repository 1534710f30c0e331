//go:build packed

package selfsource

import _ "embed"

//go:embed source.br
var packed []byte

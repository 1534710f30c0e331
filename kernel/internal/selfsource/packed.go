//go:build packed

package selfsource

import _ "embed"

//go:embed source.zip
var packed []byte

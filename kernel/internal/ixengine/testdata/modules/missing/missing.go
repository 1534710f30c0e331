// Package missing imports a package that nobody has loaded.
package missing

import "local.test/nowhere"

var X = nowhere.X

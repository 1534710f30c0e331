//go:build weeds

package garden

// broken does not check, and completion does not mind.
func broken() int { return undefined }

// Weed has a type that is not there.
func Weed(x undefined) *Plant { return nil }

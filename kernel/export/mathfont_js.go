package export

// mathFont is none in a browser's kernel, which would be a thirtieth larger: a live page has the
// font of its own formulas, and lays out later ones with the browser's.
var mathFont []byte

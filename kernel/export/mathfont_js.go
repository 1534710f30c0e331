package export

// mathFont is empty in the browser's kernel, which it would make larger by a thirtieth. A live page embeds the
// font for its own formulas, and shows later formulas in the browser's font.
var mathFont []byte

package export

// mathFont is empty in the kernel for the browser, because the font would make that kernel a thirtieth larger. A
// live page embeds the font for the formulas that it contains, and shows later formulas in the browser's font.
var mathFont []byte

// Package positions defines the format in which a notebook file keeps the results of widget.Interact for each position
// of its controls. It also contains the script that reads these results and makes the controls of a page work without
// a kernel and without a network. Package widget writes the format; package clean recognizes it in notebooks of
// unknown origin.
//
// # The form
//
// Every viewer of the file shows the controls and the last result. Beside them, the file has two more elements: the
// data, as JSON in a script element of a special type that browsers do not execute, and the script. The data contain
// one frame for each distinct result. All frames are compressed together, because pictures of a moving line have
// nearly everything in common. Viewers that drop scripts drop both elements.
//
// # Why the script is harmless
//
// The script shows the data as text, as HTML, or as a picture in an img element, where SVG neither runs scripts nor
// fetches anything. Clean sanitizes the HTML in the same way as the page's own HTML, and accepts only data of this
// format. In a cleaned page the current script replaces the script in the file, so sliders in files of older versions
// keep working.
package positions

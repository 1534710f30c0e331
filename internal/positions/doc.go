// Package positions defines the format in which a notebook file keeps the results of
// widget.Interact for each position of its controls, and the script that uses it to move the
// controls of a page, without a kernel and without a network. Package widget writes the format;
// package clean recognizes it in notebooks of unknown origin.
//
// # The form
//
// Every reader of the file sees the controls and the last result. Next to these are two more elements: the
// data, as JSON in a script element of a special type that browsers do not execute, and the script. The
// frames, one for each distinct result, are compressed together, because pictures of a moving line have
// nearly everything in common. Viewers that drop scripts drop both elements.
//
// # Why the script is harmless
//
// The script shows the data as text, as HTML, or as a picture in an img element, where SVG neither runs scripts nor
// fetches anything. Clean sanitizes the HTML in the same way as the page's own HTML, and accepts only data of this
// format. In a cleaned page the current script replaces the script in the file, so sliders in files of older versions
// keep working.
package positions

// Package positions defines the format in which a notebook file keeps the results of
// widget.Interact for each position of its controls, and the script that uses it to move the
// controls of a page, without a kernel and without a network. Package widget writes the format;
// package clean recognizes it in notebooks of unknown origin.
//
// # The form
//
// Next to the controls and the last result, which every reader of the file sees, are two elements:
// the data, as JSON in a script element of a special type, which browsers do not execute, and the
// script. The frames, one for each different result, are compressed together: pictures of a moving
// line have nearly everything in common. Viewers that drop scripts drop both elements.
//
// # Why the script is harmless
//
// It shows the data as text, as a picture in an img element, where SVG neither
// runs nor fetches anything, or as HTML. Clean has the HTML cleaned like that of the page, and
// accepts only data of this format. A cleaned page gets the present script after the data, in place
// of the one in the file, so files written by older versions keep working sliders.
package positions

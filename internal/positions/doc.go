// Package positions has the form in which a notebook file keeps what widget.Interact shows for each
// position of its controls, and the script that moves the controls of a page by it, without a kernel
// and without a network. Package widget writes the form; package clean knows it again in a notebook
// of unknown origin.
//
// # The form
//
// Beside the controls and the last result, which every reader of the file sees, stand two elements:
// the data, as JSON in a script element of a type of its own, which nothing runs, and the script. The
// frames, one for each different thing that is to be seen, are compressed together: pictures of a
// moving line have nearly everything in common. Readers that drop scripts drop all of it.
//
// # Why the script is harmless
//
// What it takes from the data it shows as text, as a picture in an img element, where SVG neither
// runs nor fetches anything, or as HTML. Clean has the HTML cleaned like that of the page, and
// accepts data of this form only. A cleaned page gets the present script after such data, in place of the one in the
// file: a file that an older version wrote keeps moving sliders.
package positions

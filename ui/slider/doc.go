// Package slider shows one of several pictures, chosen with a slider, in a notebook and in web pages exported
// from the notebook. Once shown, a slider needs no kernel, and it loads nothing from elsewhere.
//
//	slider.New("Reconstruction from k axes", []string{"k = 1", "k = 10"}, frames)
//
// All pictures go into ONE image, one below the other, which is embedded in the page as a data URI; the
// slider moves this image behind a window of the size of one frame. Pictures may be small: Zoom enlarges
// their pixels in the browser, not in the file.
//
// If scripts do not run (the notebook is not trusted, or a site strips scripts), the slider stays hidden.
// Then readers scroll through the pictures in the window; below, the labels are listed in order, with the
// advice to trust the notebook.
//
// For a slider that calls a Go function, see package widget.
package slider

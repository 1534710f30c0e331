// Package slider shows one of several pictures, chosen with a slider, in a
// notebook and in web pages made from it. Once shown, it needs no kernel, and it
// loads nothing from elsewhere.
//
//	slider.New("Reconstruction from k axes", []string{"k = 1", "k = 10"}, frames)
//
// All pictures go into ONE image, one below the other, which is embedded in the page
// as a data URI; the slider moves it behind a window of the size of one frame.
// Pictures may be small: Zoom enlarges their pixels in the browser, not in
// the file.
//
// Where scripts do not run (a notebook that is not trusted, a site that strips
// them) the slider stays hidden, and the window is a strip to scroll through,
// with the labels listed below in order, and the advice to trust the notebook.
package slider

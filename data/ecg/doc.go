// Package ecg reads a small classical recording for the separation of sources:
// eight electrodes on the skin of a pregnant woman (DaISy, "Cutaneous potential
// recordings of a pregnant woman"; L. De Lathauwer, B. De Moor, J. Vandewalle,
// "Fetal electrocardiogram extraction by source subspace separation", 1995).
// The mother's heart is in all channels, the child's, much weaker, in the first
// five.
//
//	e, err := ecg.Load()
//	X := e.X // 8 × 2500: a channel in a row, as package ica wants its mixtures
//
// The form is text: 2,500 lines of nine numbers: the time in seconds, five
// abdominal channels, three thoracic ones. [Read] takes it packed by gzip or as it
// is, with any number of lines, and refuses a file that was cut inside one.
//
// # Trap
//
// The time column goes up by 0.002 s. Taken at its word, the mother's heart beats
// 162 times a minute (the mean distance of her beats in the thoracic channels is
// 185 samples, which the package's test measures), and at half that rate 81
// times, which is likelier. Time is given as the file has it: do not read heart
// rates from it.
package ecg

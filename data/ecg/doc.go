// Package ecg reads a small classical recording for the separation of sources:
// eight electrodes on the skin of a pregnant woman (DaISy, "Cutaneous potential
// recordings of a pregnant woman"; L. De Lathauwer, B. De Moor, J. Vandewalle,
// "Fetal electrocardiogram extraction by source subspace separation", 1995).
// The mother's heart is in all channels, the child's, much weaker, in the first
// five.
//
//	e, err := ecg.Load()
//	X := e.X // 8 × 2500: one channel in each row, as package ica expects its mixtures
//
// The format is text: 2,500 lines of nine numbers: the time in seconds, five
// abdominal channels, three thoracic ones. [Read] accepts it compressed by gzip or not,
// with any number of lines, and refuses a file that was cut inside a line.
//
// # Trap
//
// The time column goes up by 0.002 s. Taken literally, the mother's heart beats
// 162 times a minute (the mean distance of her beats in the thoracic channels is
// 185 samples, which the package's test measures), and at half that rate 81
// times, which is likelier. Time is returned as the file has it: do not read heart
// rates from it.
package ecg

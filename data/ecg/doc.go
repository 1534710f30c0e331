// Package ecg reads a small recording that is a classic example for source separation: eight electrodes on the skin of
// a pregnant woman (DaISy, "Cutaneous potential recordings of a pregnant woman"; L. De Lathauwer, B. De Moor, J.
// Vandewalle, "Fetal electrocardiogram extraction by source subspace separation", 1995). The mother's heartbeat is in
// all channels. The child's heartbeat is much weaker and only in the first five.
//
//	e, err := ecg.Load()
//	X := e.X // 8 × 2500: one channel in each row, as package ica expects its mixtures
//
// The format is text: 2,500 lines of nine numbers: the time in seconds, five abdominal channels, three thoracic
// channels. [Read] accepts files with any number of lines, compressed by gzip or not, and rejects a file that was cut
// off in the middle of a line.
//
// # Trap
//
// The time column increases by 0.002 s per sample. If that is right, the mother's heart beats 162 times a
// minute: the mean distance between her beats in the thoracic channels is 185 samples, as the package's test
// measures. If the sampling rate is really half as high, her heart beats 81 times, which is more likely. Read
// returns the times unchanged from the file, so do not derive heart rates from them.
package ecg

// Package synth generates data whose truth is known and that need no network.
//
// Everything here is GENERATED: no recording, no speaker, no natural statistics
// beyond those put in. Results on it are to be reported as such
// (record.Generated), and they say nothing about natural speech.
//
// # Speech-like sound
//
// Speech makes a sequence of segments, which Sound.Segments lists:
//
//   - voiced: harmonics of a pitch that drifts along a straight line from
//     Pitch[0] to Pitch[1] (90 to 220 Hz) with a vibrato of 1 per cent at 5 Hz.
//     The amplitude of the harmonic with frequency f is the product of 1/h (h
//     its number; the slope of a glottal source) and of three formants, resonances
//     1/√((1−(f/F)²)² + (f B/F²)²) whose frequencies F move along straight
//     lines from Formants[0] to Formants[1], with B = 60 + F/20 Hz;
//   - unvoiced: white Gaussian noise through one resonance at Formants[0][0],
//     between 1.8 kHz and 0.45 of the rate;
//   - silence: white noise at −60 dB.
//
// Voiced and unvoiced segments rise and fall as a raised cosine over 15 ms and
// have a slow modulation of their amplitude (2 to 6 Hz). The whole has a root
// mean square of 1. There is no reverberation, no jitter of the pitch from
// period to period, and no dependence between neighbouring segments.
//
// [Frames] cuts a signal into the columns of a matrix, and [Whiten] makes their
// covariance the identity.
package synth

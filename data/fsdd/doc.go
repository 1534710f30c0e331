// Package fsdd reads the Free Spoken Digit Dataset (Z. Jackson and others,
// github.com/Jakobovski/free-spoken-digit-dataset, CC BY-SA 4.0): English digits
// spoken by several people, mono, 16 bit, 8 kHz.
//
// Read reads a tar, compressed by gzip or not, with members called DIGIT_SPEAKER_TAKE.wav; other members
// are skipped. Decode reads one WAV file. Both treat their input as untrusted: sizes are limited, every chunk
// must end inside the file, and invalid input causes an error, never a panic.
//
// # What Decode accepts
//
// RIFF/WAVE with a 16-byte or longer fmt chunk of format 1 (integer PCM), one
// channel, 16 bits, followed by one data chunk of an even number of bytes.
// Chunks of other names are skipped. Bytes after the end of the RIFF chunk are an
// error.
//
// # Trap
//
// Recordings differ in loudness by speaker and by take, and are not normalized
// here.
package fsdd

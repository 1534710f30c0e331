// Package selfsource holds the source of this program, so that a larger program can be built from it on a
// machine without a checkout. The source is everything that cmd/overcomplete needs to compile on any system,
// without tests.
//
// The Makefile packs the source into the archive source.br, which git ignores. It builds the program with the tag
// packed, which links the archive into the program. A program built without the tag uses the checkout that it was
// built from, if the checkout still exists and has not changed since.
//
//	go run ./kernel/internal/selfsource/pack    write source.br if it is out of date
package selfsource

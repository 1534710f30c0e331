//go:build !packed

package jupyterlite

import (
	"embed"
	"io/fs"
)

//go:embed app/*.js app/*.json extension
var embeddedSource embed.FS

//go:embed labextension
var embeddedExtension embed.FS

//go:embed pages
var embeddedPages embed.FS

func source() (fs.FS, error)   { return embeddedSource, nil }
func prebuilt() (fs.FS, error) { return fs.Sub(embeddedExtension, "labextension") }
func pages() (fs.FS, error)    { return fs.Sub(embeddedPages, "pages") }

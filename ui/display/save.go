package display

import (
	"fmt"
	"os"
	"path/filepath"
)

// SaveFigures makes the program write each displayed picture to the folder dir, as figure-1.svg, figure-2.png and so
// on, and print the path. It creates dir. A program made from a notebook calls SaveFigures if the program's flag
// -figures is set. In a kernel, pictures go to the front end, and no files are written.
func SaveFigures(dir string) error {
	if dir == "" {
		return fmt.Errorf("display: no folder for the figures")
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("display: %w", err)
	}
	hooks.Lock()
	defer hooks.Unlock()
	hooks.figures = dir
	return nil
}

// saveFigure writes d to the folder set by SaveFigures, and returns the path of the file. If no folder is set, or if d
// is not a picture, it writes nothing and returns "".
func saveFigure(d Data) (path string, err error) {
	hooks.Lock()
	defer hooks.Unlock()
	if hooks.figures == "" {
		return "", nil
	}
	for _, kind := range []struct{ mime, ending string }{{MIMETypeSVG, ".svg"}, {MIMETypePNG, ".png"}, {MIMETypeJPEG, ".jpg"}} {
		var content []byte
		switch v := d.Data[kind.mime].(type) {
		case string:
			content = []byte(v)
		case []byte:
			content = v
		default:
			continue
		}
		hooks.saved++
		path = filepath.Join(hooks.figures, fmt.Sprintf("figure-%d%s", hooks.saved, kind.ending))
		if err := os.WriteFile(path, content, 0o666); err != nil {
			return "", fmt.Errorf("display: %w", err)
		}
		return path, nil
	}
	return "", nil
}

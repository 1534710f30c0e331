package jupyter

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// earlierLimit is the largest total size of the notebook files that are searched, in bytes.
const earlierLimit = 64 << 20

// savedControls returns the controls saved in the notebook's file, as HTML by model id; see widget.SetEarlier. If
// s.opt.Notebook is a folder, it searches the folder's notebooks, most recently written first, up to a total of
// earlierLimit bytes.
func (s *Server) savedControls() map[string]string {
	files := []string{s.opt.Notebook}
	if list, err := os.ReadDir(s.opt.Notebook); err == nil {
		files = notebooksOf(s.opt.Notebook, list)
	}
	all := map[string]string{}
	left := earlierLimit
	for _, name := range files {
		text, err := readUpTo(name, left)
		if err != nil {
			continue // the file is not saved yet, is in another place, or is too long
		}
		left -= len(text)
		if !bytes.Contains(text, []byte(`"application/vnd.jupyter.widget-view+json"`)) {
			continue
		}
		saved, err := savedControls(bytes.NewReader(text))
		if err != nil {
			s.log.Printf("%s: cannot show controls that were saved earlier: %v", name, err)
		}
		maps.Copy(all, saved)
	}
	return all
}

// notebooksOf returns the notebooks of a folder, most recently written first.
func notebooksOf(folder string, list []fs.DirEntry) (files []string) {
	written := map[string]time.Time{}
	for _, e := range list {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && filepath.Ext(e.Name()) == ".ipynb" {
			name := filepath.Join(folder, e.Name())
			written[name] = info.ModTime()
			files = append(files, name)
		}
	}
	slices.SortStableFunc(files, func(a, b string) int { return written[b].Compare(written[a]) })
	return files
}

// readUpTo reads a file. It fails if the file has more than n bytes.
func readUpTo(name string, n int) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, int64(n)+1))
	if err == nil && len(text) > n {
		err = fmt.Errorf("%s is too long", name)
	}
	return text, err
}

// savedControls reads a notebook and returns the HTML of its controls by model id, without the script that looks for a
// kernel. It leaves out the controls of other kernels. It also leaves out a control whose state the notebook stores,
// because the front end shows such a control from its state.
func savedControls(r io.Reader) (map[string]string, error) {
	var nb struct {
		Cells []struct {
			Outputs []struct {
				Data struct {
					View struct {
						ID string `json:"model_id"`
					} `json:"application/vnd.jupyter.widget-view+json"`
					HTML lines `json:"text/html"`
				}
			}
		}
		Metadata struct {
			Widgets struct {
				States struct {
					State map[string]json.RawMessage
				} `json:"application/vnd.jupyter.widget-state+json"`
			}
		}
	}
	if err := json.NewDecoder(r).Decode(&nb); err != nil {
		return nil, fmt.Errorf("cannot read the notebook: %w", err)
	}
	saved := map[string]string{}
	for _, c := range nb.Cells {
		for _, o := range c.Outputs {
			id, html := o.Data.View.ID, string(o.Data.HTML)
			if id == "" || nb.Metadata.Widgets.States.State[id] != nil || !strings.HasPrefix(html, `<div id="widgets-`) {
				continue
			}
			html, _, _ = strings.Cut(html, "<script>")
			saved[id] = strings.TrimSpace(html)
		}
	}
	return saved, nil
}

// lines is text that a notebook file stores as a string or as a list of lines.
type lines string

func (l *lines) UnmarshalJSON(raw []byte) error {
	var whole string
	if json.Unmarshal(raw, &whole) == nil {
		*l = lines(whole)
		return nil
	}
	var list []string
	if err := json.Unmarshal(raw, &list); err != nil {
		return err
	}
	*l = lines(strings.Join(list, ""))
	return nil
}

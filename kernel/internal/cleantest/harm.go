package cleantest

import (
	"regexp"
	"slices"
	"strings"

	nethtml "golang.org/x/net/html"
)

// Harm returns the dangerous elements and attributes that remain in HTML that package clean has cleaned. It parses the
// HTML into a tree as a browser does, and uses none of package clean's own lists.
func Harm(cleaned string) (found []string) {
	doc, err := nethtml.Parse(strings.NewReader("<!DOCTYPE html><body>" + cleaned))
	if err != nil {
		return []string{err.Error()}
	}
	bad := []string{"script", "iframe", "frame", "frameset", "object", "embed", "applet", "portal", "meta", "base", "link", "style",
		"form", "svg", "math", "video", "audio", "source", "template", "noscript", "textarea", "title", "plaintext", "xmp", "marquee", "bgsound", "isindex", "header", "nav", "main"}
	for n := range doc.Descendants() {
		if n.Type == nethtml.CommentNode {
			found = append(found, "a comment")
		}
		if n.Type != nethtml.ElementNode {
			continue
		}
		if slices.Contains(bad, n.Data) || strings.ContainsAny(n.Data, ":-") {
			found = append(found, n.Data)
		}
		for _, a := range n.Attr {
			value := strings.ToLower(a.Val)
			switch {
			case strings.HasPrefix(a.Key, "on"), slices.Contains([]string{"name", "srcset", "srcdoc", "action", "formaction", "ping", "poster", "background", "autofocus", "tabindex", "contenteditable", "is", "form"}, a.Key):
				found = append(found, a.Key)
			case a.Key == "src" && !strings.HasPrefix(value, "data:image/"),
				a.Key == "href" && !regexp.MustCompile(`^(https?://|mailto:|#|[a-z0-9_.][^:\\]*$)`).MatchString(value),
				a.Key == "style" && regexp.MustCompile(`position|url|expression|image-set|var|binding|behavior|transform|-\d|\\|--`).MatchString(value),
				a.Key == "id" && strings.HasPrefix(value, "overcomplete"):
				found = append(found, a.Key+"="+a.Val)
			}
		}
	}
	return found
}

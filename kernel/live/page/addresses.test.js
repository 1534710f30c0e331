import assert from "node:assert/strict";
import { test } from "node:test";

import { fetches } from "./addresses.js";

test("what a page would fetch by itself", () => {
  for (const [tag, name, value] of [
    ["IMG", "src", "https://example.com/x.png"], ["IMG", "src", "//example.com/x.png"], ["IMG", "src", "x.png"], ["IMG", "SRC", " https://example.com/"],
    ["IMG", "srcset", "data:image/png;base64,AA 1x, https://example.com/ 2x"], ["SOURCE", "srcset", "https://example.com/"],
    ["image", "href", "https://example.com/"], ["image", "xlink:href", "https://example.com/"], ["feImage", "href", "https://example.com/"], ["a", "xlink:href", "https://example.com/"],
    ["TD", "background", "https://example.com/"], ["VIDEO", "poster", "https://example.com/"],
    ["rect", "filter", "url(https://example.com/f.svg#f)"], ["rect", "filter", "URL( 'https://example.com/f.svg#f')"], ["rect", "filter", "u\\72l(https://example.com/)"],
    ["rect", "fill", "url(#a) url(https://example.com/)"], ["rect", "mask", "url(#a), url(https://example.com/)"], ["rect", "cursor", "image-set('https://example.com/' 1x)"],
    ["DIV", "style", "background: url(//example.com)"], ["DIV", "style", "@import 'https://example.com'"],
  ]) assert.ok(fetches(tag, name, value), `${tag} ${name}=${value}`);
  for (const [tag, name, value] of [
    ["IMG", "src", "data:image/png;base64,AA"], ["image", "href", "data:image/png;base64,AA"], ["use", "href", "#a"], ["A", "href", "https://example.com/"], ["a", "href", "https://example.com/"],
    ["rect", "fill", "url(#a)"], ["rect", "fill", "url('#a') none"], ["rect", "transform", "translate(1 2) rotate(3)"], ["rect", "fill", "rgb(1, 2, 3)"],
    ["IMG", "alt", "a url(x)"], ["TD", "colspan", "2"], ["path", "d", "M 0 0 L 1 1"],
  ]) assert.ok(!fetches(tag, name, value), `${tag} ${name}=${value}`);
});

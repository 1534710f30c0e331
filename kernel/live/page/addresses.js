// Addresses from which a page fetches by itself: whoever names one is told who reads, and when.

const fetching = new Set(["src", "srcset", "imagesrcset", "href", "xlink:href", "background", "poster", "data", "lowsrc", "dynsrc", "action", "formaction", "ping", "code", "codebase", "classid", "archive", "manifest", "icon", "profile"]);

// What a value of CSS fetches by; an escape may spell any of it.
const functions = /\\|\b(?:url|src|image|image-set|cross-fade|paint|element)\s*\(|@import/i;
const own = /^\s*(?:url\(\s*["']?#[^"'()\\]*["']?\s*\)\s*)+[^()\\]*$/i; // in the page itself

// fetches tells whether an attribute has a page fetch something that is not in the page. Links are followed by readers
// alone.
export function fetches(tag, name, value) {
  name = name.toLowerCase();
  if (name === "href" && tag.toLowerCase() === "a") return false;
  if (fetching.has(name)) return !/^\s*(?:#|data:image\/)/i.test(value) || name.endsWith("srcset");
  return functions.test(value) && !own.test(value) && !["alt", "title"].includes(name) && !name.startsWith("aria-");
}

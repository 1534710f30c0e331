// The sanitiser, a file of its own: only notebooks from elsewhere need it.
import DOMPurify from "dompurify";

globalThis.overcompletePurifier = () => DOMPurify(window);

// The browser's storage: edits in localStorage, which is written at once also when a page is closed; notebooks
// that were opened, which may be large, in IndexedDB. Either may be missing or full.

const prefix = "overcomplete-live:";

// slot returns the name under which the edits of a page are kept: other pages of the same host have others, and so
// has what a link or a file brought, so that it does not write over the reader's own.
export const slot = (pathname, kind = "") => prefix + pathname + kind;

export class Storage {
  constructor(area = () => globalThis.localStorage) {
    this.reason = "";
    try {
      this.area = area(); // reading the property throws where it is forbidden
      this.area.setItem(prefix + "?", "1");
      this.area.removeItem(prefix + "?");
    } catch (err) {
      this.area = null;
      this.reason = err?.name === "QuotaExceededError" ? "its storage is full" : "it keeps nothing for this page";
    }
  }

  read(name) {
    try {
      const v = this.area?.getItem(name);
      return v ? JSON.parse(v) : null;
    } catch {
      return null;
    }
  }

  // write tells whether it was written.
  write(name, value) {
    if (!this.area) return false;
    try {
      if (value === null) this.area.removeItem(name);
      else this.area.setItem(name, JSON.stringify(value));
      return true;
    } catch {
      this.reason = "its storage is full";
      return false;
    }
  }
}

const database = "overcomplete-live", store = "notebooks";

function withStore(mode, use) {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(database, 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore(store);
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const db = opening.result, t = db.transaction(store, mode), request = use(t.objectStore(store));
      t.oncomplete = () => {
        db.close();
        resolve(request.result);
      };
      t.onerror = t.onabort = () => {
        db.close();
        reject(t.error);
      };
    };
  });
}

// keepNotebook and keptNotebook keep a notebook that was opened, {name, text}, so that it is there when the page is
// loaded again. They reject where there is no storage.
export const keepNotebook = async (id, notebook) => { await withStore("readwrite", (s) => s.put(notebook, id)); };
export const keptNotebook = async (id) => withStore("readonly", (s) => s.get(id));

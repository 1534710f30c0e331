// After the first visit the course is there without a network, as its lectures are once they were open.
if ("serviceWorker" in navigator && location.protocol.startsWith("http")) {
  navigator.serviceWorker.register("sw.js").then(async () => {
    const { active } = await navigator.serviceWorker.ready;
    const files = ["REPORT/index.html", "REPORT/claims.html", "REPORT/style.css", "REPORT/script.js"];
    const fonts = performance.getEntriesByType("resource").map((r) => r.name).filter((name) => name.endsWith(".woff"));
    active.postMessage({ page: location.href.replace(/[?#].*/, ""), files: [...files.map((f) => new URL(f, location.href).href), ...fonts] });
  }).catch(() => {}); // private windows may have none
}

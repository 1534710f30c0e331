// The service worker keeps what a page is made of, so that it works without network after the first visit.

const patience = 1500; // ms: a kernel is fetched without it rather than late

// keepOffline resolves when fetches go through the service worker, or when it is clear that they will not.
export function keepOffline(script, files) {
  if (!script || !("serviceWorker" in navigator)) return Promise.resolve();
  const service = navigator.serviceWorker;
  const begun = service.register(script).then(async () => {
    const { active } = await service.ready;
    if (!service.controller) await new Promise((r) => service.addEventListener("controllerchange", r, { once: true }));
    (service.controller ?? active).postMessage({ page: location.href.replace(/[?#].*/, ""), files: files.filter(Boolean) });
  }).catch(() => {}); // private windows may have none
  return Promise.race([begun, new Promise((r) => setTimeout(r, patience))]);
}

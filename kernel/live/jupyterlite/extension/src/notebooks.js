// openNotebooks gives the notebooks that are open, as files of the kernel's working directory: there
// a kernel looks for the controls of those before it, and shows them as they were saved. The tracker
// is null where the application has no notebooks.
export function openNotebooks(tracker) {
  const files = {};
  tracker?.forEach(({ context }) => {
    if (!context.isReady) return;
    const name = context.path.split('/').pop();
    files[`${home}/${name}`] = new TextEncoder().encode(JSON.stringify(context.model.toJSON()));
  });
  return files;
}

const home = '/home/notebooks'; // the worker has it

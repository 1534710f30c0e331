// Writes the exact versions of one JupyterLab release into package.json:
//
//	node pin.mjs 4.6.3 && npm install --package-lock-only --omit-lockfile-registry-resolved
//
// With ranges, npm mixes patch releases and puts two Reacts into the tree, so that hooks fail. Of
// @jupyterlab the versions are those of the metapackage. CodeMirror, Lumino, FAST, React and what
// else is in "overrides" are as in that release's yarn.lock, from where a person takes them when
// the release changes: fast-foundation 2.50 for one makes Lab's toolbars and launcher fail.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const version = process.argv[2];
if (!version) throw new Error('usage: node pin.mjs VERSION-OF-JUPYTERLAB');
const ranges = JSON.parse(execFileSync('npm', ['view', `@jupyterlab/metapackage@${version}`, 'dependencies', '--json']));
delete ranges['@jupyterlab/nbconvert-css']; // a version of its own, and no code
const wanted = JSON.parse(readFileSync('package.json'));
for (const [name, range] of Object.entries(ranges)) wanted.overrides[name] = range.replace(/^[\^~]/, '');
wanted.dependencies['@jupyterlab/metapackage'] = version;
for (const name of ['react', 'react-dom']) wanted.dependencies[name] = wanted.overrides[name];
writeFileSync('package.json', JSON.stringify(wanted, null, 2) + '\n');

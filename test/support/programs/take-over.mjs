// Opens an engine's store, which makes this process its owner, and ends.
//   node take-over.mjs <dist> <store>
import { pathToFileURL } from 'node:url';

const [dist, path] = process.argv.slice(2);
const { openEngineStore } = await import(
  pathToFileURL(`${dist}/store/engine/engine-store.js`).href
);
await openEngineStore({ path }).close();

// Raises the owner's epoch of a store, as a program on another machine does that shares its folder.
//   node take-over.mjs <store>
import { open } from 'lmdb';

const [path] = process.argv.slice(2);
const root = open({ path, maxDbs: 32, encoding: 'string', noSubdir: false });
const meta = root.openDB('meta', { encoding: 'string', useVersions: true });
await meta.put('epoch', '', meta.getEntry('epoch').version + 1);
await root.close();

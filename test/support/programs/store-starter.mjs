// Opens and closes a store as it is told on its standard input, one line each:
//   open <time>   at that time; says `owner`, or `<code> <pid of the owner>`
//   close         says `closed`
//   thread        opens it in a worker thread; says as `open`
//   node store-starter.mjs <dist> <store>
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';

const [dist, path] = process.argv.slice(2);
const program = pathToFileURL(`${dist}/store/engine/engine-store.js`).href;
const { openEngineStore } = await import(program);
const THREAD = `
const { parentPort, workerData: { program, path } } = require('node:worker_threads');
import(program).then(({ openEngineStore }) => {
  try {
    openEngineStore({ path });
    parentPort.postMessage('owner');
  } catch (thrown) {
    parentPort.postMessage(thrown.code + ' ' + thrown.data.pid);
  }
});
`;
let store;

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const [word, at] = line.split(' ');
    if (word === 'open') say(open(Number(at)));
    else if (word === 'close') store.close().then(() => say('closed'));
    else new Worker(THREAD, { eval: true, workerData: { program, path } }).once('message', say);
  })
  .on('close', () => process.exit(0));
say('ready');

function open(at) {
  while (Date.now() < at);
  try {
    store = openEngineStore({ path });
    return 'owner';
  } catch (thrown) {
    return `${thrown.code} ${thrown.data.pid}`;
  }
}

function say(text) {
  process.stdout.write(`${text}\n`);
}

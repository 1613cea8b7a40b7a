// What a figure was taken on: the class of the machine and the versions, without names or paths.
import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, release, totalmem } from 'node:os';

/** Machine, Node and the packages that matter, read from what is installed. */
export function facts() {
  return {
    date: new Date().toISOString().slice(0, 10),
    cores: `${availableParallelism()} of ${cpus()[0].model.trim()}`,
    memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
    kernel: release().split('-')[0],
    node: process.version,
    packages: {
      'uWebSockets.js': version('../node_modules/uWebSockets.js'),
      lmdb: version('../node_modules/lmdb'),
      xstate: version('../node_modules/xstate'),
      zod: version('../node_modules/zod'),
      '@modelcontextprotocol/sdk': version('peers/sdk/node_modules/@modelcontextprotocol/sdk'),
      express: version('peers/sdk/node_modules/express'),
      '@restatedev/restate-server': version(
        'peers/restate/node_modules/@restatedev/restate-server',
      ),
      '@langchain/langgraph': version('peers/langgraph/node_modules/@langchain/langgraph'),
      '@langchain/langgraph-checkpoint-sqlite': version(
        'peers/langgraph/node_modules/@langchain/langgraph-checkpoint-sqlite',
      ),
    },
  };
}

function version(folder) {
  try {
    const file = new URL(`../${folder}/package.json`, import.meta.url);
    return JSON.parse(readFileSync(file, 'utf8')).version;
  } catch {
    return 'not installed';
  }
}

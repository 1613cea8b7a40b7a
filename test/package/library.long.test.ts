import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Project } from './packed.ts';
import { CHECKOUT, packedProject, withoutIndent } from './packed.ts';

const EXAMPLE = 'examples/runtime/order.mts';
const FIRST_EXAMPLE = 'examples/runtime/durable.mts';
const SERVE_EXAMPLE = 'examples/runtime/serve.mts';
const ENCRYPTED_EXAMPLE = 'examples/runtime/encrypted.mts';
const FEATURES_EXAMPLE = 'examples/runtime/features.mts';
const INSPECTOR_EXAMPLE = 'examples/runtime/inspector.mts';
let project: Project;

beforeAll(async () => {
  project = await packedProject();
}, 120_000);
afterAll(() => project.remove());

test('the package carries what it needs and nothing of the workshop', () => {
  const { files } = project;
  expect(files).toContain('dist/store/durable/index.js');
  expect(files).toContain('dist/store/durable/index.d.ts');
  expect(files).toContain('dist/store/engine/engine-store.js');
  expect(files).toContain('dist/charts/index.js');
  expect(files).toContain('dist/process/inspect/library.js');
  expect(files).toContain('dist/inspector-page/index.html');
  const isOwn = (file: string) =>
    /^(?:README\.md|package\.json|dist\/NOTICES\.txt|dist\/(?:actors\/inspect|charts|chunks|domain|inspector-page|machines|process\/(?:app|inspect)|runtime|store|testing)\/)/.test(
      file,
    );
  expect(files.filter((file) => !isOwn(file))).toEqual([]);
});

test('the example compiles strictly, is killed, and goes on', { timeout: 120_000 }, async () => {
  project.write('order.mts', readFileSync(join(CHECKOUT, EXAMPLE), 'utf8'));
  await project.compile('order.mts');
  const killed = project.run('order.mjs', 'data', 'kill');
  await expect(killed).rejects.toMatchObject({
    signal: 'SIGKILL',
    stdout: 'row 1: approving\n',
  });
  expect((await project.run('order.mjs', 'data')).split('\n')).toEqual([
    'row 1: approving',
    '1 xstate.init',
    'the copy is refused',
    '2 xstate.done.actor.0.order.approving',
    '3 xstate.done.actor.0.order.shipping',
    'shipped as lamp, order/1:2:0.order.shipping',
    '',
  ]);
});

test('the first example compiles strictly, and its second run finds the order', {
  timeout: 120_000,
}, async () => {
  project.write('durable.mts', readFileSync(join(CHECKOUT, FIRST_EXAMPLE), 'utf8'));
  await project.compile('durable.mts');
  expect(await project.run('durable.mjs')).toBe('a parcel with a lamp\n');
  expect(await project.run('durable.mjs')).toBe('a parcel with a lamp\n');
});

test('the inspector serves its page, its charts and its socket out of the package', {
  timeout: 120_000,
}, async () => {
  project.write('inspector.mts', readFileSync(join(CHECKOUT, INSPECTOR_EXAMPLE), 'utf8'));
  await project.compile('inspector.mts');
  project.write('look.mjs', LOOK);
  expect(JSON.parse(await project.run('look.mjs'))).toEqual({
    page: [200, true],
    chart: [200, true],
    hello: 'hello',
    exit: 0,
  });
});

test('an app is served and asked by its typed client', { timeout: 120_000 }, async () => {
  project.write('serve.mts', readFileSync(join(CHECKOUT, SERVE_EXAMPLE), 'utf8'));
  await project.compile('serve.mts');
  expect(await project.run('serve.mjs')).toBe('shipped: lamp\n');
  const client = readFileSync(
    join(project.path, 'node_modules/@stoa/runtime/dist/process/app/client.js'),
    'utf8',
  );
  expect(client).not.toContain('import');
});

test('search, middleware and queues run as the example says', { timeout: 120_000 }, async () => {
  project.write('features.mts', readFileSync(join(CHECKOUT, FEATURES_EXAMPLE), 'utf8'));
  await project.compile('features.mts');
  expect((await project.run('features.mjs')).split('\n')).toEqual(['found 2', '']);
});

test('payloads are encrypted as the example says', { timeout: 120_000 }, async () => {
  project.write('encrypted.mts', readFileSync(join(CHECKOUT, ENCRYPTED_EXAMPLE), 'utf8'));
  await project.compile('encrypted.mts');
  project.write('run.mjs', RUN_APART);
  for (const _run of [1, 2]) {
    expect(await project.run('run.mjs')).toBe('SECRET\non disk: false\n');
  }
});

test('the blocks of the guide are the regions of the example', () => {
  const files = [
    FIRST_EXAMPLE,
    EXAMPLE,
    INSPECTOR_EXAMPLE,
    SERVE_EXAMPLE,
    FEATURES_EXAMPLE,
    ENCRYPTED_EXAMPLE,
  ];
  const source = files.map((file) => readFileSync(join(CHECKOUT, file), 'utf8')).join('');
  const guide = readFileSync(join(CHECKOUT, 'docs/runtime.md'), 'utf8');
  const regions = [...source.matchAll(/^ *\/\/ \[guide \w+\n([\s\S]*?)^ *\/\/ guide\]$/gm)];
  const blocks = [...guide.matchAll(/^```ts\n([\s\S]*?)^```$/gm)];
  expect(blocks.map(([, block]) => block)).toEqual(
    regions.map(([, region]) => withoutIndent(region ?? '')),
  );
  expect(blocks).toHaveLength(13);
});

test('importing the library does nothing else', { timeout: 60_000 }, async () => {
  project.write('watch.mjs', IMPORT_WATCH);
  expect(JSON.parse(await project.run('watch.mjs', '@stoa/runtime'))).toEqual(NOTHING);
  expect(JSON.parse(await project.run('watch.mjs', '@stoa/runtime/testing'))).toEqual(NOTHING);
  expect(JSON.parse(await project.run('watch.mjs', '@stoa/runtime/inspector'))).toEqual(NOTHING);
  // What the binding of the store does when it is loaded is its own; nothing of ours comes to it.
  const binding = JSON.parse(await project.run('watch.mjs', 'lmdb')) as object;
  expect(JSON.parse(await project.run('watch.mjs', '@stoa/runtime/lmdb'))).toEqual(binding);
});

test('two engines in one process do not disturb each other', { timeout: 60_000 }, async () => {
  project.write('two.mjs', TWO_ENGINES);
  expect(JSON.parse(await project.run('two.mjs'))).toEqual({
    totals: [2, 30],
    rows: [3, 4],
    second: 'STORE_BUSY',
    later: 30,
  });
});

// The example writes to the folder that it runs in; others have `data` there too.
const RUN_APART = `
import { mkdirSync } from 'node:fs';
mkdirSync('encrypted', { recursive: true });
process.chdir('encrypted');
await import('./encrypted.mjs');
`;

const NOTHING = { globals: [], handles: [], files: [], environment: [], listeners: [] };

const IMPORT_WATCH = `
import { readdirSync } from 'node:fs';
const globals = () => Object.getOwnPropertyNames(globalThis).map((name) => {
  const { value, get } = Object.getOwnPropertyDescriptor(globalThis, name);
  return [name, value ?? get];
});
const listeners = () => process.eventNames().map((name) =>
  String(name) + ' ' + process.listenerCount(name));
const handles = () => process.getActiveResourcesInfo().sort();
const read = new Set();
const real = process.env;
process.env = new Proxy(real, {
  get: (env, name) => {
    const place = new Error().stack.split('\\n').find((line) => line.includes('/@stoa/runtime/dist/'));
    if (place !== undefined) read.add(String(name));
    return Reflect.get(env, name);
  },
});
const before = { globals: new Map(globals()), handles: handles(), files: readdirSync('.'),
  listeners: listeners() };
const news = (then, now) => now.filter((each) => !then.includes(each));
await import(process.argv[2]);
// The import's own reading of files may end a moment later; what stays open is found all the same.
for (let n = 0; n < 50 && news(before.handles, handles()).length > 0; n += 1) {
  await new Promise((done) => setTimeout(done, 20));
}
const changed = globals().filter(([name, value]) => !Object.is(before.globals.get(name), value));
const found = {
  globals: changed.map(([name]) => name),
  handles: news(before.handles, handles()),
  files: news(before.files, readdirSync('.')),
  environment: [...read],
  listeners: news(before.listeners, listeners()),
};
process.stdout.write(JSON.stringify(found));
`;

const LOOK = `
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { WebSocket } from 'ws';
const program = spawn(process.execPath, ['inspector.mjs'], { stdio: ['ignore', 'pipe', 'inherit'] });
const [line] = await once(program.stdout, 'data');
const url = new URL(String(line).trim());
const authorization = 'Bearer ' + url.hash.slice('#enter='.length);
const read = async (path, word) => {
  const answer = await fetch(url.origin + path, { headers: { authorization } });
  return [answer.status, (await answer.text()).includes(word)];
};
const page = await read('/console/', 'Stoa inspector');
const chart = await read('/console/charts/order.wide.svg', 'booking');
const socket = new WebSocket('ws://' + url.host + '/inspect', { headers: { authorization } });
const [message] = await once(socket, 'message');
socket.close();
program.kill('SIGTERM');
const [exit] = await once(program, 'exit');
process.stdout.write(JSON.stringify({ page, chart, hello: JSON.parse(message).frame.topic, exit }));
`;

const TWO_ENGINES = `
import { createEngine, define, memoryStore, systemClock } from '@stoa/runtime';
import { openEngineStore } from '@stoa/runtime/lmdb';
import { assign, setup } from 'xstate';
const machine = setup({}).createMachine({
  id: 'counter',
  context: { total: 0 },
  on: { ADD: { actions: assign({ total: ({ context, event }) => context.total + event.n }) } },
});
const counter = define({ kind: 'counter', version: 1, machine, effects: {} });
const start = (store) => createEngine({ store, clock: systemClock(), definitions: [counter] });
const stores = [memoryStore(), openEngineStore({ path: 'two' })];
const engines = await Promise.all(stores.map(start));
const rows = [0, 0];
engines.forEach((engine, at) => engine.feed(1, () => { rows[at] += 1; }));
await Promise.all(engines.map((engine) => engine.create('counter', 'same')));
await Promise.all([1, 1].map((n) => engines[0].tell('same', { type: 'ADD', n })));
await Promise.all([10, 10, 10].map((n) => engines[1].tell('same', { type: 'ADD', n })));
const views = await Promise.all(engines.map((engine) => engine.view('same')));
let second = 'opened';
try {
  openEngineStore({ path: './two/../two' });
} catch (error) {
  second = error.code;
}
await Promise.all(engines.map((engine) => engine.close()));
await Promise.all(stores.map((store) => store.close()));
const again = openEngineStore({ path: 'two' });
const engine = await start(again);
const later = (await engine.view('same')).context.total;
await engine.close();
await again.close();
const totals = views.map(({ context }) => context.total);
process.stdout.write(JSON.stringify({ totals, rows, second, later }));
`;

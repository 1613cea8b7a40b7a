import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { built } from '../../support/built.ts';

const CHECKOUT = fileURLToPath(new URL('../../../', import.meta.url));

test('a saga with retries is awaited to its end, and its process ends with 0', async () => {
  const program = `
    const o = await app.saga.start('1');
    console.log(await o.result());
  `;
  expect(await runProgram(program)).toEqual({ code: 0, signal: null, said: 'after 3 attempts\n' });
}, 60_000);

test('nobody waits, but the effect runs and the timer fires before the process ends', async () => {
  const program = `
    await app.saga.start('1');
    const bell = await app.later.start('2');
    bell.emitted(({ type }) => console.log(type));
  `;
  expect(await runProgram(program)).toEqual({ code: 0, signal: null, said: 'rang\n' });
}, 60_000);

test('a process with only a schedule stays, unless it keeps nothing alive', async () => {
  const program = `
    await app.saga.schedule('yearly', { cron: '@yearly' });
    console.log('scheduled');
  `;
  expect(await runProgram(program, '{}', 3_000)).toEqual({
    code: null,
    signal: 'SIGTERM',
    said: 'scheduled\n',
  });
  expect(await runProgram(program, '{ keepAlive: false }', 20_000)).toMatchObject({ code: 0 });
}, 60_000);

/** Runs a program with an app; ends it after `endMs`. */
async function runProgram(program: string, options = '{}', endMs = 30_000) {
  const entry = pathToFileURL(join(await built(), 'store/durable/index.js')).href;
  const source = `
    import { durable } from '${entry}';
    import { assign, emit, fromPromise, setup } from 'xstate';
    const work = fromPromise(() => Promise.reject(new Error('not run')));
    const saga = setup({ actors: { work } }).createMachine({
      context: { said: '' },
      initial: 'working',
      states: {
        working: {
          invoke: {
            src: 'work',
            onDone: { target: 'over', actions: assign({ said: ({ event }) => event.output }) },
          },
        },
        over: { type: 'final' },
      },
      output: ({ context }) => context.said,
    });
    const later = setup({}).createMachine({
      initial: 'waiting',
      states: {
        waiting: { after: { 1500: { target: 'over', actions: emit({ type: 'rang' }) } } },
        over: { type: 'final' },
      },
    });
    const run = async (_input, { attempt }) => {
      if (attempt < 3) throw new Error('not yet');
      return 'after ' + attempt + ' attempts';
    };
    const effects = { work: { run, backoff: () => 700 } };
    const app = await durable({ actors: { saga: { machine: saga, effects }, later }, ...${options} });
    ${program}
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], {
    cwd: CHECKOUT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const timer = setTimeout(() => child.kill(), endMs);
  await once(child, 'close');
  clearTimeout(timer);
  return { code: child.exitCode, signal: child.signalCode, said };
}

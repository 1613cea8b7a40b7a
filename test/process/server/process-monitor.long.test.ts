import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { built } from '../../support/built.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'stoa-watch-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly out: string;
  readonly errors: string;
}

/** Runs a program that is watched; `raised` are the operator's notices, one line each. */
async function run(body: string): Promise<Ended> {
  const url = (path: string) => pathToFileURL(join(dist, path)).href;
  const program = `
    import { monitorProcess } from '${url('process/server/process-monitor.js')}';
    import { recordEffectStart, recordStart } from '${url('system/running-work.js')}';
    import { watchEventLoop } from '${url('system/watchdog.js')}';
    const rest = (ms) => new Promise((done) => setTimeout(done, ms));
    const spin = (ms) => { for (const end = performance.now() + ms; performance.now() < end; ); };
    const monitor = monitorProcess({ dataDir: ${JSON.stringify(dataDir)}, notice: console.log });
    monitor.setNotifier((notice) => console.log('raised ' + JSON.stringify(notice)));
    await rest(700);
    ${body}
    console.log('stalls ' + JSON.stringify(monitor.stalls()));
    process.exit(0);`;
  const args = ['--input-type=module', '-e', program];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let [out, errors] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  return { code, signal, out, errors };
}
const dist = await built();

describe('a blocked event loop', () => {
  test('is told of with what began last, the effects at work and the code that ran', async () => {
    const { code, out } = await run(`
      recordEffectStart({}, () => 'audit/probe of audit/7');
      recordStart('answer', () => 'of target.example');
      function readHostileText() { spin(1_600); }
      readHostileText();
      await rest(900);`);
    expect(code).toBe(0);
    const line = out.split('\n').find((text) => text.startsWith('the event loop was blocked'));
    expect(line).toMatch(/blocked for [12]\.\d s \(\d\.\d s of CPU time\)/);
    expect(line).toContain('last started: answer of target.example');
    expect(line).toContain('running effects: audit/probe of audit/7');
    expect(line).toContain('readHostileText');
    const raised = out.split('\n').filter((text) => text.startsWith('raised '));
    expect(raised).toHaveLength(1);
    expect(raised[0]).toContain('"severity":"P1"');
    expect(out).toMatch(/stalls \{"count":1,"blockedMs":[12]\d\d\d/);
  });

  test('in a regular expression and in native code is told of as well', async () => {
    const regex = "/^(a+)+$/.test('a'.repeat(26) + 'b')";
    const { out } = await run(`
      for (const end = performance.now() + 1_500; performance.now() < end; ) ${regex};
      await rest(900);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500);
      await rest(900);`);
    expect(out).toContain('"count":2');
    // Waiting is no use of the processor.
    expect(out).toMatch(/blocked for 1\.\d s \(0\.[0-3] s of CPU time\)/);
  });

  test('is told of while it lasts when that takes long, on standard error', async () => {
    const { errors } = await run('spin(6_500); await rest(500);');
    expect(errors).toMatch(/stoa: the event loop has been blocked for [56]\.\d s: last started/);
  }, 20_000);

  test('is not told of more than some times a minute', async () => {
    const many = await run(
      "for (let n = 0; n < 9; n += 1) Promise.reject(new Error('no ' + n)); await rest(50);",
    );
    expect(many.out.split('\n').filter((text) => text.startsWith('raised'))).toHaveLength(6);
  });

  test('ends the process when its processor time is used up, and the next start says so', async () => {
    const ended = await run(
      `const endFile = ${JSON.stringify(join(dataDir, 'last-end.json'))};
      watchEventLoop({ onStall() {}, onFailed() {}, endFile, endAfterCpuMs: 2_000 });
      await rest(500);
      function neverEnds() { for (;;); }
      neverEnds();`,
    );
    expect(ended.signal).toBe('SIGKILL');
    expect(ended.errors).toContain('neverEnds');
    const next = await run('');
    expect(next.out).toContain(
      'the last process exited unexpectedly: the event loop was blocked for',
    );
    expect(next.out).toMatch(/raised .*"severity":"P0"/);
    expect(existsSync(join(dataDir, 'last-end.json'))).toBe(false);
  });

  test('a process that waits is not ended, however long', async () => {
    const { code } = await run(
      `watchEventLoop({ onStall() {}, onFailed() {}, endAfterCpuMs: 1_500 });
      await rest(300);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_000);
      await rest(500);`,
    );
    expect(code).toBe(0);
  });
});

describe('an error that nobody caught', () => {
  test.each([
    ['thrown in a timer', "setTimeout(() => { throw new Error('of a timer'); }, 1)", 'of a timer'],
    ['thrown in a listener', 'new EventTarget(); process.nextTick(() => { null.x; })', 'null'],
    ['that is no Error', "setImmediate(() => { throw 'a text'; })", 'a text'],
  ])(
    '%s ends the process with its words, and the next start has them',
    async (_what, code, words) => {
      const ended = await run(`${code}; await rest(500);`);
      expect(ended.code).toBe(1);
      expect(ended.out).toContain('exiting: uncaught error');
      expect(ended.out).toContain(words);
      const next = await run('');
      expect(next.out).toContain(words);
    },
  );

  test('of a system without descriptors is told of, and the process goes on', async () => {
    const { code, out } = await run(`
      setTimeout(() => { throw Object.assign(new Error('no descriptor'), { code: 'EMFILE' }); }, 1);
      await rest(100);`);
    expect(code).toBe(0);
    expect(out).toContain('no descriptor');
  });

  test('of a promise is told of, and the process goes on', async () => {
    const { code, out } = await run("Promise.reject(new Error('nobody waits')); await rest(100);");
    expect(code).toBe(0);
    expect(out).toMatch(/raised .*nobody waits/);
  });

  test('of a thread is told of, and the process goes on', async () => {
    const pool = pathToFileURL(join(dist, 'providers/data/thread-pool.js')).href;
    const { code, out } = await run(`
      const { ThreadPool } = await import('${pool}');
      const at = (due, act) => clearTimeout.bind(undefined, setTimeout(act, due - Date.now()));
      const program = { module: 'providers/page/extract-worker.mjs', name: 'extractPage' };
      const limits = { memoryMb: 16, timeMs: 15_000, threads: 1, queueMax: 0 };
      const threads = new ThreadPool({ now: Date.now, at }, { program, ...limits });
      const html = '<p>text</p>'.repeat(1e6);
      const page = { html, url: 'https://a.example/', linksMax: 1, charsMax: 1 };
      const result = await threads.run(page);
      console.log('result ' + JSON.stringify(result));
      await rest(50);`);
    expect(code).toBe(0);
    expect(out).toMatch(/raised .*a thread crashed .*ERR_WORKER_OUT_OF_MEMORY/);
    expect(out).toContain('result {"ok":false,"why":"crash"}');
  }, 20_000);
});

test('a note of the last end that cannot be read is passed over', async () => {
  for (const text of ['', '{"at":', '[]', '{"at":1}', JSON.stringify({ at: 1, why: 7 })]) {
    writeFileSync(join(dataDir, 'last-end.json'), text);
    const { code, out } = await run('');
    expect(code).toBe(0);
    expect(out).not.toContain('raised');
    expect(() => readFileSync(join(dataDir, 'last-end.json'))).toThrow('ENOENT');
  }
});

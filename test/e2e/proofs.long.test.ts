import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { firstLine, runCli } from '../cli/run-cli.ts';
import { expectBooksBalanced } from '../support/books.ts';
import { buyDebate } from '../support/bought-debate.ts';
import { ENGINES } from '../support/engines.ts';
import { proves } from '../support/proves.ts';
import {
  cleanUp,
  freshDataDir,
  type RealServer,
  startRealServer,
  until,
} from '../support/real-server.ts';

afterAll(cleanUp);

async function recordOf(server: RealServer, kind: number) {
  let found: { seq: number; ref: string } | undefined;
  await until(async () => {
    for (let seq = 0; found === undefined; seq += 1) {
      const answer = await fetch(`${server.ready.base_url}/v1/proofs/${seq}.json`);
      if (!answer.ok) return false;
      const { record } = (await answer.json()) as {
        record: { kind: number; seq: number; ref: string };
      };
      if (record.kind === kind) found = record;
    }
    return true;
  });
  if (found === undefined) throw new Error('until waits for it');
  return found;
}

async function textOf(server: RealServer, path: string): Promise<string> {
  const answer = await fetch(`${server.ready.base_url}/v1/proofs/${path}`);
  expect(answer.status, path).toBe(200);
  return answer.text();
}

describe.each(ENGINES)('through the %s engine', (engine) => {
  test('a paid debate is proven offline after its server is gone; a changed byte is found', {
    timeout: 120_000,
  }, async () => {
    proves('C1.i3.c1');
    const dataDir = freshDataDir();
    const server = await startRealServer(dataDir, ['--http', engine]);
    const debate = await buyDebate(server);
    await debate.answer();
    await debate.close();
    const settled = await recordOf(server, 30_020);
    const decided = await recordOf(server, 30_023);
    expect(JSON.stringify(decided)).not.toContain(debate.jobId);
    const settlement = JSON.parse(await textOf(server, `settlement/${settled.ref}`));
    expect(settlement).toMatchObject({ rail: 'x402', status: 'settled', proof_tier: 'internal' });
    const key = (await textOf(server, 'key')).trim();
    const files = [settled, decided].map(({ seq }) => join(dataDir, `proof-${seq}.json`));
    for (const [at, { seq }] of [settled, decided].entries()) {
      writeFileSync(files[at] ?? '', await textOf(server, `${seq}.json`));
    }
    const metrics = await (await fetch(`${server.ready.base_url}/metrics`)).text();
    expect(metrics).toMatch(/environment="proofs",family="records"/);
    expect(await server.stop()).toBe(0);

    for (const file of files) {
      const yes = await runCli(['verify', file, '--key', key]);
      expect([yes.code, firstLine(yes.stdout)]).toEqual([0, expect.stringMatching(/^yes: record/)]);
      expect(yes.stdout).toContain('not that it is true');
      const whole = readFileSync(file, 'utf8');
      const at = whole.indexOf('"payload_hash":"') + '"payload_hash":"'.length;
      const byte = whole[at] === '0' ? '1' : '0';
      writeFileSync(file, `${whole.slice(0, at)}${byte}${whole.slice(at + 1)}`);
      const no = await runCli(['verify', file, '--key', key]);
      expect([no.code, firstLine(no.stdout)]).toEqual([1, expect.stringMatching(/^no: /)]);
    }
  });
});

test('a killed server records what it had settled once it is back, once', {
  timeout: 120_000,
}, async () => {
  const dataDir = freshDataDir();
  const first = await startRealServer(dataDir);
  const debate = await buyDebate(first);
  await first.kill();
  await debate.close();
  // What it had not recorded, or all of it, is recorded anew from the actors alone.
  rmSync(join(dataDir, 'store', 'proofs'), { recursive: true });
  forgetProofs(join(dataDir, 'directory.json'));
  const second = await startRealServer(dataDir);
  const { ref } = await recordOf(second, 30_020);
  expect(JSON.parse(await textOf(second, `records?ref=${ref}`)).records).toHaveLength(1);
  await second.kill();
  const third = await startRealServer(dataDir);
  expect(JSON.parse(await textOf(third, `records?ref=${ref}`)).records).toHaveLength(1);
  expect((await expectBooksBalanced(third)).in).toBe(2_000_000n);
  expect(await third.stop()).toBe(0);
});

/** A store that is lost is refused; here it is as if it had never been. */
function forgetProofs(file: string): void {
  const { contents, ...identity } = JSON.parse(readFileSync(file, 'utf8'));
  delete contents['store/proofs'];
  writeFileSync(file, JSON.stringify({ ...identity, contents }));
}

test('a server with another key than the one that signed its log does not start', {
  timeout: 120_000,
}, async () => {
  const dataDir = freshDataDir();
  const server = await startRealServer(dataDir);
  await textOf(server, 'checkpoint');
  await server.stop();
  expect(readdirSync(dataDir)).toContain('proof-log.json');
  renameSync(join(dataDir, 'proof-log.json'), join(dataDir, 'away.json'));
  const refused = await runCli(['serve', '--port', '0', '--data', dataDir]);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('proof-log.json is not the key that signed');
});

test('verify without a file, with a wrong key or with a file that is none is wrong usage', async () => {
  for (const args of [[], ['--key', 'x'], ['nowhere.json'], ['package.json', '--key', 'x']]) {
    const { code, stderr } = await runCli(['verify', ...args]);
    expect([code, stderr.startsWith('stoa: CONFIG_INVALID')], args.join(' ')).toEqual([2, true]);
  }
  const { code, stdout } = await runCli(['verify', 'package.json']);
  expect([code, firstLine(stdout)]).toEqual([
    1,
    expect.stringContaining('no: it is not a proof file'),
  ]);
});

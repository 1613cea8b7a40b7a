import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { firstLine, runCli } from '../cli/run-cli.ts';
import { expectBooksBalanced } from '../support/books.ts';
import { createPayer } from '../support/payer.ts';
import { proves } from '../support/proves.ts';
import { balanceOf, cleanUp, freshDataDir, fund, startRealServer } from '../support/real-server.ts';

const run = promisify(execFile);
const EXAMPLE = fileURLToPath(new URL('../../examples/two-agents.mjs', import.meta.url));

afterAll(cleanUp);

test('two agents trade, one job is released and one decided, and both are proven without the server', {
  timeout: 180_000,
}, async () => {
  proves('C1.s1', 'C2.t6.c3');
  const server = await startRealServer(freshDataDir());
  const [buyer, provider] = [createPayer(), createPayer()];
  await fund(server, buyer.address, '12.02');
  const proofs = join(server.dataDir, 'saved');
  const { stdout } = await run(process.execPath, [EXAMPLE, server.ready.base_url, proofs], {
    env: {
      ...process.env,
      BUYER_KEY: buyer.privateKey,
      PROVIDER_KEY: provider.privateKey,
      OPERATOR_TOKEN: readFileSync(server.ready.token_file, 'utf8').trim(),
    },
    timeout: 120_000,
  });
  expect(stdout).toMatch(/^0x[0-9a-fA-F]{40} has score 0, badge none$/m);
  expect(stdout).toMatch(
    /^released: the provider has 4\.00, the fee was 1\.00, in 0x[0-9a-f]{64}$/m,
  );
  expect(stdout).toMatch(/^delivered: bonjour$/m);
  expect(stdout).toMatch(/^decided for the buyer: refunded$/m);
  expect(await balanceOf(server, buyer.address)).toBe(7_000_000n);
  expect(await balanceOf(server, provider.address)).toBe(4_000_000n);
  const balances = await (await fetch(`${server.ready.base_url}/a2a/treasury/balances`)).json();
  expect(balances).toMatchObject({
    solvent: true,
    escrow: { address: server.ready.chain.escrow, balance: { amount: '0.00' } },
    open_jobs: { count: 0 },
  });
  expect(await expectBooksBalanced(server)).toMatchObject({
    in: 12_020_000n,
    paidOut: 4_000_000n,
    refunded: 7_000_000n,
    kept: 1_020_000n,
    held: 0n,
  });
  expect(await feesTold(server.ready.base_url, provider.address)).toEqual({
    challenge: 2000,
    released: { release: 2000, payout: 2000, receipt: 2000 },
  });
  expect(await server.stop()).toBe(0);

  const key = readFileSync(join(proofs, 'key.txt'), 'utf8').trim();
  const files = readdirSync(proofs).filter((name) => name.endsWith('.json'));
  expect(new Set(files.map((name) => name.split('-')[0])).size).toBe(2);
  expect(files.length).toBeGreaterThanOrEqual(5);
  for (const file of files) {
    const { code, stdout: told } = await runCli(['verify', join(proofs, file), '--key', key]);
    expect([code, firstLine(told)]).toEqual([0, expect.stringMatching(/^yes: record/)]);
  }
});

/**
 * Where a caller reads the fee: before it pays, on the job that was released, on the public feed.
 */
async function feesTold(server: string, subject: string) {
  const read = async (path: string) => Object(await (await fetch(`${server}${path}`)).json());
  const unpaid = await fetch(`${server}/v1/services/trust-check`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ subject }),
  });
  const required = Buffer.from(unpaid.headers.get('payment-required') ?? '', 'base64');
  const { accepts } = JSON.parse(required.toString('utf8'));
  const { events } = await read(`/v1/events?subject=${subject.toLowerCase()}`);
  const receipt = events.find(({ type }: { type: string }) => type === 'job.released');
  const { release, payout } = await read(`/a2a/jobs/${receipt.ref}`);
  return {
    challenge: accepts[0].extra.feeBps,
    released: {
      release: release.fee_bps,
      payout: payout.fee_bps,
      receipt: receipt.data.fee_bps,
    },
  };
}

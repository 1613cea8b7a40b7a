import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EVENT_DATA, PublicEventShape } from '../../src/domain/event/catalog.ts';
import type { PublicEvent } from '../../src/domain/event/event-log.ts';
import { PaymentRequired } from '../../src/domain/payment/payment.ts';
import { Reputation } from '../../src/domain/reputation/view.ts';
import { firstLine, runCli } from '../cli/run-cli.ts';
import { expectBooksBalanced } from '../support/books.ts';
import { createPayer, type Payer } from '../support/payer.ts';
import {
  cleanUp,
  freshDataDir,
  fund,
  inBandPayment,
  type RealServer,
  startRealServer,
  until,
} from '../support/real-server.ts';

let server: RealServer;
let payer: Payer;
beforeAll(async () => {
  server = await startRealServer(freshDataDir());
  payer = createPayer();
  await fund(server, payer.address, '10');
}, 180_000);
afterAll(cleanUp);

async function events(query = ''): Promise<readonly PublicEvent[]> {
  const answer = await fetch(`${server.ready.base_url}/v1/events?limit=1000${query}`);
  return ((await answer.json()) as { events: PublicEvent[] }).events;
}

/** Buys a tool through MCP, and gives what it states. */
async function buy(name: string, subject: string): Promise<Record<string, unknown>> {
  const client = new Client({ name: 'e2e', version: '1' }, {});
  await client.connect(new StreamableHTTPClientTransport(new URL(server.ready.mcp_v2)));
  const call = { name, arguments: { subject } };
  const asked = PaymentRequired.parse((await client.callTool(call)).structuredContent);
  const paid = { ...call, _meta: await inBandPayment(payer, asked) };
  const { structuredContent } = await client.callTool(paid);
  await client.close();
  return structuredContent as Record<string, unknown>;
}

function saved(name: string, value: unknown): string {
  const file = join(server.dataDir, name);
  writeFileSync(file, JSON.stringify(value));
  return file;
}

describe('on a running server', () => {
  test('every paid look leaves an event and a proof of its statement, and says who signed', async () => {
    const tools = [
      ['reputation_lookup', 'reputation'],
      ['agent_trust-badge', 'trust_badge'],
      ['agent_prehire-check', 'prehire_report'],
      ['procurement_trust-layer', 'trust_evidence'],
    ] as const;
    for (const [name, kind] of tools) {
      const told = await buy(name, payer.address);
      expect(told, name).toMatchObject({ score: 0, badge: 'none', registered: false });
      expect(told['statement'], name).toMatchObject({ kind });
      const { ref } = told['proof'] as { ref: string };
      await until(async () => {
        const url = `${server.ready.base_url}/v1/proofs/records?ref=${ref}`;
        const { records } = (await (await fetch(url)).json()) as { records: { kind: number }[] };
        return records.length === 1 && records[0]?.kind === 30_017;
      });
      await expect
        .poll(async () => (await events(`&subject=${payer.address}`)).at(-1), { message: name })
        .toMatchObject({ type: 'settlement.settled', data: { tool: name } });
    }
  }, 120_000);

  test('an unmodified x402 client buys the trust check; the statement is verified offline', async () => {
    const { chain, base_url: base } = server.ready;
    const network = `eip155:${chain.id}` as const;
    const client = new x402Client().register(
      network,
      new ExactEvmScheme(privateKeyToAccount(payer.privateKey)),
    );
    const allowed = { network, asset: chain.token, maxAmountPerPayment: '1000000' };
    client.setSpendControls({ allowedAssets: [allowed] });
    const answer = await wrapFetchWithPayment(fetch, client)(`${base}/v1/services/trust-check`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ subject: payer.address }),
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('payment-response')).not.toBeNull();
    const told = (await answer.json()) as { statement: { signature: { signer: string } } };
    const { signer } = told.statement.signature;
    const file = saved('trust-check.json', told);
    const yes = await runCli(['verify', file, '--signer', signer]);
    expect([yes.code, firstLine(yes.stdout)]).toEqual([0, expect.stringMatching(/^yes: /)]);
    const forged = saved(
      'forged.json',
      JSON.parse(JSON.stringify(told).replace('"none"', '"gold"')),
    );
    // The first "none" is the answer's own; the payload stands behind it.
    expect((await runCli(['verify', forged])).code).toBe(0);
    const payload = JSON.stringify(told).replaceAll('"none"', '"gold"');
    expect((await runCli(['verify', saved('forged-2.json', JSON.parse(payload))])).code).toBe(1);
  }, 120_000);
});

/** Two agents trade: one job of 5 dollars is released, one of 7 is decided for the buyer. */
async function trade() {
  const [buyer, provider] = [createPayer(), createPayer()];
  await fund(server, buyer.address, '12.02');
  const example = fileURLToPath(new URL('../../examples/two-agents.mjs', import.meta.url));
  const folder = join(server.dataDir, 'saved');
  await promisify(execFile)(process.execPath, [example, server.ready.base_url, folder], {
    env: {
      ...process.env,
      BUYER_KEY: buyer.privateKey,
      PROVIDER_KEY: provider.privateKey,
      OPERATOR_TOKEN: readFileSync(server.ready.token_file, 'utf8').trim(),
    },
    timeout: 120_000,
  });
  return { buyer: buyer.address.toLowerCase(), provider: provider.address.toLowerCase() };
}

describe('after two agents have traded', () => {
  test('the record of the provider is what the settled and the lost job make it', async () => {
    const { buyer, provider } = await trade();
    await until(async () => {
      const types = (await events(`&subject=${provider}`)).map(({ type }) => type);
      return types.includes('job.released') && types.includes('job.refunded');
    });
    const told = await buy('agent_prehire-check', provider);
    expect(told['payload']).toMatchObject({
      signals: ['not_registered', 'lost_disputes', 'few_counterparties'],
      reputation: {
        settled_jobs: 1,
        settled_usd: '5.00',
        fees_paid_usd: '1.00',
        refunds: 1,
        disputes: 1,
        lost_disputes: 1,
        unfulfilled: 0,
        excluded: { jobs: 0 },
      },
      settlements: [{ role: 'provider', counterparty: buyer, price_usd: '5.00', fee_usd: '1.00' }],
      disputes: [{ role: 'provider', counterparty: buyer, outcome: 'lost' }],
      refunds: [{ reason: 'decided', amount_usd: '7.00' }],
    });
    const { score } = told as { score: number };
    expect(score).toBeGreaterThan(0);
    const file = saved('prehire.json', told);
    const args = ['reputation', provider, '--events', server.ready.base_url, '--compare', file];
    const same = await runCli(args);
    expect([same.code, firstLine(same.stdout)]).toEqual([0, expect.stringMatching(/^yes: /)]);
    const asBuyer = (await buy('reputation_lookup', buyer))['payload'] as object;
    expect(asBuyer).toMatchObject({
      reputation: { score: 0, as_buyer: { settled_jobs: 1, disputes: 1, lost_disputes: 0 } },
    });
  }, 180_000);

  test('every event of the feed is of a documented type and has its members', async () => {
    const all = await events();
    expect(all.map(({ seq }) => seq)).toEqual(all.map((_, at) => at));
    for (const event of all) {
      PublicEventShape.parse(event);
      const shape = EVENT_DATA[event.type as keyof typeof EVENT_DATA];
      expect(shape, event.type).toBeDefined();
      expect(shape.safeParse(event.data).error, event.type).toBeUndefined();
    }
    const types = new Set(all.map(({ type }) => type));
    for (const type of ['request.posted', 'bid.placed', 'job.opened', 'job.escrowed']) {
      expect(types).toContain(type);
    }
    expect(JSON.stringify(all)).not.toMatch(/bonjour|Translate|not what was asked/);
  });
});

describe('what anyone can check of a running server', () => {
  test('anyone recomputes the record from the public events, and gets what the tool told', async () => {
    const told = await buy('reputation_lookup', payer.address);
    const file = saved('lookup.json', told);
    const args = [payer.address, '--events', server.ready.base_url];
    const same = await runCli(['reputation', ...args, '--compare', file]);
    expect([same.code, firstLine(same.stdout)]).toEqual([0, expect.stringMatching(/^yes: /)]);
    const { code, stdout } = await runCli(['reputation', ...args, '--json']);
    expect(code).toBe(0);
    const { reputation } = told['payload'] as { reputation: Reputation };
    const { as_of: _now, ...record } = Reputation.parse(JSON.parse(stdout));
    expect(reputation).toMatchObject(record);
    const text = JSON.stringify(told).replace('"settled_jobs":0', '"settled_jobs":1');
    const other = saved('other.json', JSON.parse(text));
    const no = await runCli(['reputation', ...args, '--compare', other]);
    expect([no.code, firstLine(no.stdout)]).toEqual([1, expect.stringMatching(/^no: /)]);
  }, 120_000);

  test('the feed is the same after the server was killed and is back', async () => {
    const before = await events();
    expect(before.length).toBeGreaterThan(0);
    await server.kill();
    server = await startRealServer(server.dataDir);
    const after = await events();
    expect(after.slice(0, before.length)).toEqual(before);
    await expectBooksBalanced(server);
  }, 120_000);
});

test('reputation without a subject, with a wrong address or file, is wrong usage', async () => {
  const wrong = [
    [],
    ['--json'],
    ['0x1', '--events', 'nowhere'],
    [`0x${'1'.repeat(40)}`, '--events', 'http://127.0.0.1:1', '--as-of', '-1'],
    [`0x${'1'.repeat(40)}`, '--events', 'http://127.0.0.1:1', '--compare', 'package.json'],
    [`0x${'1'.repeat(40)}`, '--data', 'no-such-folder'],
  ];
  for (const args of wrong) {
    const { code, stderr } = await runCli(['reputation', ...args]);
    expect([code, stderr.startsWith('stoa: CONFIG_INVALID')], args.join(' ')).toEqual([2, true]);
  }
  const gone = await runCli([
    'reputation',
    `0x${'1'.repeat(40)}`,
    '--events',
    'http://127.0.0.1:1',
  ]);
  expect([gone.code, gone.stderr]).toEqual([1, expect.stringContaining('SERVER_UNREACHABLE')]);
});

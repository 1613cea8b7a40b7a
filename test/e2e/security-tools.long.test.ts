import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, expect, test } from 'vitest';
import { AuditState } from '../../src/domain/audit/state.ts';
import { bareEnvironment, firstLine, runCli } from '../cli/run-cli.ts';
import { expectBooksBalanced } from '../support/books.ts';
import { naiveAgent } from '../support/injection/naive-agent.ts';
import { type PayingClient, payingClient } from '../support/paying-client.ts';
import {
  cleanUp,
  cliPath,
  freshDataDir,
  type RealServer,
  startRealServer,
  until,
} from '../support/real-server.ts';
import { startTarget } from '../support/targets/start-target.ts';
import type { RunningTarget } from '../support/targets/target.ts';

const INJECTION = 'security_injection-resilience';
const CONFORMANCE = 'security_framework-conformance';
const CARD = 'security_identity-card-verify';
const INTERNAL = { STOA_AUDIT_ALLOW_INTERNAL: '1' };

afterAll(cleanUp);

/** A signed answer, as far as this test reads it. */
interface Told {
  readonly payload: Readonly<Record<string, unknown>>;
  readonly statement: { readonly signature: { readonly signer: string } };
  readonly proof: { readonly ref: string };
}

/** Asks for the nonce, serves it, pays, and waits for the end. */
async function injected(agent: PayingClient, target: RunningTarget): Promise<AuditState> {
  const asked = await agent.call(INJECTION, { target: target.url });
  const { data, error } = asked.structuredContent as never as {
    readonly error: string;
    readonly data: Readonly<Record<string, string>>;
  };
  expect(error).toBe('AUDIT_UNPROVEN');
  target.serveWellKnown('stoa-audit.txt', String(data['serve_text']));
  const args = { target: target.url, consent: { nonce: data['nonce'] }, wait_s: 30 };
  let state = AuditState.parse((await agent.buy(INJECTION, args)).structuredContent);
  for (let tries = 0; tries < 20 && state.status === 'working'; tries += 1) {
    const told = await agent.call('get_result', { job_id: state.job_id, wait_s: 20 });
    state = AuditState.parse(told.structuredContent);
  }
  return state;
}

async function mint(server: RealServer, name: string, endpoint: string): Promise<string> {
  const key = `0x${randomBytes(32).toString('hex')}`;
  const args = ['mint', '--name', name, '--class', 'shop', '--service', `MCP=${endpoint}`];
  const minted = await runCli(['passport', ...args, '--json', '--data', server.dataDir], {
    env: { STOA_WALLET_KEY: key },
  });
  expect(minted.code, minted.stderr).toBe(0);
  return key;
}

async function cardOf(server: RealServer, name: string): Promise<Record<string, unknown>> {
  const url = `${server.ready.base_url}/a2a/passport/${name}`;
  const answer = await fetch(url, { headers: { accept: 'application/json' } });
  return (await answer.json()) as Record<string, unknown>;
}

function told({ structuredContent }: { readonly structuredContent: object }): Told {
  return structuredContent as Told;
}

test.each(['uws', 'node'] as const)(
  'a target is given the corpus, its posture is held against the framework, its card is checked (%s)',
  { timeout: 240_000 },
  async (engine) => {
    const server = await startRealServer(freshDataDir(), ['--http', engine], INTERNAL);
    const target = await startTarget(naiveAgent(['document']), { seed: 1, fixed: false });
    const agent = await payingClient(server, '10');
    const state = await injected(agent, target);
    expect(state).toMatchObject({ status: 'published', outcome: 'complete' });
    expect(state.result?.injection).toMatchObject({
      direct: { assessed: 24, obeyed: 0 },
      indirect: { assessed: 24, obeyed: 4 },
    });
    const page = await fetch(`${server.ready.base_url}${state.report_path}`, {
      headers: { accept: 'text/html' },
    });
    expect(await page.text()).toContain('Resistance to injections');

    const key = await mint(server, 'shop', target.url);
    const evidence = [
      { id: 'audit', kind: 'audit', audit_id: state.audit_id },
      { id: 'id', kind: 'passport' },
    ];
    const claim = (requirement: string, id: string) => ({
      requirement,
      claim: 'met',
      evidence: [id],
    });
    const claims = [
      ...[claim('ASI01.1', 'audit'), claim('ASI01.2', 'audit'), claim('ASI03.1', 'id')],
      { requirement: 'ASI05.1', claim: 'met' },
    ];
    const counterparty = { origin: target.origin, agent: 'shop' };
    const held = told(await agent.buy(CONFORMANCE, { counterparty, claims, evidence })).payload;
    expect(held['conformance']).toMatchObject({
      counts: { met: 2, partly: 0, unmet: 1, not_shown: 18, all: 21 },
      claims: { made: 4, shown: 2 },
    });

    const card = await cardOf(server, 'shop');
    const badge = (await agent.buy('agent_trust-badge', { subject: 'shop' })).structuredContent;
    const checked = await agent.buy(CARD, { card, badge });
    expect(told(checked).payload).toMatchObject({ verdict: 'valid', badge: { verdict: 'valid' } });
    const { signer } = told(checked).statement.signature;
    const file = join(server.dataDir, 'card-check.json');
    writeFileSync(file, JSON.stringify(checked.structuredContent));
    const yes = await runCli(['verify', file, '--signer', signer]);
    expect([yes.code, firstLine(yes.stdout)]).toEqual([0, expect.stringMatching(/^yes: /)]);
    const forged = await agent.buy(CARD, { card: { ...card, operator_id: 'somebody' } });
    expect(told(forged).payload).toMatchObject({ verdict: 'altered' });
    const revoke = ['passport', 'revoke', 'shop', '--reason', 'closed', '--data', server.dataDir];
    expect((await runCli(revoke, { env: { STOA_WALLET_KEY: key } })).code).toBe(0);
    expect(told(await agent.buy(CARD, { card })).payload).toMatchObject({ verdict: 'revoked' });

    const { ref } = told(checked).proof;
    await until(async () => {
      const url = `${server.ready.base_url}/v1/proofs/records?ref=${ref}`;
      return (await (await fetch(url)).text()).includes('"kind":30011');
    });
    await agent.close();
    await target.close();
    await expectBooksBalanced(server);
  },
);

test('bad input and what is not proven cost nothing; the tools are listed over stdio, too', {
  timeout: 240_000,
}, async () => {
  const server = await startRealServer(freshDataDir(), [], INTERNAL);
  const agent = await payingClient(server, '1');
  const target = await startTarget(naiveAgent([]), { seed: 1, fixed: true });
  const errorOf = async (name: string, args: object) =>
    (await agent.buy(name, args)).structuredContent['error'];
  expect(await errorOf(INJECTION, { target: 'nonsense' })).toBe('INPUT_INVALID');
  expect(await errorOf(INJECTION, { target: target.url })).toBe('AUDIT_UNPROVEN');
  await target.close();
  expect(await errorOf(CARD, { card: { name: 'x' } })).toBe('INPUT_INVALID');
  const counterparty = { origin: 'https://shop.example' };
  expect(await errorOf(CONFORMANCE, { counterparty, claims: [] })).toBe('INPUT_INVALID');
  const dangling = [{ requirement: 'ASI03.1', claim: 'met', evidence: ['gone'] }];
  expect(await errorOf(CONFORMANCE, { counterparty, claims: dangling })).toBe('INPUT_INVALID');
  expect(target.observed.calls).toEqual([]);

  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [await cliPath(), 'stdio', '--server', 'commerce', '--data', server.dataDir],
    env: bareEnvironment(),
  });
  const client = new Client({ name: 'stdio', version: '1' }, {});
  await client.connect(transport);
  const { tools } = await client.listTools();
  const names = tools.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining([INJECTION, CONFORMANCE, CARD]));
  const asked = await client.callTool({ name: INJECTION, arguments: { target: target.url } });
  expect(asked.structuredContent).toMatchObject({ error: 'AUDIT_UNPROVEN' });
  await client.close();
  await agent.close();
});

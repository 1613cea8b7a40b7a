import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCli } from '../cli/run-cli.ts';
import { type EchoServer, echoHttp, echoMail } from '../support/echo-servers.ts';
import { type RpcProxy, rpcProxy } from '../support/node-rpc.ts';
import { createPayer } from '../support/payer.ts';
import { challengeFor, payFor, rawCall } from '../support/raw-calls.ts';
import { cleanUp, freshDataDir, type RealServer, startRealServer } from '../support/real-server.ts';
import { type SecondChain, secondChain } from '../support/second-chain.ts';
import { openSocket } from '../support/socket-client.ts';
import { readSurfaces, type Seen } from '../support/surfaces.ts';

const PLANTED = {
  rpcKey: 'plantedrpckey0123456789abcdef',
  mail: 'planted-mail-password-77',
  whatsapp: 'planted-whatsapp-token-88',
  model: 'sk-planted-model-key-99-0123456789',
  collector: 'planted-collector-token-66',
} as const;
const DEBATE = 'deliberation_multi-agent-debate';

let chain: SecondChain;
let proxy: RpcProxy;
let http: EchoServer;
let mail: EchoServer;
let server: RealServer;
let dataDir: string;
let token: string;

beforeAll(async () => {
  // Two blocks make a payment final: a chain that makes none by itself would never get there.
  chain = await secondChain(1);
  proxy = await rpcProxy(chain.rpcUrl);
  [http, mail] = [await echoHttp(), await echoMail()];
  dataDir = freshDataDir();
  // The wallet that pays elsewhere lives in the same folder.
  expect((await runCli(['connect', '--address', '--data', dataDir])).code).toBe(0);
  server = await startRealServer(dataDir, [], environment());
  token = readFileSync(server.ready.token_file, 'utf8').trim();
}, 240_000);
afterAll(async () => {
  await cleanUp();
  await Promise.all([proxy.close(), http.close(), mail.close()]);
  await chain.close();
});

function environment(): Readonly<Record<string, string>> {
  const elsewhere = `http://127.0.0.1:${http.port}`;
  const contracts = Object.entries(chain.contracts).map(([name, at]) => [
    `STOA_${name.toUpperCase()}_ADDRESS`,
    String(at),
  ]);
  return {
    ...Object.fromEntries(contracts),
    STOA_RPC_URL: `${proxy.url}/v3/${PLANTED.rpcKey}`,
    STOA_TOKEN_ADDRESS: chain.token,
    STOA_OPERATOR_KEY: chain.operatorKey,
    STOA_SMTP_URL: `smtp://stoa:${PLANTED.mail}@127.0.0.1:${mail.port}`,
    STOA_OPERATOR_EMAIL: 'ops@stoa.example',
    STOA_SENDER_EMAIL: 'stoa@stoa.example',
    STOA_WHATSAPP_TOKEN: PLANTED.whatsapp,
    STOA_WHATSAPP_PHONE_ID: '123456',
    STOA_WHATSAPP_URL: elsewhere,
    STOA_OPERATOR_WHATSAPP: '+4915112345678',
    STOA_LLM_MODELS: ['one', 'two']
      .map((name) => `openai:${name}@${elsewhere}/v1#OPENAI_API_KEY`)
      .join(),
    STOA_LLM_PRICES: 'openai:one=1/2,openai:two=1/2',
    OPENAI_API_KEY: PLANTED.model,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${elsewhere}/traces?token=${PLANTED.collector}`,
  };
}

/** Every secret that there is, as it may be written. */
function secrets(): readonly (readonly [string, string])[] {
  const file = (name: string) => readFileSync(join(dataDir, name), 'utf8').trim();
  const wallet = readdirSync(join(dataDir, 'connect')).find((name) => name.endsWith('.key')) ?? '';
  const hmac = JSON.parse(file('proof-hmac.json')) as { keys: Record<string, string> };
  const log = JSON.parse(file('proof-log.json')) as { key: { d: string } };
  const raw: Record<string, string> = {
    ...PLANTED,
    operatorKey: chain.operatorKey.slice(2),
    operatorToken: token,
    capabilityKey: file('capability-key'),
    walletKey: file(join('connect', wallet)).replace(/^0x/, ''),
    logKey: log.key.d,
    ...hmac.keys,
  };
  return Object.entries(raw).flatMap(([name, secret]) => {
    const bytes = Buffer.from(secret);
    const written = [secret, bytes.toString('base64'), bytes.toString('base64url')];
    const hex = /^[0-9a-f]{64}$/.test(secret)
      ? [Buffer.from(secret, 'hex').toString('base64')]
      : [];
    return [...written, ...hex, encodeURIComponent(secret)].map((each) => [name, each] as const);
  });
}

function expectNone(seen: Seen): void {
  const found = [...seen].flatMap(([where, text]) =>
    secrets()
      .filter(([, secret]) => text.toLowerCase().includes(secret.toLowerCase()))
      .map(([name]) => `${name} in ${where}`),
  );
  expect([...new Set(found)]).toEqual([]);
}

test('no planted secret is in an answer, a proof, a log, a metric, an inspected actor or the ready line', {
  timeout: 360_000,
}, async () => {
  const payer = createPayer();
  await chain.mint(payer.address, '10000000');
  const seen: Seen = new Map();
  // A panel of models whose vendor repeats the key that it refuses.
  const options = ['one', 'two'];
  const args = { question: 'Which?', options, max_rounds: 0, wait_s: 30 };
  const call = { ready: server.ready, tool: DEBATE, args, carrier: 'header' } as const;
  const asked = await rawCall(call);
  expect(asked.status, asked.text).toBe(402);
  const payment = await payFor(payer, await challengeFor(call));
  seen.set('bought', (await rawCall({ ...call, payments: [payment] })).text);
  for (const shown of [PLANTED.model, PLANTED.collector]) {
    await expect.poll(() => http.seen.join(), { timeout: 60_000 }).toContain(shown);
  }
  for (const [where, text] of await readSurfaces(server, token)) seen.set(where, text);

  // The chain falls silent, so that errors name it, and the operator is told by mail and message.
  for (const method of ['eth_call', 'eth_blockNumber', 'eth_getLogs']) proxy.lose(method, 'before');
  await expect
    .poll(() => mail.seen.length, { timeout: 240_000, interval: 1_000 })
    .toBeGreaterThan(0);
  for (const [where, text] of await readSurfaces(server, token)) seen.set(`silent ${where}`, text);
  // The messenger may not be at an address inside: what was tried with its token says so.
  let looked: Seen = new Map();
  const look = async () => {
    looked = await inspected();
    return [...looked.values()].join();
  };
  await expect.poll(look, { timeout: 120_000, interval: 1_000 }).toContain('EGRESS_BLOCKED');
  for (const [where, text] of looked) seen.set(where, text);
  const inBand = { ...call, carrier: 'meta', payments: [payment] } as const;
  seen.set('silent call', (await rawCall(inBand)).text);
  const {
    code: doctor,
    stdout,
    stderr,
  } = await runCli(['doctor', '--data', dataDir], {
    env: environment(),
  });
  seen.set(`doctor ${doctor}`, `${stdout}${stderr}`);
  proxy.heal();
  await server.stop();
  seen.set('ready line', JSON.stringify(server.ready));
  seen.set('log', server.errors());

  // That they were in use, so that they could have been seen.
  expect(mail.seen).toContain(`stoa:${PLANTED.mail}`);
  expect(seen.size).toBeGreaterThan(100);
  expect([...seen.values()].join().length).toBeGreaterThan(100_000);
  expectNone(seen);
});

/** What a program of the operator reads of every actor, its journal and the machine itself. */
async function inspected(): Promise<Seen> {
  const seen: Seen = new Map();
  const url = `${server.ready.base_url.replace(/^http/, 'ws')}/inspect`;
  const socket = await openSocket(url, { authorization: `Bearer ${token}` });
  let id = 0;
  const send = (message: object) => {
    id += 1;
    socket.raw.send(JSON.stringify({ id, ...message }));
  };
  const topics = [{ name: 'actors' }, { name: 'feed', fromSeq: 0 }, { name: 'runtime' }];
  for (const topic of topics) send({ op: 'subscribe', topic });
  await socket.text((text) => text.includes('"kind":"rows"'));
  await sleep(1_000);
  const actors = new Set([...socket.texts.join().matchAll(/"(?:id|actorId)":"([^"]+)"/g)]);
  const ids = [...new Set([...actors].map(([, actorId = '']) => actorId))].slice(0, 40);
  expect(ids.length).toBeGreaterThan(2);
  for (const actorId of ids) {
    send({ op: 'subscribe', topic: { name: 'actor', actorId, fromSeq: 0 } });
    send({ op: 'read', reading: { name: 'journal', actorId, from: 1, limit: 100 } });
  }
  await sleep(2_000);
  for (const [at, text] of socket.texts.entries()) seen.set(`/inspect ${at}`, text);
  socket.raw.close();
  return seen;
}

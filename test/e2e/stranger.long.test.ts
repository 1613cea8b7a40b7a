import { createHash, createPublicKey, randomUUID, verify } from 'node:crypto';
import { Role, verifyAgentCardSignature } from '@a2a-js/sdk';
import { type Client as AgentClient, ClientFactory } from '@a2a-js/sdk/client';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import {
  type EIP712SignedReceipt,
  verifyReceiptSignatureEIP712,
} from '@x402/extensions/offer-receipt';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  cleanUp,
  freshDataDir,
  fund,
  type RealServer,
  startRealServer,
} from '../support/real-server.ts';

// A program that knows a host name, public packages and public specifications, and nothing of this
// project: no import below comes from it but the start of the server and test money.

// biome-ignore lint/suspicious/noExplicitAny: a stranger has no types for what it reads
type Json = any;

const NEED = 'Help us choose between two caches by a vote of several agents';
const QUESTION = {
  question: 'Which cache should we use?',
  options: [
    { name: 'local', scores: { cost: 1, speed: 3 } },
    { name: 'shared', scores: { cost: 2, speed: 1 } },
  ],
  criteria: [{ name: 'cost', higher_is_better: false }, { name: 'speed' }],
  wait_s: 0,
};
const ED25519_DER = Buffer.from('302a300506032b6570032100', 'hex');

let server: RealServer;
let origin: string;
const account = privateKeyToAccount(generatePrivateKey());

beforeAll(async () => {
  server = await startRealServer(freshDataDir());
  origin = server.ready.base_url;
  await fund(server, account.address);
}, 240_000);
afterAll(cleanUp);

test.each(['server card', 'registration file'])(
  'from the %s to a verified decision',
  {
    timeout: 240_000,
  },
  async (start) => {
    const address = start === 'server card' ? await readCard() : await readRegistration();
    const client = await connect(`${address}?mode=search`);
    const { tools } = (await call(client, 'find_tool', { request: NEED })).structuredContent;
    const [{ name, price_usd: price }] = tools;
    const described = await call(client, 'describe_tool', { name });
    expect(described.structuredContent.inputSchema.properties).toHaveProperty('options');

    const asked = { name, arguments: QUESTION };
    const unpaid = await call(client, 'call_tool', asked);
    expect(unpaid.content[0].text).toContain(`$${price}`);
    const payment = await createPayer(unpaid.structuredContent).createPaymentPayload(
      unpaid.structuredContent,
    );
    const ordered = await call(client, 'call_tool', asked, { 'x402/payment': payment });
    const done = await waitForJob(client, ordered.structuredContent.job_id);
    expect(done).toMatchObject({ status: 'decided', result: { winner: { name: 'local' } } });
    await client.close();

    const settlement = ordered._meta['x402/payment-response'];
    const { receipt } = settlement.extensions['offer-receipt'].info;
    const { signer } = await verifyReceiptSignatureEIP712(receipt as EIP712SignedReceipt);
    expect(signer.toLowerCase()).toBe(unpaid.structuredContent.accepts[0].payTo.toLowerCase());
    expect(receipt.payload.transaction).toBe(settlement.transaction);
    expect(receipt.payload.resourceUrl).toBe(unpaid.structuredContent.resource.url);
    await verifySettlementProof(settlement.extra.settlementRef);
  },
);

test('from the agent card to a verified decision over A2A', { timeout: 240_000 }, async () => {
  const { services } = await read('/.well-known/agent-registration.json');
  const cardUrl = services.find(({ name }: Json) => name === 'A2A').endpoint;
  const client = await new ClientFactory().createFromUrl(new URL('/', cardUrl).href);
  const card = await client.getAgentCard();
  await verifyAgentCardSignature(async (kid, jku) => {
    const { keys } = (await (await fetch(jku ?? '')).json()) as Json;
    return keys.find((key: Json) => key.kid === kid);
  })(card);

  const [help] = await say(client, { text: NEED });
  const [found] = help.payload.value.parts.at(-1).content.value.skills;
  expect(card.skills.map(({ id }) => id)).toContain(found.id);
  const call = { skill: found.id, arguments: { ...QUESTION, wait_s: undefined } };
  const [offer] = await say(client, { data: JSON.parse(JSON.stringify(call)) });
  const task = offer.payload.value;
  const required = task.status.message.metadata['x402.payment.required'];
  const payload = await createPayer(required).createPaymentPayload(required);
  const metadata = { 'x402.payment.payload': payload };
  const items = await say(client, { taskId: task.id, metadata });
  for (const { payload: item } of items) expect(item.value.taskId ?? item.value.id).toBe(task.id);
  const { status, artifacts } = await client.getTask({ tenant: '', id: task.id });
  const done = (artifacts as Json)[0].parts.at(-1).content.value;
  expect(done).toMatchObject({ status: 'decided', result: { winner: { name: 'local' } } });

  const [settlement] = (status as Json).message.metadata['x402.payment.receipts'];
  const { receipt } = settlement.extensions['offer-receipt'].info;
  const { signer } = await verifyReceiptSignatureEIP712(receipt as EIP712SignedReceipt);
  expect(signer.toLowerCase()).toBe(required.accepts[0].payTo.toLowerCase());
  expect(receipt.payload.resourceUrl).toBe(required.resource.url);
  await verifySettlementProof(settlement.extra.settlementRef);
});

test('from OpenAPI to a paid answer over plain HTTP', { timeout: 120_000 }, async () => {
  const { paths, servers } = await read('/openapi.json');
  const [path, { post }] = Object.entries<Json>(paths).find(
    ([, operations]) => operations.post?.['x-payment-info'] !== undefined,
  ) ?? ['', {}];
  const [field] = post.requestBody.content['application/json'].schema.required;
  const url = `${servers[0].url}${path}`;
  const request = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ [field]: account.address }),
  };
  const unpaid = await fetch(url, request);
  const header = unpaid.headers.get('payment-required') ?? '';
  const required = JSON.parse(Buffer.from(header, 'base64').toString('utf8'));
  const pay = wrapFetchWithPayment(fetch, createPayer(required));
  const paid = await pay(url, request);
  expect(paid.status).toBe(200);
  const settlement = JSON.parse(
    Buffer.from(paid.headers.get('payment-response') ?? '', 'base64').toString('utf8'),
  );
  await verifySettlementProof(settlement.extra.settlementRef);
});

async function read(path: string): Promise<Json> {
  // The passport of the server is minted after it is ready.
  await expect
    .poll(async () => (await fetch(`${origin}${path}`)).status, { message: path })
    .toBe(200);
  const reply = await fetch(`${origin}${path}`);
  return reply.json();
}

/** The address of the tools by the MCP server card. */
async function readCard(): Promise<string> {
  const { remotes } = await read('/.well-known/mcp/server-card.json');
  return remotes[0].url;
}

/** The address of the tools by the ERC-8004 registration file. */
async function readRegistration(): Promise<string> {
  const { services, x402Support } = await read('/.well-known/agent-registration.json');
  expect(x402Support).toBe(true);
  return services.find(({ name }: Json) => name === 'MCP').endpoint;
}

/** Sends a message over A2A and collects the stream of its answer. */
async function say(client: AgentClient, said: Json): Promise<Json[]> {
  const { text, data, taskId = '', metadata } = said;
  const content =
    text === undefined ? { $case: 'data', value: data } : { $case: 'text', value: text };
  const parts =
    taskId === '' ? [{ content, metadata: undefined, filename: '', mediaType: '' }] : [];
  const message = {
    messageId: randomUUID(),
    contextId: '',
    taskId,
    role: Role.ROLE_USER,
    parts,
    metadata,
    extensions: [],
    referenceTaskIds: [],
  };
  const request = { tenant: '', message, configuration: undefined, metadata: undefined };
  const items: Json[] = [];
  for await (const item of client.sendMessageStream(request as Json)) items.push(item);
  return items;
}

async function connect(url: string): Promise<Client> {
  const client = new Client({ name: 'stranger', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return client;
}

async function call(client: Client, name: string, args: object, meta?: object): Promise<Json> {
  const _meta = meta === undefined ? {} : { _meta: { ...meta } };
  return client.callTool({ name, arguments: { ...args }, ..._meta });
}

function createPayer({ accepts: [{ network, asset, amount }] }: Json): x402Client {
  const payer = new x402Client().register(network, new ExactEvmScheme(account));
  payer.setSpendControls({ allowedAssets: [{ network, asset, maxAmountPerPayment: amount }] });
  return payer;
}

async function waitForJob(client: Client, job_id: string): Promise<Json> {
  for (;;) {
    const args = { name: 'get_result', arguments: { job_id, wait_s: 30 } };
    const { structuredContent } = await call(client, 'call_tool', args);
    if (structuredContent.status !== 'working') return structuredContent;
  }
}

/** Verifies by RFC 6962, RFC 8785 and C2SP signed notes that the log holds the settlement. */
async function verifySettlementProof(ref: string): Promise<void> {
  // The log follows the payments within seconds.
  await expect
    .poll(async () => (await fetch(`${origin}/v1/proofs/settlement/${ref}`)).status)
    .toBe(200);
  const { status, records } = await read(`/v1/proofs/settlement/${ref}`);
  expect(status).toBe('settled');
  const { record, inclusion, checkpoint, key } = await read(`/v1/proofs/${records[0].seq}.json`);
  expect(record).toMatchObject({ ref, kind: 30_020 });
  const [body = '', signature = ''] = String(checkpoint).split('\n\n');
  const [, size, root] = body.split('\n');
  // A key is `name+id+key`, and the last part may contain the separator.
  const [, log, encoded = ''] = /^([^+]+)\+[0-9a-f]{8}\+(.+)$/.exec(String(key)) ?? [];
  const raw = Buffer.from(encoded, 'base64').subarray(1);
  const publicKey = createPublicKey({
    key: Buffer.concat([ED25519_DER, raw]),
    format: 'der',
    type: 'spki',
  });
  const line = signature.split('\n').find((text) => text.startsWith(`— ${log} `)) ?? '';
  const bytes = Buffer.from(line.split(' ')[2] ?? '', 'base64').subarray(4);
  expect(verify(null, Buffer.from(`${body}\n`), publicKey, bytes)).toBe(true);
  const leaf = hash(Buffer.from([0]), Buffer.from(canonicalize(record)));
  const path = inclusion.path.map((text: string) => Buffer.from(text, 'base64'));
  expect(rootOf(leaf, inclusion.seq, Number(size), path).toString('base64')).toBe(root);
}

/** The root that an inclusion path leads to (RFC 9162, 2.1.3.2). */
function rootOf(leaf: Buffer, seq: number, size: number, path: readonly Buffer[]): Buffer {
  let [place, last, root] = [seq, size - 1, leaf];
  for (const sibling of path) {
    if (place % 2 === 1 || place === last) {
      root = hash(Buffer.from([1]), sibling, root);
      while (place % 2 === 0 && place !== 0) [place, last] = [place >> 1, last >> 1];
    } else root = hash(Buffer.from([1]), root, sibling);
    [place, last] = [place >> 1, last >> 1];
  }
  expect(last).toBe(0);
  return root;
}

/** Canonical JSON (RFC 8785) of a record, whose numbers are all integers. */
function canonicalize(value: Json): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalize).join(',')}]`;
  const members = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonicalize(value[name])}`);
  return `{${members.join(',')}}`;
}

function hash(...parts: readonly Buffer[]): Buffer {
  return createHash('sha256').update(Buffer.concat(parts)).digest();
}

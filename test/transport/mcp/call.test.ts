import { expect } from 'vitest';
import { sendRaw } from '../../support/raw-http.ts';
import { CHALLENGE, SETTLEMENT } from '../../support/tool-service.ts';
import { claimer } from './each-engine.ts';
import {
  allEvents,
  quiet,
  type RpcAnswer,
  readEvents,
  readMessages,
  type StreamEvent,
  until,
  Wire,
} from './wire.ts';

const claim = claimer({
  limits: { upgradeAfterMs: 500, resumeGraceMs: 700, callsPerSessionMax: 4 },
});

const decode = (value: string | null): unknown =>
  JSON.parse(Buffer.from(value ?? '', 'base64').toString('utf8'));

claim(
  'an unpaid call is HTTP 402 with the challenge in the header and in the body',
  async ({ rig, wire }) => {
    const response = await wire.call('paid');
    expect(response.status).toBe(402);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(decode(response.headers.get('payment-required'))).toEqual(CHALLENGE);
    const { result, id } = (await response.json()) as RpcAnswer;
    expect(id).toBe(1);
    expect(result.isError).toBe(true);
    expect(result.structuredContent).toEqual(CHALLENGE);
    expect(JSON.parse(result.content[1].text)).toEqual(CHALLENGE);
    expect(rig.service.calls[0]?.resourceUrl).toBe(`${rig.baseUrl}/v1/mcp`);
  },
);

claim(
  'a payment is taken from the header or from _meta, and its receipt is in both',
  async ({ rig, wire }) => {
    const header = await wire.call('paid', {}, { headers: { 'payment-signature': 'cGF5' } });
    const meta = await wire.call('paid', {}, { meta: { 'x402/payment': { pay: 1 } } });
    for (const response of [header, meta]) {
      expect(response.status).toBe(200);
      expect(decode(response.headers.get('payment-response'))).toEqual(SETTLEMENT);
      const { result } = (await response.json()) as RpcAnswer;
      expect(result._meta['x402/payment-response']).toEqual(SETTLEMENT);
    }
    expect(rig.service.calls.map(({ payments }) => payments)).toEqual([
      [{ carrier: 'header', value: 'cGF5' }],
      [{ carrier: 'meta', value: { pay: 1 } }],
    ]);
  },
);

claim(
  'every presented payment reaches the service: repeated headers and _meta',
  async ({ rig, wire }) => {
    const params = { name: 'paid', arguments: {}, _meta: { 'x402/payment': 3 } };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    const { statuses } = await sendRaw(rig.port, [
      `POST /v1/mcp HTTP/1.1\r\nHost: localhost\r\nMcp-Session-Id: ${wire.sessionId}\r\n` +
        'Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n' +
        `PAYMENT-SIGNATURE: one\r\nPayment-Signature: two\r\nContent-Length: ${body.length}\r\n\r\n` +
        body,
    ]);
    expect(statuses).toEqual([400]);
    expect(rig.service.calls[0]?.payments).toEqual([
      { carrier: 'header', value: 'one' },
      { carrier: 'header', value: 'two' },
      { carrier: 'meta', value: 3 },
    ]);
  },
);

claim('a payment of version 1 is told which version is spoken', async ({ rig, wire }) => {
  const response = await wire.call('paid', {}, { headers: { 'x-payment': 'b2xk' } });
  expect(response.status).toBe(402);
  const { error } = decode(response.headers.get('payment-required')) as { error: string };
  expect(error).toContain('version 2');
  expect(error).toContain('PAYMENT-SIGNATURE');
  expect(rig.service.calls[0]?.payments).toEqual([]);
});

claim('a pending settlement is an answer that clients read, not a 202', async ({ wire }) => {
  const response = await wire.call('pending');
  expect(response.status).toBe(200);
  expect(decode(response.headers.get('payment-response'))).toEqual(SETTLEMENT);
  expect(((await response.json()) as RpcAnswer).result.isError).toBe(true);
});

claim('a challenge that takes its time is still a plain 402', async ({ wire }) => {
  const response = await wire.call('late', {}, { meta: { progressToken: 1 } });
  expect(response.status).toBe(402);
});

claim('progress turns the answer into a stream; it only grows', async ({ wire }) => {
  const response = await wire.call('steps', { count: 3 }, { meta: { progressToken: 'tok' } });
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const messages = await readMessages(response);
  expect(messages.slice(0, 3)).toEqual(
    [1, 2, 3].map((progress) => ({
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken: 'tok', progress, total: 3, message: `step ${progress} of 3` },
    })),
  );
  expect(messages[3]?.result.content[0].text).toBe('3 steps');
  expect(messages).toHaveLength(4);
});

claim('without a token nothing is told, and a quick call stays plain', async ({ wire }) => {
  const response = await wire.call('steps', { count: 2 });
  expect(response.headers.get('content-type')).toBe('application/json');
});

claim('a call that runs on becomes a stream once its payment is decided', async ({ rig, wire }) => {
  const asking = wire.call('hold');
  const response = await asking;
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  rig.service.release();
  const [message] = await readMessages(response);
  expect(message?.result.content[0].text).toBe('released');
});

claim('the first event of a stream primes the client of 2025-11-25 only', async ({ rig }) => {
  const first = async (version: string): Promise<StreamEvent | undefined> => {
    const one = new Wire(rig);
    await one.open(version);
    const response = await one.call('steps', { count: 1 }, { meta: { progressToken: 1 } });
    const all = await allEvents(response);
    return all[0];
  };
  expect(await first('2025-11-25')).toMatchObject({ id: expect.any(String), data: '' });
  expect((await first('2025-06-18'))?.data).toContain('progress');
});

claim(
  'a dropped stream is resumed where it broke off, and its call was not aborted',
  async ({ rig, wire }) => {
    const gone = new AbortController();
    const response = await wire.call(
      'steps',
      { count: 12, pauseMs: 30 },
      { meta: { progressToken: 1 }, signal: gone.signal },
    );
    const before: StreamEvent[] = [];
    for await (const event of readEvents(response)) {
      before.push(event);
      if (before.length === 4) break;
    }
    gone.abort();
    await quiet(80);
    const lastId = before.at(-1)?.id ?? '';
    const after = await readMessages(await wire.plain('GET', { 'last-event-id': lastId }));
    const steps = after.flatMap(({ params }) => (params ? [params.progress] : []));
    expect(steps).toEqual([4, 5, 6, 7, 8, 9, 10, 11, 12]);
    expect(after.at(-1)?.result.content[0].text).toBe('12 steps');
    expect(rig.service.calls[0]?.signal.aborted).toBe(false);
  },
);

claim('a stream that has ended is read again from the log', async ({ wire }) => {
  const response = await wire.call('steps', { count: 2 }, { meta: { progressToken: 1 } });
  const events = await allEvents(response);
  const again = await wire.plain('GET', { 'last-event-id': events[1]?.id ?? '' });
  const rest = await readMessages(again);
  expect(rest.map(({ method }) => method)).toEqual(['notifications/progress', undefined]);
});

claim('an event id of nobody, or of another session, is 400', async ({ rig, wire }) => {
  const response = await wire.call('steps', { count: 1 }, { meta: { progressToken: 1 } });
  const events = await allEvents(response);
  const other = new Wire(rig);
  await other.open();
  const foreign = await other.plain('GET', { 'last-event-id': events[0]?.id ?? '' });
  expect(foreign.status).toBe(400);
  expect((await wire.plain('GET', { 'last-event-id': 'get:0' })).status).toBe(400);
});

claim('a cancelled call is told so and answers no more', async ({ rig, wire }) => {
  const asking = wire.call('hold', {}, { id: 9, meta: { progressToken: 1 } });
  const response = await asking;
  await wire.post({
    jsonrpc: '2.0',
    method: 'notifications/cancelled',
    params: { requestId: 9, reason: 'enough' },
  });
  const messages = await readMessages(response);
  expect(messages.filter(({ id }) => id === 9)).toEqual([]);
  expect(rig.service.calls[0]?.signal.aborted).toBe(true);
  rig.service.release();
});

claim('a client that leaves before any stream is a caller gone', async ({ rig, wire }) => {
  const gone = new AbortController();
  const asking = wire.call('hold', {}, { signal: gone.signal }).catch(() => undefined);
  await until(() => rig.service.calls.length === 1);
  gone.abort();
  await asking;
  await until(() => rig.service.calls[0]?.signal.aborted === true);
  expect(rig.service.calls[0]?.signal.aborted).toBe(true);
  rig.service.release();
});

claim(
  'a dropped stream that nobody resumes is a caller gone after the grace',
  async ({ rig, wire }) => {
    const gone = new AbortController();
    await wire.call('hold', {}, { meta: { progressToken: 1 }, signal: gone.signal });
    gone.abort();
    await quiet(300);
    expect(rig.service.calls[0]?.signal.aborted).toBe(false);
    await until(() => rig.service.calls[0]?.signal.aborted === true);
    expect(rig.service.calls[0]?.signal.aborted).toBe(true);
    rig.service.release();
  },
);

claim('an id in use is refused, and so are too many calls at once', async ({ rig, wire }) => {
  const ids = [1, 2, 3, 4];
  const asking = ids.map((id) => wire.call('hold', {}, { id }));
  await until(() => rig.service.calls.length === 4);
  expect((await wire.call('echo', {}, { id: 2 })).status).toBe(400);
  const refused = await wire.call('echo', {}, { id: 5 });
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
  rig.service.release();
  const answers = await Promise.all(asking);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect((await wire.call('echo', {}, { id: 2 })).status).toBe(200);
});

claim('the attribution tag and the address reach the service', async ({ rig }) => {
  const tagged = new Wire(rig, '/v1/mcp?src=newsletter');
  await tagged.open();
  await tagged.call('echo');
  expect(rig.service.calls[0]).toMatchObject({
    src: 'newsletter',
    principal: { kind: 'address', id: '127.0.0.1' },
  });
});

claim('a batch is answered as one, in 2025-03-26 only', async ({ rig }) => {
  const batch = [
    { jsonrpc: '2.0', id: 1, method: 'ping' },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'echo' } },
    { jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'paid' } },
    { jsonrpc: '2.0', id: 4, method: 'tools/list' },
  ];
  for (const version of ['2025-11-25', '2025-06-18', '2024-11-05']) {
    const one = new Wire(rig);
    await one.open(version);
    expect((await one.post(batch)).status).toBe(400);
  }
  const one = new Wire(rig);
  await one.open('2025-03-26');
  const response = await one.post(batch);
  expect(response.status).toBe(200);
  const answers = (await response.json()) as RpcAnswer[];
  expect(new Set(answers.map(({ id }) => id))).toEqual(new Set([1, 2, 3, 4]));
  const paid = answers.find(({ id }) => id === 3);
  expect(paid?.result.structuredContent).toEqual(CHALLENGE);
});

claim(
  'a batch of notifications is 202; empty, nested or with initialize it is refused',
  async ({ rig }) => {
    const one = new Wire(rig);
    await one.open('2025-03-26');
    const note = { jsonrpc: '2.0', method: 'notifications/initialized' };
    expect((await one.post([note, note])).status).toBe(202);
    expect((await one.post([])).status).toBe(400);
    expect((await one.post([[note]])).status).toBe(400);
    expect((await one.post(Array.from({ length: 51 }, () => note))).status).toBe(400);
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
    expect((await one.post([ping, ping])).status).toBe(400);
    expect((await one.post([{ ...ping, method: 'initialize' }])).status).toBe(400);
  },
);

claim('a payment header names no call of a batch of calls', async ({ rig }) => {
  const one = new Wire(rig);
  await one.open('2025-03-26');
  const call = (id: number) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'paid' },
  });
  const headers = { 'payment-signature': 'cGF5' };
  expect((await one.post([call(1), call(2)], { headers })).status).toBe(400);
  const [answer] = (await (await one.post([call(1)], { headers })).json()) as RpcAnswer[];
  expect(answer?.result.content[0].text).toBe('paid');
});

claim('progress inside a batch moves the whole answer to a stream', async ({ rig }) => {
  const one = new Wire(rig);
  await one.open('2025-03-26');
  const steps = { name: 'steps', arguments: { count: 2 }, _meta: { progressToken: 'b' } };
  const response = await one.post([
    { jsonrpc: '2.0', id: 1, method: 'ping' },
    { jsonrpc: '2.0', id: 2, method: 'tools/call', params: steps },
  ]);
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const messages = await readMessages(response);
  expect(messages.map(({ id, method }) => id ?? method)).toEqual([
    1,
    'notifications/progress',
    'notifications/progress',
    2,
  ]);
});

claim('/v2/ answers a challenge in band', async ({ rig }) => {
  const two = new Wire(rig, '/v2/');
  await two.open();
  const response = await two.call('paid');
  expect(response.status).toBe(200);
  expect(((await response.json()) as RpcAnswer).result.structuredContent).toEqual(CHALLENGE);
  expect(rig.service.calls[0]?.resourceUrl).toBe(`${rig.baseUrl}/v2/`);
  const paid = await two.call('paid', {}, { headers: { 'payment-signature': 'cGF5' } });
  expect(decode(paid.headers.get('payment-response'))).toEqual(SETTLEMENT);
});

claim('closing finishes what is under way', async ({ rig, wire }) => {
  const asking = wire.call('hold', {}, { meta: { progressToken: 1 } });
  const response = await asking;
  const closing = rig.front.close();
  rig.service.release();
  const [, message] = await readMessages(response);
  expect(message?.result.content[0].text).toBe('released');
  await closing;
});

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { AppError, ErrorCode } from '../../../../src/domain/common/error.ts';
import type { HostingProvider, NewService } from '../../../../src/domain/hosting/hosting.ts';
import type { RestTimeouts } from '../../../../src/providers/hosting/rest/rest-client.ts';
import { createRestHosting } from '../../../../src/providers/hosting/rest/rest-hosting.ts';
import { WORKSPACES } from '../../../support/hosting-world.ts';

const TOKEN = 'token-of-this-test-5b7e';
const TIMES: Partial<RestTimeouts> = { pausesMs: [1, 1] };
const ALPHA = WORKSPACES[0];
const SITE: NewService = {
  type: 'static_site',
  autoDeploy: 'no',
  ownerId: ALPHA.id,
  name: 'site',
  envVars: [],
  buildCommand: 'true',
  publishPath: '.',
};

/** One request that a host was asked. */
interface Seen {
  readonly line: string;
  readonly headers: IncomingMessage['headers'];
}

/** A host that answers as a test says; the count begins at 0. */
async function host(
  answer: (response: ServerResponse, count: number) => void,
  times: Partial<RestTimeouts> = TIMES,
): Promise<{ provider: HostingProvider; seen: Seen[]; stop(): Promise<void> }> {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    seen.push({ line: `${request.method} ${request.url}`, headers: request.headers });
    request.resume();
    answer(response, seen.length - 1);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const provider = createRestHosting({ url: `http://127.0.0.1:${port}`, token: TOKEN }, times);
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  onTestFinished(async () => {
    await provider.close();
    if (server.listening) await stop();
  });
  return { provider, seen, stop };
}

function json(response: ServerResponse, status: number, value: unknown, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof value === 'string' ? value : JSON.stringify(value));
}

/** The error that a call ends with; it never holds the token. */
async function fault(work: Promise<unknown>, code: ErrorCode): Promise<AppError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown as AppError,
  );
  expect(error).toMatchObject({ name: 'AppError', code });
  expect(JSON.stringify([error?.message, error?.data])).not.toContain(TOKEN);
  return error as AppError;
}

async function gather<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

/** A read and a change: only the first may be asked again. */
const read = ({ workspaces }: HostingProvider) => workspaces.get(ALPHA.id);
const make = ({ services }: HostingProvider) => services.create(SITE, 'key ü');

test('each request bears the token and goes to the API; a key goes with its order', async () => {
  const { provider, seen } = await host((response) => json(response, 200, ALPHA));
  expect(await read(provider)).toEqual(ALPHA);
  await fault(make(provider), 'HOST_UNAVAILABLE');
  expect(seen.map(({ line }) => line)).toEqual([
    `GET /hosting/api/v1/workspaces/${ALPHA.id}`,
    'POST /hosting/api/v1/services',
  ]);
  for (const { headers } of seen) expect(headers.authorization).toBe(`Bearer ${TOKEN}`);
  expect(seen[1]?.headers['idempotency-key']).toBe('key%20%C3%BC');
});

test('a host that is down is unavailable', async () => {
  const { provider, stop } = await host((response) => json(response, 200, ALPHA));
  await stop();
  for (const ask of [read, make]) {
    const { data, message } = await fault(ask(provider), 'HOST_UNAVAILABLE');
    expect([data['kind'], message]).toEqual(['connect', expect.stringContaining('ECONNREFUSED')]);
  }
});

test('a read that is cut off is tried again, a change is not', async () => {
  const cut = (response: ServerResponse, count: number): void => {
    if (count > 1) json(response, 200, ALPHA);
    else if (count === 0) response.destroy();
    else {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('{"id":');
      setTimeout(() => response.destroy(), 10);
    }
  };
  const reading = await host(cut);
  expect(await read(reading.provider)).toEqual(ALPHA);
  expect(reading.seen).toHaveLength(3);
  const making = await host(cut);
  await fault(make(making.provider), 'HOST_UNAVAILABLE');
  expect(making.seen).toHaveLength(1);
});

test('a read has three tries, and what stands before a host is asked again too', async () => {
  for (const status of [502, 503, 504]) {
    const { provider, seen } = await host((response) => json(response, status, 'no host'));
    const { data } = await fault(read(provider), 'HOST_UNAVAILABLE');
    expect([data, seen.length]).toMatchObject([{ kind: 'status', status }, 3]);
  }
  const typed = await host((response) =>
    json(response, 503, { error: 'NOT_CONFIGURED', message: 'no git', retry: 'later', doc: 'd' }),
  );
  expect((await fault(read(typed.provider), 'NOT_CONFIGURED')).message).toBe('no git');
  expect(typed.seen).toHaveLength(1);
});

test('a host that is slow is given up, before its answer and within it', async () => {
  const silent = await host(() => undefined, { ...TIMES, answerMs: 100 });
  const { data } = await fault(read(silent.provider), 'HOST_UNAVAILABLE');
  expect(data['kind']).toBe('timeout');
  expect(silent.seen.length).toBeLessThanOrEqual(1);
  const trickling = await host(
    (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const drip = setInterval(() => response.write(' '), 10);
      response.on('close', () => clearInterval(drip));
    },
    { ...TIMES, answerMs: 200 },
  );
  const late = await fault(read(trickling.provider), 'HOST_UNAVAILABLE');
  expect(late.data['kind']).toBe('timeout');
});

test('what is no JSON, or not as it must be, is no answer', async () => {
  const answers = ['', '<html>', '{"id":', '[]', 'null', '{"id":5}', { ...ALPHA, type: 'alien' }];
  for (const answer of answers) {
    const { provider, seen } = await host((response) => json(response, 200, answer));
    const { data, message } = await fault(read(provider), 'HOST_UNAVAILABLE');
    expect([answer, data['kind'], seen.length]).toEqual([answer, 'answer', 1]);
    expect(message).toContain(`GET workspaces/${ALPHA.id}`);
  }
});

test('an answer without an end is not read to its end', async () => {
  const { provider } = await host((response) => {
    const chunk = 'x'.repeat(1_048_576);
    const pour = (): void => {
      while (!response.destroyed && response.write(chunk));
    };
    response.on('drain', pour);
    pour();
  });
  const { message } = await fault(read(provider), 'HOST_UNAVAILABLE');
  expect(message).toContain('longer than 33554432 bytes');
});

test('errors of the host keep their code, what was received and what is allowed', async () => {
  const codes = [
    ...(['RESOURCE_UNKNOWN', 'NAME_TAKEN', 'INPUT_INVALID', 'HOST_CAPACITY'] as const),
    ...(['FORBIDDEN', 'SQL_BLOCKED', 'SQL_REFUSED', 'SQL_TIMEOUT', 'STORE_FULL'] as const),
  ];
  for (const error of codes) {
    const body = { error, message: 'name: taken', retry: 'never', data: { path: 'name' }, doc: '' };
    const { provider } = await host((response) => json(response, 409, body));
    expect(await fault(read(provider), error)).toMatchObject({
      message: 'name: taken',
      data: { path: 'name' },
    });
  }
});

test('a fault of the host itself is that of a host, not of the caller', async () => {
  for (const error of ['INTERNAL', 'INVARIANT', 'PAYMENT_REQUIRED', 'BOOM']) {
    const body = { error, message: 'inside', retry: 'later', doc: '' };
    const { provider } = await host((response) => json(response, 500, body));
    const { data, message } = await fault(read(provider), 'HOST_UNAVAILABLE');
    expect(data).toMatchObject({ kind: 'status', status: 500, error });
    expect(message).not.toContain('inside');
  }
});

test('too many requests: the code and the wait are passed on, and nothing is tried again', async () => {
  const body = { error: 'RATE_LIMITED', message: 'slow down', retry: 'later', doc: '' };
  for (const answer of [body, 'too many']) {
    const { provider, seen } = await host((response) =>
      json(response, 429, answer, { 'retry-after': '7' }),
    );
    const { data } = await fault(read(provider), 'RATE_LIMITED');
    expect([data, seen.length]).toMatchObject([{ retry_after_s: 7 }, 1]);
  }
});

test('a token that has expired is told as such, to calls and to tails', async () => {
  const { provider, seen } = await host((response) => {
    response.writeHead(401, { 'www-authenticate': 'Bearer' });
    response.end('the operator token is needed\n');
  });
  const { message } = await fault(read(provider), 'UNAUTHORIZED');
  expect(message).toContain('wrong, expired or revoked');
  const lines = provider.logs.tail({ resource: ['srv-1'] }, new AbortController().signal);
  await fault(gather(lines), 'UNAUTHORIZED');
  expect(seen).toHaveLength(2);
});

test('a redirect is not followed: the token is for one host', async () => {
  const other = await host((response) => json(response, 200, ALPHA));
  for (const status of [301, 302, 307, 308]) {
    const location = 'http://127.0.0.1:9/';
    const { provider, seen } = await host((response) => json(response, status, '', { location }));
    const { message } = await fault(read(provider), 'HOST_UNAVAILABLE');
    expect([seen.length, message]).toEqual([1, expect.stringContaining('redirects')]);
  }
  expect(other.seen).toEqual([]);
});

test('an id that an address would take for a step is sent nowhere', async () => {
  const { provider, seen } = await host((response) => json(response, 200, ALPHA));
  for (const id of ['', '.', '..']) await fault(provider.services.get(id), 'RESOURCE_UNKNOWN');
  await fault(provider.deploys.cancel('srv-1', '..'), 'RESOURCE_UNKNOWN');
  expect(seen).toEqual([]);
  await fault(provider.services.get('../workspaces?a=b#c'), 'HOST_UNAVAILABLE');
  expect(seen.map(({ line }) => line)).toEqual([
    'GET /hosting/api/v1/services/..%2Fworkspaces%3Fa%3Db%23c',
  ]);
});

test('a tail gives lines however they are cut, and fails where it breaks off', async () => {
  const lines = ['a', 'ü\u2028', 'b'].map((message, at) => ({
    id: `l${at}`,
    timestamp: '2026-03-01T12:00:00.000000000Z',
    message,
    labels: { resource: 'srv-1', type: 'app', level: 'info' },
  }));
  const { provider } = await host((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const text = `:\n\n${lines.map((line) => `data: ${JSON.stringify(line)}\n\n: quiet\n\n`).join('')}`;
    const bytes = [...Buffer.from(text)];
    const drip = (): void => {
      const part = bytes.splice(0, 7);
      if (part.length === 0) response.end();
      else response.write(Buffer.from(part), () => setImmediate(drip));
    };
    drip();
  });
  const heard: unknown[] = [];
  const reading = (async () => {
    const tail = provider.logs.tail({ resource: ['srv-1'] }, new AbortController().signal);
    for await (const line of tail) heard.push(line);
  })();
  const { data } = await fault(reading, 'HOST_UNAVAILABLE');
  expect([heard, data['kind']]).toEqual([lines, 'cut']);
});

test('a tail that says nothing any more, or no lines, fails; one that is left does not', async () => {
  const open = (response: ServerResponse, text: string): void => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(text);
  };
  const quiet = await host((response) => open(response, ':\n\n'), { ...TIMES, quietMs: 100 });
  const never = new AbortController().signal;
  const silent = gather(quiet.provider.logs.tail({ resource: ['srv-1'] }, never));
  expect((await fault(silent, 'HOST_UNAVAILABLE')).data['kind']).toBe('timeout');
  for (const text of ['data: {\n\n', 'data: {"id":1}\n\n', `data: ${'x'.repeat(2_000_000)}`]) {
    const wrong = await host((response) => open(response, text));
    const reading = gather(wrong.provider.logs.tail({ resource: ['srv-1'] }, never));
    expect((await fault(reading, 'HOST_UNAVAILABLE')).data['kind']).toBe('answer');
  }
  const left = await host((response) => open(response, ':\n\n'));
  const leave = new AbortController();
  const reading = gather(left.provider.logs.tail({ resource: ['srv-1'] }, leave.signal));
  await expect.poll(() => left.seen.length, { timeout: 60_000 }).toBe(1);
  leave.abort();
  expect(await reading).toEqual([]);
});

test('closing ends what is under way, and nothing is asked any more', async () => {
  const { provider, seen } = await host(() => undefined);
  const asked = fault(read(provider), 'HOST_UNAVAILABLE');
  await expect.poll(() => seen.length, { timeout: 60_000 }).toBe(1);
  await provider.close();
  expect((await asked).data['kind']).toBe('closed');
  expect((await fault(read(provider), 'HOST_UNAVAILABLE')).data['kind']).toBe('closed');
  expect(seen).toHaveLength(1);
});

test('the settings of a service are where the host has its pages', async () => {
  const id = 'srv-00000000000000000000';
  const { provider } = await host((response) =>
    json(response, 200, {
      id,
      name: 'a',
      slug: 'a',
      ownerId: ALPHA.id,
      repo: '',
      branch: 'main',
      autoDeploy: 'no',
      suspended: 'not_suspended',
      suspenders: [],
      dashboardUrl: `https://second.example/console/services/${id}`,
      createdAt: '2026-03-01T12:00:00Z',
      updatedAt: '2026-03-01T12:00:00Z',
      type: 'static_site',
      serviceDetails: { buildCommand: '', publishPath: '.', url: 'http://a.localhost' },
    }),
  );
  expect(provider.services.settingsUrl('srv-1')).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/console\/$/);
  await provider.services.get(id);
  expect(provider.services.settingsUrl('srv-1')).toBe(
    'https://second.example/console/services/srv-1',
  );
});

import type { Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AppError } from '../../../src/domain/common/error.ts';
import { isPublicAddress } from '../../../src/providers/net/address-rules.ts';
import { createEgress, type EgressOptions } from '../../../src/providers/net/egress.ts';
import { createCheckedLookup, guardConnector } from '../../../src/providers/net/http-client.ts';
import { httpLoopback, type Loopback } from '../../support/loopback.ts';
import { realClock } from '../../support/real-clock.ts';

// A server that must never be reached; its port is opened by hand so that only addresses count.
let secret: Loopback;
beforeAll(async () => {
  secret = await httpLoopback((_request, response) => response.end('secret'));
});
afterAll(() => secret.close());

const make = (more: Partial<EgressOptions> = {}) =>
  createEgress({ clock: realClock, userAgent: 'test/1', ...more });

async function refusal(url: string, more: Partial<EgressOptions> = {}): Promise<AppError> {
  const egress = make(more);
  return egress.fetch({ url, method: 'GET', totalTimeoutMs: 2_000 }).then(
    () => expect.unreachable(`${url} was answered`),
    (thrown: AppError) => thrown,
  );
}

const SPELLINGS = [
  '127.0.0.1',
  '0x7f.1',
  '2130706433',
  '0177.0.0.1',
  '127.1',
  '①②⑦.⓪.⓪.①',
  '0.0.0.0',
  '[::1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::7f00:1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::]',
  '[fe80::1]',
  '[fc00::1]',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.1.1',
  '169.254.169.254',
  '100.64.0.1',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
];

test.each(SPELLINGS)(
  '%s is refused as an address and nothing reaches the secret server',
  async (host) => {
    const port = 8080;
    const error = await refusal(`http://${host}:${port}/`);
    expect(error.code).toBe('EGRESS_BLOCKED');
    expect(error.data['reason']).toBe('address');
    expect(secret.hits).toEqual([]);
  },
);

test.each(SPELLINGS.slice(0, 10))(
  '%s on the secret server’s own port is refused by the connector alone',
  async (host) => {
    const connect = guardConnector(
      (options, done) => {
        secret.hits.push('connected');
        done(new Error(`reached ${options.hostname}`), null);
      },
      { isAllowed: isPublicAddress },
    );
    const { hostname } = new URL(`http://${host}:${secret.port}/`);
    const outcome = await new Promise<AppError>((resolve) => {
      connect({ hostname, protocol: 'http:', port: String(secret.port) }, (...outcome) =>
        resolve(outcome[0] as AppError),
      );
    });
    expect(outcome.code).toBe('EGRESS_BLOCKED');
    expect(secret.hits).toEqual([]);
  },
);

test.each(['localhost', 'localhost.', 'LOCALHOST', 'internal.test'])(
  'the name %s is refused by what it resolves to',
  async (host) => {
    const error = await refusal(`http://${host}:8080/`, { dns: async () => ['127.0.0.1'] });
    expect(error.code).toBe('EGRESS_BLOCKED');
    expect(JSON.stringify(error.data)).not.toContain('127.0.0.1');
    expect(secret.hits).toEqual([]);
  },
);

test('localhost is refused with the system’s own resolver', async () => {
  expect((await refusal('http://localhost:8080/')).code).toBe('EGRESS_BLOCKED');
});

test('one private address among public ones is enough to refuse a name', async () => {
  const dns = async () => ['93.184.215.14', '10.0.0.7'];
  expect((await refusal('http://mixed.test/', { dns })).code).toBe('EGRESS_BLOCKED');
});

test('a name that turns private after its first answer is refused where the socket connects', async () => {
  const answers = [['93.184.215.14'], ['127.0.0.1']];
  const lookup = createCheckedLookup(
    { isAllowed: isPublicAddress },
    async () => answers.shift() ?? [],
  );
  const look = () =>
    new Promise((resolve) => {
      lookup('rebind.test', { all: true }, (error, rows) => resolve(error ?? rows));
    });
  expect(await look()).toEqual([{ address: '93.184.215.14', family: 4 }]);
  expect(await look()).toMatchObject({ code: 'EGRESS_BLOCKED' });
});

test('a connection resolves its name once, so nothing can change between check and use', async () => {
  let asked = 0;
  const dns = async () => {
    asked += 1;
    return asked === 1 ? ['10.0.0.1'] : ['93.184.215.14'];
  };
  expect((await refusal('http://rebind.test/', { dns })).code).toBe('EGRESS_BLOCKED');
  expect(asked).toBe(1);
});

test('a socket that stands to a private far end is destroyed', async () => {
  let isDestroyed = false;
  const socket = {
    remoteAddress: '127.0.0.1',
    destroy: () => {
      isDestroyed = true;
    },
  } as unknown as Socket;
  const connect = guardConnector((_options, done) => done(null, socket), {
    isAllowed: isPublicAddress,
  });
  const error = await new Promise((resolve) => {
    connect({ hostname: 'public.test', protocol: 'http:', port: '80' }, (...outcome) =>
      resolve(outcome[0]),
    );
  });
  expect(error).toMatchObject({ code: 'EGRESS_BLOCKED' });
  expect(isDestroyed).toBe(true);
});

test.each([
  ['ftp://example.com/', 'scheme'],
  ['file:///etc/passwd', 'scheme'],
  ['gopher://example.com/', 'scheme'],
  ['http://user:pass@example.com/', 'userinfo'],
  ['http://user@example.com/', 'userinfo'],
  ['http://example.com:22/', 'port'],
  ['http://example.com:6379/', 'port'],
  ['https://example.com:0/', 'port'],
  ['no address', 'url'],
  ['http://', 'url'],
  ['http://256.256.256.256/', 'url'],
  [`http://example.com/${'a'.repeat(2_048)}`, 'length'],
  [`http://${'a.'.repeat(130)}com/`, 'length'],
])('%s is refused because of its %s', async (url, reason) => {
  const error = await refusal(url);
  expect(error.code).toBe('EGRESS_BLOCKED');
  expect(error.data['reason']).toBe(reason);
  expect(JSON.stringify(error.data)).not.toContain('pass@');
});

test('a denied host is refused before all else, with and without a dot at its end', async () => {
  const more = { denyHosts: ['Stoa.Example', '127.0.0.1'], allowHosts: [secret.host] };
  for (const url of ['https://stoa.example/', 'https://STOA.example./', `${secret.url}/`]) {
    expect((await refusal(url, more)).data['reason']).toBe('denied');
  }
  expect(secret.hits).toEqual([]);
});

test('a denied address is refused under another name too', async () => {
  const more = { denyHosts: ['93.184.215.14'], dns: async () => ['93.184.215.14'] };
  expect((await refusal('https://alias.test/', more)).code).toBe('EGRESS_BLOCKED');
});

test('public addresses are open', () => {
  for (const address of ['8.8.8.8', '93.184.215.14', '2606:4700::1111', '2001:4860:4860::8888']) {
    expect(isPublicAddress(address)).toBe(true);
  }
  expect(isPublicAddress('')).toBe(false);
  expect(isPublicAddress('example.com')).toBe(false);
});

import { existsSync, readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { createNodeClient } from '../../src/auditor/chain-books.ts';
import { readClaims } from '../../src/auditor/event-claims.ts';
import { readEvents, readText } from '../../src/connect/upstream/sse.ts';
import { readJsonWithin } from '../../src/domain/common/bounded-bytes.ts';
import type { LlmRequest } from '../../src/domain/llm/llm.ts';
import { readLines } from '../../src/process/stdio/lines.ts';
import { connectRpc } from '../../src/providers/chain/chain-rpc.ts';
import { runAdminCommand } from '../../src/providers/hosting/local/key-value/admin.ts';
import { queryReadOnly } from '../../src/providers/hosting/local/postgres/query.ts';
import { createLlm } from '../../src/providers/llm/create-llm.ts';
import { createEgress } from '../../src/providers/net/egress.ts';
import { sendMail } from '../../src/providers/notification/mail.ts';
import { postWebhook } from '../../src/providers/notification/webhook-post.ts';
import { createAuditTargets } from '../../src/providers/target/audit-targets.ts';
import {
  drip,
  FLOOD_WAYS,
  type Flood,
  type FloodServer,
  type FloodWay,
  pour,
  startFlood,
  startHttpFlood,
} from '../support/flood-server.ts';
import { startLoopMeter } from '../support/loop-meter.ts';
import { realClock } from '../support/real-clock.ts';

const CHECKOUT = fileURLToPath(new URL('../../', import.meta.url));
const PAGE = readFileSync(`${CHECKOUT}docs/limits.md`, 'utf8');
const ROWS = PAGE.split('\n')
  .filter((line) => /^\| .* \| \d+ \|/.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim().replaceAll('`', '')))
  .map(([, what = '', bound = '', constant = '', place = '']) => ({
    what,
    bound: Number(bound),
    constant,
    place,
  }));

/** A drip is ended by time alone; everything else by its bound, long before. */
function timeOf(way: FloodWay): number {
  return way === 'slow drip' ? 1_000 : 15_000;
}

/** Reads a flood, and says what came of it: a code, or a word. */
type Driver = (bound: number, way: FloodWay) => Promise<unknown>;

interface Reader {
  readonly drive: Driver;
  readonly said: RegExp;
  /** Where not all ways are possible. */
  readonly ways?: readonly FloodWay[];
}

const FAST: readonly FloodWay[] = ['whole', 'single bytes', 'gzip'];
/** What the sockets of both ends may hold of what was sent. */
const SOCKET_BYTES = 24_000_000;
const servers: FloodServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const READERS: Readonly<Record<string, Reader>> = {
  'upstream over HTTP': { drive: egress(), said: /EGRESS_TOO_LARGE|EGRESS_TIMEOUT/ },
  'source of a data tool': { drive: egress('bound'), said: /EGRESS_TOO_LARGE|EGRESS_TIMEOUT/ },
  'language model, all of an answer': {
    drive: model({ begin: '', fill: `data: {"choices":[],"pad":"${'a'.repeat(1_000)}"}\n\n` }),
    said: /^(cut|timeout|provider_error|broken)/,
  },
  'language model, one event': {
    drive: model({ begin: 'data: "', fill: 'a' }),
    said: /^(cut|timeout)/,
  },
  'language model, events': {
    drive: model({ begin: '', fill: 'data: {}\n\n' }),
    said: /^(cut|timeout|provider_error|broken)/,
  },
  'audited server, one answer': {
    drive: async (_bound, way) => {
      const { url } = await http(way, { begin: '{"a":"' });
      return await audited({ kind: 'mcp_http', url }, 4_000_000);
    },
    said: /AUDIT_TARGET_DOWN|AUDIT_BUDGET/,
    ways: ['whole', 'single bytes'],
  },
  'audited server, a whole audit': {
    drive: async () => await audited({ kind: 'mcp_stdio', name: 'endless' }, 500_000),
    said: /AUDIT_BUDGET|AUDIT_TARGET_DOWN/,
    ways: ['whole'],
  },
  'chain node': {
    drive: async (_bound, way) => {
      const rpc = connectRpc((await http(way, { begin: '[{"id":0,"result":"' })).url, timeOf(way));
      return await rpc.call('eth_chainId', []);
    },
    said: /CHAIN_UNAVAILABLE/,
  },
  'chain node of the auditor': {
    drive: async (_bound, way) => await createNodeClient((await http(way)).url).getBlockNumber(),
    said: /TimeoutError|HttpRequestError|ResponseBodyTooLarge|EGRESS_TOO_LARGE/,
    // It asks four times, 10 seconds each; a slow node is the operator's own.
    ways: ['whole', 'gzip'],
  },
  'feed of events of the auditor': {
    drive: async (_bound, way) => await readClaims((await http(way)).url),
    said: /EGRESS_FAILED/,
    ways: ['whole', 'gzip'],
  },
  'mail server, one reply': {
    drive: async () => {
      const server = await raw((socket) => pour(socket, '220-'.padEnd(4_096, 'a')));
      const settings = { host: '127.0.0.1', port: server.port, isSecure: false, needsTls: false };
      const who = { user: null, password: null, from: 'a@b.example', to: 'c@d.example' };
      const notice = { kind: 'email', title: 't', text: 'x' } as const;
      return await sendMail({ ...settings, ...who }, notice, 'm');
    },
    said: /EGRESS_FAILED/,
    ways: ['whole'],
  },
  webhook: {
    drive: async (_bound, way) => {
      const { url, port } = await http(way);
      const notice = {
        kind: 'webhook' as const,
        webhookId: 'w',
        url,
        event: 'e',
        deliveryId: 'd',
        body: '{}',
      };
      const parts = {
        egress: client(port),
        secretOf: () => 'secret',
        sealer: { open: (text: string) => text },
        now: () => 0,
      };
      return await postWebhook(parts, notice, new AbortController().signal);
    },
    said: /^200$|EGRESS_/,
    ways: FAST,
  },
  'Key Value server': {
    drive: async (_bound, way) => {
      const serve = way === 'slow drip' ? drip : pour;
      const { port } = await raw((socket) =>
        serve(socket, way === 'slow drip' ? 'a' : 'a'.repeat(65_536)),
      );
      return await runAdminCommand({ port, admin: 'x' }, 'PING');
    },
    said: /^(the response is too long|no response in time)$/,
    ways: ['whole', 'slow drip'],
  },
  'hosted Postgres, one statement': {
    drive: async (_bound, way) => {
      const { port } = await raw((socket) => {
        socket.once('data', () => {
          // Greets as a server would, and then has an error without an end, or a flood of notices.
          socket.write(Buffer.from('5200000008000000005a0000000549', 'hex'));
          const endless = Buffer.concat([
            Buffer.from('453b9aca00', 'hex'),
            Buffer.alloc(65_536, 83),
          ]);
          const notice = Buffer.from('4e0000000a4d612e2e00', 'hex');
          pour(
            socket,
            way === 'whole' ? endless : Buffer.concat(Array.from({ length: 6_000 }, () => notice)),
          );
        });
      });
      const target = { host: '127.0.0.1', port, database: 'd', user: 'u', password: 'p' };
      return await queryReadOnly(target, 'select 1', new AbortController().signal, {
        statementMs: 6_000,
      });
    },
    said: /HOST_UNAVAILABLE|SQL_TIMEOUT|SQL_REFUSED/,
    ways: ['whole', 'single bytes'],
  },
  'server behind `stoa connect`': {
    drive: async (_bound, way) => {
      const whole = await fetch((await http(way)).url);
      const first = await codeOf(() => readText(whole.body));
      const stream = await fetch((await http(way, { begin: '', fill: 'data: x\n' })).url);
      return [first, await codeOf(() => all(readEvents(stream.body)))].join();
    },
    said: /^(EGRESS_TOO_LARGE,?){2}$/,
    ways: ['whole', 'gzip'],
  },
  'server of a command line program': {
    drive: async (bound, way) =>
      await readJsonWithin((await fetch((await http(way)).url)).body, { bytesMax: bound }),
    said: /EGRESS_TOO_LARGE/,
    ways: FAST,
  },
  'program on a local socket, one line': {
    drive: async () => {
      const piece = Buffer.from('a'.repeat(65_536));
      let left = 1_000;
      const stream = new Readable({
        read: () => {
          left -= 1;
          stream.push(left > 0 ? piece : null);
        },
      });
      readLines(stream, () => undefined);
      await new Promise((done) => stream.once('close', done));
      return left > 0 ? 'ended by the reader' : 'read to its end';
    },
    said: /^ended by the reader$/,
    ways: ['whole'],
  },
};

test('every bound of docs/limits.md has a reader here, and every reader a bound', () => {
  expect(ROWS.map(({ what }) => what).sort()).toEqual(
    Object.keys(READERS)
      .map((what) => what.replaceAll('`', ''))
      .sort(),
  );
});

test.each(ROWS)('$what: the bound is the one of the code', async ({ bound, constant, place }) => {
  expect(existsSync(`${CHECKOUT}${place}`), place).toBe(true);
  const { [constant]: value } = (await import(`${CHECKOUT}${place}`)) as Record<string, unknown>;
  expect(value).toBe(bound);
});

const CASES = Object.entries(READERS).flatMap(([what, reader]) =>
  (reader.ways ?? FLOOD_WAYS).map((way) => ({ what, way, ...reader })),
);

describe('more than a bound', () => {
  test.each(CASES)(
    '$what, $way: is refused with little memory, and nothing waits',
    {
      timeout: 60_000,
    },
    async ({ what, way, drive, said }) => {
      const bound = ROWS.find((row) => row.what === what.replaceAll('`', ''))?.bound ?? 0;
      const meter = startLoopMeter();
      const outcome = await codeOf(() => drive(bound, way));
      const { grownBytes, longestCpuMs } = meter.stop();
      expect(outcome).toMatch(said);
      // The answer, its text, its copy while it grows, and what the sockets of both ends hold.
      expect(grownBytes).toBeLessThan(8 * bound + 160_000_000);
      expect(longestCpuMs).toBeLessThan(1_000);
      expect(sentBytes()).toBeLessThanOrEqual(mostSent(bound, way));
    },
  );
});

/** A byte in a chunk of its own takes six; some of what is sent still waits in the sockets. */
function mostSent(bound: number, way: FloodWay): number {
  const connections = servers.reduce((sum, server) => sum + server.connections, 0);
  return connections * ((way === 'single bytes' ? 6 : 1) * bound + SOCKET_BYTES);
}

function sentBytes(): number {
  return servers.reduce((sum, server) => sum + server.sentBytes, 0);
}

function egress(bounded?: 'bound'): Driver {
  return async (bound, way) => {
    const { url, port } = await http(way);
    const most = bounded === undefined ? {} : { maxBytes: bound };
    return await client(port).fetch({ url, method: 'GET', totalTimeoutMs: timeOf(way), ...most });
  };
}

function client(port: number) {
  const allowHosts = [`127.0.0.1:${port}`];
  return createEgress({ clock: realClock, userAgent: 'stoa-test', allowHosts });
}

function model(flood: Flood): Driver {
  return async (_bound, way) => {
    const words: string[] = [];
    for (const vendor of ['openai', 'anthropic']) {
      const { url } = await http(way, { type: 'text/event-stream', ...flood });
      const models = `${vendor}:some-model@${url}`;
      const llm = createLlm({ models, keys: () => 'k', clock: realClock });
      const request: LlmRequest = {
        modelId: `${vendor}:some-model`,
        system: 's',
        prompt: 'p',
        schema: { name: 'turn', jsonSchema: { type: 'object', properties: {}, required: [] } },
        maxOutputTokens: 500,
        timeoutMs: timeOf(way),
        signal: new AbortController().signal,
      };
      const reply = await llm.complete(request);
      words.push(reply.ok ? 'answered' : reply.failure);
    }
    return words.join();
  };
}

async function audited(
  address: Parameters<ReturnType<typeof createAuditTargets>['open']>[0],
  bytesMax: number,
): Promise<unknown> {
  const args = [
    '-e',
    "const b = 'a'.repeat(65536); (function w() { while (process.stdout.write(b)); process.stdout.once('drain', w); })()",
  ];
  const commands = [{ name: 'endless', command: process.execPath, args, isTrusted: true }];
  const targets = createAuditTargets({ allowInternal: true, commands });
  const limits = { requestsMax: 10, bytesMax, totalMs: 5_000 };
  const target = await targets.open(address, { limits, canarySeed: 'limits' });
  try {
    return await target.connect();
  } finally {
    await target.close();
  }
}

async function http(way: FloodWay, flood?: Flood): Promise<FloodServer> {
  const server = await startHttpFlood(way, flood);
  servers.push(server);
  return server;
}

async function raw(serve: Parameters<typeof startFlood>[0]): Promise<FloodServer> {
  const server = await startFlood(serve);
  servers.push(server);
  return server;
}

async function all(events: AsyncIterable<string>): Promise<number> {
  let count = 0;
  for await (const _event of events) count += 1;
  return count;
}

/** The code of what is thrown, or what came instead. */
async function codeOf(work: () => Promise<unknown>): Promise<string> {
  try {
    return String(await work());
  } catch (thrown) {
    const { code, name } = thrown as { readonly code?: unknown; readonly name?: unknown };
    return typeof code === 'string' ? code : String(name);
  }
}

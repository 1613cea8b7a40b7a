import { expect, test } from 'vitest';
import { createAuditTargets } from '../../../src/providers/target/audit-targets.ts';
import { EventStreamReader } from '../../../src/providers/target/http-connection.ts';
import { smallHttp } from '../../support/audits/small-http.ts';

const targets = createAuditTargets({ allowInternal: true, commands: [] });
const how = {
  limits: { requestsMax: 50, bytesMax: 5_000_000, totalMs: 20_000 },
  canarySeed: 'stream',
};

test('messages are the same however the stream is cut, also with CRLF and several lines', () => {
  const stream =
    ': hello\r\n\r\nevent: message\r\ndata: {"a":\r\ndata: 1}\r\n\r\ndata:no json\n\ndata: [2]\n\n';
  const whole = new EventStreamReader().push(stream);
  expect(whole).toEqual([{ a: 1 }, [2]]);
  for (const size of [1, 2, 3, 7]) {
    const reader = new EventStreamReader();
    const pieces = stream.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
    expect(pieces.flatMap((piece) => reader.push(piece))).toEqual(whole);
  }
});

test('a long part without an end costs nothing again with each byte that follows', () => {
  const reader = new EventStreamReader();
  reader.push(`data: ${'a'.repeat(400_000)}`);
  const startedAt = performance.now();
  for (let count = 0; count < 20_000; count += 1) reader.push('b');
  expect(performance.now() - startedAt).toBeLessThan(500);
});

test.each([
  ['messages', 'data: {"method":"x"}\n\n'.repeat(30_000), 1],
  ['chunks', 'a', 30_000],
])(
  'an answer of too many %s is broken, and the next one is not',
  async (what, text, times) => {
    const small = await smallHttp((request, response) => {
      if (request.url !== '/mcp' || request.headers['x-flood'] === undefined) return false;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      let left = times;
      response.socket?.setNoDelay(true);
      const more = (): void => {
        if (left <= 0 || response.destroyed) {
          response.end();
          return;
        }
        left -= 1;
        response.write(text, more);
      };
      more();
      return true;
    });
    const address = { kind: 'mcp_http', url: small.url } as const;
    const flooded = await targets.open(address, { ...how, headers: { 'x-flood': '1' } });
    await expect(flooded.connect()).rejects.toMatchObject({
      code: 'AUDIT_TARGET_DOWN',
      data: { outcome: 'broken', reason: expect.stringContaining(what) },
    });
    await flooded.close();
    const target = await targets.open(address, how);
    await (await target.connect()).close();
    await target.close();
    await small.close();
  },
  20_000,
);

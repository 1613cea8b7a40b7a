import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { parseConfig } from '../../src/config.ts';
import { serveStreams } from '../../src/transport/mcp/stdio.ts';
import { startFront } from '../support/front-rig.ts';
import { proves } from '../support/proves.ts';
import { testService } from '../support/tool-service.ts';
import { greeting, openWire } from '../support/wire-session.ts';

// The hosting specification, section 9, which both servers keep.
const WITH_HANDSHAKE = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
const SESSIONLESS = '2026-07-28';

/** Serves one client over a pair of streams and asks it one thing. */
async function askStdio(method: string, params: object) {
  const input = new PassThrough();
  const output = new PassThrough();
  const end = serveStreams(testService(), { input, output });
  onTestFinished(async () => {
    input.end();
    await end;
  });
  const line = new Promise<string>((done) => output.once('data', (data) => done(String(data))));
  input.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })}\n`);
  return JSON.parse(await line) as { result?: Record<string, unknown>; error?: unknown };
}

function envelope(version: string): object {
  return {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': version,
      'io.modelcontextprotocol/clientInfo': { name: 'wire', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  };
}

test('HTTP and stdio speak the four versions that begin with a handshake', async () => {
  proves('H9.i1');
  const { front, baseUrl } = await startFront('node');
  onTestFinished(() => front.close());
  for (const version of WITH_HANDSHAKE) {
    const session = await openWire(`${baseUrl}/v1/mcp`, version);
    const { result } = await askStdio('initialize', greeting(version));
    expect([session.protocolVersion, result?.['protocolVersion']]).toEqual([version, version]);
  }
});

test('HTTP answers the wish for any other version with the newest of the four', async () => {
  proves('H9.i3');
  const { front, baseUrl } = await startFront('node');
  onTestFinished(() => front.close());
  for (const version of [SESSIONLESS, '2024-10-07', 'latest']) {
    const session = await openWire(`${baseUrl}/v1/mcp`, version);
    expect(session.protocolVersion).toBe('2025-11-25');
  }
});

test('stdio speaks 2026-07-28 without a session', async () => {
  proves('H9.i2');
  const { result } = await askStdio('tools/list', envelope(SESSIONLESS));
  expect(result?.['tools']).toHaveLength(testService().tools.length);
});

test('the local server speaks over stdio and is set up by the environment', async () => {
  proves('C1.i8');
  const { result } = await askStdio('initialize', greeting('2025-11-25'));
  expect(result?.['serverInfo']).toMatchObject({ title: 'Test tools' });
  const config = parseConfig([], { STOA_OPERATOR_EMAIL: 'operator@example.org' });
  expect(config.operatorContact).toBe('operator@example.org');
});

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { HAS_OTHER_NODES, nodeOf } from '../support/other-node.ts';
import { cleanUp, cliPath, freshDataDir, startRealServer } from '../support/real-server.ts';
import { openWire } from '../support/wire-session.ts';

const run = promisify(execFile);
/** Node 20 runs the other tests. No native front is published for these two. */
const VERSIONS = ['22.23.3', '24.21.0'] as const;
// Where nobody waits for the figures, another platform may leave this out and is told so.
const isLeftOut = !HAS_OTHER_NODES && process.env['CI'] !== 'true';

afterAll(cleanUp);

describe.skipIf(isLeftOut).each(VERSIONS)('Node %s', (version) => {
  test('serves over node:http and ends in order', { timeout: 300_000 }, async () => {
    const node = await nodeOf(version);
    expect((await run(node, ['--version'])).stdout.trim()).toBe(`v${version}`);
    const server = await startRealServer(freshDataDir(), [], {}, node);
    expect(server.ready.http_engine).toBe('node');
    const wire = await openWire(server.ready.mcp_v1);
    const { message } = await wire.ask('tools/list');
    expect(message.result?.['tools']).not.toHaveLength(0);
    expect(await server.stop()).toBe(0);
  });

  test('plays the whole tour', { timeout: 300_000 }, async () => {
    const node = await nodeOf(version);
    const { stdout } = await run(node, [await cliPath(), 'tour'], { timeout: 240_000 });
    expect(stdout).toMatch(/HTTP engine\s+node\b/);
    expect(stdout).toContain('server killed with SIGKILL');
    expect(stdout).toMatch(/^\d+\. Done/m);
  });

  test('says what it lacks, and refuses a front that it cannot have', {
    timeout: 300_000,
  }, async () => {
    const node = await nodeOf(version);
    const doctor = [await cliPath(), 'doctor', '--data', freshDataDir()];
    expect((await run(node, doctor, { timeout: 60_000 })).stdout).toMatch(/^reduced\s+fast HTTP/m);
    const native = [await cliPath(), 'serve', '--http', 'uws', '--port', '0'];
    const refused = run(node, [...native, '--data', freshDataDir()], { timeout: 60_000 });
    await expect(refused).rejects.toMatchObject({ code: 2 });
  });
});

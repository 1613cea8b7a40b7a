import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { detectIsolation, listMissing } from '../../src/providers/hosting/local/isolation.ts';
import { cliPath } from '../support/real-server.ts';

const run = promisify(execFile);
const isIsolated = listMissing(detectIsolation(process.env)).length === 0;

test('the tour plays its whole story against a real server', { timeout: 240_000 }, async () => {
  const { stdout } = await run(process.execPath, [await cliPath(), 'tour'], { timeout: 200_000 });
  const lines = stdout.split('\n');
  const count = (pattern: RegExp) => lines.filter((line) => pattern.test(line)).length;
  expect(stdout).toContain('HTTP 402');
  expect(stdout).toMatch(/asks for\s+\$2\.00 on eip155:31337/);
  expect(count(/›/)).toBeGreaterThan(10);
  expect(count(/^\s+decision:?\s+\S/i)).toBe(2);
  expect(stdout).toMatch(/transaction\s+0x[0-9a-f]{64}/);
  if (isIsolated) expect(stdout).toMatch(/answer\s+HTTP 200 .*Deployed by the tour/);
  else expect(stdout).toContain('cannot isolate hosted programs');
  expect(stdout).toContain('server killed with SIGKILL');
  expect(stdout).toMatch(/3 turns were kept; 2 are still open/);
  expect(lines.some((line) => /^\d+\. Done/.test(line))).toBe(true);
});

test('a tour that nobody reads any more ends, and its server with it', {
  timeout: 240_000,
}, async () => {
  const child = spawn(process.execPath, [await cliPath(), 'tour'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const mcp = await new Promise<string>((found) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const address = /\bMCP\s+(http:\S+)/.exec(line)?.[1];
      if (address !== undefined) found(address);
    });
  });
  const gone = once(child, 'exit');
  child.stdout.destroy();
  const [code] = await gone;
  expect(code).not.toBe(0);
  await expect(fetch(mcp)).rejects.toThrow();
});

import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { signDelivery } from '../../src/domain/notification/webhook-signature.ts';
import { alertService } from '../support/alert-service.ts';
import { until } from '../support/real-server.ts';
import { signingWallet } from '../support/signing-wallet.ts';
import { tempDir } from '../support/temp-dir.ts';
import { isValidDelivery } from '../support/valid-delivery.ts';

const EXAMPLE = 'examples/webhooks/receiver.mjs';

test('the receiver of the example takes what is signed, once, and refuses the rest', {
  timeout: 60_000,
}, async () => {
  const dir = tempDir();
  const secretFile = join(dir.path, 'secret');
  const child = spawn(process.execPath, [EXAMPLE], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, STOA_WEBHOOK_SECRET_FILE: secretFile },
  });
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  await until(() => lines.length === 1);
  const url = lines[0] ?? '';
  const service = await alertService({ reach: [new URL(url).host] });
  try {
    const wallet = signingWallet();
    const json = { url, events: ['job.released'] };
    const answer = await service.ask('POST', '/a2a/webhooks', { json, wallet });
    const { secret } = (await answer.json()) as { secret: string };
    writeFileSync(secretFile, secret);
    service.events.tell('job.released', [wallet.address], 'job_7');
    await until(() => lines.length === 2);
    expect(lines[1]).toBe('job.released job_7');

    const body = '{"data":{"ref":"forged"}}';
    const seconds = Math.floor(Date.now() / 1000);
    const post = async (signature: string) => {
      const headers = { 'stoa-event': 'job.released', 'stoa-signature': signature };
      return (await fetch(url, { method: 'POST', body, headers })).status;
    };
    expect(await post(signDelivery('another secret', seconds, body))).toBe(401);
    expect(await post(signDelivery(secret, seconds - 3_600, body))).toBe(401);
    expect(await post('nothing')).toBe(401);
    expect(lines.slice(2)).toEqual(['refused', 'refused', 'refused']);
  } finally {
    await service.close();
    child.kill();
    dir.remove();
  }
});

test('the guide shows the check of the example', () => {
  const region = readText('examples/webhooks/genuine.mjs');
  const [, block] = /```js\n([\s\S]*?)```/.exec(readText('docs/notices.md')) ?? [];
  expect(block).toBe(region);
});

test('a signature is over time and body, and ends after five minutes', () => {
  const delivery = { secret: 's', header: signDelivery('s', 1_000, 'body'), body: 'body' };
  expect(delivery.header).toMatch(/^t=1000,v1=[0-9a-f]{64}$/);
  expect(isValidDelivery(delivery, 1_300)).toBe(true);
  expect(isValidDelivery(delivery, 1_301)).toBe(false);
  expect(isValidDelivery(delivery, 699)).toBe(false);
  expect(isValidDelivery({ ...delivery, body: 'bodY' }, 1_000)).toBe(false);
  expect(isValidDelivery({ ...delivery, secret: 't' }, 1_000)).toBe(false);
  const later = { ...delivery, header: delivery.header.replace('t=1000', 't=1100') };
  expect(isValidDelivery(later, 1_100)).toBe(false);
});

function readText(path: string): string {
  return readFileSync(path, 'utf8');
}

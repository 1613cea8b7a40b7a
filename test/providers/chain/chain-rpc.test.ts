import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { connectRpc } from '../../../src/providers/chain/chain-rpc.ts';

const undo: (() => void)[] = [];
afterEach(() => {
  for (const each of undo.splice(0)) each();
});

test('a question that a block overtakes is asked again, and no other refusal is', async () => {
  const overtaken = { message: 'BlockOutOfRangeError: block height is 2 but requested was 1' };
  const node = await answering([{ error: overtaken }, { error: overtaken }, { result: '0x2' }]);
  expect(await connectRpc(node.url, 1_000).call('eth_call', [])).toBe('0x2');
  expect(node.asked()).toBe(3);
  const refusing = await answering([{ error: { message: 'no' } }, { result: '0x2' }]);
  expect(await connectRpc(refusing.url, 1_000).ask('eth_call', [])).toMatchObject({ ok: false });
  expect(refusing.asked()).toBe(1);
});

/** A node that gives one answer after the other. */
async function answering(answers: readonly object[]) {
  let asked = 0;
  const server = createServer((_request, response) => {
    response.setHeader('connection', 'close');
    response.end(JSON.stringify([{ id: 0, jsonrpc: '2.0', ...answers[asked] }]));
    asked += 1;
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  undo.push(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, asked: () => asked };
}

import { createServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { readCertificate } from '../../../src/providers/net/egress.ts';
import { selfSigned } from '../../support/self-signed.ts';

async function port(): Promise<number> {
  const server = createServer(selfSigned(), (_request, response) => response.end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return (server.address() as AddressInfo).port;
}

test('the certificate of an encrypted socket is told by its two ends', async () => {
  const options = { host: '127.0.0.1', port: await port(), rejectUnauthorized: false };
  const socket = await new Promise<TLSSocket>((resolve) => {
    const made = connectTls(options, () => resolve(made));
  });
  const found = readCertificate(socket);
  const { valid_from: from, valid_to: to } = socket.getPeerCertificate();
  socket.destroy();
  expect(Date.parse(found?.validFrom ?? '')).toBe(Date.parse(from));
  expect(Date.parse(found?.validTo ?? '')).toBe(Date.parse(to));
  expect(found?.validTo).toMatch(/^\d{4}-\d\d-\d\dT.+Z$/);
});

test('a plain socket has no certificate', async () => {
  const socket = connect(await port(), '127.0.0.1');
  await new Promise((resolve) => socket.once('connect', resolve));
  expect(readCertificate(socket)).toBeUndefined();
  socket.destroy();
});

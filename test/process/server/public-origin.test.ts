import { expect, test } from 'vitest';
import { listeningOrigins, PublicOrigin } from '../../../src/process/server/public-origin.ts';

test.each(['127.0.0.1', 'localhost', '[::1]'])('%s stands for loopback with its port', (host) => {
  expect(listeningOrigins(`http://${host}:7402`).toSorted()).toEqual([
    'http://127.0.0.1:7402',
    'http://[::1]:7402',
    'http://localhost:7402',
  ]);
});

test('a server on all addresses is reached by those of its machine, each with its port', () => {
  for (const host of ['0.0.0.0', '[::]']) {
    const origins = listeningOrigins(`http://${host}:7402`);
    expect(origins).toContain('http://127.0.0.1:7402');
    for (const origin of origins) expect(new URL(origin)).toMatchObject({ origin, port: '7402' });
  }
});

test('a public URL is the only origin, whatever the server listens on', () => {
  const reached = new PublicOrigin('https://Stoa.example:443/below/');
  reached.tell('http://127.0.0.1:7402');
  expect(reached.own()).toEqual(['https://stoa.example']);
});

test('nothing is its own before a server listens', () => {
  const reached = new PublicOrigin(undefined);
  expect(reached.own()).toEqual([]);
  reached.tell('http://10.1.2.3:7402');
  expect(reached.own()).toEqual(['http://10.1.2.3:7402']);
});

import type { RealServer } from './real-server.ts';

/** What somebody outside could read, by where it stood. */
export type Seen = Map<string, string>;

const PATHS = [
  ...['/', '/healthz', '/readyz', '/metrics', '/console/', '/console', '/inspect', '/v1/events'],
  ...['/v1/proofs/key', '/v1/proofs/checkpoint', '/v1/proofs/records?limit=100'],
  ...['/.well-known/agent-services.json', '/.well-known/agent-registration.json'],
  ...['/.well-known/mcp/server-card.json', '/a2a/treasury/balances', '/a2a/controls'],
  ...['/a2a/requests/open', '/a2a/jobs', '/v1/services', '/a2a/passport/stoa', '/nowhere'],
  ...['/v1/mcp', '/v2/', '/dev/faucet', '/operator/proofs/anchor', '/v1/alerts', '/v1/webhooks'],
];
/** Requests that are refused: what an error repeats is read as well. */
const BODIES = ['', '{', '[]', '{"jsonrpc":"2.0","id":1,"method":"tools/list"}', 'x'.repeat(2_000)];
const RPC_METHODS = ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list'];

/** Reads every address that answers, with and without the operator's token. */
export async function readSurfaces({ ready }: RealServer, token: string): Promise<Seen> {
  const seen: Seen = new Map();
  const base = ready.base_url;
  const keep = async (name: string, path: string, init: RequestInit) => {
    const signal = AbortSignal.timeout(2_000);
    try {
      const answer = await fetch(`${base}${path}`, { ...init, signal });
      const head = JSON.stringify([...answer.headers]);
      seen.set(`${name} ${path}`, `${answer.status} ${head}`);
      seen.set(`${name} ${path}`, `${answer.status} ${head} ${await answer.text()}`);
    } catch {
      // A stream that stays open: its head is kept.
    }
  };
  const operator = { authorization: `Bearer ${token}` };
  for (const path of PATHS) {
    await keep('GET', path, {});
    await keep('operator GET', path, { headers: operator });
    for (const [at, body] of BODIES.entries()) {
      const headers = { 'content-type': 'application/json' };
      await keep(`POST ${at}`, path, { method: 'POST', body, headers });
    }
  }
  for (const method of RPC_METHODS) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method });
    const accept = 'application/json, text/event-stream';
    const headers = { 'content-type': 'application/json', accept };
    await keep(method, '/v2/', { method: 'POST', body, headers });
  }
  const listed = seen.get('GET /v1/proofs/records?limit=100') ?? '';
  for (const [, seq = ''] of listed.matchAll(/"seq":(\d+)/g)) {
    await keep('proof', `/v1/proofs/${seq}.json`, {});
  }
  return seen;
}

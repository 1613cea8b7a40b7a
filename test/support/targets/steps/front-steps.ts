import type { RunningTarget, Values } from '../target.ts';
import type { Steps } from './step.ts';
import { begin, hello, messageOf, send, sessionWith } from './wire.ts';

const BURST = 120;

/** Faults of the HTTP front. */
export const frontSteps: Steps = {
  'foreign-origin': async (running) => {
    const { host } = new URL(running.url);
    const origins = [
      'https://attacker.example',
      'http://localhost.attacker.test',
      'http://attacker.test:80/127.0.0.1',
      'null',
      `http://${host}.attacker.test`,
    ];
    return isLetIn(
      running,
      origins.map((origin) => ({ origin })),
    );
  },
  'foreign-host': async (running) => {
    const { host } = new URL(running.url);
    const hosts = [
      { host: 'attacker.example' },
      { host: '127.0.0.1.attacker.test' },
      { host: 'attacker.example', 'x-forwarded-host': host },
    ];
    return isLetIn(running, hosts);
  },
  'session-fixation': async (running) => {
    const chosen = 'chosen-by-an-attacker-0001';
    const unknown = await sessionWith(running, 'never-given-0002').list();
    const begun = await send(running, { body: hello(), headers: { 'mcp-session-id': chosen } });
    return unknown.length > 0 || begun.headers['mcp-session-id'] === chosen;
  },
  'session-guessing': async (running) => {
    const ids: string[] = [];
    for (let count = 0; count < 3; count += 1) ids.push((await begin(running)).id);
    const [first = '', ...others] = ids;
    return others.some((id) => sharedShare(first, id) > 0.6) || ids.every(isHashOfCount);
  },
  'missing-authentication': async (running) => {
    const { tool, argumentsWith, marker } = running.weakSpot;
    const rightful = await begin(running);
    const params = { name: tool, arguments: argumentsWith('E-1') };
    const call = JSON.stringify({ jsonrpc: '2.0', id: 9, method: 'tools/call', params });
    const tries: readonly Readonly<Record<string, string>>[] = [
      { authorization: '' },
      { authorization: 'Bearer made-up' },
      { authorization: '', 'x-forwarded-for': '10.0.0.1' },
    ];
    for (const headers of tries) {
      const answer = await send(running, {
        body: call,
        headers: { 'mcp-session-id': rightful.id, ...headers },
      });
      if (JSON.stringify(messageOf(answer)).includes(marker)) return true;
    }
    return false;
  },
  'unlimited-burst': async (running) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
    const headers = { 'mcp-session-id': 'none' };
    const asked = Array.from({ length: BURST }, () => send(running, { body, headers }));
    return (await Promise.all(asked)).every(({ status }) => status !== 429);
  },
  'undeclared-tools': async (running) => {
    const session = await begin(running);
    const { tool, argumentsWith, marker } = running.weakSpot;
    const listed = (await session.list()).map((one: Values) => one['name']);
    const answer = await session.call(tool, argumentsWith('Basel'));
    return !listed.includes(tool) && answer.text.includes(marker);
  },
};

async function isLetIn(
  running: RunningTarget,
  tries: readonly Readonly<Record<string, string>>[],
): Promise<boolean> {
  for (const headers of tries) {
    const { status } = await send(running, { body: hello(), headers });
    if (status === 200) return true;
  }
  return false;
}

// Which share of the places holds the same letter.
function sharedShare(first: string, second: string): number {
  if (first.length === 0) return 0;
  const same = Array.from(first).filter((letter, index) => second[index] === letter).length;
  return same / first.length;
}

function isHashOfCount(id: string): boolean {
  return /^[0-9a-f]{32}$/.test(id);
}

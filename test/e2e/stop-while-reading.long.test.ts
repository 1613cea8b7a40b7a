import { afterAll, expect, test } from 'vitest';
import { createPayer } from '../support/payer.ts';
import { challengeFor, payFor, rawCall } from '../support/raw-calls.ts';
import { cleanUp, freshDataDir, fund, startRealServer, until } from '../support/real-server.ts';
import { startTarget } from '../support/targets/start-target.ts';
import type { PlannedTool, Target } from '../support/targets/target.ts';

const TOOL = 'security_framework-audit';
/** Far below the 30 seconds after which an orderly end is given up, with room for a busy machine. */
const END_MS = 15_000;
const TOOLS = 8;
/** One answer holds all tools, and is read up to a megabyte. */
const LISTED_CHARS = 15_000;
const ANSWER_CHARS = 300_000;
/** Units that patterns without a bound took the square of their length for. */
const UNITS = [
  '<a href=xhref=x',
  ' \n',
  'do not ',
  '![',
  '{"a":',
  'a-',
  '../',
  'api_key=x ',
  '\u200b',
];

afterAll(cleanUp);

/** A target whose tools describe themselves, and answer, at the bound of what is read. */
const hostile: Target = {
  name: 'long-texts',
  category: 'ASI01',
  fault: 'Its texts are made to be read for as long as can be.',
  make: () => ({
    serverInfo: { name: 'long-texts', version: '1.0.0' },
    instructions: long(UNITS[0]),
    tools: () => Array.from({ length: TOOLS }, (_one, at) => toolOf(at)),
    weakSpot: { tool: 'look_0', argumentsWith: () => ({}), marker: 'x' },
  }),
};

test('ends with 0 on SIGTERM while hostile texts of an audited server are read', {
  timeout: 180_000,
}, async () => {
  const server = await startRealServer(freshDataDir(), [], { STOA_AUDIT_ALLOW_INTERNAL: '1' });
  const target = await startTarget(hostile, { seed: 1, fixed: false });
  const payer = createPayer();
  await fund(server, payer.address, '20');
  const call = { ready: server.ready, carrier: 'meta', tool: TOOL } as const;
  const first = await rawCall({ ...call, args: { target: target.url } });
  const { data } = Object(first.result['structuredContent']);
  target.serveWellKnown('stoa-audit.txt', data.serve_text);
  const args = { target: target.url, consent: { nonce: data.nonce }, wait_s: 0 };
  const payment = await payFor(payer, await challengeFor({ ...call, args }));
  const bought = await rawCall({ ...call, args, payments: [payment] });
  expect(bought.result['structuredContent']).toMatchObject({ status: 'working' });
  await until(() => target.observed.calls.length > 0);
  const begun = performance.now();
  expect(await server.stop()).toBe(0);
  expect(performance.now() - begun).toBeLessThan(END_MS);
  await target.close();
});

function toolOf(at: number): PlannedTool {
  const unit = UNITS[at % UNITS.length];
  const text = long(unit, LISTED_CHARS);
  return {
    definition: {
      name: `look_${at}`,
      description: `Looks at the page ${at}. ${text}`,
      inputSchema: { type: 'object', properties: { page: { type: 'string', description: text } } },
      annotations: { readOnlyHint: true },
    },
    run: () => ({ text: long(unit, ANSWER_CHARS) }),
  };
}

function long(unit = 'a', chars = LISTED_CHARS): string {
  return unit.repeat(Math.ceil(chars / unit.length));
}

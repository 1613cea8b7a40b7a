import { setTimeout as pause } from 'node:timers/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PaymentRequired } from '../../src/domain/payment/payment.ts';
import { connectCommand, freePort } from '../support/connect-spawn.ts';
import {
  type DoubleOptions,
  type DoubleTurn,
  type LlmDouble,
  startLlmDouble,
  turnAnswer,
} from '../support/llm-double.ts';
import { HAS_OTHER_NODES } from '../support/other-node.ts';
import { createPayer } from '../support/payer.ts';
import {
  cleanUp,
  freshDataDir,
  fund,
  inBandPayment,
  type RealServer,
  startRealServer,
} from '../support/real-server.ts';
import { ASKING, DEBATE } from '../support/task-world.ts';
import { type Address, CLIENTS, type ClientRow, type Outcome, type Step } from './expected.ts';
import { type InstalledClients, installClients } from './installed-clients.ts';
import { type ClientRun, endClients, type Given, startClient } from './run-clients.ts';

/**
 * A panel that still works when a program ends: its model changes its mind in each of 3 rounds, and
 * an answer takes about 55 s. A turn must end within its limit of 90 s, which is 36 s where another
 * model can substitute: a model that fails twice is not offered for a while, and the next panel
 * is refused.
 */
const SLOW = {
  models: ['openai:gpt-a'],
  double: {
    chunkMs: 2_000,
    chunkChars: 5,
    script: (turn: DoubleTurn) => ({
      answer: turnAnswer(turn, turn.optionIds[turn.nth % turn.optionIds.length] ?? 'o0'),
    }),
  },
  order: { ...ASKING, seats_by: 'models', max_rounds: 3, deadline_s: 900, wait_s: 0 },
};
/** Models whose panels last long enough to kill the server in their middle. */
const STEADY = {
  models: ['openai:gpt-a', 'openai:llama-b', 'anthropic:claude-c'],
  double: { chunkMs: 600, chunkChars: 8 },
};
/** Programs that run at the same time. */
const AT_ONCE = 3;
/** Longer than the default patience of clients, which some of them have no option for. */
const DOWN_MS = 6_000;
const FIRST_STEPS: readonly Step[] = ['connect'];

const runs = new Map<string, ClientRun[]>();
const doubles: LlmDouble[] = [];
let installed: InstalledClients | undefined;
let leftOut: string | undefined;

beforeAll(async () => {
  leftOut = await prepare();
}, 900_000);
afterAll(async () => {
  endClients();
  installed?.remove();
  await cleanUp();
  await Promise.all(doubles.map((double) => double.stop()));
});

/** Runs all programs. @returns Why the matrix is left out, if it is. */
async function prepare(): Promise<string | undefined> {
  const isCi = process.env['CI'] === 'true';
  if (!HAS_OTHER_NODES && !isCi) return 'there is no other Node for this platform';
  const found = await installClients().catch((thrown: Error) => {
    if (isCi) throw thrown;
    return `the clients cannot be installed: ${thrown.message.slice(0, 300)}`;
  });
  if (typeof found === 'string') return found;
  installed = found;
  const lasting = await world(found, SLOW);
  await runEach(lasting);
  await lasting.server.stop();
  await killInTheMiddle(await world(found, STEADY));
  return undefined;
}

/** A server with the given models, and a wallet that can pay. */
async function world(
  installed: InstalledClients,
  { models, double: options }: { models: readonly string[]; double: DoubleOptions },
): Promise<Given> {
  const double = await startLlmDouble(options);
  doubles.push(double);
  const env = {
    STOA_LLM_MODELS: double.models(...models),
    STOA_LLM_PRICES: double.prices(...models),
  };
  const flags = ['--port', String(await freePort())];
  const start = (dataDir: string) => startRealServer(dataDir, flags, env);
  const server = await start(freshDataDir());
  const payer = createPayer();
  await fund(server, payer.address, '200');
  const line = await connectCommand(server.ready.mcp, server.dataDir);
  const tools = {
    server: await countTools(new StreamableHTTPClientTransport(new URL(server.ready.mcp))),
    bridge: await countTools(new StdioClientTransport({ ...line, stderr: 'ignore' })),
  };
  const given = { installed, server, payer, tools, start };
  return { ...given, slowJob: '' };
}

async function countTools(
  transport: StreamableHTTPClientTransport | StdioClientTransport,
): Promise<number> {
  const client = new Client({ name: 'count', version: '1' });
  await client.connect(transport);
  const { tools } = await client.listTools();
  await client.close();
  return tools.length;
}

/** A panel that is still working when the client asks for it. */
async function buySlowJob({ server, payer }: Pick<Given, 'server' | 'payer'>): Promise<string> {
  return withClient(server, async (client) => {
    const order = { name: DEBATE, arguments: SLOW.order };
    const asked = await client.callTool(order);
    expect(asked).toMatchObject({ structuredContent: { x402Version: 2 } });
    const challenge = PaymentRequired.parse(asked.structuredContent);
    const _meta = await inBandPayment(payer, challenge);
    const paid = await client.callTool({ ...order, _meta });
    expect(paid).toMatchObject({ structuredContent: { status: 'working' } });
    return String(Object(paid.structuredContent).job_id);
  });
}

/** A server runs a limited number of panels at once. */
async function cancelJob(server: RealServer, jobId: string): Promise<void> {
  await withClient(server, (client) =>
    client.callTool({ name: 'get_result', arguments: { job_id: jobId, cancel: true } }),
  );
}

async function withClient<Result>(
  { ready }: RealServer,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client({ name: 'buyer', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(ready.mcp)));
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

/** Takes every step but `resume`, a few programs at a time. */
async function runEach(given: Given): Promise<void> {
  const waiting = [...CLIENTS];
  const work = async (): Promise<void> => {
    for (let row = waiting.shift(); row !== undefined; row = waiting.shift()) {
      const next = row;
      const slowJob = await buySlowJob(given);
      const { ended } = await startClient({ ...given, slowJob }, row, (address) =>
        stepsOf(next, address).filter((step) => step !== 'resume'),
      );
      keep(await ended);
      await cancelJob(given.server, slowJob);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

/** Has all programs in the middle of a paid panel, kills the server and starts the next one. */
async function killInTheMiddle(given: Given): Promise<void> {
  const resumed = CLIENTS.flatMap((row) =>
    (Object.keys(row.at) as Address[])
      .filter((address) => row.at[address]?.resume !== undefined)
      .map((address) => ({ row, address })),
  );
  const started = await Promise.all(
    resumed.map(({ row, address }) =>
      startClient(given, row, (at) => (at === address ? [...FIRST_STEPS, 'resume'] : [])),
    ),
  );
  await Promise.all(started.map((client) => client.reached('ready')));
  for (const client of started) client.go();
  await Promise.all(started.map((client) => client.reached('begun')));
  const early = started.filter((client) => client.resumed()?.ok === true);
  expect(early, 'panels that were decided before the server was killed').toEqual([]);
  await given.server.kill();
  await pause(DOWN_MS);
  await given.start(given.server.dataDir);
  for (const client of started) client.allowMoreTime();
  for (const run of await Promise.all(started.map((client) => client.ended))) keep(run);
}

function keep(run: ClientRun): void {
  runs.set(run.program, [...(runs.get(run.program) ?? []), run]);
}

function stepsOf(row: ClientRow, address: Address): readonly Step[] {
  return Object.keys(row.at[address] ?? {}) as Step[];
}

function isStep(step: Step | 'ready' | 'begun'): step is Step {
  return step !== 'ready' && step !== 'begun';
}

/** What a client did at an address, in the form of the expected table. */
function seen(
  row: ClientRow,
  address: Address,
  made: readonly ClientRun[],
): Record<string, string> {
  const outcomes: Record<string, string> = {};
  for (const { step, ok, detail, ...line } of made.flatMap(({ lines }) => lines)) {
    if (line.address !== address || !isStep(step)) continue;
    const expected: Outcome | undefined = row.at[address]?.[step];
    const isKnown = typeof expected === 'object' && !ok && expected.detail.test(detail);
    const outcome = isKnown ? expected.cannot : detail;
    // A second run connects again: what failed once counts.
    if (outcomes[step] === undefined || !ok) outcomes[step] = ok ? 'works' : outcome;
  }
  return outcomes;
}

function expectedOutcomes(row: ClientRow, address: Address): Record<string, string> {
  const entries = Object.entries(row.at[address] ?? {});
  return Object.fromEntries(
    entries.map(([step, one]) => [step, typeof one === 'string' ? one : one.cannot]),
  );
}

describe.each(CLIENTS)('$package $version ($program)', (row) => {
  test.for(Object.keys(row.at) as Address[])('at %s', (address, { skip }) => {
    if (leftOut !== undefined) skip(leftOut);
    const made = runs.get(row.program) ?? [];
    expect(seen(row, address, made)).toEqual(expectedOutcomes(row, address));
  });

  test('its programs end by themselves', ({ skip }) => {
    if (leftOut !== undefined) skip(leftOut);
    const made = runs.get(row.program) ?? [];
    expect(made.map(({ code, errors }) => (code === 0 ? 'ended' : `${code}: ${errors}`))).toEqual(
      made.map(() => 'ended'),
    );
    expect(made.length).toBeGreaterThan(0);
  });
});

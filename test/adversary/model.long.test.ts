import { afterAll, beforeAll, expect, test } from 'vitest';
import { takeLlmTurn } from '../../src/actors/panel/llm-turn.ts';
import { SlowSeats } from '../../src/actors/panel/turn-models.ts';
import { parseAnswer } from '../../src/domain/debate/panel.ts';
import type { TurnOrder } from '../../src/domain/panel/order.ts';
import type { Seat } from '../../src/domain/panel/records.ts';
import { createLlm, type Llm } from '../../src/providers/llm/create-llm.ts';
import { briefWith, memoryBlobs, seatsOf } from '../support/debate.ts';
import {
  type HostileHost,
  hostileJson,
  hostileText,
  startHostileHost,
  wired,
} from '../support/hostile-answers.ts';
import { startLoopMeter } from '../support/loop-meter.ts';
import { realClock } from '../support/real-clock.ts';
import { type Attempt, search, searchMs } from './search.ts';

const TURN_MS = 1_000;
const STREAM_CHARS_MAX = 8_000_000;
const LIMIT_MS = searchMs() + 60_000;
const VENDORS = ['openai', 'anthropic'] as const;
const BRIEF = briefWith();
/** Host and reader share this process. */
const STALL_MS = 1_000;
/** What an honest seat would say, in pieces. */
const VOTE = '{"ranking":["o2","o1","o3"],"argument":"because","confidence":0.7,"evidence_ids":[]}';

let host: HostileHost;
let llm: Llm;
beforeAll(async () => {
  host = await startHostileHost();
  const models = VENDORS.map((vendor) => `${vendor}:m@${host.url}`).join();
  const prices = VENDORS.map((vendor) => `${vendor}:m=1/2`).join();
  llm = createLlm({ models, prices, keys: () => 'k', clock: realClock });
});
afterAll(async () => await host.close());

test('whatever a model sends, a turn is valid or says why not, and no vote comes from nothing', {
  timeout: LIMIT_MS,
}, async () => {
  await search('model', turnOnce, { roundsMin: 20 });
});

async function turnOnce(attempt: Attempt): Promise<void> {
  const vendor = attempt.pick(VENDORS);
  const said: string[] = [];
  // Made before anything is measured: to make it takes longer than to read it.
  const answer = wired(attempt, stream(attempt, vendor, said).slice(0, STREAM_CHARS_MAX));
  host.answer(() => answer);
  const blobs = memoryBlobs();
  const order = voteOf(`${vendor}:m`);
  const meter = startLoopMeter();
  const turn = await takeLlmTurn(order, {
    llm,
    blobs,
    slow: new SlowSeats(),
    parse: (value) => parseAnswer(value, { ...BRIEF, phase: order.phase }),
    prompt: { system: 's', prompt: 'p', schema: { name: 'vote', jsonSchema: { type: 'object' } } },
    context: {
      actorId: 'a',
      token: 't',
      attempt: 1,
      now: Date.now,
      show: () => undefined,
      signal: new AbortController().signal,
      tell: () => Promise.reject(new Error('a turn tells nobody')),
      create: () => Promise.reject(new Error('a turn creates nothing')),
      enqueue: () => Promise.reject(new Error('a turn enqueues nothing')),
      heartbeat: () => undefined,
      sendBack: () => undefined,
      receive: () => undefined,
    },
  });
  const { longestCpuMs, grownBytes } = meter.stop();
  expect(longestCpuMs, 'a turn of the event loop').toBeLessThan(STALL_MS);
  expect(grownBytes, 'memory').toBeLessThan(200_000_000);
  expect(turn.usage.input + turn.usage.output).toBeLessThan(1e9);
  expect(turn.costMicroUsd ?? '0').toMatch(/^\d{1,13}$/);
  JSON.stringify(turn);
  if (turn.status !== 'ok') {
    expect(turn.ranking, 'a turn that failed').toBeUndefined();
    expect(turn.position, 'a turn that failed').toBeUndefined();
    return;
  }
  // Only a text that the model has sent as its answer, whole, can be a vote.
  const text = blobs.texts.get(turn.outputSha) ?? '';
  expect(said.join('')).toContain(text);
  const ranked = /"ranking":\s*(\[[^\]]*\])/.exec(text)?.[1];
  expect(turn.ranking, text).toEqual(JSON.parse(ranked ?? 'null'));
}

function voteOf(modelId: string): TurnOrder {
  const [seat] = seatsOf(1) as [Seat];
  return {
    turnId: 'p/vote/0/s0',
    phase: 'vote',
    round: 0,
    seat: { ...seat, model: modelId },
    briefSha: '',
    seed: 's',
    citedIds: [],
    allowanceMicroUsd: '1000000',
    timeoutMs: TURN_MS,
  } as TurnOrder;
}

/** A stream of events of which many are wrong; `said` gets the texts of those that are right. */
function stream(attempt: Attempt, vendor: (typeof VENDORS)[number], said: string[]): string {
  const { pick, integer, size, random } = attempt;
  const line = pick(['\n', '\n', '\n', '\r\n', '\r']);
  const events = [...begin(vendor)];
  const isHonest = random() < 0.3;
  const pieces = isHonest ? (VOTE.match(/.{1,7}/gs) ?? []) : [];
  for (const piece of pieces) events.push(textEvent(vendor, piece));
  const oddities = integer(0, isHonest ? 2 : 20 * size);
  for (let n = 0; n < oddities; n += 1) {
    const odd = oddEvent(attempt, vendor);
    if (isHonest) events.splice(integer(0, events.length), 0, odd);
    else events.push(odd);
  }
  if (random() < 0.8) events.push(...end(attempt, vendor));
  for (const event of events) said.push(textIn(event, vendor));
  const text = events.map((event) => framed(attempt, event, line)).join('');
  return random() < 0.1 ? hostileText(attempt) + text : text;
}

function begin(vendor: string): readonly string[] {
  if (vendor === 'openai') return [];
  return ['{"type":"message_start","message":{"usage":{"input_tokens":5,"output_tokens":0}}}'];
}

function textEvent(vendor: string, text: string): string {
  const quoted = JSON.stringify(text);
  return vendor === 'openai'
    ? `{"choices":[{"index":0,"delta":{"content":${quoted}}}]}`
    : `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":${quoted}}}`;
}

function end({ pick }: Attempt, vendor: string): readonly string[] {
  const usage = pick(['1e999', '-5', '"many"', '[]', '9007199254740993', '12', 'null', '{}']);
  const reason = pick(['"stop"', '"stop"', '"length"', '7', '{"a":1}', 'null']);
  if (vendor === 'openai') {
    return [
      `{"choices":[{"index":0,"delta":{},"finish_reason":${reason}}]}`,
      `{"choices":[],"usage":{"prompt_tokens":${usage},"completion_tokens":${usage},"cost":${usage}}}`,
      ...pick([['[DONE]'], []]),
    ];
  }
  const said = reason === '"stop"' ? '"end_turn"' : reason;
  const cached = pick(['0', usage]);
  return [
    `{"type":"message_delta","delta":{"stop_reason":${said}},"usage":{"output_tokens":${usage},"cache_read_input_tokens":${cached}}}`,
    ...pick([['{"type":"message_stop"}'], []]),
  ];
}

/** Reasoning without an end, calls of tools, wrong types, deep values, and what is no JSON. */
function oddEvent(attempt: Attempt, vendor: string): string {
  const { pick } = attempt;
  const long = JSON.stringify(hostileText(attempt).slice(0, 20_000));
  const value = pick([hostileJson(attempt).slice(0, 50_000), long, 'null', '7', '[]']);
  if (vendor === 'openai') {
    return pick([
      `{"choices":[{"delta":{"reasoning_content":${long}}}]}`,
      `{"choices":[{"delta":{"tool_calls":[{"function":{"name":"vote","arguments":${JSON.stringify(VOTE)}}}]}}]}`,
      `{"choices":[{"delta":{"content":${value}}}]}`,
      `{"choices":[{"delta":${value}}]}`,
      `{"choices":${value}}`,
      `{"choices":[{"message":{"content":${JSON.stringify(VOTE)}},"finish_reason":"stop"}]}`,
      `{"error":${value}}`,
      value,
    ]);
  }
  return pick([
    `{"type":"content_block_delta","delta":{"type":"thinking_delta","thinking":${long}}}`,
    `{"type":"content_block_delta","delta":{"type":"input_json_delta","partial_json":${JSON.stringify(VOTE)}}}`,
    `{"type":"content_block_delta","delta":{"type":"text_delta","text":${value}}}`,
    `{"type":"message_start","message":${value}}`,
    `{"type":"message_delta","delta":{"stop_reason":${value}},"usage":${value}}`,
    `{"type":"error","error":${value}}`,
    `{"type":${value}}`,
    value,
  ]);
}

/** The text that an event says is part of the answer; empty where it says none. */
function textIn(event: string, vendor: string): string {
  try {
    const value = JSON.parse(event);
    const [choice] = value?.choices ?? [];
    const message = choice?.delta ?? choice?.message;
    const text = vendor === 'openai' ? message?.content : value?.delta?.text;
    return typeof text === 'string' ? text : '';
  } catch {
    return '';
  }
}

function framed({ pick }: Attempt, event: string, line: string): string {
  const name = /^\{"type":"(\w+)"/.exec(event)?.[1];
  const head = name === undefined ? '' : `event: ${name}${line}`;
  const noise = pick(['', '', '', `: ping${line}`, `id: 1${line}`, `retry: 1${line}`]);
  const data = pick(['data: ', 'data:', 'data: ', 'data: ', 'data: ', 'data: ', 'dat: ']);
  return `${noise}${head}${data}${event}${line}${line}`;
}

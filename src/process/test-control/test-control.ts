import { AppError, errorBody, toAppError } from '../../domain/common/error.ts';
import type { Json } from '../../domain/common/json.ts';
import { EngineError } from '../../runtime/engine/error.ts';
import type { ActorEngine, EffectResult, EffectRow } from '../../runtime/engine/types.ts';
import type { Borders } from './test-control-borders.ts';
import type { TestClock } from './test-control-clock.ts';
import type { ToldPrices } from './test-control-prices.ts';
import { COMMANDS, TestCommand } from './test-control-words.ts';

/** Most development actors that `effects` examines. */
const ACTORS_MAX = 1_000;

/** The components that the test-control socket controls. */
export interface TestControlParts {
  readonly clock: TestClock;
  readonly borders: Borders;
  readonly prices: ToldPrices;
  readonly engine: ActorEngine;
  /** Kinds whose effects are listed and settled. */
  readonly developmentKinds: readonly string[];
  /** Waits until the server is idle. @throws {AppError} `NOT_AT_REST` */
  rest(): Promise<void>;
}

/** Executes one command line and returns the reply line. Never throws. */
export async function answerCommand(parts: TestControlParts, line: string): Promise<string> {
  const raw = jsonOf(line);
  const id = (raw as { readonly id?: unknown } | undefined)?.id;
  const named = typeof id === 'string' || typeof id === 'number' ? { id } : {};
  try {
    const result = await carryOut(parts, parse(raw, line));
    return JSON.stringify({ ...named, ok: true, result });
  } catch (thrown) {
    return JSON.stringify({ ...named, ok: false, error: refusalOf(thrown) });
  }
}

function carryOut(parts: TestControlParts, command: TestCommand): Promise<Json> | Json {
  const { clock, borders } = parts;
  switch (command.do) {
    case 'clock.now':
      return timeOf(clock);
    case 'clock.advance':
      return moved(parts, clock.now() + command.ms);
    case 'clock.set':
      return moved(parts, typeof command.at === 'string' ? Date.parse(command.at) : command.at);
    case 'clock.run':
      clock.run(command.speed);
      return timeOf(clock);
    case 'quiesce':
      return rested(parts);
    case 'fault': {
      const { name, where, count, ms = 0, about, kept } = command;
      borders.arm({ name, where, count, ms, about, kept });
      return stateOf(parts);
    }
    case 'fail_commit':
      borders.failNextCommit();
      return stateOf(parts);
    case 'release':
      return released(parts, command);
    case 'clear':
      borders.clear();
      return rested(parts);
    case 'effects':
      return effectsOf(parts);
    case 'settle':
      return settled(parts, command);
    case 'price': {
      const { pair, venue, price } = command;
      parts.prices.tell({ pair, venue }, price);
      return stateOf(parts);
    }
    case 'actor':
      return actorOf(parts, command.actorId);
    case 'state':
      return stateOf(parts);
  }
}

async function moved(parts: TestControlParts, at: number): Promise<Json> {
  await parts.clock.moveTo(at);
  return timeOf(parts.clock);
}

async function rested(parts: TestControlParts): Promise<Json> {
  await parts.rest();
  return stateOf(parts);
}

async function released(
  parts: TestControlParts,
  { where, about, how }: Extract<TestCommand, { do: 'release' }>,
): Promise<Json> {
  if (!parts.borders.release(where, how, about)) {
    throw new AppError('INPUT_INVALID', {
      message: `No call is held at ${where}. Inject held_call to hold the next one.`,
      data: { where, about, held: parts.borders.held },
    });
  }
  return rested(parts);
}

async function effectsOf({ engine, developmentKinds }: TestControlParts): Promise<Json> {
  const found: Json[] = [];
  let isWhole = true;
  for (const kind of developmentKinds) {
    const { rows, cursor } = await engine.list({ kind, status: 'active', limit: ACTORS_MAX });
    if (cursor !== undefined) isWhole = false;
    for (const { id } of rows) {
      const { effects } = await engine.view(id);
      found.push(...effects.map((effect) => ({ actorId: id, kind, ...effectLine(effect) })));
    }
  }
  return { effects: found, isWhole };
}

async function settled(
  parts: TestControlParts,
  { token, result }: Extract<TestCommand, { do: 'settle' }>,
): Promise<Json> {
  const ack = await parts.engine.complete(token, result as EffectResult);
  await parts.rest();
  return plain(ack);
}

async function actorOf({ engine, clock }: TestControlParts, actorId: string): Promise<Json> {
  const view = await engine.view(actorId);
  const { id, kind, version, seq, status, value, context } = view;
  const timers = view.timers.map(({ timerId, due }) => {
    return { timerId, due, dueInMs: due - clock.now() };
  });
  const effects = view.effects.map(effectLine);
  return plain({ id, kind, version, seq, status, value, context, timers, effects });
}

function stateOf({ clock, borders, engine, developmentKinds }: TestControlParts): Json {
  const { live, pendingCommits, runningEffects, nextDue, globalSeq } = engine.stats();
  return {
    ...timeOf(clock),
    ...{ live, pendingCommits, runningEffects, globalSeq },
    nextDue: nextDue ?? null,
    callsUnderWay: borders.underWay,
    held: borders.held,
    heldAbout: borders.heldAbout,
    faults: borders.armed.map((fault) => ({ ...fault })),
    developmentKinds,
  };
}

function timeOf(clock: TestClock) {
  const now = clock.now();
  return { now, at: new Date(now).toISOString(), speed: clock.speed };
}

function effectLine({ childId, src, token, attempt, waiting }: EffectRow) {
  return { childId, src, token, attempt, waiting };
}

/** Keeps the codes of engine errors, which test clients know. */
function refusalOf(thrown: unknown) {
  if (thrown instanceof EngineError) return { code: thrown.code, message: thrown.message };
  const { error: code, message, data } = errorBody(toAppError(thrown));
  return { code, message, ...(data === undefined ? {} : { data }) };
}

function parse(raw: unknown, line: string): TestCommand {
  const parsed = TestCommand.safeParse(raw);
  if (parsed.success) return parsed.data;
  const { path = [], message = '' } = parsed.error.issues[0] ?? {};
  const place = path.length === 0 ? 'the line' : path.join('.');
  throw new AppError('INPUT_INVALID', {
    message: `A command must be one JSON object per line: ${place}: ${message}.`,
    data: { received: line.slice(0, RECEIVED_CHARS), allowed: COMMANDS },
  });
}

/** Length of the invalid line in the reply, in characters. */
const RECEIVED_CHARS = 200;

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function plain(value: unknown): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}

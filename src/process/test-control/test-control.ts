import { AppError, errorBody, toAppError } from '../../domain/common/error.ts';
import { type Json, tryParseJson } from '../../domain/common/json.ts';
import { EngineError } from '../../runtime/engine/error.ts';
import type { ActorEngine, EffectResult, EffectRow } from '../../runtime/engine/types.ts';
import type { FaultInjection } from './fault-injection.ts';
import type { TestClock } from './test-control-clock.ts';
import { COMMANDS, TestCommand } from './test-control-commands.ts';
import type { TestPrices } from './test-control-prices.ts';

/** Most development actors that `effects` examines. */
const ACTORS_MAX = 1_000;

/** The components that the test-control socket controls. */
export interface TestControlDeps {
  readonly clock: TestClock;
  readonly borders: FaultInjection;
  readonly prices: TestPrices;
  readonly engine: ActorEngine;
  /** Kinds whose effects are listed and settled. */
  readonly developmentKinds: readonly string[];
  /** Waits until the server is idle. @throws {AppError} `NOT_AT_REST` */
  rest(): Promise<void>;
}

/** Executes one command line and returns the reply line. Never throws. */
export async function answerCommand(parts: TestControlDeps, line: string): Promise<string> {
  const raw = tryParseJson(line);
  const id = (raw as { readonly id?: unknown } | undefined)?.id;
  const named = typeof id === 'string' || typeof id === 'number' ? { id } : {};
  try {
    const result = await execute(parts, parse(raw, line));
    return JSON.stringify({ ...named, ok: true, result });
  } catch (thrown) {
    return JSON.stringify({ ...named, ok: false, error: toErrorBody(thrown) });
  }
}

function execute(parts: TestControlDeps, command: TestCommand): Promise<Json> | Json {
  const { clock, borders } = parts;
  switch (command.do) {
    case 'clock.now':
      return describeTime(clock);
    case 'clock.advance':
      return moveClock(parts, clock.now() + command.ms);
    case 'clock.set':
      return moveClock(parts, typeof command.at === 'string' ? Date.parse(command.at) : command.at);
    case 'clock.run':
      clock.run(command.speed);
      return describeTime(clock);
    case 'quiesce':
      return settleState(parts);
    case 'fault': {
      const { name, where, count, ms = 0, about, kept } = command;
      borders.arm({ name, where, count, ms, about, kept });
      return describeState(parts);
    }
    case 'fail_commit':
      borders.failNextCommit();
      return describeState(parts);
    case 'release':
      return releaseCall(parts, command);
    case 'clear':
      borders.clear();
      return settleState(parts);
    case 'effects':
      return listEffects(parts);
    case 'settle':
      return settleEffect(parts, command);
    case 'price': {
      const { pair, venue, price } = command;
      parts.prices.set({ pair, venue }, price);
      return describeState(parts);
    }
    case 'actor':
      return describeActor(parts, command.actorId);
    case 'state':
      return describeState(parts);
  }
}

async function moveClock(parts: TestControlDeps, at: number): Promise<Json> {
  await parts.clock.moveTo(at);
  return describeTime(parts.clock);
}

async function settleState(parts: TestControlDeps): Promise<Json> {
  await parts.rest();
  return describeState(parts);
}

async function releaseCall(
  parts: TestControlDeps,
  { where, about, how }: Extract<TestCommand, { do: 'release' }>,
): Promise<Json> {
  if (!parts.borders.release(where, how, about)) {
    throw new AppError('INPUT_INVALID', {
      message: `No call is held at ${where}. Inject held_call to hold the next one.`,
      data: { where, about, held: parts.borders.held },
    });
  }
  return settleState(parts);
}

async function listEffects({ engine, developmentKinds }: TestControlDeps): Promise<Json> {
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

async function settleEffect(
  parts: TestControlDeps,
  { token, result }: Extract<TestCommand, { do: 'settle' }>,
): Promise<Json> {
  const ack = await parts.engine.complete(token, result as EffectResult);
  await parts.rest();
  return toJson(ack);
}

async function describeActor({ engine, clock }: TestControlDeps, actorId: string): Promise<Json> {
  const view = await engine.view(actorId);
  const { id, kind, version, seq, status, value, context } = view;
  const timers = view.timers.map(({ timerId, due }) => {
    return { timerId, due, dueInMs: due - clock.now() };
  });
  const effects = view.effects.map(effectLine);
  return toJson({ id, kind, version, seq, status, value, context, timers, effects });
}

function describeState({ clock, borders, engine, developmentKinds }: TestControlDeps): Json {
  const { live, pendingCommits, runningEffects, nextDue, globalSeq } = engine.stats();
  return {
    ...describeTime(clock),
    live,
    pendingCommits,
    runningEffects,
    globalSeq,
    nextDue: nextDue ?? null,
    callsUnderWay: borders.underWay,
    held: borders.held,
    heldAbout: borders.heldAbout,
    faults: borders.armed.map((fault) => ({ ...fault })),
    developmentKinds,
  };
}

function describeTime(clock: TestClock) {
  const now = clock.now();
  return { now, at: new Date(now).toISOString(), speed: clock.speed };
}

function effectLine({ childId, src, token, attempt, waiting }: EffectRow) {
  return { childId, src, token, attempt, waiting };
}

/** Keeps the codes of engine errors, which test clients know. */
function toErrorBody(thrown: unknown) {
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

function toJson(value: unknown): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}

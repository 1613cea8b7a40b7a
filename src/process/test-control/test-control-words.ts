import { z } from 'zod';
import { DAY_MS } from '../../domain/common/time.ts';

/** Farthest that one command moves the clock, in milliseconds: twenty years. */
export const ADVANCE_MS_MAX = 20 * 366 * DAY_MS;
/** Most calls that one fault is for. */
const COUNT_MAX = 10_000;
/** Longest beginning of what a call is about. */
const ABOUT_CHARS_MAX = 256;
/** Fastest that the clock may run by itself, in simulated milliseconds per millisecond. */
const SPEED_MAX = 10_000;

/**
 * Places where the server speaks to the outside; faults are injected there. At `chain.facts` each
 * confirmed log of the escrow passes on its way to its job, about its key. At `effect` the work of
 * an actor begins, about `<actor id>.<name of the effect>`.
 */
export const Border = z.enum([
  'chain.check',
  'chain.settle',
  'chain.look_up',
  'chain.transfer',
  'chain.call',
  'chain.read',
  'chain.facts',
  'effect',
  'llm',
  'egress',
]);
/** See the schema. */
export type Border = z.infer<typeof Border>;

/**
 * What may go wrong with a call: its answer is lost after it was carried out, it is not carried
 * out, it begins later, or it waits for `release`.
 */
export const CallFault = z.enum(['lost_reply', 'failed_call', 'delayed_call', 'held_call']);
/** See the schema. */
export type CallFault = z.infer<typeof CallFault>;

/** Faults as they are kept for the next process. */
export const KeptFaults = z.array(
  z.strictObject({
    name: CallFault,
    where: Border,
    count: z.int().min(1).max(COUNT_MAX),
    ms: z.int().min(0).max(ADVANCE_MS_MAX),
    about: z.string().max(ABOUT_CHARS_MAX),
    kept: z.literal(true),
  }),
);

/** How a call that was held goes on. */
export const Release = z.enum(['go', 'lost_reply', 'failed_call']);
/** See the schema. */
export type Release = z.infer<typeof Release>;

const At = z.union([z.int().min(0), z.iso.datetime({ offset: true })]);
const Count = z.int().min(1).max(COUNT_MAX).default(1);
/** What a call must be about: the beginning of it. Default: everything. */
const About = z.string().max(ABOUT_CHARS_MAX).default('');
const Ms = z.int().min(0).max(ADVANCE_MS_MAX);

/** How an effect of a development actor ends. */
const Result = z.discriminatedUnion('ok', [
  z.strictObject({ ok: z.literal(true), output: z.json() }),
  z.strictObject({
    ok: z.literal(false),
    error: z.strictObject({
      name: z.string().min(1).max(256),
      code: z.string().max(256).optional(),
      message: z.string().max(2_000),
    }),
  }),
]);

const Id = { id: z.union([z.string().max(128), z.int()]).optional() };

/** One line of a client of the test-control socket. Lines are carried out one after the other. */
export const TestCommand = z.discriminatedUnion('do', [
  z.strictObject({ ...Id, do: z.literal('clock.now') }),
  z.strictObject({ ...Id, do: z.literal('clock.advance'), ms: Ms }),
  z.strictObject({ ...Id, do: z.literal('clock.set'), at: At }),
  z.strictObject({
    ...Id,
    do: z.literal('clock.run'),
    /** 0 lets it stand, 1 is real time. */
    speed: z.number().min(0).max(SPEED_MAX),
  }),
  z.strictObject({ ...Id, do: z.literal('quiesce') }),
  z.strictObject({
    ...Id,
    do: z.literal('fault'),
    name: CallFault,
    where: Border,
    count: Count,
    /** Of `delayed_call`: how long the call waits by the server's clock. */
    ms: Ms.optional(),
    about: About,
    /** Armed again, as it was, when the next server begins in this data directory. */
    kept: z.boolean().default(false),
  }),
  z.strictObject({ ...Id, do: z.literal('fail_commit'), count: z.literal(1).default(1) }),
  z.strictObject({
    ...Id,
    do: z.literal('release'),
    where: Border,
    about: About,
    how: Release.default('go'),
  }),
  z.strictObject({ ...Id, do: z.literal('clear') }),
  z.strictObject({ ...Id, do: z.literal('effects') }),
  z.strictObject({
    ...Id,
    do: z.literal('settle'),
    token: z.string().min(1).max(1_024),
    result: Result,
  }),
  z.strictObject({
    ...Id,
    do: z.literal('price'),
    pair: z.string().min(1).max(32),
    venue: z.string().min(1).max(32),
    /** `null`: the venue does not answer. */
    price: z.strictObject({ value: z.string().max(64), asOf: z.int() }).nullable(),
  }),
  z.strictObject({ ...Id, do: z.literal('actor'), actorId: z.string().min(1).max(256) }),
  z.strictObject({ ...Id, do: z.literal('state') }),
]);
/** See the schema. */
export type TestCommand = z.infer<typeof TestCommand>;

/** Names of all commands, for a refusal that says what is allowed. */
export const COMMANDS: readonly string[] = TestCommand.options.map(
  (option) => option.shape.do.value,
);

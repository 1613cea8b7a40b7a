import { z } from 'zod';
import { DAY_MS } from '../../domain/common/time.ts';

/** Longest move of the clock by one command, in milliseconds: 20 years. */
export const ADVANCE_MS_MAX = 20 * 366 * DAY_MS;
/** Most calls that one fault affects. */
const COUNT_MAX = 10_000;
/** Longest prefix that selects calls by their subject, in characters. */
const ABOUT_CHARS_MAX = 256;
/** Fastest clock, in simulated milliseconds per millisecond. */
const SPEED_MAX = 10_000;

/**
 * Interfaces of the server where faults are injected. At `chain.facts`, each confirmed log of the
 * escrow passes on its way to its job; its subject is the key. At `effect`, an actor's effect
 * starts; its subject is `<actor id>.<name of the effect>`.
 */
export const InjectionPoint = z.enum([
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
/** An interface where faults are injected. */
export type InjectionPoint = z.infer<typeof InjectionPoint>;

/**
 * Faults of a call: its reply is lost after execution, it fails before execution, it starts later,
 * or it waits for `release`.
 */
export const CallFault = z.enum(['lost_reply', 'failed_call', 'delayed_call', 'held_call']);
/** A kind of call fault. */
export type CallFault = z.infer<typeof CallFault>;

/** Faults that persist for the next process. */
export const PersistentFaults = z.array(
  z.strictObject({
    name: CallFault,
    where: InjectionPoint,
    count: z.int().min(1).max(COUNT_MAX),
    ms: z.int().min(0).max(ADVANCE_MS_MAX),
    about: z.string().max(ABOUT_CHARS_MAX),
    kept: z.literal(true),
  }),
);

/** How a held call continues. */
export const Release = z.enum(['go', 'lost_reply', 'failed_call']);
/** An outcome of a held call. */
export type Release = z.infer<typeof Release>;

const At = z.union([z.int().min(0), z.iso.datetime({ offset: true })]);
const Count = z.int().min(1).max(COUNT_MAX).default(1);
/** Prefix of the call's subject. Default: every call. */
const About = z.string().max(ABOUT_CHARS_MAX).default('');
const Ms = z.int().min(0).max(ADVANCE_MS_MAX);

/** The result of a development actor's effect. */
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

/** One command line of a test-control client. Lines are executed one after the other. */
export const TestCommand = z.discriminatedUnion('do', [
  z.strictObject({ ...Id, do: z.literal('clock.now') }),
  z.strictObject({ ...Id, do: z.literal('clock.advance'), ms: Ms }),
  z.strictObject({ ...Id, do: z.literal('clock.set'), at: At }),
  z.strictObject({
    ...Id,
    do: z.literal('clock.run'),
    /** 0 stops the clock, 1 is real time. */
    speed: z.number().min(0).max(SPEED_MAX),
  }),
  z.strictObject({ ...Id, do: z.literal('quiesce') }),
  z.strictObject({
    ...Id,
    do: z.literal('fault'),
    name: CallFault,
    where: InjectionPoint,
    count: Count,
    /** For `delayed_call`: the delay on the server's clock. */
    ms: Ms.optional(),
    about: About,
    /** Arm the fault again when the next server starts in this data directory. */
    kept: z.boolean().default(false),
  }),
  z.strictObject({ ...Id, do: z.literal('fail_commit'), count: z.literal(1).default(1) }),
  z.strictObject({
    ...Id,
    do: z.literal('release'),
    where: InjectionPoint,
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
    /** `null` if the venue does not respond. */
    price: z.strictObject({ value: z.string().max(64), asOf: z.int() }).nullable(),
  }),
  z.strictObject({ ...Id, do: z.literal('actor'), actorId: z.string().min(1).max(256) }),
  z.strictObject({ ...Id, do: z.literal('state') }),
]);
/** A command of the test-control socket. */
export type TestCommand = z.infer<typeof TestCommand>;

/** Names of all commands, for errors that list the allowed ones. */
export const COMMANDS: readonly string[] = TestCommand.options.map(
  (option) => option.shape.do.value,
);

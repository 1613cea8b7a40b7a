import { AppError } from '../../domain/error.ts';
import type { LlmRequest } from '../../domain/ports/llm.ts';

/** Most tokens of one call that are believed. */
const TOKENS_MAX = 100_000_000;
/** No honest token is longer, in characters. */
const CHARS_PER_TOKEN_MAX = 64;

/**
 * What a vendor's own timer is given beyond the signal's time, in milliseconds: the signal ends the
 * call, and two timers for one moment would race for the name of the fault.
 */
const VENDOR_SLACK_MS = 5_000;

/** The timer of a vendor's package for an attempt, in milliseconds. */
export function vendorTimeoutMs({ remainingMs }: Attempt): number {
  return remainingMs + VENDOR_SLACK_MS;
}

/** How a model wants to be asked for JSON. */
export type AnswerFormat = 'json_schema' | 'json_object' | 'text';

/** What one attempt has brought so far. It stays readable when the attempt throws. */
export interface Gathered {
  text: string;
  /** The request went off. */
  wasAsked: boolean;
  /** The provider accepted it and began to answer. */
  hasBegun: boolean;
  /** Why the model stopped; `undefined` until the provider says so. */
  stop: 'complete' | 'refused' | 'cut' | undefined;
  /** Tokens as the provider billed them; `undefined` until it says so. */
  usage: GatheredUsage | undefined;
  /** Dollars that the provider itself names. */
  billedUsd: number | undefined;
  requestId: string | null;
}

/** See `LlmUsage`. */
export interface GatheredUsage {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
}

/** One attempt at a request. */
export interface Attempt {
  readonly request: LlmRequest;
  readonly signal: AbortSignal;
  /** Milliseconds until the signal aborts. */
  readonly remainingMs: number;
  readonly gathered: Gathered;
}

/** What a vendor's client is built from. */
export interface Access {
  readonly key: string | undefined;
  readonly fetch: typeof globalThis.fetch | undefined;
}

/** A vendor's protocol for one model. */
export interface Vendor {
  /** The way of asking that is known to work best by now. */
  speaker(): Speaker;
}

/** One way of asking. */
export interface Speaker {
  /** Fills `gathered`; throws whatever the vendor's package throws. */
  ask(attempt: Attempt): Promise<void>;
  /** After a refusal of the form: true when there is now another speaker worth an attempt. */
  adapt(words: string): boolean;
}

/**
 * Makes a vendor that remembers which dialect its host understands. Calls that run side by side
 * learn from one refusal once.
 */
export function learning<D>(
  first: D,
  ask: (dialect: D, attempt: Attempt) => Promise<void>,
  next: (dialect: D, words: string) => D | undefined,
): Vendor {
  let current = first;
  return {
    speaker: () => {
      const mine = current;
      return {
        ask: (attempt) => ask(mine, attempt),
        adapt: (words) => {
          if (current !== mine) return true;
          const better = next(mine, words);
          if (better === undefined) return false;
          current = better;
          return true;
        },
      };
    },
  };
}

/** Tokens that a host names: a whole number that a call can have, else the value before. */
export function countTokens(named: unknown, before = 0): number {
  const isCount = typeof named === 'number' && Number.isSafeInteger(named);
  return isCount && named >= 0 && named <= TOKENS_MAX ? named : before;
}

/** A fresh gathering. */
export function gather(): Gathered {
  return {
    text: '',
    wasAsked: false,
    hasBegun: false,
    stop: undefined,
    usage: undefined,
    billedUsd: undefined,
    requestId: null,
  };
}

/**
 * Adds streamed text and shows it.
 *
 * @throws {AppError} `EGRESS_TOO_LARGE` when a server keeps on beyond what was asked for.
 */
export function addText({ gathered, request }: Attempt, text: unknown): void {
  // A host may send anything in the place of a text; what is none is no part of an answer.
  if (typeof text !== 'string' || text === '') return;
  const charsMax = request.maxOutputTokens * CHARS_PER_TOKEN_MAX;
  if (gathered.text.length + text.length > charsMax) {
    gathered.stop = 'cut';
    throw new AppError('EGRESS_TOO_LARGE', { data: { charsMax } });
  }
  gathered.text += text;
  request.onDelta?.(text);
}

/** The system text, with the schema in words where the protocol does not carry it. */
export function systemText(request: LlmRequest, format: AnswerFormat): string {
  if (format === 'json_schema') return request.system;
  const schema = JSON.stringify(request.schema.jsonSchema);
  return `${request.system}\n\nAnswer with one JSON object, nothing else. JSON Schema: ${schema}`;
}

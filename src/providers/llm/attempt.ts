import type { Clock } from '../../domain/common/clock.ts';
import { AppError } from '../../domain/common/error.ts';
import { isObject } from '../../domain/common/json.ts';
import { readableLine } from '../../domain/common/readable.ts';
import { MINUTE_MS } from '../../domain/common/time.ts';
import type { LlmRequest } from '../../domain/llm/llm.ts';

/** Most tokens of one call that are worked with. */
const TOKENS_MAX = 100_000_000;
const SERVED_CHARS_MAX = 100;
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
  /** The mark came that ends a stream. */
  isDone: boolean;
  /** The model was seen thinking. Its thoughts are not kept. */
  hasThought: boolean;
  /** Why the model stopped; `undefined` until the provider says so. */
  stop: 'complete' | 'refused' | 'cut' | 'failed' | undefined;
  /** Tokens as the provider names them, not believed yet; `undefined` until it does. */
  usage: NamedUsage | undefined;
  /** Dollars that the provider itself names. */
  billedUsd: number | undefined;
  /** The model that the provider says has answered. */
  served: string | undefined;
  requestId: string | null;
}

/** See `LlmUsage`; what is not named, or is no count, is `undefined`. */
export interface NamedUsage {
  readonly input: number | undefined;
  readonly output: number | undefined;
  readonly cacheRead: number | undefined;
  readonly cacheWrite: number | undefined;
}

/** One attempt at a request. */
export interface Attempt {
  readonly request: LlmRequest;
  readonly signal: AbortSignal;
  /** Milliseconds until the signal aborts. */
  readonly remainingMs: number;
  readonly gathered: Gathered;
  /** Called when bytes of the answer come. */
  readonly onBytes: () => void;
}

/** What a vendor's client is built from. */
export interface Access {
  readonly key: string | undefined;
  readonly fetch: typeof globalThis.fetch | undefined;
  readonly clock: Clock;
}

/** A vendor's protocol for one model. */
export interface Vendor {
  /** Begins a call in the dialect that is known to work best by now. */
  open(): Speaker;
}

/** How one call asks. */
export interface Speaker {
  /** Fills `gathered`; throws whatever the vendor's package throws. */
  ask(attempt: Attempt): Promise<void>;
  /** After a refusal of the form: true when there is now another dialect worth an attempt. */
  adapt(words: string, request: LlmRequest): boolean;
  /** The host took the request: what the call has learned counts for later ones. */
  settle(): void;
}

/** How a dialect is found, used and kept. */
export interface Dialects<D> {
  readonly first: D;
  ask(dialect: D, attempt: Attempt): Promise<void>;
  /** The dialect to try after a refusal that names what it refuses. */
  next(dialect: D, words: string, request: LlmRequest): D | undefined;
  /** What of a dialect holds for other calls too. */
  lasting(dialect: D): D;
}

/** How long a host is taken at its word before the best dialect is tried again, in milliseconds. */
const LEARNED_MS = 10 * MINUTE_MS;

/**
 * Makes a vendor that remembers for a while which dialect its host understands. A call teaches only
 * what the host then accepted, and nothing that was due to its own request.
 */
export function learning<D>(dialects: Dialects<D>, clock: Clock): Vendor {
  let learned: { readonly dialect: D; readonly until: number } | undefined;
  const known = () => (learned !== undefined && clock.now() < learned.until ? learned : undefined);
  return {
    open: () => {
      let seen = known();
      let mine = seen?.dialect ?? dialects.first;
      let isAdapted = false;
      return {
        ask: (attempt) => dialects.ask(mine, attempt),
        adapt: (words, request) => {
          const now = known();
          const isNews = now !== undefined && now !== seen;
          const better = isNews ? now.dialect : dialects.next(mine, words, request);
          seen = now;
          if (better === undefined) return false;
          [mine, isAdapted] = [better, true];
          return true;
        },
        settle: () => {
          if (!isAdapted) return;
          learned = { dialect: dialects.lasting(mine), until: clock.now() + LEARNED_MS };
        },
      };
    },
  };
}

/** Tokens that a host names: a number or its text that a call can have, else `undefined`. */
export function countTokens(named: unknown): number | undefined {
  const isText = typeof named === 'string' && /^\d{1,12}(?:\.\d{1,6})?$/.test(named);
  const count = isText ? Number(named) : named;
  if (typeof count !== 'number' || !(count >= 0)) return undefined;
  return Math.ceil(Math.min(count, TOKENS_MAX));
}

/** Name of a model as a host tells it, shortened; `undefined` where it tells none. */
export function servedName(named: unknown): string | undefined {
  return typeof named === 'string' && named.trim() !== ''
    ? readableLine(named, SERVED_CHARS_MAX)
    : undefined;
}

/** A fresh gathering. */
export function gather(): Gathered {
  return {
    text: '',
    wasAsked: false,
    hasBegun: false,
    isDone: false,
    hasThought: false,
    stop: undefined,
    usage: undefined,
    billedUsd: undefined,
    served: undefined,
    requestId: null,
  };
}

/**
 * Adds streamed text and shows it.
 *
 * @throws {AppError} `EGRESS_TOO_LARGE` when a server keeps on beyond what was asked for.
 */
export function addText(
  { gathered, request }: Pick<Attempt, 'gathered' | 'request'>,
  text: unknown,
): void {
  // A host may send anything in the place of a text; what is none is no part of an answer.
  if (Array.isArray(text)) {
    for (const part of text) addPart({ gathered, request }, part);
    return;
  }
  if (typeof text !== 'string' || text === '') return;
  const charsMax = request.maxOutputTokens * CHARS_PER_TOKEN_MAX;
  if (gathered.text.length + text.length > charsMax) {
    gathered.stop = 'cut';
    throw new AppError('EGRESS_TOO_LARGE', { data: { charsMax } });
  }
  gathered.text += text;
  request.onDelta?.(text);
}

/** Adds a part of a content that is a list: its text, but no thoughts and no calls. */
function addPart(attempt: Pick<Attempt, 'gathered' | 'request'>, part: unknown): void {
  if (typeof part === 'string') addText(attempt, part);
  if (!isObject(part)) return;
  const { type = 'text' } = part;
  if (typeof type !== 'string') return;
  const isText = /^(?:output_)?text$/.test(type);
  if (isText && typeof part['text'] === 'string') addText(attempt, part['text']);
  if (/think|reason/.test(type)) attempt.gathered.hasThought = true;
}

/** The system text, with the schema in words where the protocol does not carry it. */
export function systemText(request: LlmRequest, format: AnswerFormat): string {
  if (format === 'json_schema') return request.system;
  const schema = JSON.stringify(request.schema.jsonSchema);
  return `${request.system}\n\nAnswer with one JSON object, nothing else. JSON Schema: ${schema}`;
}

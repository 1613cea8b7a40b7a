import type { Clock } from '../../domain/common/clock.ts';
import { AppError } from '../../domain/common/error.ts';
import { isObject } from '../../domain/common/json.ts';
import { toReadableLine } from '../../domain/common/readable.ts';
import { MINUTE_MS } from '../../domain/common/time.ts';
import type { LlmRequest } from '../../domain/llm/llm.ts';

/** Largest plausible token count of one call. */
const TOKENS_MAX = 100_000_000;
const SERVED_CHARS_MAX = 100;
/** Longest plausible token, in characters. */
const CHARS_PER_TOKEN_MAX = 64;

/**
 * Margin of the vendor's own timeout beyond the signal's, in milliseconds. The signal ends the
 * call. Two simultaneous timers would race for the error code.
 */
const VENDOR_SLACK_MS = 5_000;

/** Returns the timeout of a vendor package for an attempt, in milliseconds. */
export function vendorTimeoutMs({ remainingMs }: Attempt): number {
  return remainingMs + VENDOR_SLACK_MS;
}

/** The way in which JSON output is requested from a model. */
export type AnswerFormat = 'json_schema' | 'json_object' | 'text';

/** The partial result of one attempt. It stays readable if the attempt throws. */
export interface PartialAnswer {
  text: string;
  /** Whether the request was sent. */
  isSent: boolean;
  /** Whether the provider accepted it and started to answer. */
  hasStarted: boolean;
  /** Whether the end marker of the stream arrived. */
  isDone: boolean;
  /** Whether the model emitted reasoning. Its content is not kept. */
  hasReasoning: boolean;
  /** Why the model stopped; `undefined` until the provider says so. */
  stop: 'complete' | 'refused' | 'cut' | 'failed' | undefined;
  /** Token counts from the provider, not yet verified; `undefined` until they arrive. */
  usage: ReportedUsage | undefined;
  /** Cost in dollars as reported by the provider. */
  billedUsd: number | undefined;
  /** The model that answered, as reported by the provider. */
  served: string | undefined;
  requestId: string | null;
}

/** Reported token counts. Missing or invalid ones are `undefined`. See `LlmUsage`. */
export interface ReportedUsage {
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
  readonly gathered: PartialAnswer;
  /** Called when bytes of the answer arrive. */
  readonly onBytes: () => void;
}

/** The options of a vendor's client. */
export interface VendorAccess {
  readonly key: string | undefined;
  readonly fetch: typeof globalThis.fetch | undefined;
  readonly clock: Clock;
}

/** A vendor's protocol for one model. */
export interface Vendor {
  /** Starts a call in the dialect that currently works best. */
  startCall(): VendorCall;
}

/** The protocol state of one call. */
export interface VendorCall {
  /** Fills `gathered`. Throws whatever the vendor package throws. */
  ask(attempt: Attempt): Promise<void>;
  /** Handles a rejected request format. Returns whether another dialect is worth an attempt. */
  adapt(words: string, request: LlmRequest): boolean;
  /** Records that the host accepted the request, so later calls use its dialect. */
  confirm(): void;
}

/** The ways in which a dialect is found, used and remembered. */
export interface DialectStrategy<D> {
  readonly first: D;
  ask(dialect: D, attempt: Attempt): Promise<void>;
  /** Returns the dialect to try after a rejection that names its reason. */
  next(dialect: D, words: string, request: LlmRequest): D | undefined;
  /** Returns the part of a dialect that applies to other calls too. */
  lasting(dialect: D): D;
}

/** How long a learned dialect is used before the best one is tried again, in milliseconds. */
const DIALECT_CACHE_MS = 10 * MINUTE_MS;

/**
 * Creates a vendor that remembers for a while which dialect its host accepts. It learns only from
 * dialects that the host accepted, and nothing that is specific to one request.
 */
export function createLearningVendor<D>(dialects: DialectStrategy<D>, clock: Clock): Vendor {
  let learned: { readonly dialect: D; readonly until: number } | undefined;
  const known = () => (learned !== undefined && clock.now() < learned.until ? learned : undefined);
  return {
    startCall: () => {
      let lastSeen = known();
      let current = lastSeen?.dialect ?? dialects.first;
      let isAdapted = false;
      return {
        ask: (attempt) => dialects.ask(current, attempt),
        adapt: (words, request) => {
          const now = known();
          const isNews = now !== undefined && now !== lastSeen;
          const better = isNews ? now.dialect : dialects.next(current, words, request);
          lastSeen = now;
          if (better === undefined) return false;
          [current, isAdapted] = [better, true];
          return true;
        },
        confirm: () => {
          if (!isAdapted) return;
          learned = { dialect: dialects.lasting(current), until: clock.now() + DIALECT_CACHE_MS };
        },
      };
    },
  };
}

/** Parses a reported token count. Returns `undefined` if it is not a plausible number or string. */
export function parseTokenCount(reported: unknown): number | undefined {
  const isText = typeof reported === 'string' && /^\d{1,12}(?:\.\d{1,6})?$/.test(reported);
  const count = isText ? Number(reported) : reported;
  if (typeof count !== 'number' || !(count >= 0)) return undefined;
  return Math.ceil(Math.min(count, TOKENS_MAX));
}

/** Returns the model name that a host reports, shortened, or `undefined` if it reports none. */
export function parseServedName(named: unknown): string | undefined {
  return typeof named === 'string' && named.trim() !== ''
    ? toReadableLine(named, SERVED_CHARS_MAX)
    : undefined;
}

/** Creates an empty partial result. */
export function createPartialAnswer(): PartialAnswer {
  return {
    text: '',
    isSent: false,
    hasStarted: false,
    isDone: false,
    hasReasoning: false,
    stop: undefined,
    usage: undefined,
    billedUsd: undefined,
    served: undefined,
    requestId: null,
  };
}

/**
 * Adds streamed text and passes it to `onDelta`.
 *
 * @throws {AppError} `EGRESS_TOO_LARGE` when a server sends more than was requested
 */
export function addText(
  { gathered, request }: Pick<Attempt, 'gathered' | 'request'>,
  text: unknown,
): void {
  // A host may send anything in place of a string. Other values are ignored.
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

/** Adds a part of a content list: its text, but no reasoning and no tool calls. */
function addPart(attempt: Pick<Attempt, 'gathered' | 'request'>, part: unknown): void {
  if (typeof part === 'string') addText(attempt, part);
  if (!isObject(part)) return;
  const { type = 'text' } = part;
  if (typeof type !== 'string') return;
  const isText = /^(?:output_)?text$/.test(type);
  if (isText && typeof part['text'] === 'string') addText(attempt, part['text']);
  if (/think|reason/.test(type)) attempt.gathered.hasReasoning = true;
}

/** Returns the system prompt. It contains the schema if the protocol does not carry it. */
export function createSystemPrompt(request: LlmRequest, format: AnswerFormat): string {
  if (format === 'json_schema') return request.system;
  const schema = JSON.stringify(request.schema.jsonSchema);
  return `${request.system}\n\nAnswer with one JSON object, nothing else. JSON Schema: ${schema}`;
}

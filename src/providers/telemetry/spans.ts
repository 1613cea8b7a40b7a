import type { Link, Span, SpanContext, Tracer } from '@opentelemetry/api';
import { LRUCache } from 'lru-cache';
import type { CallSpan, CallTracing, TracedOutcome } from '../../domain/common/call-tracing.ts';
import type { JournalEntry } from '../../runtime/engine/types.ts';
import type { EffectAttempt, EffectEnd } from '../../runtime/view/observer.ts';

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
const CODE = /^[A-Za-z0-9_.-]{1,64}$/;

/** Most actors whose last span is remembered for links. The oldest is dropped first. */
export const LINKED_ACTORS_MAX = 10_000;

type Api = typeof import('@opentelemetry/api');

/**
 * Creates spans of calls, journal rows and effects. They contain what happened and its duration.
 * They contain no arguments, results, payments or ids, because job ids are capabilities.
 */
export class SpanRecorder implements CallTracing {
  readonly #api: Api;
  readonly #tracer: Tracer;
  readonly #now: () => number;
  readonly #last = new LRUCache<string, SpanContext>({ max: LINKED_ACTORS_MAX });
  readonly #effects = new WeakMap<EffectAttempt, Span>();

  /** @param now - Milliseconds since 1970. */
  constructor(api: Api, tracer: Tracer, now: () => number) {
    this.#api = api;
    this.#tracer = tracer;
    this.#now = now;
  }

  startCall({ server, tool, traceparent }: Parameters<CallTracing['startCall']>[0]): CallSpan {
    const { SpanKind, SpanStatusCode } = this.#api;
    const name = tool === undefined ? 'tools/call' : `tools/call ${tool}`;
    const attributes = {
      'mcp.method.name': 'tools/call',
      'stoa.server': server,
      ...(tool === undefined ? {} : { 'gen_ai.tool.name': tool }),
    };
    const options = { kind: SpanKind.SERVER, attributes, startTime: this.#now() };
    const span = this.#tracer.startSpan(
      name,
      options,
      this.#contextOf(parseTraceparent(traceparent)),
    );
    return {
      trace: formatTraceparent(span.spanContext()),
      end: (outcome: TracedOutcome, error?: string) => {
        span.setAttribute('stoa.outcome', outcome);
        if (outcome === 'failed') {
          span.setAttribute('error.type', toSpanError(error));
          span.setStatus({ code: SpanStatusCode.ERROR });
        }
        span.end(this.#now());
      },
    };
  }

  /** Records a journal row, from its acceptance until it is on disk. */
  recorded(row: JournalEntry, trace: string | undefined): void {
    const parent = parseTraceparent(trace);
    if (parent === undefined) return;
    const attributes = {
      'stoa.actor.kind': row.kind,
      'stoa.actor.seq': row.seq,
      'stoa.actor.status': row.status,
      'stoa.entry': row.entry,
      'stoa.cause': row.cause.by,
    };
    const options = { attributes, startTime: row.at, links: this.#linksTo(row.id) };
    const span = this.#tracer.startSpan(
      `${row.kind} ${row.event.type}`,
      options,
      this.#contextOf(parent),
    );
    span.end(Math.max(row.at, this.#now()));
    if (row.status === 'active' || row.status === 'stuck') {
      this.#last.set(row.id, span.spanContext());
    } else this.#last.delete(row.id);
  }

  effectBegan(attempt: EffectAttempt): void {
    const parent = parseTraceparent(attempt.trace);
    if (parent === undefined) return;
    const { kind, src, actorId } = attempt;
    const attributes = {
      'stoa.actor.kind': kind,
      'stoa.effect': src,
      'stoa.attempt': attempt.attempt,
    };
    const options = { attributes, startTime: this.#now(), links: this.#linksTo(actorId) };
    const span = this.#tracer.startSpan(`effect ${kind}.${src}`, options, this.#contextOf(parent));
    this.#effects.set(attempt, span);
  }

  effectEnded(attempt: EffectAttempt, { outcome, error }: EffectEnd): void {
    const span = this.#effects.get(attempt);
    if (span === undefined) return;
    this.#effects.delete(attempt);
    span.setAttribute('stoa.outcome', outcome);
    if (outcome === 'failed') {
      span.setAttribute('error.type', toSpanError(error));
      span.setStatus({ code: this.#api.SpanStatusCode.ERROR });
    }
    span.end(this.#now());
  }

  #contextOf(parent: SpanContext | undefined) {
    const { ROOT_CONTEXT, trace } = this.#api;
    return parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
  }

  #linksTo(actorId: string): Link[] {
    const context = this.#last.get(actorId);
    return context === undefined ? [] : [{ context }];
  }
}

/** Formats a span context as a `traceparent` header. */
export function formatTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

/** Parses a `traceparent` header of any version with the layout of version 00. */
export function parseTraceparent(text: string | undefined): SpanContext | undefined {
  const found = TRACEPARENT.exec(`00${text?.slice(2, 55) ?? ''}`);
  if (found === null) return undefined;
  const [, traceId = '', spanId = '', flags = ''] = found;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
}

/** Returns an error code that is safe in a span: a single word, or `Error`. */
export function toSpanError(code: string | undefined): string {
  return code !== undefined && CODE.test(code) ? code : 'Error';
}

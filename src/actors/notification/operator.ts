import type { Clock } from '../../domain/common/clock.ts';
import { toAppError } from '../../domain/common/error.ts';
import { sha256Hex } from '../../domain/common/hash.ts';
import { HOUR_MS } from '../../domain/common/time.ts';
import type { Notifier, TextNotice } from '../../domain/notification/notifier.ts';
import type { NoticeInput } from '../../machines/notification/notice-facts.ts';
import type { ActorEngine, JournalEntry } from '../../runtime/engine/types.ts';
import { NOTICE_KIND } from './definition.ts';

/** Notices to the operator in one hour; the rest stands in the log alone. */
export const NOTICES_AN_HOUR = 20;

/** What an engine says when an actor cannot go on. */
const STUCK: readonly string[] = [
  'actor_stuck',
  'actor_unloadable',
  'effect_crashed',
  'effect_rule_failed',
];
const TITLE_CHARS_MAX = 150;
const TEXT_CHARS_MAX = 2_000;

/** Something that the operator has to know. `P0`: money or the service is at stake. */
export interface OperatorNotice {
  /** Says which happening this is: the same key again tells nobody. */
  readonly key: string;
  readonly severity: 'P0' | 'P1';
  readonly title: string;
  readonly text: string;
}

/** What an engine says when an operator should know. */
export interface EngineWord {
  readonly kind: string;
  readonly actorId: string;
  readonly message: string;
  readonly deadLetterId?: string;
}

/** What notices go through. */
export interface OperatorNoticesParts {
  readonly notifier: Notifier;
  readonly clock: Pick<Clock, 'now'>;
  /** Told what could not be sent. */
  readonly log: (line: string) => void;
}

/**
 * Tells the operator by every channel that is set up: mail always, the messenger of `P0` alone.
 * Each channel is a durable actor, so a restart in between loses and repeats nothing.
 */
export class OperatorNotices {
  readonly #parts: OperatorNoticesParts;
  readonly #waiting: OperatorNotice[] = [];
  #engine: ActorEngine | undefined;
  #hourEnds = 0;
  #toldInHour = 0;

  constructor(parts: OperatorNoticesParts) {
    this.#parts = parts;
  }

  /** Begins to tell; what was raised before is told now. Returns the way to end. */
  start(engine: ActorEngine): () => void {
    this.#engine = engine;
    for (const notice of this.#waiting.splice(0)) this.raise(notice);
    const { globalSeq } = engine.stats();
    return engine.feed(globalSeq + 1, (row) => this.#heard(row));
  }

  /** Tells the operator, unless nothing is set up or too much was told. Never throws. */
  raise(notice: OperatorNotice): void {
    if (this.#engine === undefined) {
      if (this.#waiting.length < NOTICES_AN_HOUR) this.#waiting.push(notice);
      return;
    }
    this.#tell(this.#engine, notice).catch((thrown: unknown) => {
      this.#parts.log(`notice: ${toAppError(thrown).message}`);
    });
  }

  /** Takes what the engine says: an actor that is stuck is a `P0`, for work waits on it. */
  hear({ kind, actorId, message, deadLetterId }: EngineWord): void {
    const severity = STUCK.includes(kind) ? 'P0' : 'P1';
    const key = `${kind}:${actorId}:${deadLetterId ?? message}`;
    this.raise({ key, severity, title: `${kind} ${actorId}`.trim(), text: message });
  }

  async #tell(engine: ActorEngine, notice: OperatorNotice): Promise<void> {
    const kinds = this.#channels(notice);
    if (kinds.length === 0) return;
    if (!this.#mayTell()) {
      this.#parts.log(`notice: more than ${NOTICES_AN_HOUR} in an hour, not sent: ${notice.title}`);
      return;
    }
    for (const kind of kinds) {
      const key = `notice:${kind}:${sha256Hex(notice.key).slice(0, 40)}`;
      try {
        await engine.create(NOTICE_KIND, key, { key, ...inputOf(notice, kind) });
      } catch (thrown) {
        await this.#sendAnyway({ key, ...inputOf(notice, kind) }, thrown);
      }
    }
  }

  /** A full disk takes no actor, and is what the operator must hear of: one try without one. */
  async #sendAnyway({ key, message }: NoticeInput, thrown: unknown): Promise<void> {
    this.#parts.log(`notice: not kept: ${toAppError(thrown).message}`);
    await this.#parts.notifier.send(message, { key, signal: new AbortController().signal });
  }

  #channels({ severity }: OperatorNotice): readonly TextNotice['kind'][] {
    const { missing } = this.#parts.notifier;
    const wanted = severity === 'P0' ? (['email', 'whatsapp'] as const) : (['email'] as const);
    return wanted.filter((kind) => missing[kind].length === 0);
  }

  #mayTell(): boolean {
    const now = this.#parts.clock.now();
    if (now >= this.#hourEnds) {
      this.#hourEnds = now + HOUR_MS;
      this.#toldInHour = 0;
    }
    this.#toldInHour += 1;
    return this.#toldInHour <= NOTICES_AN_HOUR;
  }

  /** Machines say by themselves when a person has to look. */
  #heard({ kind, id, seq, emits }: JournalEntry): void {
    for (const { type, reason } of emits) {
      if (type !== 'operator.notice' || kind === NOTICE_KIND) continue;
      const text = `${kind} ${id}: ${String(reason)}`;
      this.raise({ key: `${id}:${seq}`, severity: 'P1', title: `${kind} needs you`, text });
    }
  }
}

function inputOf(
  { severity, title, text }: OperatorNotice,
  kind: TextNotice['kind'],
): Omit<NoticeInput, 'key'> {
  const line = `[${severity}] ${title}`.slice(0, TITLE_CHARS_MAX);
  const message = { kind, title: line, text: text.slice(0, TEXT_CHARS_MAX) };
  return { message, answerTo: null };
}

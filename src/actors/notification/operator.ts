import type { Clock } from '../../domain/common/clock.ts';
import { toAppError } from '../../domain/common/error.ts';
import { sha256Hex } from '../../domain/common/hash.ts';
import { HOUR_MS } from '../../domain/common/time.ts';
import type { Notifier, TextNotice } from '../../domain/notification/notifier.ts';
import type { NoticeInput } from '../../machines/notification/notice-facts.ts';
import type { ActorEngine, JournalEntry } from '../../runtime/engine/types.ts';
import { NOTICE_KIND } from './definition.ts';

/** Maximum number of operator notices per hour; the rest is only logged. */
export const NOTICES_AN_HOUR = 20;

/** Engine notices that an actor cannot continue. */
const STUCK: readonly string[] = [
  'actor_stuck',
  'actor_unloadable',
  'effect_crashed',
  'effect_rule_failed',
];
const TITLE_CHARS_MAX = 150;
const TEXT_CHARS_MAX = 2_000;

/** A message that the operator must see. `P0` means that money or the service is at risk. */
export interface OperatorNotice {
  /** Identifies the incident. A notice with a known key is not sent again. */
  readonly key: string;
  readonly severity: 'P0' | 'P1';
  readonly title: string;
  readonly text: string;
}

/** An engine notice for the operator. */
export interface EngineWord {
  readonly kind: string;
  readonly actorId: string;
  readonly message: string;
  readonly deadLetterId?: string;
}

/** Dependencies of operator notices. */
export interface OperatorNoticesParts {
  readonly notifier: Notifier;
  readonly clock: Pick<Clock, 'now'>;
  /** Receives a line for each notice that could not be sent. */
  readonly log: (line: string) => void;
}

/**
 * Notifies the operator through every configured channel: by mail always, by messenger for `P0`
 * only. Each notice is a durable actor, so a restart neither loses nor repeats it.
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

  /**
   * Starts sending, including notices raised before the start.
   *
   * @returns A function that stops watching for notices.
   */
  start(engine: ActorEngine): () => void {
    this.#engine = engine;
    for (const notice of this.#waiting.splice(0)) this.raise(notice);
    const { globalSeq } = engine.stats();
    return engine.feed(globalSeq + 1, (row) => this.#heard(row));
  }

  /**
   * Sends a notice, unless no channel is configured or the hourly limit is reached. Never throws.
   */
  raise(notice: OperatorNotice): void {
    if (this.#engine === undefined) {
      if (this.#waiting.length < NOTICES_AN_HOUR) this.#waiting.push(notice);
      return;
    }
    this.#tell(this.#engine, notice).catch((thrown: unknown) => {
      this.#parts.log(`notice: ${toAppError(thrown).message}`);
    });
  }

  /** Handles an engine notice. A stuck actor is `P0`, because work waits for it. */
  hear({ kind, actorId, message, deadLetterId }: EngineWord): void {
    const severity = STUCK.includes(kind) ? 'P0' : 'P1';
    const key = `${kind}:${actorId}:${deadLetterId ?? message}`;
    this.raise({ key, severity, title: `${kind} ${actorId}`.trim(), text: message });
  }

  async #tell(engine: ActorEngine, notice: OperatorNotice): Promise<void> {
    const kinds = this.#channels(notice);
    if (kinds.length === 0) return;
    if (!this.#mayTell()) {
      this.#parts.log(`notice: over ${NOTICES_AN_HOUR} an hour, not sent: ${notice.title}`);
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

  /** If the disk is full, no actor can be created; the notice is sent once without one. */
  async #sendAnyway({ key, message }: NoticeInput, thrown: unknown): Promise<void> {
    this.#parts.log(`notice: not stored: ${toAppError(thrown).message}`);
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

  /** Machines emit a notice when they need a person. */
  #heard({ kind, id, seq, emits }: JournalEntry): void {
    for (const { type, reason } of emits) {
      if (type !== 'operator.notice' || kind === NOTICE_KIND) continue;
      const text = `${kind} ${id}: ${String(reason)}`;
      this.raise({ key: `${id}:${seq}`, severity: 'P1', title: `${kind} needs attention`, text });
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

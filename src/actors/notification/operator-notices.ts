import { toAppError } from '../../domain/common/error.ts';
import { sha256Hex } from '../../domain/common/hash.ts';
import { HOUR_MS } from '../../domain/common/time.ts';
import type { TextMessage } from '../../domain/notification/notifier.ts';
import type { NoticeInput } from '../../machines/notification/notice-context.ts';
import type { ActorEngine, JournalEntry } from '../../runtime/engine/types.ts';
import type { Services } from '../common/services.ts';
import { NOTICE_KIND } from './notice-definition.ts';

/** Maximum number of operator notices per hour; the rest is only logged. */
export const NOTICES_PER_HOUR_MAX = 20;

/** Engine notices that an actor cannot continue. */
const STUCK_NOTICES: readonly string[] = [
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
export interface EngineIncident {
  readonly kind: string;
  readonly actorId: string;
  readonly message: string;
  readonly deadLetterId?: string;
}

/**
 * Notifies the operator through every configured channel: by mail always, by messenger for `P0`
 * only. Each notice is a durable actor, so a restart neither loses nor repeats it.
 */
export class OperatorNotices {
  readonly #parts: Pick<Services, 'clock' | 'notice' | 'notifier'>;
  readonly #pending: OperatorNotice[] = [];
  #engine: ActorEngine | undefined;
  #hourEnds = 0;
  #sentInHour = 0;

  constructor(parts: Pick<Services, 'clock' | 'notice' | 'notifier'>) {
    this.#parts = parts;
  }

  /**
   * Starts sending, including notices raised before the start.
   *
   * @returns A function that stops watching for notices.
   */
  start(engine: ActorEngine): () => void {
    this.#engine = engine;
    for (const notice of this.#pending.splice(0)) this.raise(notice);
    const { globalSeq } = engine.stats();
    return engine.feed(globalSeq + 1, (row) => this.#onEntry(row));
  }

  /**
   * Sends a notice, unless no channel is configured or the hourly limit is reached. Never throws.
   */
  raise(notice: OperatorNotice): void {
    if (this.#engine === undefined) {
      if (this.#pending.length < NOTICES_PER_HOUR_MAX) this.#pending.push(notice);
      return;
    }
    this.#send(this.#engine, notice).catch((thrown: unknown) => {
      this.#parts.notice(`notice: ${toAppError(thrown).message}`);
    });
  }

  /** Handles an engine notice. A stuck actor is `P0`, because work waits for it. */
  handleIncident({ kind, actorId, message, deadLetterId }: EngineIncident): void {
    const severity = STUCK_NOTICES.includes(kind) ? 'P0' : 'P1';
    const key = `${kind}:${actorId}:${deadLetterId ?? message}`;
    this.raise({ key, severity, title: `${kind} ${actorId}`.trim(), text: message });
  }

  async #send(engine: ActorEngine, notice: OperatorNotice): Promise<void> {
    const kinds = this.#channels(notice);
    if (kinds.length === 0) return;
    if (!this.#isWithinLimit()) {
      this.#parts.notice(`notice: over ${NOTICES_PER_HOUR_MAX} an hour, not sent: ${notice.title}`);
      return;
    }
    for (const kind of kinds) {
      const key = `notice:${kind}:${sha256Hex(notice.key).slice(0, 40)}`;
      try {
        await engine.create(NOTICE_KIND, key, { key, ...createInput(notice, kind) });
      } catch (thrown) {
        await this.#sendWithoutActor({ key, ...createInput(notice, kind) }, thrown);
      }
    }
  }

  /** If the disk is full, no actor can be created; the notice is sent once without one. */
  async #sendWithoutActor({ key, message }: NoticeInput, thrown: unknown): Promise<void> {
    this.#parts.notice(`notice: not stored: ${toAppError(thrown).message}`);
    await this.#parts.notifier.send(message, { key, signal: new AbortController().signal });
  }

  #channels({ severity }: OperatorNotice): readonly TextMessage['kind'][] {
    const { missing } = this.#parts.notifier;
    const wanted = severity === 'P0' ? (['email', 'whatsapp'] as const) : (['email'] as const);
    return wanted.filter((kind) => missing[kind].length === 0);
  }

  #isWithinLimit(): boolean {
    const now = this.#parts.clock.now();
    if (now >= this.#hourEnds) {
      this.#hourEnds = now + HOUR_MS;
      this.#sentInHour = 0;
    }
    this.#sentInHour += 1;
    return this.#sentInHour <= NOTICES_PER_HOUR_MAX;
  }

  /** Machines emit a notice when they need a person. */
  #onEntry({ kind, id, seq, emits }: JournalEntry): void {
    for (const { type, reason } of emits) {
      if (type !== 'operator.notice' || kind === NOTICE_KIND) continue;
      const text = `${kind} ${id}: ${String(reason)}`;
      this.raise({ key: `${id}:${seq}`, severity: 'P1', title: `${kind} needs attention`, text });
    }
  }
}

function createInput(
  { severity, title, text }: OperatorNotice,
  kind: TextMessage['kind'],
): Omit<NoticeInput, 'key'> {
  const line = `[${severity}] ${title}`.slice(0, TITLE_CHARS_MAX);
  const message = { kind, title: line, text: text.slice(0, TEXT_CHARS_MAX) };
  return { message, answerTo: null };
}

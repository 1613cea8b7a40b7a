import { AUDIT_PLANS } from '../../domain/audit/plans.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import { SECOND_MS } from '../../domain/time.ts';
import type { Progress } from '../../domain/tool.ts';
import { VERIFYING } from '../../machines/parts/audit-steps.ts';
import type { AuditView } from './audit-view.ts';

/** Longest silence on the line: a client may give up a call that says nothing. */
export const HEARTBEAT_MS = 15 * SECOND_MS;
/** Steps behind the probes: replays, report, signature and anchor. */
const STEPS_BEHIND = 4;

/**
 * Tells the progress of an audit in lines such as `ASI05 auditor: probe 12/31 · 2 findings · 87 of
 * 400 requests`. The number only grows; a long silence is broken. `close` ends it.
 */
export class AuditLine {
  readonly #clock: Clock;
  readonly #onProgress: ((step: Progress) => void) | undefined;
  #told = -1;
  #total = 0;
  #message = '';
  #stopHeartbeat: () => void = () => undefined;
  #isClosed = false;

  constructor(o: { readonly clock: Clock; readonly onProgress?: (step: Progress) => void }) {
    this.#clock = o.clock;
    this.#onProgress = o.onProgress;
  }

  /** Tells where an audit stands, unless that is no news. */
  tell(view: AuditView): void {
    if (this.#isClosed) return;
    this.#total = view.context.input.probes.length + STEPS_BEHIND;
    this.#message = lineOf(view);
    this.#say(progressOf(view), this.#message);
  }

  close(): void {
    this.#isClosed = true;
    this.#stopHeartbeat();
  }

  #say(progress: number, message: string): void {
    if (progress > this.#told) {
      this.#told = progress;
      this.#onProgress?.({ progress, total: this.#total, message });
    }
    this.#stopHeartbeat();
    this.#stopHeartbeat = this.#clock.at(this.#clock.now() + HEARTBEAT_MS, () => {
      // Half of what is missing to the next step: it grows for ever and never reaches it.
      const next = Math.floor(this.#told) + 1;
      this.#say(this.#told + (next - this.#told) / 2, `still working: ${this.#message}`);
    });
  }
}

/** How far an audit has come, in probes and steps. */
export function progressOf({ context, status }: AuditView): number {
  const { input, next, findings, replayed, sealed, signedSha } = context;
  const { length } = input.probes;
  if (status !== 'active' && status !== 'stuck') return length + STEPS_BEHIND;
  if (signedSha !== null) return length + 3;
  if (sealed !== null) return length + 2;
  if (next < length) return next;
  // Replays share one step: their number is not known before.
  return length + replayed.length / (findings.length + 1);
}

function lineOf({ context, value }: AuditView): string {
  const { input, runs, findings, requests } = context;
  const counted = findings.filter(({ status }) => status !== 'refuted').length;
  const facts =
    `${counted} ${counted === 1 ? 'finding' : 'findings'} · ` +
    `${requests} of ${input.requestsMax} requests`;
  return `${doing(context, value)}: probe ${runs.length}/${input.probes.length} · ${facts}`;
}

function doing({ seat, input }: AuditView['context'], value: unknown): string {
  if (typeof value === 'string') return value;
  if (seat === VERIFYING) return 'verifying';
  const { seats } = AUDIT_PLANS[input.plan];
  return seats.find(({ seat_id }) => seat_id === seat)?.role ?? 'recon';
}

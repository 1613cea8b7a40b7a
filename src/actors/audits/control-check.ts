import type { ConsentAnswer, ConsentOrder } from '../../machines/parts/audit-context.ts';

/** Tells whether whoever asks for an audit may ask this much of the target. */
export interface ControlCheck {
  /** Passive audits need nothing; active ones the proof of control, looked at again each time. */
  check(order: ConsentOrder, signal: AbortSignal): Promise<ConsentAnswer>;
}

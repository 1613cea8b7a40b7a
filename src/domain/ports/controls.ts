import type { ControlId } from '../control/catalog.ts';

/** A control as it stands. */
export interface ControlState {
  readonly controlId: ControlId;
  readonly label: 'LIVE' | 'SHADOW' | 'OFF';
  /** Milliseconds; `null` while it stands as declared. */
  readonly changedAt: number | null;
}

/** The controls of specification section 8, as they stand now. */
export interface Controls {
  all(): Promise<readonly ControlState[]>;
  label(controlId: ControlId): Promise<'LIVE' | 'SHADOW' | 'OFF'>;
}

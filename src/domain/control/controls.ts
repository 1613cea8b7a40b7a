import type { ControlId, ControlLabel } from './catalog.ts';

/** Current state of a control. */
export interface ControlState {
  readonly controlId: ControlId;
  readonly label: ControlLabel;
  /** Milliseconds; `null` if it was never changed. */
  readonly changedAt: number | null;
}

/** Read access to the controls of specification section 8. */
export interface Controls {
  all(): Promise<readonly ControlState[]>;
  label(controlId: ControlId): Promise<ControlLabel>;
}

/** Synchronous access to the current labels. */
export interface ControlLabels {
  now(controlId: ControlId): ControlLabel;
  /** Incremented with every change. */
  readonly changes: number;
}

/** Author, reason and time of a change. */
export interface ControlChange {
  readonly who: string;
  readonly why: string;
  /** Milliseconds. */
  readonly at: number;
}

/** A control with its last change. */
export interface StandingControl extends ControlState {
  readonly change: ControlChange | null;
}

/** A change that the operator requests. */
export interface ControlOrder {
  readonly to: ControlLabel;
  readonly who: string;
  readonly why: string;
}

/** Access to the controls, including changes. */
export interface ControlDesk extends Controls, ControlLabels {
  standing(): readonly StandingControl[];
  /**
   * Sets a label; setting the current label changes nothing. Operator only.
   *
   * @throws {AppError} `INPUT_INVALID`, with the reason, for a label that the control does not
   * support.
   */
  change(controlId: ControlId, order: ControlOrder): Promise<StandingControl>;
}

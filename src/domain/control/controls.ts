import type { ControlId, ControlLabel } from './control-catalog.ts';

/** Current state of a control. */
export interface ControlState {
  readonly controlId: ControlId;
  readonly label: ControlLabel;
  /** Milliseconds; `null` if it was never changed. */
  readonly changedAt: number | null;
}

/** Read access to the controls of specification section 8. */
export interface Controls {
  list(): Promise<readonly ControlState[]>;
  readLabel(controlId: ControlId): Promise<ControlLabel>;
}

/** Synchronous access to the current labels. */
export interface ControlLabels {
  labelOf(controlId: ControlId): ControlLabel;
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
export interface ControlWithChange extends ControlState {
  readonly change: ControlChange | null;
}

/** A change that the operator requests. */
export interface ControlOrder {
  readonly to: ControlLabel;
  readonly who: string;
  readonly why: string;
}

/** Access to the controls, including changes. */
export interface ControlRegistry extends Controls, ControlLabels {
  listWithChanges(): readonly ControlWithChange[];
  /**
   * Sets a label; setting the current label changes nothing. Operator only.
   *
   * @throws {AppError} `INPUT_INVALID`, with the reason, for a label that the control does not
   * support.
   */
  change(controlId: ControlId, order: ControlOrder): Promise<ControlWithChange>;
}

import type { ControlId, ControlLabel } from './catalog.ts';

/** A control as it stands. */
export interface ControlState {
  readonly controlId: ControlId;
  readonly label: ControlLabel;
  /** Milliseconds; `null` while it stands as declared. */
  readonly changedAt: number | null;
}

/** The controls of specification section 8, as they stand now. */
export interface Controls {
  all(): Promise<readonly ControlState[]>;
  label(controlId: ControlId): Promise<ControlLabel>;
}

/** Labels as they are at this moment, for those who cannot wait. */
export interface ControlLabels {
  now(controlId: ControlId): ControlLabel;
  /** Grows with every change. */
  readonly changes: number;
}

/** Who changed a control, and why. */
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

/** A change that the operator asks for. */
export interface ControlOrder {
  readonly to: ControlLabel;
  readonly who: string;
  readonly why: string;
}

/** The controls, with the way to change them. */
export interface ControlDesk extends Controls, ControlLabels {
  standing(): readonly StandingControl[];
  /**
   * Sets a label; the same label again changes nothing. Only the operator may ask.
   *
   * @throws {AppError} `INPUT_INVALID` for a label that the program cannot honour, saying why.
   */
  change(controlId: ControlId, order: ControlOrder): Promise<StandingControl>;
}

/** Status of a control (specification section 3). */
export type ControlLabel = 'LIVE' | 'SHADOW' | 'OFF';

/** All control statuses. */
export const CONTROL_LABELS = ['LIVE', 'SHADOW', 'OFF'] as const satisfies ControlLabel[];

/** Publication date of the control catalog. */
export const PACK_DATE = '2026-09-19';

/** The controls of specification section 8 by id, with their declared status. */
export const CONTROLS = {
  'reputation-lookup': 'LIVE',
  'trust-badge': 'LIVE',
  'passport-read': 'LIVE',
  'prehire-check': 'LIVE',
  'injection-resilience': 'LIVE',
  'escrow-funded-requests': 'LIVE',
  'release-window': 'LIVE',
  'payer-binding': 'LIVE',
  'fee-disclosure': 'LIVE',
  'two-leg-escrow': 'OFF',
  'sealed-bid-negotiation': 'SHADOW',
  'settlement-proof-read': 'LIVE',
  'process-attestation': 'LIVE',
  'single-use-seal': 'LIVE',
  'witness-scoring': 'LIVE',
  'dispute-arbitration': 'LIVE',
  'evidence-bundle': 'SHADOW',
} as const;

/** Id of a control. */
export type ControlId = keyof typeof CONTROLS;

/** All control ids, in the order of the specification. */
export const CONTROL_IDS = Object.keys(CONTROLS) as readonly ControlId[];

/** Returns whether a text is the id of a control. */
export function isControlId(text: string): text is ControlId {
  return Object.hasOwn(CONTROLS, text);
}

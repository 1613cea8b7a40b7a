/** The controls of specification section 8, by id, with the label that each is declared with. */
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

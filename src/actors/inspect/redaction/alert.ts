import { prefixPaths, type Redaction } from './redaction.ts';

const SAMPLE = [
  ...['value', 'asOf', 'source'],
  ...['proof.*.source', 'proof.*.url', 'proof.*.sha256', 'proof.*.at'],
];

/** Shows public prices and alert states. Hides the owner and delivery addresses. */
export const alertRedaction: Redaction = {
  kind: 'alert',
  context: [
    ...prefixPaths('definition', [
      ...['op', 'threshold', 'windowMs', 'hysteresis', 'holdForMs', 'keepFiringMs'],
      ...['evalIntervalMs', 'staleAfterMs', 'rearm', 'cooldownMs', 'lifeMs', 'maxSkewMs'],
      ...['subject.kind', 'subject.pair', 'subject.venue', 'subject.topic', 'subject.candle'],
      ...['subject.between.*.venue', 'subject.sizeQuote', 'subject.domains.*'],
    ]),
    ...['createdAt', 'expiresAt', 'state', 'since', 'latch', 'holdSince', 'clearSince', 'side'],
    ...['sideBeforeGap', 'lastAt', 'seq', 'eventSeq', 'ended', 'fault.reason'],
    ...['notifiedAt.armed', 'notifiedAt.fired'],
    ...prefixPaths('evidence', [...SAMPLE, 'measure']),
    ...prefixPaths('samples.*', ['value', 'asOf']),
    ...prefixPaths('history.*', [
      'from',
      'to',
      'at',
      'reason',
      'value',
      'gapCrossed',
      'isNotified',
    ]),
  ],
  hidden: [
    // A capability: its holder can read, rearm, and delete the alert.
    'alertId',
    'history.*.key',
    'owner',
    'definition.subject.query',
    // The owner's fees and search results.
    'definition.subject.between.*.feeBps',
    'evidence.found',
    'definition.notify',
    'fault.detail',
  ],
  events: {
    'ALERT.REARM': ['at'],
    'ALERT.DELETED': ['at'],
    'xstate.done.actor.read': [
      ...['actorId', 'output.at', 'output.eventSeq', 'output.fault.reason'],
      ...prefixPaths('output.sample', SAMPLE),
    ],
  },
};

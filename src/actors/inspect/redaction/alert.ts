import type { Redaction } from './redaction.ts';

const SAMPLE = [
  ...['value', 'asOf', 'source'],
  ...['proof.*.source', 'proof.*.url', 'proof.*.sha256', 'proof.*.at'],
];
const below = (parent: string, paths: readonly string[]) =>
  paths.map((path) => `${parent}.${path}`);

/** Public prices and what became of them are shown; whose alert it is and its address are not. */
export const alertRedaction: Redaction = {
  kind: 'alert',
  context: [
    ...below('definition', [
      ...['op', 'threshold', 'windowMs', 'hysteresis', 'holdForMs', 'keepFiringMs'],
      ...['evalIntervalMs', 'staleAfterMs', 'rearm', 'cooldownMs', 'lifeMs', 'maxSkewMs'],
      ...['subject.kind', 'subject.pair', 'subject.venue', 'subject.topic', 'subject.candle'],
      ...['subject.between.*.venue', 'subject.sizeQuote', 'subject.domains.*'],
    ]),
    ...['createdAt', 'expiresAt', 'state', 'since', 'latch', 'holdSince', 'clearSince', 'side'],
    ...['sideBeforeGap', 'lastAt', 'seq', 'eventSeq', 'ended', 'fault.reason'],
    ...['notifiedAt.armed', 'notifiedAt.fired'],
    ...below('evidence', [...SAMPLE, 'measure']),
    ...below('samples.*', ['value', 'asOf']),
    ...below('history.*', ['from', 'to', 'at', 'reason', 'value', 'gapCrossed', 'isNotified']),
  ],
  hidden: [
    // A capability: whoever holds it reads, arms and deletes the alert.
    'alertId',
    'history.*.key',
    'owner',
    'definition.subject.query',
    // What the owner pays, and what the owner reads.
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
      ...below('output.sample', SAMPLE),
    ],
  },
};

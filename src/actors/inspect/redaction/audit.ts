import { prefixPaths, type Redaction } from './redaction.ts';

const INPUT = [
  'paymentId',
  'auditId',
  'plan',
  'target.kind',
  'target.url',
  'target.name',
  'origin',
  'pinnedAddress',
  'mode',
  'categories.*',
  'probeSetVersion',
  'probes.*.probeId',
  'probes.*.version',
  'probes.*.category',
  'probes.*.mode',
  'probes.*.requestsMax',
  'requestsMax',
  'deadlineMs',
  'priceMicroUsd',
];
const RUN = ['probeId', 'outcome', 'requests', 'reason'];
const FINDING = ['findingId', 'category', 'probeId', 'severity', 'status'];
const RECON = ['whole', 'tools', 'access'];
const CONSENT = ['kind', 'ref', 'provenAt', 'expiresAt'];
const CONFIRMED = ['critical', 'high', 'medium', 'low', 'info'];

/** Shows the progress of an audit. Hides its capability, nonce, and canary seed. */
export const auditRedaction: Redaction = {
  kind: 'audit',
  context: [
    ...prefixPaths('input', INPUT),
    ...prefixPaths('consent', CONSENT),
    ...prefixPaths('recon', RECON),
    ...prefixPaths('firstRecon', RECON),
    'next',
    'seat',
    ...prefixPaths('runs.*', RUN),
    'skipped.*.probeId',
    'skipped.*.reason',
    ...prefixPaths('findings.*', FINDING),
    'replayed.*',
    'looks',
    'changes',
    'requests',
    'outcome',
    'reason',
    'detached',
    'begunAt',
    'sealed.root',
    ...prefixPaths('sealed.confirmed', CONFIRMED),
    'anchor.status',
    'anchor.reason',
  ],
  hidden: [
    // A capability: its holder can read and cancel the job.
    'input.jobId',
    'input.consent.nonce',
    'input.consent.passport',
    'input.seed',
    'recon.sha',
    'firstRecon.sha',
    'runs.*.sha',
    'findings.*.sha',
    'sealed.reportSha',
    'signedSha',
  ],
  events: {
    'xstate.init': prefixPaths('input', INPUT),
    KILL: ['by'],
    'xstate.done.actor.consent': [
      ...['actorId', 'output.state', 'output.reason', 'output.at', 'output.requests'],
      ...prefixPaths('output.record', CONSENT),
    ],
    'xstate.done.actor.recon': [
      ...['actorId', 'output.state', 'output.reason', 'output.requests'],
      ...prefixPaths('output.recon', RECON),
    ],
    'xstate.done.actor.probe': [
      ...['actorId', 'output.isDown', 'output.pings'],
      ...prefixPaths('output.run', RUN),
      ...prefixPaths('output.findings.*', FINDING),
    ],
    'xstate.done.actor.look': [
      ...['actorId', 'output.state', 'output.reason', 'output.requests'],
      ...prefixPaths('output.recon', RECON),
      ...prefixPaths('output.finding', FINDING),
    ],
    'xstate.done.actor.replay': [
      ...['actorId', 'output.requests'],
      ...prefixPaths('output.finding', FINDING),
    ],
    'xstate.done.actor.seal': [
      'actorId',
      'output.root',
      ...prefixPaths('output.confirmed', CONFIRMED),
    ],
    'xstate.done.actor.anchor': ['actorId', 'output.status', 'output.reason'],
  },
};

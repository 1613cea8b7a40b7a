import { arbitrationPanel } from '../../../domain/arbitration/panel.ts';
import type { PanelDefinition } from '../../../domain/panel/definition.ts';
import { PANELS } from '../../../domain/panel/panels.ts';
import { alertRedaction } from './alert.ts';
import { auditRedaction } from './audit.ts';
import {
  cronRunRedaction,
  databaseRedaction,
  deployRedaction,
  instanceRedaction,
  serviceRedaction,
} from './hosting.ts';
import { jobRedaction } from './job.ts';
import { createPanelRedaction } from './panel.ts';
import { paymentRedaction } from './payment.ts';
import { createRedactor, prefixPaths, type Redaction, type Redactor } from './redaction.ts';
import { requestRedaction } from './request.ts';

const REPORT_FAULT = ['upstream', 'code', 'retryable', 'retry_after_s'];
const REPORT_END = ['stepId', 'at', ...REPORT_FAULT.map((name) => `fault.${name}`)];
const REPORT_STEP = ['stepId', 'title', 'isRequired'];
const REPORT_INPUT = ['paymentId', 'reportKind', 'tool', 'deadlineMs', 'priceMicroUsd'];
/** Shows the progress of a report. Hides its capability, request, and results. */
const reportRedaction: Redaction = {
  kind: 'report',
  context: [
    ...prefixPaths('input', REPORT_INPUT),
    ...prefixPaths('steps.*', REPORT_STEP),
    ...prefixPaths('ends.*', REPORT_END),
    'begunAt',
    'outcome',
    'detached',
    'composed.isAnswer',
  ],
  hidden: [
    // A capability: its holder can read and cancel the job.
    'input.jobId',
    // The subject and results of a report belong to its buyer.
    'input.request',
    'ends.*.sha',
    // These texts reveal the request.
    'ends.*.fault.detail',
    'reason',
    'composed.resultSha',
    'composed.headline',
  ],
  events: {
    'xstate.init': prefixPaths('input', REPORT_INPUT),
    'xstate.done.actor.begin': [
      'actorId',
      'output.at',
      ...prefixPaths('output.steps.*', REPORT_STEP),
    ],
    'xstate.done.actor.step': ['actorId', ...prefixPaths('output', REPORT_END)],
    'xstate.done.actor.compose': ['actorId', 'output.isAnswer'],
  },
};

const PASSPORT_MARKS = ['minted', 'bound', 'claimed'].flatMap((mark) =>
  prefixPaths(mark, ['transaction', 'at']),
);
const PASSPORT_ORDER = [
  ...['name', 'agent_class', 'operator_id', 'description', 'image', 'x402_support', 'wallet'],
  ...prefixPaths('services.*', ['name', 'endpoint', 'version']),
];
/** Shows the public passport. Hides the request's source and signatures. */
const passportRedaction: Redaction = {
  kind: 'passport',
  context: [
    ...prefixPaths('ask.order', PASSPORT_ORDER),
    ...['ask.at', 'agentId', 'transaction', 'fault.code', 'tries', 'consent.deadlineS'],
    ...PASSPORT_MARKS,
    ...prefixPaths('revoked', ['at', 'reason']),
  ],
  hidden: [
    // Keys of signed calls: repeating one returns its answer.
    ...['ask.key', 'revoked.by'],
    ...['ask.src', 'consent.signature'],
    // Text from a chain node.
    'fault.message',
  ],
  events: {
    'xstate.init': prefixPaths('input.order', PASSPORT_ORDER),
    'PASSPORT.ASKED': prefixPaths('ask.order', PASSPORT_ORDER),
    'WALLET.SIGNED': ['consent.deadlineS'],
    'PASSPORT.REVOKED': ['reason', 'at'],
    'xstate.done.actor.*': [
      ...['actorId', 'output.state', 'output.transaction', 'output.at', 'output.fault.code'],
      'output.result.agentId',
    ],
  },
};

/** Shows the progress of deliveries. Hides the owner's URL and the webhook id. */
const webhookRedaction: Redaction = {
  kind: 'webhook',
  context: ['events.*', 'seq', 'failuresMax', 'failures', 'told', 'taken'],
  hidden: ['webhookId', 'owner', 'url', 'about'],
  events: {
    'xstate.init': ['input.events.*', 'input.seq', 'input.failuresMax'],
    'WEBHOOK.EVENT': ['event', 'at'],
    'WEBHOOK.PUBLIC': ['event', 'at', 'seq'],
    'WEBHOOK.PASSED': ['seq'],
    'WEBHOOK.ENABLED': ['seq'],
    'DELIVERY.ENDED': ['isTaken'],
  },
};

const SEAL_INPUT = [
  'sealId',
  'paymentId',
  'deliverableSha256',
  'agent',
  'agentId',
  'wallet',
  'issuedAt',
  'lifeMs',
];
const SEAL_USE = ['paymentId', 'deliverableSha256', 'at'];
/** Shows a seal, except the hash of its capability. */
const sealRedaction: Redaction = {
  kind: 'seal',
  context: [
    ...SEAL_INPUT,
    ...SEAL_USE.map((member) => `redemption.${member}`),
    ...[...SEAL_USE, 'reason'].map((member) => `refusals.*.${member}`),
    'refused',
  ],
  hidden: ['capabilitySha'],
  events: {
    'xstate.init': SEAL_INPUT.map((member) => `input.${member}`),
    'SEAL.REDEEMED': SEAL_USE,
  },
};

/** Shows that a message is being delivered. Hides its content and its recipient. */
const noticeRedaction: Redaction = {
  kind: 'notice',
  context: ['message.kind', 'message.event', 'failure.code'],
  hidden: [
    'key',
    'answerTo',
    'message.title',
    'message.text',
    'message.webhookId',
    'message.url',
    'message.deliveryId',
    'message.body',
    'receipt',
    'failure.message',
  ],
  events: { 'xstate.init': ['input.message.kind', 'input.message.event'] },
};

const DELEGATION_TERMS = [
  'delegator',
  'delegate',
  'scope.*',
  'expires_at',
  'depth',
  'parent_id',
  'origin',
];
/** Shows delegations, which are public. Their signatures are only in the delegation's own read. */
const delegationRedaction: Redaction = {
  kind: 'delegation',
  context: [
    ...['delegationId', 'grantedAt', 'revoked.at', 'revoked.reason'],
    ...DELEGATION_TERMS.map((term) => `delegation.${term}`),
  ],
  hidden: ['signature', 'delegation.nonce'],
  events: {
    'xstate.init': [
      'input.delegationId',
      ...DELEGATION_TERMS.map((term) => `input.delegation.${term}`),
    ],
    'DELEGATION.REVOKED': ['reason', 'at'],
  },
};

/** Controls belong to the operator and contain no secrets. */
const controlRedaction: Redaction = {
  kind: 'control',
  context: ['controlId', 'label', 'change.to', 'change.who', 'change.why', 'change.at', 'changes'],
  hidden: [],
  events: {
    'xstate.init': ['input.controlId', 'input.label'],
    'CONTROL.CHANGED': ['role', 'to', 'who', 'why', 'at'],
  },
};

/** Redactions of all machine kinds. Every new machine needs one. */
export const REDACTIONS: readonly Redaction[] = [
  ...PANELS.map((panel) =>
    panel.kind === arbitrationPanel.kind
      ? createArbitrationRedaction(panel)
      : createPanelRedaction(panel),
  ),
  paymentRedaction,
  jobRedaction,
  requestRedaction,
  controlRedaction,
  alertRedaction,
  auditRedaction,
  reportRedaction,
  noticeRedaction,
  sealRedaction,
  webhookRedaction,
  passportRedaction,
  delegationRedaction,
  serviceRedaction,
  deployRedaction,
  instanceRedaction,
  databaseRedaction,
  cronRunRedaction,
];

/** Creates the redactors of all kinds. */
export function createRedactors(lists: readonly Redaction[]): (kind: string) => Redactor {
  const byKind = new Map(lists.map((list) => [list.kind, createRedactor(list)]));
  const none = createRedactor(undefined);
  return (kind) => byKind.get(kind) ?? none;
}

/** Shows what a panel shows, and the parties and evidence metadata. Hides all texts. */
function createArbitrationRedaction(panel: PanelDefinition): Redaction {
  const base = createPanelRedaction(panel);
  return {
    ...base,
    context: [
      ...base.context,
      'input.policy.*.*',
      ...['boardJobId', 'claimantRole', 'claimant', 'respondent', 'windowS', 'effect'].map(
        (member) => `case.${member}`,
      ),
      'case.sides.*',
      ...['evidenceId', 'side', 'chars', 'at'].map((member) => `case.rows.*.${member}`),
      ...['case.frozen.root', 'case.frozen.effect', 'case.frozen.disputedAtS'],
      ...['isBound', 'sealed.payloadHash'],
    ],
    hidden: [
      ...base.hidden,
      // Hashes of the parties' texts, and names that they provided.
      'case.rows.*.sha',
      'case.names',
      'case.calls',
      'case.frozen.sha',
    ],
    events: { ...base.events, 'EVIDENCE.GIVEN': ['side', 'isLast'] },
  };
}

import type { AuditOutcome } from '../../domain/audit/order.ts';
import type {
  AnchorInput,
  AuditContext,
  ConsentInput,
  ProbeInput,
  RecheckInput,
  ReplayInput,
  SealReportInput,
  TargetInput,
} from './audit-context.ts';
import { createAuditContext } from './audit-context.ts';
import * as facts from './audit-facts.ts';
import { auditSetup } from './audit-setup.ts';
import * as steps from './audit-steps.ts';

/** Incremented whenever the meaning of a state, event or context field changes. */
export const version = 2;

const conclude = (outcome: AuditOutcome) => ({ type: 'conclude', params: { outcome } }) as const;

/**
 * The audit machine for tool servers and agent cards.
 *
 * Checks the proof of control, records the target's definitions, runs the probes seat by seat, and
 * lets another seat replay each finding. The result is reported and signed. If the target cuts the
 * audit off, only confirmed findings are reported and nothing is charged. No request is sent after
 * the owner, the buyer or the deadline has ended the audit.
 */
export const auditMachine = auditSetup.createMachine({
  id: 'audit',
  context: createAuditContext,
  initial: 'requested',
  states: {
    requested: {
      description: 'Checks the proof of control over the target.',
      invoke: {
        src: 'consent',
        id: 'consent',
        input: consentInput,
        onDone: [
          { guard: 'isConsentGiven', target: 'working', actions: 'keepConsent' },
          { target: 'failed', actions: conclude('refused') },
        ],
        onError: { target: 'failed', actions: conclude('failed') },
      },
      on: {
        CANCEL: { target: 'aborted', actions: conclude('cancelled') },
        KILL: { target: 'aborted', actions: conclude('stopped') },
        'CLIENT.GONE': { actions: 'detach' },
      },
    },
    working: {
      description: 'Examines the target within one deadline and request budget.',
      initial: 'recon',
      on: { 'CLIENT.GONE': { actions: 'detach' } },
      states: {
        recon: {
          description: 'Reads the public definitions of the target and pins them by hash.',
          invoke: {
            src: 'recon',
            id: 'recon',
            input: targetInput,
            onDone: [
              { guard: 'isSeen', target: 'asking', actions: 'keepRecon' },
              {
                target: '#audit.failed',
                actions: ['keepRecon', conclude('target_down')],
              },
            ],
            onError: { target: '#audit.failed', actions: conclude('failed') },
          },
          on: {
            CANCEL: { target: '#audit.aborted', actions: conclude('cancelled') },
            KILL: { target: '#audit.aborted', actions: conclude('stopped') },
          },
          after: { deadline: { target: '#audit.failed', actions: conclude('target_down') } },
        },
        asking: {
          description: 'The target is known; findings are kept from here on.',
          initial: 'probing',
          on: {
            CANCEL: { target: '#audit.reporting', actions: conclude('cancelled') },
            KILL: { target: '#audit.reporting', actions: conclude('stopped') },
          },
          after: {
            deadline: [
              {
                guard: 'isAssessable',
                target: '#audit.reporting',
                actions: conclude('deadline'),
              },
              { target: '#audit.cut_off', actions: conclude('unassessable') },
            ],
          },
          states: {
            probing: {
              description: 'Runs the probes in sequence, seat by seat.',
              initial: 'choosing',
              states: {
                choosing: {
                  description: 'Chooses the next probe, the next seat, or verification.',
                  always: [
                    { guard: 'isNewSeat', target: 'looking' },
                    { guard: 'hasProbe', target: 'running' },
                    { guard: 'isAssessable', target: '#audit.working.asking.verifying' },
                    { target: '#audit.cut_off', actions: conclude('unassessable') },
                  ],
                },
                running: {
                  description: 'Runs one probe of one seat.',
                  invoke: {
                    src: 'probe',
                    id: 'probe',
                    input: probeInput,
                    onDone: [
                      {
                        guard: 'isDown',
                        target: '#audit.cut_off',
                        actions: ['keepRun', conclude('target_down')],
                      },
                      { target: 'choosing', actions: 'keepRun' },
                    ],
                    onError: { target: 'choosing', actions: 'keepBrokenRun' },
                  },
                },
                looking: {
                  description: 'Checks that the target and the proof of control are unchanged.',
                  invoke: {
                    src: 'look',
                    id: 'look',
                    input: recheckInput,
                    onDone: [
                      {
                        guard: 'isDown',
                        target: '#audit.cut_off',
                        actions: ['keepLook', conclude('target_down')],
                      },
                      {
                        guard: 'isWithdrawn',
                        target: '#audit.reporting',
                        actions: ['keepLook', conclude('stopped')],
                      },
                      { target: 'choosing', actions: 'keepLook' },
                    ],
                    onError: { target: 'choosing', actions: 'keepBrokenLook' },
                  },
                },
              },
            },
            verifying: {
              description: 'Another seat replays every reproducible finding.',
              initial: 'choosing',
              states: {
                choosing: {
                  description: 'Chooses the next finding, or the report.',
                  always: [
                    { guard: 'hasReplay', target: 'running' },
                    { target: '#audit.reporting', actions: conclude('complete') },
                  ],
                },
                running: {
                  description: 'Replays one finding in new connections.',
                  invoke: {
                    src: 'replay',
                    id: 'replay',
                    input: replayInput,
                    onDone: [
                      {
                        guard: 'isDownUnconfirmed',
                        target: '#audit.cut_off',
                        actions: ['keepReplay', conclude('target_down')],
                      },
                      { target: 'choosing', actions: 'keepReplay' },
                    ],
                    onError: { target: 'choosing', actions: 'keepBrokenReplay' },
                  },
                },
              },
            },
          },
        },
      },
    },
    cut_off: {
      description: 'The target cut the audit off; only confirmed findings are reported, uncharged.',
      always: [{ guard: 'hasConfirmed', target: 'reporting' }, { target: 'failed' }],
    },
    reporting: {
      description: 'Writes the report and binds its content by a Merkle root.',
      invoke: {
        src: 'seal',
        id: 'seal',
        input: sealInput,
        onDone: { target: 'signing', actions: 'keepSealed' },
        onError: { target: 'failed', actions: conclude('failed') },
      },
    },
    signing: {
      description: 'Signs the report with the service key.',
      invoke: {
        src: 'sign',
        id: 'sign',
        input: signInput,
        onDone: { target: 'anchoring', actions: 'keepSigned' },
        onError: { target: 'failed', actions: conclude('failed') },
      },
    },
    anchoring: {
      description: 'Waits briefly until the log entry is anchored on the chain.',
      invoke: {
        src: 'anchor',
        id: 'anchor',
        input: anchorInput,
        onDone: [
          { guard: 'isPublishable', target: 'published', actions: 'keepAnchor' },
          { target: 'aborted', actions: 'keepAnchor' },
        ],
        onError: [
          { guard: 'isPublishable', target: 'published', actions: 'keepAnchor' },
          { target: 'aborted', actions: 'keepAnchor' },
        ],
      },
    },
    published: {
      description: 'The report is available at its public path.',
      type: 'final',
      entry: 'tellPayer',
    },
    aborted: {
      description: 'Ended early; findings so far are reported and money is refunded.',
      type: 'final',
      entry: 'tellPayer',
    },
    failed: {
      description: 'No report is available; the price is refunded.',
      type: 'final',
      entry: 'tellPayer',
    },
  },
});

type ContextArgs = { readonly context: AuditContext };

function consentInput({ context }: ContextArgs): ConsentInput {
  return steps.createConsentInput(context);
}

function targetInput({ context }: ContextArgs): TargetInput {
  return steps.createTargetInput(context);
}

function probeInput({ context }: ContextArgs): ProbeInput {
  const { recon, seat: seatId } = context;
  const probeId = steps.nextProbe(context)?.probeId ?? '';
  return { ...steps.createTargetInput(context), reconSha: recon?.sha ?? '', probeId, seatId };
}

function recheckInput({ context }: ContextArgs): RecheckInput {
  return {
    ...steps.createTargetInput(context),
    reconSha: context.recon?.sha ?? '',
    seatId: steps.nextSeat(context),
    consent: steps.createConsentInput(context),
  };
}

function replayInput({ context }: ContextArgs): ReplayInput {
  const finding = steps.nextReplay(context) ?? facts.NO_FINDING;
  const seatId = steps.replaySeat(context, finding);
  const reconSha = context.recon?.sha ?? '';
  return { ...steps.createTargetInput(context), reconSha, finding, seatId };
}

function sealInput({ context }: ContextArgs): SealReportInput {
  const { input, consent, recon, firstRecon, runs, skipped, findings } = context;
  const { looks, changes, requests, outcome, reason, begunAt } = context;
  return {
    input,
    consent,
    recon,
    firstRecon,
    runs,
    skipped,
    findings,
    looks,
    changes,
    requests,
    outcome,
    reason,
    begunAt,
  };
}

function signInput({ context: { input, sealed } }: ContextArgs) {
  return { auditId: input.auditId, reportSha: sealed?.reportSha ?? '' };
}

function anchorInput({ context: { input } }: ContextArgs): AnchorInput {
  return { auditId: input.auditId, plan: input.plan };
}

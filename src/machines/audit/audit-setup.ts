import { assign, enqueueActions, setup } from 'xstate';
import type { AuditInput, AuditOutcome } from '../../domain/audit/order.ts';
import { declareEffect } from '../common/effect.ts';
import type { ActorSend } from '../common/messages.ts';
import type {
  AnchorInput,
  AnchorOutput,
  AuditContext,
  ConsentInput,
  ConsentOutput,
  ProbeInput,
  ProbeOutput,
  RecheckInput,
  RecheckOutput,
  ReconOutput,
  ReplayInput,
  ReplayOutput,
  SealReportInput,
  TargetInput,
  WrittenReport,
} from './audit-context.ts';
import * as facts from './audit-facts.ts';
import * as steps from './audit-steps.ts';

/** Events from outside. */
export type AuditEvent =
  /** The buyer cancels: confirmed findings are published and the rest of the price is refunded. */
  | { readonly type: 'CANCEL' }
  /** The target's owner stops it; `by` states how ownership was proven. */
  | { readonly type: 'KILL'; readonly by: string }
  /** No client is waiting any more; the audit continues. */
  | { readonly type: 'CLIENT.GONE' };

type Effects =
  | { readonly type: 'xstate.done.actor.consent'; readonly output: ConsentOutput }
  | { readonly type: 'xstate.done.actor.recon'; readonly output: ReconOutput }
  | { readonly type: 'xstate.done.actor.probe'; readonly output: ProbeOutput }
  | { readonly type: 'xstate.done.actor.look'; readonly output: RecheckOutput }
  | { readonly type: 'xstate.done.actor.replay'; readonly output: ReplayOutput }
  | { readonly type: 'xstate.done.actor.seal'; readonly output: WrittenReport }
  | { readonly type: 'xstate.done.actor.sign'; readonly output: { readonly signedSha: string } }
  | { readonly type: 'xstate.done.actor.anchor'; readonly output: AnchorOutput }
  | { readonly type: `xstate.error.actor.${string}`; readonly error: unknown };

/** Effects, guards, actions and delays of the audit machine. */
export const auditSetup = setup({
  types: {} as {
    context: AuditContext;
    input: AuditInput;
    events: AuditEvent | Effects;
    emitted: ActorSend;
  },
  actors: {
    consent: declareEffect<ConsentInput, ConsentOutput>(),
    recon: declareEffect<TargetInput, ReconOutput>(),
    probe: declareEffect<ProbeInput, ProbeOutput>(),
    look: declareEffect<RecheckInput, RecheckOutput>(),
    replay: declareEffect<ReplayInput, ReplayOutput>(),
    seal: declareEffect<SealReportInput, WrittenReport>(),
    sign: declareEffect<
      { readonly auditId: string; readonly reportSha: string },
      { signedSha: string }
    >(),
    anchor: declareEffect<AnchorInput, AnchorOutput>(),
  },
  guards: {
    isConsentGiven: ({ event }) => facts.outputState(event) === 'given',
    isSeen: ({ event }) => facts.outputState(event) === 'seen',
    isDown: ({ event }) => facts.outputState(event) === 'down' || facts.isReportedDown(event),
    isWithdrawn: ({ event }) => facts.outputState(event) === 'withdrawn',
    isNewSeat: ({ context }) => context.seat !== steps.nextSeat(context),
    hasProbe: ({ context }) => steps.nextProbe(context) !== undefined,
    hasReplay: ({ context }) => steps.nextReplay(context) !== undefined,
    isAssessable: ({ context }) => steps.isAssessable(context),
    hasConfirmed: ({ context }) => facts.hasConfirmed(context),
    isDownUnconfirmed: ({ context, event }) =>
      facts.isReportedDown(event) && !facts.hasConfirmed(context),
    isPublishable: ({ context }) => facts.isPublishable(context),
  },
  delays: { deadline: ({ context }) => context.input.deadlineMs },
  actions: {
    keepConsent: assign(({ event }) => facts.consentUpdate(event)),
    keepRecon: assign(({ context, event }) =>
      event.type === 'xstate.done.actor.recon' ? steps.applyRecon(context, event.output) : context,
    ),
    keepRun: assign(({ context, event }) =>
      event.type === 'xstate.done.actor.probe' ? steps.applyRun(context, event.output) : context,
    ),
    keepBrokenRun: assign(({ context, event }) =>
      'error' in event ? steps.applyFailedRun(context, event.error) : context,
    ),
    keepLook: assign(({ context, event }) =>
      event.type === 'xstate.done.actor.look' ? steps.applyRecheck(context, event.output) : context,
    ),
    keepBrokenLook: assign(({ context }) => steps.applyFailedRecheck(context)),
    keepReplay: assign(({ context, event }) =>
      event.type === 'xstate.done.actor.replay'
        ? steps.applyReplay(context, event.output)
        : context,
    ),
    keepBrokenReplay: assign(({ context }) => steps.applyFailedReplay(context)),
    keepSealed: assign({ sealed: ({ event }) => facts.readWrittenReport(event) }),
    keepSigned: assign({ signedSha: ({ event }) => facts.readSignedSha(event) }),
    keepAnchor: assign({ anchor: ({ event }) => facts.readAnchor(event) }),
    detach: assign({ detached: true }),
    conclude: assign(({ context, event }, { outcome }: { readonly outcome: AuditOutcome }) => ({
      outcome,
      reason: facts.auditOutcomeReason(outcome, context, event),
    })),
    tellPayer: enqueueActions(({ context, enqueue }) => {
      const { paymentId: to } = context.input;
      if (to === undefined) return;
      enqueue.emit({ type: 'actor.send', to, event: facts.createAuditWorkEvent(context) });
    }),
  },
});

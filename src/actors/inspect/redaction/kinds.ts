import { arbitrationPanel } from '../../../domain/arbitration/panel.ts';
import { PANELS } from '../../../domain/panel/panels.ts';
import { alertRedaction } from './alert.ts';
import { createArbitrationRedaction } from './arbitration.ts';
import { auditRedaction } from './audit.ts';
import { controlRedaction } from './control.ts';
import { delegationRedaction } from './delegation.ts';
import {
  cronRunRedaction,
  databaseRedaction,
  deployRedaction,
  instanceRedaction,
  serviceRedaction,
} from './hosting.ts';
import { jobRedaction } from './job.ts';
import { noticeRedaction } from './notice.ts';
import { createPanelRedaction } from './panel.ts';
import { passportRedaction } from './passport.ts';
import { paymentRedaction } from './payment.ts';
import { createRedactor, type Redaction, type Redactor } from './redaction.ts';
import { reportRedaction } from './report.ts';
import { requestRedaction } from './request.ts';
import { sealRedaction } from './seal.ts';
import { webhookRedaction } from './webhook.ts';

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

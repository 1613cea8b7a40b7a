import { PANELS } from '../../domain/panel/panels.ts';
import type { PathPlan } from '../path.ts';
import { alertPlan } from './alert.ts';
import { arbitrationPlan } from './arbitration.ts';
import { auditPlan } from './audit.ts';
import { controlPlan } from './control.ts';
import { councilPlan } from './council.ts';
import { cronRunPlan } from './cron-run.ts';
import { databasePlan } from './database.ts';
import { debatePlan } from './debate.ts';
import { delegationPlan } from './delegation.ts';
import { deployPlan } from './deploy.ts';
import { instancePlan } from './instance.ts';
import { jobPlan } from './job.ts';
import { noticePlan } from './notice.ts';
import { createPanelPlan } from './panel-plan.ts';
import { passportPlan } from './passport.ts';
import { paymentPlan } from './payment.ts';
import { reportPlan } from './report.ts';
import { requestPlan } from './request.ts';
import { sealPlan } from './seal.ts';
import { servicePlan } from './service.ts';
import { webhookPlan } from './webhook.ts';

const PLANS: Readonly<Record<string, PathPlan>> = {
  debate: debatePlan,
  council: councilPlan,
  arbitration: arbitrationPlan,
  payment: paymentPlan,
  job: jobPlan,
  request: requestPlan,
  control: controlPlan,
  alert: alertPlan,
  audit: auditPlan,
  report: reportPlan,
  notice: noticePlan,
  seal: sealPlan,
  webhook: webhookPlan,
  passport: passportPlan,
  delegation: delegationPlan,
  service: servicePlan,
  deploy: deployPlan,
  instance: instancePlan,
  database: databasePlan,
  'cron-run': cronRunPlan,
};

/**
 * Returns the path plan of a kind of machine; `undefined` if there is none. A panel without its own
 * plan has the one that follows from its definition.
 */
export function findPlan(kind: string): PathPlan | undefined {
  if (Object.hasOwn(PLANS, kind)) return PLANS[kind];
  const panel = PANELS.find((definition) => definition.kind === kind);
  return panel === undefined ? undefined : createPanelPlan(panel);
}

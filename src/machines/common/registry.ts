import type { AnyStateMachine } from 'xstate';
import { alertMachine, version as alertVersion } from '../alert/alert.ts';
import { sealMachine, version as sealVersion } from '../attestation/seal.ts';
import { auditMachine, version as auditVersion } from '../audit/audit.ts';
import { controlMachine, version as controlVersion } from '../control/control.ts';
import { jobMachine, version as jobVersion } from '../escrow/job.ts';
import { requestMachine, version as requestVersion } from '../escrow/request.ts';
import { cronRunMachine, version as cronRunVersion } from '../hosting/cron-run.ts';
import { databaseMachine, version as databaseVersion } from '../hosting/database.ts';
import { deployMachine, version as deployVersion } from '../hosting/deploy/deploy.ts';
import { instanceMachine, version as instanceVersion } from '../hosting/instance.ts';
import { serviceMachine, version as serviceVersion } from '../hosting/service/service.ts';
import { noticeMachine, version as noticeVersion } from '../notification/notice.ts';
import { webhookMachine, version as webhookVersion } from '../notification/webhook.ts';
import { PANEL_MACHINES } from '../panel/panels.ts';
import { delegationMachine, version as delegationVersion } from '../passport/delegation.ts';
import { passportMachine, version as passportVersion } from '../passport/passport.ts';
import { paymentMachine, version as paymentVersion } from '../payment/payment.ts';
import { reportMachine, version as reportVersion } from '../report/report.ts';

/** A machine as listed by tests, docs and the console. */
export interface RegisteredMachine {
  readonly kind: string;
  readonly version: number;
  readonly machine: AnyStateMachine;
  readonly title: string;
}

/** All machines in display order. */
export const MACHINES: readonly RegisteredMachine[] = [
  ...PANEL_MACHINES.map(({ definition: { kind, version, title }, machine }) => ({
    kind,
    version,
    machine,
    title,
  })),
  { kind: 'payment', version: paymentVersion, machine: paymentMachine, title: 'Payment' },
  { kind: 'job', version: jobVersion, machine: jobMachine, title: 'Escrowed job' },
  { kind: 'request', version: requestVersion, machine: requestMachine, title: 'Request' },
  { kind: 'control', version: controlVersion, machine: controlMachine, title: 'Control' },
  { kind: 'passport', version: passportVersion, machine: passportMachine, title: 'Passport' },
  {
    kind: 'delegation',
    version: delegationVersion,
    machine: delegationMachine,
    title: 'Delegation',
  },
  { kind: 'audit', version: auditVersion, machine: auditMachine, title: 'Audit' },
  { kind: 'report', version: reportVersion, machine: reportMachine, title: 'Report' },
  { kind: 'alert', version: alertVersion, machine: alertMachine, title: 'Alert' },
  { kind: 'notice', version: noticeVersion, machine: noticeMachine, title: 'Notice' },
  { kind: 'seal', version: sealVersion, machine: sealMachine, title: 'Seal' },
  { kind: 'webhook', version: webhookVersion, machine: webhookMachine, title: 'Webhook' },
  { kind: 'service', version: serviceVersion, machine: serviceMachine, title: 'Service' },
  { kind: 'deploy', version: deployVersion, machine: deployMachine, title: 'Deploy' },
  { kind: 'instance', version: instanceVersion, machine: instanceMachine, title: 'Instance' },
  { kind: 'database', version: databaseVersion, machine: databaseMachine, title: 'Database' },
  {
    kind: 'cron-run',
    version: cronRunVersion,
    machine: cronRunMachine,
    title: 'Run of a cron job',
  },
];

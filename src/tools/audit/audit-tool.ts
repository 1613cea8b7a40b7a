import { detachAudit } from '../../actors/audit/audit.ts';
import { type AuditOrderDeps, planAudit, prepareAudit } from '../../actors/audit/audit-order.ts';
import { waitForAudit } from '../../actors/audit/audit-wait.ts';
import type { Services } from '../../actors/common/services.ts';
import { AUDIT_PLANS, type AuditPlanName } from '../../domain/audit/plans.ts';
import { AuditRequest } from '../../domain/audit/request.ts';
import { AuditState } from '../../domain/audit/state.ts';
import { invariant } from '../../domain/common/error.ts';
import type { JsonObject } from '../../domain/common/json.ts';
import type { MicroUsdText } from '../../domain/common/money.ts';
import type { Tool, ToolContext } from '../../domain/tool/tool.ts';
import type { ToolResult } from '../../domain/tool/tool-result.ts';
import { createJobWait } from '../job/job-parts.ts';
import { formatAudit } from './audit-answer.ts';

/** Dependencies of audit tools. */
export interface AuditToolDeps extends AuditOrderDeps, Pick<Services, 'blobs' | 'engine'> {}

/** The properties in which audit tools differ. */
export interface AuditToolDefinition {
  readonly plan: AuditPlanName;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly summary: string;
  readonly example: JsonObject;
  readonly price: MicroUsdText;
}

/** Creates a tool that audits a target. */
export function createAuditTool(
  deps: AuditToolDeps,
  facts: AuditToolDefinition,
): Tool<AuditRequest> {
  const { plan, name, title, description, summary, example, price } = facts;
  return {
    server: 'commerce',
    name,
    title,
    description,
    summary,
    example,
    annotations: {
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: false,
      openWorldHint: true,
    },
    input: AuditRequest,
    output: AuditState,
    waitParameters: ['wait_s'],
    price: { amount: price, flow: 'upfront' },
    cancelTerms:
      'Cancel with get_result and cancel: true. You are refunded the share of the price for the ' +
      'probes that did not run, and confirmed findings are published. The same share is ' +
      'refunded if time runs out first. You are refunded in full, without a report, if the ' +
      'target goes down before a finding is confirmed or fewer than half of the probes succeed. ' +
      'The same holds if the server fails.',
    checkReady: (request) => {
      const { probes } = planAudit(deps, request, plan);
      const { seats, requestsMax } = AUDIT_PLANS[plan];
      return {
        plan,
        seats: seats.length,
        seats_are: 'rules',
        mode: request.mode,
        probes: probes.length,
        requests_max: requestsMax,
      };
    },
    order: (request, by) => prepareAudit(deps, request, { plan, priceMicroUsd: price }, by),
    run: (request, context) => run(deps, request, context),
  };
}

async function run(
  deps: AuditToolDeps,
  request: AuditRequest,
  context: ToolContext,
): Promise<ToolResult> {
  const { jobId, signal } = context;
  invariant(jobId !== undefined, 'an audit runs as the job that its payment created');
  const state = await waitForAudit(deps, jobId, createJobWait(deps, context, request.wait_s));
  if (signal.aborted) await detachAudit(deps.engine, jobId);
  return formatAudit(state, context.origin);
}

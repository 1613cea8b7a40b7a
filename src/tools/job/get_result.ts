import { z } from 'zod';
import { auditKind } from '../../actors/audit/audit-view.ts';
import type { Services } from '../../actors/common/services.ts';
import { findKind } from '../../actors/job/paid-job.ts';
import type { PanelReadDeps } from '../../actors/panel/panel-state.ts';
import { waitForPanel } from '../../actors/panel/panel-wait.ts';
import { cancelPanel } from '../../actors/panel/panels.ts';
import { SuppliedTurn, supplyTurns } from '../../actors/panel/supply-turns.ts';
import { reportKind } from '../../actors/report/report-view.ts';
import type { Arbitrations } from '../../domain/arbitration/arbitrations.ts';
import { CaseView, EvidenceOrder } from '../../domain/arbitration/case-view.ts';
import { AuditState } from '../../domain/audit/state.ts';
import { AppError } from '../../domain/common/error.ts';
import { PANEL_SEATS_MAX, WAIT_S_MAX } from '../../domain/panel/records.ts';
import { PanelState } from '../../domain/panel/result.ts';
import { AnyReportState } from '../../domain/report/state.ts';
import { ADVANCED } from '../../domain/tool/advanced.ts';
import type { Tool, ToolContext } from '../../domain/tool/tool.ts';
import type { ToolResult } from '../../domain/tool/tool-result.ts';
import { formatCase, parseSignedBody } from '../arbitration/case-answer.ts';
import { readAuditJob } from '../audit/audit-result.ts';
import { answerPanel } from '../panel/panel-answer.ts';
import { readReportJob } from '../report/report-result.ts';
import { createJobWait } from './job-parts.ts';

const Input = z.strictObject({
  job_id: z.string().min(1).max(200).describe('The job_id that the paid call returned.'),
  wait_s: z
    .int()
    .min(0)
    .max(WAIT_S_MAX)
    .default(20)
    .describe('Seconds to wait for the end. Default: 20.'),
  cancel: z.boolean().default(false).describe('true ends the job and refunds the unspent part.'),
  turns: z
    .array(SuppliedTurn)
    .min(1)
    .max(PANEL_SEATS_MAX)
    .optional()
    .describe('Answers of your own agent, after the status needs_turns.'),
  evidence: z
    .strictObject({
      body: z.string().min(2).max(262_144).describe('The JSON body exactly as signed.'),
      stoa_wallet: z.string().min(1).max(8_192).describe('The value of the header stoa-wallet.'),
    })
    .optional()
    .describe('Signed evidence of a party: the request POST /a2a/jobs/{job_id}/evidence.')
    .meta(ADVANCED),
});
type Input = z.infer<typeof Input>;

/** Dependencies of the tool. */
export interface GetResultDeps extends PanelReadDeps, Pick<Services, 'clock'> {
  /** Absent on servers without arbitration. */
  readonly arbitrating?: Pick<Services, 'wallets'> & { readonly arbitrations: Arbitrations };
}

/** Creates the tool `get_result`, which reads, awaits, feeds or cancels a paid job. */
export function getResultTool(deps: GetResultDeps): Tool<Input> {
  return {
    server: 'commerce',
    name: 'get_result',
    title: 'Status and result of a paid job',
    description:
      'Get the status and result of a job by its job_id. Returns status, phase, turns done, ' +
      'cost so far, and the result when the job has finished. Use it after a paid tool has ' +
      'returned a job_id; the answer always has the same shape. It waits up to wait_s and ' +
      'streams progress. cancel: true ends the job and refunds the unspent part. If the status ' +
      'is needs_turns, answer the prompts and send turns: [{turn_id, answer}]. If any turn is ' +
      'invalid, none is accepted and all errors are returned. A party to an arbitration also ' +
      'submits signed evidence here. Free.',
    summary:
      'Get the status and result of a job by the job_id of a paid tool. Waits, streams ' +
      'progress, takes your agent’s turns, and cancels (the unspent part is refunded).',
    example: { job_id: 'job_3f9a', wait_s: 60 },
    annotations: {
      readOnlyHint: false,
      // A cancel destroys nothing: the transcript stays readable and the rest is refunded.
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
    input: Input,
    // Clients require `type: object` at the root, even for a union.
    output: z.union([PanelState, AuditState, AnyReportState, CaseView]).meta({ type: 'object' }),
    run: (input, context) => run(deps, input, context),
  };
}

async function run(deps: GetResultDeps, input: Input, context: ToolContext): Promise<ToolResult> {
  const { job_id: jobId, cancel, turns, wait_s, evidence } = input;
  if (evidence !== undefined) {
    const view = await submitEvidence(deps, jobId, { ...input, evidence });
    return formatCase(view, context.origin);
  }
  if (cancel && turns !== undefined) {
    throw new AppError('INPUT_INVALID', {
      message: 'Pass either `cancel` or `turns`, not both.',
      data: { path: 'cancel', received: 'cancel and turns', allowed: 'one of them' },
    });
  }
  const kind = await findKind(deps.engine, jobId);
  if (kind === auditKind.kind) return readAuditJob(deps, input, context);
  if (kind === reportKind.kind) return readReportJob(deps, input, context);
  if (cancel) await cancelPanel(deps, jobId);
  if (turns !== undefined) await supplyTurns(deps, jobId, turns);
  const state = await waitForPanel(deps, jobId, createJobWait(deps, context, wait_s));
  return answerPanel(deps, state, context.origin);
}

/** Submits evidence that a party has signed for the HTTP endpoint. */
async function submitEvidence(
  { arbitrating }: GetResultDeps,
  boardJobId: string,
  { evidence, cancel, turns }: Input & { readonly evidence: NonNullable<Input['evidence']> },
): Promise<CaseView> {
  if (cancel || turns !== undefined) {
    throw new AppError('INPUT_INVALID', {
      message: 'Pass `evidence` without `cancel` and `turns`.',
      data: { path: 'evidence', received: 'evidence with cancel or turns', allowed: 'evidence' },
    });
  }
  if (arbitrating === undefined) throw new AppError('DISPUTE_UNKNOWN');
  const { body, stoa_wallet: header } = evidence;
  const by = await arbitrating.wallets.prove({
    method: 'POST',
    path: `/a2a/jobs/${boardJobId}/evidence`,
    body: new TextEncoder().encode(body),
    header,
  });
  const order = parseSignedBody(body, EvidenceOrder);
  return arbitrating.arbitrations.submitEvidence(boardJobId, order, by);
}

import type { z } from 'zod';
import type { Services } from '../../actors/common/services.ts';
import { detachReport } from '../../actors/report/report.ts';
import type { ReportKind } from '../../actors/report/report-kind.ts';
import { prepareReport } from '../../actors/report/report-order.ts';
import type { ReportSlots } from '../../actors/report/report-slots.ts';
import { waitForReport } from '../../actors/report/report-wait.ts';
import { invariant } from '../../domain/common/error.ts';
import type { JsonObject } from '../../domain/common/json.ts';
import type { MicroUsdText } from '../../domain/common/money.ts';
import { createReportStateSchema } from '../../domain/report/state.ts';
import type { Tool, ToolContext } from '../../domain/tool/tool.ts';
import type { ToolResult } from '../../domain/tool/tool-result.ts';
import { createJobWait } from '../job/job-parts.ts';
import { formatReport } from './report-answer.ts';

/** Dependencies of report tools. */
export interface ReportToolDeps extends Pick<Services, 'blobs' | 'clock' | 'engine'> {
  readonly slots: Pick<ReportSlots, 'reserve'>;
}

/** The input of a report tool; all members except `wait_s` are the request of the report. */
export interface ReportInput {
  /** Seconds to wait for the end of the report; 0 returns at once. */
  readonly wait_s: number;
}

/** The properties in which report tools differ. */
export interface ReportToolDefinition<Input extends ReportInput> {
  readonly kind: ReportKind;
  readonly title: string;
  readonly description: string;
  readonly summary: string;
  readonly example: JsonObject;
  readonly price: MicroUsdText;
  readonly input: z.ZodType<Input>;
  /** Schema of `data` in the answer. */
  readonly data: z.ZodType;
  /** Checks before payment, as `Tool.ready`; can add facts to the challenge. */
  ready?(input: Input): JsonObject | undefined;
}

/** Creates a tool that sells a report. */
export function createReportTool<Input extends ReportInput>(
  deps: ReportToolDeps,
  facts: ReportToolDefinition<Input>,
): Tool<Input> {
  const { kind, title, description, summary, example, price, input, data } = facts;
  return {
    server: 'commerce',
    name: kind.tool,
    title,
    description,
    summary,
    example,
    annotations: {
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: false,
      openWorldHint: true,
    },
    input,
    output: createReportStateSchema(data),
    waitParameters: ['wait_s'],
    price: { amount: price, flow: 'upfront' },
    cancelTerms:
      'Cancel with get_result and cancel: true before the answer is written; you are refunded ' +
      'in full. You are also refunded in full if no source answers, if an essential step fails, ' +
      'or if the server fails.',
    checkReady: (asked) => ({
      steps: kind.steps(omitWait(asked)).map(({ title: step }) => step),
      ...facts.ready?.(asked),
    }),
    order: (asked, by) => {
      const offer = { kind, priceMicroUsd: price };
      return prepareReport(deps, omitWait(asked), offer, by);
    },
    run: (asked, context) => run(deps, asked, context),
  };
}

/** Returns the request of the report: the input without `wait_s`. */
function omitWait<Input extends ReportInput>(asked: Input): JsonObject {
  const { wait_s: waited, ...request } = asked;
  invariant(waited >= 0, 'a wait is not below zero');
  return request as JsonObject;
}

async function run(
  deps: ReportToolDeps,
  { wait_s }: ReportInput,
  context: ToolContext,
): Promise<ToolResult> {
  const { jobId, signal } = context;
  invariant(jobId !== undefined, 'a report runs as the job that its payment created');
  const view = await waitForReport(deps, jobId, createJobWait(deps, context, wait_s));
  if (signal.aborted) await detachReport(deps.engine, jobId);
  return formatReport(view, deps.blobs, context.origin);
}

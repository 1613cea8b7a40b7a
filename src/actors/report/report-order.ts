import { AppError } from '../../domain/common/error.ts';
import { type JsonObject, toJson } from '../../domain/common/json.ts';
import type { MicroUsdText } from '../../domain/common/money.ts';
import { REPORT_REQUEST_CHARS_MAX, ReportInput } from '../../domain/report/records.ts';
import type { JobBuyer, JobOrder } from '../../domain/tool/tool.ts';
import type { Services } from '../common/services.ts';
import type { ReportKind } from './report-kind.ts';
import type { ReportSlots } from './report-slots.ts';
import { reportKind } from './report-view.ts';

/** The kind of report and its price. */
export interface ReportOffer {
  readonly kind: ReportKind;
  readonly priceMicroUsd: MicroUsdText;
}

/**
 * Prepares the order of a report before payment. If it throws, nothing is charged or stored.
 *
 * @throws {AppError} `INPUT_INVALID`, `OVERLOADED`, `RATE_LIMITED`, and errors of the report kind
 */
export async function prepareReport(
  { slots, clock }: Pick<Services, 'clock'> & { readonly slots: Pick<ReportSlots, 'reserve'> },
  request: JsonObject,
  { kind, priceMicroUsd }: ReportOffer,
  by: JobBuyer,
): Promise<JobOrder> {
  const text = JSON.stringify(request);
  if (text.length > REPORT_REQUEST_CHARS_MAX) throw requestTooLongError(text.length);
  const copy = JSON.parse(text) as JsonObject;
  kind.steps(copy);
  const input = ReportInput.omit({ jobId: true, paymentId: true }).parse({
    reportKind: kind.kind,
    tool: kind.tool,
    request: copy,
    deadlineMs: kind.deadlineMs,
    priceMicroUsd,
  });
  const release = await slots.reserve(by, clock.now());
  return { kind: reportKind.kind, input: toJson(input), release };
}

function requestTooLongError(received: number): AppError {
  return new AppError('INPUT_INVALID', {
    message: `The request has ${received} characters; the limit is ${REPORT_REQUEST_CHARS_MAX}.`,
    data: { path: '', received, allowed: REPORT_REQUEST_CHARS_MAX },
  });
}

import type { PaidAnswer, PaymentFlow } from '../../actors/payment/payment-flow.ts';
import {
  AppError,
  ERRORS,
  type ErrorCode,
  invariant,
  toAppError,
} from '../../domain/common/error.ts';
import { hashJson } from '../../domain/common/hash.ts';
import type { JsonObject } from '../../domain/common/json.ts';
import type { ControlLabels } from '../../domain/control/controls.ts';
import type { JobState, Jobs } from '../../domain/job/job.ts';
import type { PaymentRequirements } from '../../domain/payment/payment.ts';
import type { PaymentFailure } from '../../domain/payment/payment-chain.ts';
import type {
  Grant,
  JobBuyer,
  JobOrder,
  Principal,
  Progress,
  ResourceContent,
  Tool,
  ToolCall,
  ToolContext,
  ToolOutcome,
  ToolServer,
  ToolService,
  ToolSession,
} from '../../domain/tool/tool.ts';
import type { ToolResult } from '../../domain/tool/tool-result.ts';
import { toErrorResult } from '../../domain/tool/tool-result.ts';
import type { Challenger } from '../payment/challenge.ts';
import { createListing, gateByControl } from './control-labels.ts';
import { listTool } from './listing.ts';
import { schemaError } from './schema-error.ts';

/** A resource template with its reader. */
export interface ResourceReader {
  readonly template: ToolService['resourceTemplates'][number];
  /** Returns `undefined` for URIs of other templates, and for a wrong capability. */
  read(uri: string): Promise<ResourceContent | undefined>;
}

/** Options of {@link createToolService}. */
export interface ToolServiceOptions {
  readonly server: ToolServer;
  readonly title: string;
  readonly version: string;
  readonly instructions: string;
  /** In list order; each must come from `defineTool`. */
  readonly tools: readonly Tool[];
  /** Required if any tool has a price. */
  readonly paid?: { readonly payments: PaymentFlow; readonly challenger: Challenger };
  /** The jobs that the tools order; without them no call can run as a task. */
  readonly jobs?: Jobs;
  readonly resources?: readonly ResourceReader[];
  /** Tools whose control is not LIVE are neither listed nor sold. Without labels, all are. */
  readonly labels?: ControlLabels;
  /** Receives internal failures; the caller does not see their details. */
  readonly onInternalError?: (error: AppError, tool: string) => void;
}

/** A priced call with valid input. */
interface PricedCall {
  readonly call: ToolCall;
  readonly tool: Tool;
  readonly input: unknown;
  readonly offer: PaymentRequirements;
}

/**
 * Creates a tool server without a transport. It checks arguments and readiness before it asks for
 * payment. A failing tool never makes a call throw.
 *
 * @throws {AppError} `INVARIANT` for two tools with one name, or a price without `paid`.
 */
export function createToolService(options: ToolServiceOptions): ToolService {
  const { server, title, version, instructions, paid, jobs, resources = [] } = options;
  const report = (thrown: unknown, tool: string): AppError => {
    const error = toAppError(thrown);
    if (INTERNAL_CODES.includes(error.code)) options.onInternalError?.(error, tool);
    return error;
  };
  const byName = new Map(
    options.tools.map((tool) => [
      tool.name,
      gateByControl(reportFailures(tool, report), options.labels),
    ]),
  );
  invariant(byName.size === options.tools.length, 'tool names are unique');
  const isPaidReady = paid !== undefined || options.tools.every(({ price }) => price === undefined);
  invariant(isPaidReady, 'priced tools need payments');
  const known = options.tools.map((tool) => listTool(tool, paid?.challenger));
  const listed = createListing(known, options.labels);

  async function call(asked: ToolCall): Promise<ToolOutcome> {
    const tool = byName.get(asked.name);
    if (tool === undefined) return { kind: 'unknown_tool', name: asked.name };
    const parsed = tool.input.safeParse(asked.arguments ?? {});
    if (!parsed.success)
      return errorOutcome(schemaError(parsed.error, asked.arguments ?? {}, tool));
    if (tool.price === undefined || paid === undefined) {
      return { kind: 'result', result: await runFree(tool, parsed.data, asked) };
    }
    try {
      return await callPriced({ ...paid, jobs }, tool, parsed.data, asked);
    } catch (thrown) {
      return errorOutcome(report(thrown, tool.name));
    }
  }

  return {
    server,
    title,
    version,
    instructions,
    get tools() {
      return listed().tools;
    },
    allTools: known,
    get listJson() {
      return listed().listJson;
    },
    call,
    ...(jobs === undefined ? {} : { jobs: { ...jobs, toolNames: jobToolNames(options.tools) } }),
    resourceTemplates: resources.map(({ template }) => template),
    readResource: async (uri) => {
      for (const { read } of resources) {
        const content = await read(uri);
        if (content !== undefined) return content;
      }
      return undefined;
    },
  };
}

/** Codes of internal failures: only the operator sees their details. */
const INTERNAL_CODES: readonly ErrorCode[] = ['INTERNAL', 'INVARIANT'];

/** Wraps a tool so that its internal failures are reported before the caller gets an error. */
function reportFailures(tool: Tool, report: (thrown: unknown, tool: string) => AppError): Tool {
  const run: Tool['run'] = async (input, context) => {
    try {
      return await tool.run(input, context);
    } catch (thrown) {
      throw report(thrown, tool.name);
    }
  };
  const finish: Tool['finish'] = async (input, context, result) => {
    try {
      return (await tool.finish?.(input, context, result)) ?? result;
    } catch (thrown) {
      throw report(thrown, tool.name);
    }
  };
  return { ...tool, run, finish };
}

type PaidDeps = NonNullable<ToolServiceOptions['paid']> & { readonly jobs: Jobs | undefined };

async function callPriced(
  paid: PaidDeps,
  tool: Tool,
  input: unknown,
  call: ToolCall,
): Promise<ToolOutcome> {
  const offer = paid.challenger.offer(tool, await getReadyFacts(paid, tool, input, call));
  const priced = { call, tool, input, offer };
  if (call.payments.length === 0) return challengeOutcome(paid, priced, undefined);
  const jobs = call.asTask === true && tool.order !== undefined ? paid.jobs : undefined;
  let job: JobState | undefined;
  const answer = await paid.payments.pay({
    ...paymentBinding(priced),
    resourceUrl: call.resourceUrl,
    ...(call.src === undefined ? {} : { src: call.src }),
    ...(call.trace === undefined ? {} : { trace: call.trace }),
    payments: call.payments,
    ...(tool.order === undefined ? {} : { order: (by) => orderJob(tool, input, call, by) }),
    run: async (by) => {
      if (jobs === undefined || by.jobId === undefined) {
        return runTool(tool, input, createPaidContext(call, by));
      }
      job = await jobs.state(by.jobId);
      if (job === undefined) throw new AppError('JOB_UNKNOWN');
      return job.result;
    },
    finish: (by, result) => finishTool(tool, input, createPaidContext(call, by), result),
  });
  const toolOutcome = await toOutcome(paid, priced, answer);
  return toolOutcome.kind === 'result' && job !== undefined ? { ...toolOutcome, job } : toolOutcome;
}

function jobToolNames(tools: readonly Tool[]): ReadonlySet<string> {
  return new Set(tools.flatMap(({ name, order }) => (order === undefined ? [] : [name])));
}

/** Returns the facts of `checkReady`. A paid call proceeds even if it fails. */
async function getReadyFacts(
  { payments, challenger }: PaidDeps,
  tool: Tool,
  input: unknown,
  call: ToolCall,
): Promise<JsonObject | undefined> {
  try {
    return tool.checkReady?.(input);
  } catch (thrown) {
    const offer = challenger.offer(tool);
    const isPaid = await payments.isKnown(
      paymentBinding({ call, tool, input, offer }),
      call.payments,
    );
    if (!isPaid) throw thrown;
    return undefined;
  }
}

function paymentBinding({ tool, input, offer }: PricedCall) {
  const { waitParameters = [] } = tool;
  return {
    tool: tool.name,
    args: waitParameters.length === 0 ? input : omit(input, waitParameters),
    ...(waitParameters.length === 0 ? {} : { legacyArgs: input }),
    flow: tool.price?.flow ?? 'authorization',
    offer,
  } as const;
}

function omit(input: unknown, names: readonly string[]): unknown {
  return Object.fromEntries(
    Object.entries(Object(input)).filter(([name]) => !names.includes(name)),
  );
}

async function toOutcome(
  paid: PaidDeps,
  priced: PricedCall,
  answer: PaidAnswer,
): Promise<ToolOutcome> {
  const settlement = answer.settlement === undefined ? {} : { settlement: answer.settlement };
  if (answer.kind === 'answered') return { kind: 'result', result: answer.result, ...settlement };
  const { fault } = answer;
  if (!isPaymentFault(fault)) return errorOutcome(new AppError(fault.code, fault));
  return { ...(await challengeOutcome(paid, priced, fault)), ...settlement };
}

async function challengeOutcome(
  { challenger }: PaidDeps,
  priced: PricedCall,
  fault: PaymentFailure | undefined,
): Promise<ToolOutcome> {
  const { call, tool, offer } = priced;
  const challenge = await challenger.challenge({
    tool,
    offer,
    argsHash: hashJson(paymentBinding(priced).args),
    resourceUrl: call.resourceUrl,
    ...(fault === undefined ? {} : { fault }),
  });
  const { status } = ERRORS[fault?.code ?? 'PAYMENT_REQUIRED'];
  return { kind: 'payment_required', required: challenge, status };
}

/** Payment errors are answered with a challenge; other errors are plain errors. */
function isPaymentFault({ code }: PaymentFailure): boolean {
  return code.startsWith('PAYMENT_') || code === 'SETTLEMENT_FAILED';
}

async function orderJob(
  tool: Tool,
  input: unknown,
  { principal }: ToolCall,
  { paymentId, payer }: Pick<JobBuyer, 'paymentId' | 'payer'>,
): Promise<JobOrder> {
  const order = await tool.order?.(input, { principal, paymentId, payer });
  invariant(order !== undefined, 'only tools that order jobs are asked to');
  return order;
}

async function runFree(tool: Tool, input: unknown, call: ToolCall): Promise<ToolResult> {
  try {
    tool.checkReady?.(input);
    return await tool.run(input, new CallContext(call));
  } catch (thrown) {
    return toErrorResult(toAppError(thrown));
  }
}

async function runTool(tool: Tool, input: unknown, context: ToolContext): Promise<ToolResult> {
  try {
    return await tool.run(input, context);
  } catch (thrown) {
    return toErrorResult(toAppError(thrown));
  }
}

/** An error here is not stored: the same call with the same payment tries `finish` again. */
async function finishTool(
  tool: Tool,
  input: unknown,
  context: ToolContext,
  result: ToolResult,
): Promise<ToolResult> {
  try {
    return (await tool.finish?.(input, context, result)) ?? result;
  } catch (thrown) {
    return toErrorResult(toAppError(thrown));
  }
}

function errorOutcome(error: AppError): ToolOutcome {
  return { kind: 'result', result: toErrorResult(error) };
}

/** Reads call members lazily, so that a free call never creates a signal that it does not use. */
class CallContext implements ToolContext {
  readonly #call: ToolCall;
  /** An arrow function, because tools destructure the context. */
  readonly progress = (step: Progress): void => this.#call.onProgress?.(step);

  constructor(call: ToolCall) {
    this.#call = call;
  }

  get principal(): Principal {
    return this.#call.principal;
  }

  get session(): ToolSession | undefined {
    return this.#call.session;
  }

  get grant(): Grant | undefined {
    return this.#call.grant;
  }

  get signal(): AbortSignal {
    return this.#call.signal;
  }
}

/** Inline work continues after the caller disconnects; waiting for a job stops. */
function createPaidContext(
  call: ToolCall,
  by: { readonly paymentId: string; readonly payer: string; readonly jobId?: string },
): ToolContext {
  const { principal } = call;
  const signal = by.jobId === undefined ? new AbortController().signal : call.signal;
  return { ...by, principal, signal, progress: (step) => call.onProgress?.(step) };
}

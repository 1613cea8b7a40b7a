import type { Services } from '../../actors/common/services.ts';
import type { PaidAnswer, PaymentListing } from '../../actors/payment/paid-call.ts';
import type { PaymentFlow } from '../../actors/payment/payment-flow.ts';
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
import { bindResourceUrl } from '../../domain/payment/offer-receipt.ts';
import type { PaymentRequirements } from '../../domain/payment/payment.ts';
import type { PaymentFailure } from '../../domain/payment/payment-chain.ts';
import type {
  Grant,
  JobBuyer,
  JobOrder,
  ListedTool,
  Principal,
  Progress,
  ServedJobs,
  Tool,
  ToolCall,
  ToolContext,
  ToolDetails,
  ToolOutcome,
  ToolServer,
  ToolService,
  ToolSession,
} from '../../domain/tool/tool.ts';
import type { ToolResult } from '../../domain/tool/tool-result.ts';
import { toErrorResult } from '../../domain/tool/tool-result.ts';
import type { SignIn } from '../../domain/wallet/sign-in.ts';
import {
  type BazaarExtension,
  createBazaarExtension,
  type ServiceProtocol,
} from '../payment/bazaar.ts';
import { type Challenger, describeResource } from '../payment/challenge.ts';
import { createListing, gateByControl } from './control-labels.ts';
import { describeTool, listTool } from './listing.ts';
import { readArguments } from './read-arguments.ts';
import type { ResourceReader } from './resource-reader.ts';
import { schemaError } from './schema-error.ts';
import { createLazyRanking } from './search/load-ranking.ts';
import { toolResource } from './tool-resource.ts';

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
  /** How the tools are reached, as catalogues list them. Default: MCP. */
  readonly protocol?: ServiceProtocol;
  /** Offers buyers to sign in. Without it, challenges do not. */
  readonly signIn?: Pick<SignIn, 'offer'>;
  /** The jobs that the tools order; without them no call can run as a task. */
  readonly jobs?: Jobs;
  /** Origins of the server, for callers that do not reach it over HTTP. */
  readonly origins?: Services['origins'];
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
  const catalogue = createCatalogue(options, known);
  const describe = createDescriber(byName, paid?.challenger);
  const readers = [toolResource(describe), ...resources];

  async function call(asked: ToolCall): Promise<ToolOutcome> {
    const tool = byName.get(asked.name);
    if (tool === undefined) return { kind: 'unknown_tool', name: asked.name };
    const parsed = readArguments(tool.input, asked.arguments ?? {});
    if (!parsed.success)
      return errorOutcome(schemaError(parsed.error, asked.arguments ?? {}, tool));
    if (tool.price === undefined || paid === undefined) {
      return {
        kind: 'result',
        result: await runFree(tool, parsed.data, new CallContext(asked, options.origins)),
      };
    }
    try {
      const { signIn, origins } = options;
      const deps = { ...paid, jobs, catalogue, signIn, origins };
      return await callPriced(deps, tool, parsed.data, asked);
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
    describe,
    rank: createLazyRanking(options.tools),
    get listJson() {
      return listed().listJson;
    },
    call,
    ...(jobs === undefined ? {} : { jobs: createServedJobs(jobs, options) }),
    resourceTemplates: readers.flatMap(({ template }) => template ?? []),
    resources: readers.flatMap(({ resource }) => resource ?? []),
    readResource: async (uri) => {
      for (const { read } of readers) {
        const content = await read(uri);
        if (content !== undefined) return content;
      }
      return undefined;
    },
  };
}

/** Creates a function that describes each tool once. */
function createDescriber(
  byName: ReadonlyMap<string, Tool>,
  challenger: Challenger | undefined,
): ToolService['describe'] {
  const described = new Map<string, ToolDetails>();
  return (name) => {
    const tool = byName.get(name);
    if (tool === undefined) return undefined;
    const details = described.get(name) ?? describeTool(tool, challenger);
    described.set(name, details);
    return details;
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

type PaidDeps = NonNullable<ToolServiceOptions['paid']> & {
  readonly jobs: Jobs | undefined;
  /** How catalogues list each tool. */
  readonly catalogue: ReadonlyMap<string, BazaarExtension>;
  readonly signIn: Pick<SignIn, 'offer'> | undefined;
  readonly origins: ToolServiceOptions['origins'];
};

function createCatalogue(
  { tools, protocol = 'mcp' }: ToolServiceOptions,
  known: readonly ListedTool[],
): PaidDeps['catalogue'] {
  const schemas = new Map(known.map(({ name, inputSchema }) => [name, inputSchema]));
  return new Map(
    tools.map((tool) => [
      tool.name,
      createBazaarExtension(tool, protocol, schemas.get(tool.name) ?? {}),
    ]),
  );
}

async function callPriced(
  paid: PaidDeps,
  tool: Tool,
  input: unknown,
  call: ToolCall,
): Promise<ToolOutcome> {
  const origin = findOrigin(call, paid.origins);
  const again = await answerSignedIn(paid, tool, input, call);
  if (again !== undefined) return again;
  const offer = paid.challenger.offer(tool, await getReadyFacts(paid, tool, input, call));
  const priced = { call, tool, input, offer };
  if (call.payments.length === 0) return challengeOutcome(paid, priced, undefined);
  const jobs = call.asTask === true && tool.order !== undefined ? paid.jobs : undefined;
  let job: JobState | undefined;
  const answer = await paid.payments.pay({
    ...paymentBinding(priced),
    listing: () => createListingEntry(paid, priced),
    isForSignIn: paid.signIn !== undefined,
    ...(call.src === undefined ? {} : { src: call.src }),
    ...(call.trace === undefined ? {} : { trace: call.trace }),
    payments: call.payments,
    ...(call.jobId === undefined ? {} : { jobId: call.jobId }),
    ...(tool.order === undefined ? {} : { order: (by) => orderJob(tool, input, call, by) }),
    run: async (by) => {
      if (jobs === undefined || by.jobId === undefined) {
        return runTool(tool, input, createPaidContext(tool, call, { ...by, origin }));
      }
      job = await jobs.state(by.jobId);
      if (job === undefined) throw new AppError('JOB_UNKNOWN');
      return job.result;
    },
    finish: (by, result) =>
      finishTool(tool, input, createPaidContext(tool, call, { ...by, origin }), result),
  });
  const toolOutcome = await toOutcome(paid, priced, answer);
  return toolOutcome.kind === 'result' && job !== undefined ? { ...toolOutcome, job } : toolOutcome;
}

/** Returns what the signed-in wallet has bought by this same call, once per sign-in. */
async function answerSignedIn(
  { payments, origins }: PaidDeps,
  tool: Tool,
  input: unknown,
  call: ToolCall,
): Promise<ToolOutcome | undefined> {
  const { signedIn } = call;
  if (signedIn === undefined || call.payments.length > 0) return undefined;
  const answer = await payments.answerAgain(signedIn.wallet, {
    tool: tool.name,
    args: readBoundArguments(tool, input),
    finish: (by, result) =>
      finishTool(
        tool,
        input,
        createPaidContext(tool, call, { ...by, origin: findOrigin(call, origins) }),
        result,
      ),
  });
  if (answer?.kind !== 'answered') return undefined;
  await signedIn.spend();
  return { ...answer, kind: 'result' };
}

function createServedJobs(jobs: Jobs, { tools, paid }: ToolServiceOptions): ServedJobs {
  return {
    ...jobs,
    toolNames: new Set(tools.flatMap(({ name, order }) => (order === undefined ? [] : [name]))),
    settlementOf: async (jobId) => paid?.payments.settlementOf(jobId),
    isOrderOf: async (jobId, payments) =>
      (await paid?.payments.isOrderOf(jobId, payments)) ?? false,
  };
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

function paymentBinding({ call, tool, input, offer }: PricedCall) {
  const { waitParameters = [] } = tool;
  const args = readBoundArguments(tool, input);
  const argsHash = hashJson(args);
  return {
    tool: tool.name,
    args,
    argsHash,
    resourceUrl: bindResourceUrl(call.resourceUrl, tool.name, argsHash),
    ...(waitParameters.length === 0 ? {} : { legacyArgs: input }),
    flow: tool.price?.flow ?? 'authorization',
    offer,
  } as const;
}

/** Returns the arguments that a payment is bound to: all that change the work. */
function readBoundArguments({ waitParameters = [] }: Tool, input: unknown): unknown {
  return waitParameters.length === 0 ? input : omit(input, waitParameters);
}

/** Returns what a facilitator's catalogue shows of a tool. */
function createListingEntry({ catalogue }: PaidDeps, priced: PricedCall): PaymentListing {
  const { tool } = priced;
  return {
    resource: describeResource(tool, paymentBinding(priced).resourceUrl),
    extensions: { ...catalogue.get(tool.name) },
  };
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
  { challenger, catalogue, signIn }: PaidDeps,
  priced: PricedCall,
  fault: PaymentFailure | undefined,
): Promise<ToolOutcome> {
  const { tool, offer } = priced;
  const { argsHash, resourceUrl } = paymentBinding(priced);
  const challenge = await challenger.challenge({
    tool,
    offer,
    argsHash,
    resourceUrl,
    catalogue: catalogue.get(tool.name),
    signIn: signIn?.offer(resourceUrl),
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

async function runFree(tool: Tool, input: unknown, context: ToolContext): Promise<ToolResult> {
  try {
    tool.checkReady?.(input);
    return await tool.run(input, context);
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
  readonly #origins: ToolServiceOptions['origins'];
  /** An arrow function, because tools destructure the context. */
  readonly progress = (step: Progress): void => this.#call.onProgress?.(step);

  constructor(call: ToolCall, origins: ToolServiceOptions['origins']) {
    this.#call = call;
    this.#origins = origins;
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

  get origin(): string | undefined {
    return findOrigin(this.#call, this.#origins);
  }
}

/** Inline work continues after the caller disconnects; waiting for a job stops. */
function createPaidContext(
  { price }: Pick<Tool, 'price'>,
  call: ToolCall,
  by: Pick<JobBuyer, 'paymentId' | 'payer'> & Pick<ToolContext, 'jobId' | 'origin'>,
): ToolContext {
  const { principal } = call;
  const signal = by.jobId === undefined ? new AbortController().signal : call.signal;
  return {
    ...by,
    principal,
    price: price?.amount,
    signal,
    progress: (step) => call.onProgress?.(step),
  };
}

/** Returns the origin at which a caller reaches this server; `undefined` without one. */
function findOrigin(
  { resourceUrl }: ToolCall,
  origins: ToolServiceOptions['origins'],
): string | undefined {
  // A call may have getters only, so it cannot be copied with its origin.
  const origin = URL.canParse(resourceUrl) ? new URL(resourceUrl).origin : 'null';
  return origin === 'null' ? origins?.()[0] : origin;
}

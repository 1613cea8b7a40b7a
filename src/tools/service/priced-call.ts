import type { PaidAnswer, PaymentListing } from '../../actors/payment/paid-call.ts';
import type { PaymentFlow } from '../../actors/payment/payment-flow.ts';
import { AppError, ERRORS, invariant } from '../../domain/common/error.ts';
import { hashJson } from '../../domain/common/hash.ts';
import type { JsonObject } from '../../domain/common/json.ts';
import type { JobState, Jobs } from '../../domain/job/job.ts';
import { bindResourceUrl } from '../../domain/payment/offer-receipt.ts';
import type { PaymentRequirements } from '../../domain/payment/payment.ts';
import type { PaymentFailure } from '../../domain/payment/payment-chain.ts';
import type { JobBuyer, JobOrder, Tool, ToolCall, ToolOutcome } from '../../domain/tool/tool.ts';
import type { SignIn } from '../../domain/wallet/sign-in.ts';
import type { BazaarExtension } from '../payment/bazaar.ts';
import { type Challenger, describeResource } from '../payment/challenge.ts';
import { createPaidContext, findOrigin, type Origins } from './call-context.ts';
import { errorOutcome, finishTool, runTool } from './run-tool.ts';

/** A priced call with valid input. */
interface PricedCall {
  readonly call: ToolCall;
  readonly tool: Tool;
  readonly input: unknown;
  readonly offer: PaymentRequirements;
}

/** The dependencies of priced calls. */
export interface PaidDeps {
  readonly payments: PaymentFlow;
  readonly challenger: Challenger;
  readonly jobs: Jobs | undefined;
  /** How catalogues list each tool. */
  readonly catalogue: ReadonlyMap<string, BazaarExtension>;
  readonly signIn: Pick<SignIn, 'offer'> | undefined;
  readonly origins: Origins;
}

/**
 * Calls a priced tool with valid input: asks for its price, or pays and runs it.
 *
 * @throws {AppError} Errors of the checks before a payment, and those of `PaymentFlow.pay`.
 */
export async function callPriced(
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

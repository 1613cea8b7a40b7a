import type { Services } from '../../actors/common/services.ts';
import type { PaymentFlow } from '../../actors/payment/payment-flow.ts';
import { type AppError, type ErrorCode, invariant, toAppError } from '../../domain/common/error.ts';
import type { ControlLabels } from '../../domain/control/controls.ts';
import type { Jobs } from '../../domain/job/job.ts';
import type {
  ListedTool,
  ServedJobs,
  Tool,
  ToolCall,
  ToolDetails,
  ToolOutcome,
  ToolServer,
  ToolService,
} from '../../domain/tool/tool.ts';
import type { SignIn } from '../../domain/wallet/sign-in.ts';
import { createBazaarExtension, type ServiceProtocol } from '../payment/bazaar.ts';
import type { Challenger } from '../payment/challenge.ts';
import { CallContext } from './call-context.ts';
import { createListing, gateByControl } from './control-labels.ts';
import { describeTool, listTool } from './listing.ts';
import { callPriced, type PaidDeps } from './priced-call.ts';
import { readArguments } from './read-arguments.ts';
import type { ResourceReader } from './resource-reader.ts';
import { errorOutcome, runFree } from './run-tool.ts';
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

function createServedJobs(jobs: Jobs, { tools, paid }: ToolServiceOptions): ServedJobs {
  return {
    ...jobs,
    toolNames: new Set(tools.flatMap(({ name, order }) => (order === undefined ? [] : [name]))),
    settlementOf: async (jobId) => paid?.payments.settlementOf(jobId),
    isOrderOf: async (jobId, payments) =>
      (await paid?.payments.isOrderOf(jobId, payments)) ?? false,
  };
}

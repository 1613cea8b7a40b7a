import { z } from 'zod';
import { AppError } from '../../../domain/common/error.ts';
import { readListedPrice } from '../../../domain/tool/listed-price.ts';
import { composeResult, formatCost } from '../../../domain/tool/result-text.ts';
import { SEARCH_TOOLS, unwrapCall } from '../../../domain/tool/search-mode.ts';
import type { ListedTool, Tool, ToolService } from '../../../domain/tool/tool.ts';
import { CREATE_HINTS, READ_ONLY_HINTS } from '../annotations.ts';
import { createToolService } from '../service.ts';

/** Number of tools in an answer, by default and at most. */
const FOUND = { byDefault: 5, max: 10 } as const;
const REQUEST_CHARS_MAX = 400;

const FindInput = z.strictObject({
  request: z.string().min(1).max(REQUEST_CHARS_MAX).describe('What you need, in your own words.'),
  limit: z.int().min(1).max(FOUND.max).default(FOUND.byDefault).describe('Most tools to return.'),
});
type FindInput = z.infer<typeof FindInput>;
const FoundTool = z.object({ name: z.string(), summary: z.string(), price_usd: z.string() });
type FoundTool = z.infer<typeof FoundTool>;

const NameField = z.string().max(64).describe('Name of the tool, as find_tool returns it.');
const DescribeInput = z.strictObject({ name: NameField });
type DescribeInput = z.infer<typeof DescribeInput>;
const Description = z.object({
  name: z.string(),
  description: z.string(),
  inputSchema: z.looseObject({}),
  price_usd: z.string(),
});

const CallInput = z.strictObject({
  name: NameField,
  arguments: z.looseObject({}).default({}).describe('Its arguments, as describe_tool shows them.'),
});
type CallInput = z.infer<typeof CallInput>;

/**
 * Returns a tool server that lists three tools in place of its own: one finds a tool, one describes
 * it, one calls it. Its own tools stay callable by their names.
 */
export function searchTools(service: ToolService): ToolService {
  const { server, title, version, allTools = service.tools } = service;
  const instructions =
    `${service.instructions} This session lists three tools: find a tool with find_tool, read ` +
    'its parameters with describe_tool, then call it with call_tool.';
  const tools = [findTool(service), describeOneTool(service), callTool(service)] as const;
  const search = createToolService({ server, title, version, instructions, tools });
  const ownNames = new Set(search.tools.map(({ name }) => name));
  const { jobs } = service;
  return {
    ...service,
    instructions,
    tools: search.tools,
    allTools: [...search.tools, ...allTools],
    listJson: search.listJson,
    describe: (name) => search.describe(name) ?? service.describe(name),
    unwrap: unwrapCall,
    ...(jobs === undefined
      ? {}
      : { jobs: { ...jobs, toolNames: new Set([...jobs.toolNames, SEARCH_TOOLS.call]) } }),
    call: (call) => (ownNames.has(call.name) ? search.call(call) : service.call(call)),
  };
}

function findTool(service: ToolService): Tool<FindInput> {
  return {
    server: service.server,
    name: SEARCH_TOOLS.find,
    title: 'Find a tool',
    description:
      `Find the tool for a task among the ${service.tools.length} of this server, best match ` +
      'first, each with what it does and its price. Then read its parameters with describe_tool.',
    example: { request: FIND_EXAMPLES[service.server] },
    annotations: READ_ONLY_HINTS,
    input: FindInput,
    output: z.object({ tools: z.array(FoundTool) }),
    run: async ({ request, limit }) => {
      const listed = new Map(service.tools.map((tool) => [tool.name, tool]));
      const ranked = (await service.rank(request)).flatMap((name) => listed.get(name) ?? []);
      const found = ranked.slice(0, limit).map((tool) => toFoundTool(service, tool));
      const [best] = found;
      const text = composeResult({
        answer:
          best === undefined
            ? `No tool matches these words. All tools: ${[...listed.keys()].join(', ')}.`
            : `${best.name}: ${best.summary}`,
        why: best === undefined ? 'no text of a tool has them.' : 'its texts fit your words best.',
        decidedBy: 'the word index of this server; no language model took part',
        cost: formatCost(undefined),
        details: found.slice(1).map(({ name, summary }) => `${name}: ${summary}`),
      });
      return {
        content: [{ type: 'text', text }],
        structuredContent: { tools: found },
      };
    },
  };
}

const FIND_EXAMPLES = {
  commerce: 'current bitcoin price in dollars',
  hosting: 'put a Node app from a Git repository online',
} as const;

function describeOneTool(service: ToolService): Tool<DescribeInput> {
  return {
    server: service.server,
    name: SEARCH_TOOLS.describe,
    title: 'Describe a tool',
    description:
      'Get the description, the parameters and an example of one tool. Find its name with ' +
      'find_tool, then call it with call_tool.',
    example: { name: service.tools[0]?.name ?? '' },
    annotations: READ_ONLY_HINTS,
    input: DescribeInput,
    output: Description,
    run: async ({ name }) => {
      const tool = service.tools.find((each) => each.name === name);
      if (tool === undefined) throw await unknownTool(service, name);
      const { description, inputSchema } = tool;
      const text = composeResult({
        answer: `${name}: ${description}`,
        why: 'this is how the server lists the tool.',
        decidedBy: 'the operator of this server',
        cost: formatCost(undefined),
        details: [`Parameters: ${JSON.stringify(inputSchema)}`],
      });
      return {
        content: [{ type: 'text', text }],
        structuredContent: {
          name,
          description,
          inputSchema,
          price_usd: readListedPrice(tool) ?? '0',
        },
      };
    },
  };
}

function callTool(service: ToolService): Tool<CallInput> {
  return {
    server: service.server,
    name: SEARCH_TOOLS.call,
    title: 'Call a tool',
    description:
      'Call a tool by its name: the result, the progress, the price and the payment are those of ' +
      'the tool. Find its name with find_tool, and its parameters with describe_tool.',
    example: { name: service.tools[0]?.name ?? '', arguments: {} },
    annotations: { ...CREATE_HINTS, destructiveHint: true },
    input: CallInput,
    output: z.looseObject({}),
    // A transport has unwrapped the call already, so what is left here calls `call_tool` itself.
    run: async ({ name }) => {
      throw await unknownTool(service, name);
    },
  };
}

function toFoundTool(service: ToolService, tool: ListedTool): FoundTool {
  const { name } = tool;
  const summary = service.describe(name)?.summary ?? '';
  return { name, summary, price_usd: readListedPrice(tool) ?? '0' };
}

async function unknownTool(service: ToolService, name: string): Promise<AppError> {
  const listed = new Set(service.tools.map((tool) => tool.name));
  const alike = (await service.rank(name))
    .filter((each) => listed.has(each))
    .slice(0, FOUND.byDefault);
  const allowed = alike.length === 0 ? [...listed] : alike;
  return new AppError('TOOL_UNKNOWN', {
    message: `No tool here is named ${JSON.stringify(name)}. Allowed: ${allowed.join(', ')}.`,
    data: { received: name, allowed },
  });
}

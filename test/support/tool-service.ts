import type { JsonObject } from '../../src/domain/common/json.ts';
import type { MicroUsdText } from '../../src/domain/common/money.ts';
import type { PaymentRequired, SettlementResponse } from '../../src/domain/payment/payment.ts';
import type { ListedTool, ToolCall, ToolOutcome, ToolService } from '../../src/domain/tool/tool.ts';
import type { ToolResult } from '../../src/domain/tool/tool-result.ts';

/** A tool service whose tools do what a test of the front needs. It remembers its calls. */
export interface TestService extends ToolService {
  readonly calls: ToolCall[];
  /** Lets the tool `hold` answer. */
  release(): void;
}

const OPEN: ListedTool['annotations'] = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
const NAMES = ['echo', 'steps', 'hold', 'paid', 'late', 'pending', 'big', 'broken'];

/** What the tool `paid` asks for. */
export const CHALLENGE: PaymentRequired = {
  x402Version: 2,
  error: 'PAYMENT-SIGNATURE header is required',
  resource: { url: 'mcp://tool/paid', description: 'A paid tool', mimeType: 'application/json' },
  accepts: [
    {
      scheme: 'exact',
      network: 'eip155:31337',
      amount: '10000' as MicroUsdText,
      asset: `0x${'1'.repeat(40)}`,
      payTo: `0x${'2'.repeat(40)}`,
      maxTimeoutSeconds: 60,
      extra: { name: 'Test', version: '1' },
    },
  ],
};

/** What a paid call is answered with beside its result. */
export const SETTLEMENT: SettlementResponse = {
  success: true,
  transaction: `0x${'a'.repeat(64)}`,
  network: 'eip155:31337',
  payer: `0x${'3'.repeat(40)}`,
};

/** Makes the service; `more` idle tools make its list as long as a test wants. */
export function testService(more = 0): TestService {
  const tools = [...NAMES, ...Array.from({ length: more }, (_, at) => `idle_${at}`)].map(listed);
  const calls: ToolCall[] = [];
  const held: (() => void)[] = [];
  return {
    server: 'commerce',
    title: 'Test tools',
    version: '0.0.1',
    instructions: 'Call echo.',
    tools,
    listJson: JSON.stringify({ tools }),
    describe: (name) => {
      const tool = tools.find((each) => each.name === name);
      return tool === undefined ? undefined : { ...tool, summary: tool.title, accepts: [] };
    },
    rank: async (request) => tools.map(({ name }) => name).filter((name) => request.includes(name)),
    resourceTemplates: [
      {
        uriTemplate: 'note://{id}',
        name: 'Note',
        description: 'A note by its id.',
        mimeType: 'text/plain',
      },
    ],
    calls,
    release: () => {
      for (const go of held.splice(0)) go();
    },
    readResource: async (uri) =>
      uri === 'note://known' ? { uri, mimeType: 'text/plain', text: 'a note' } : undefined,
    call: (call) => {
      calls.push(call);
      return perform(call, held);
    },
  };
}

async function perform(call: ToolCall, held: (() => void)[]): Promise<ToolOutcome> {
  switch (call.name) {
    case 'echo':
      return done(JSON.stringify(call.arguments));
    case 'steps':
      return steps(call);
    case 'hold':
      call.onProgress?.({ progress: 1, message: 'holding' });
      await new Promise<void>((resolve) => {
        held.push(resolve);
      });
      return done(call.signal.aborted ? 'released after the caller had gone' : 'released');
    case 'paid':
      if (call.payments.length === 0) return challenge(402);
      if (call.payments.length > 1) return challenge(400);
      return { ...done('paid'), settlement: SETTLEMENT };
    case 'late':
      await pause(60);
      return challenge(402);
    case 'pending':
      return { ...challenge(202), settlement: SETTLEMENT };
    case 'big':
      return done('x'.repeat(Number((call.arguments as { size?: number }).size ?? 0)));
    case 'broken':
      throw new Error('the inside of this must not be seen');
    default:
      return { kind: 'unknown_tool', name: call.name };
  }
}

async function steps(call: ToolCall): Promise<ToolOutcome> {
  const { count = 3, pauseMs = 5 } = call.arguments as { count?: number; pauseMs?: number };
  for (let progress = 1; progress <= count; progress += 1) {
    call.onProgress?.({ progress, total: count, message: `step ${progress} of ${count}` });
    await pause(pauseMs);
  }
  return done(`${count} steps`);
}

function challenge(status: number): Extract<ToolOutcome, { kind: 'payment_required' }> {
  return { kind: 'payment_required', required: CHALLENGE, status };
}

function done(text: string): { readonly kind: 'result'; readonly result: ToolResult } {
  return {
    kind: 'result',
    result: { content: [{ type: 'text', text }], structuredContent: { text } },
  };
}

function listed(name: string): ListedTool {
  const schema: JsonObject = { type: 'object', properties: {} };
  return {
    name,
    title: name,
    description: `The tool ${name}, which does what its name says. ${'More words. '.repeat(30)}`,
    inputSchema: schema,
    outputSchema: schema,
    annotations: OPEN,
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

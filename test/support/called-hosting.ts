import type { Grant, ToolCall, ToolService, ToolSession } from '../../src/domain/tool/tool.ts';
import type { ToolResult } from '../../src/domain/tool/tool-result.ts';
import { createHostingServer } from '../../src/process/hosting/hosting-tools.ts';
import {
  createMemorySelection,
  createToolSession,
  LastWorkspaces,
} from '../../src/transport/mcp/session/last-workspaces.ts';
import type { MemoryHostingOptions } from './hosting-memory/state.ts';
import { hostingWorld, type MemoryWorld, WORKSPACES } from './hosting-world.ts';

/** A hosting server over memory, called without a transport. */
export interface CalledHosting extends MemoryWorld {
  readonly service: ToolService;
  /** Calls for workspace Alpha, which the arguments may override. */
  call(name: string, args?: object, by?: Partial<ToolCall>): Promise<Told>;
  /** Calls with exactly these arguments. */
  raw(name: string, args: object, by?: Partial<ToolCall>): Promise<Told>;
  /** A session of a caller. */
  session(caller?: string): ToolSession;
}

/** What a call has come to, ready to be looked at. */
export interface Told {
  readonly isError: boolean;
  readonly text: string;
  readonly line: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into results of every shape
  readonly value: any;
}

/** Serves every hosting tool over a provider in memory. */
export function calledHosting(
  overrides: Partial<MemoryHostingOptions> & { readonly isHosted?: boolean } = {},
): CalledHosting {
  const { isHosted = false, ...provided } = overrides;
  const world = hostingWorld(provided);
  const service = createHostingServer({ provider: world.provider, clock: world.clock, isHosted });
  const last = new LastWorkspaces();
  const raw = async (name: string, args: object, by: Partial<ToolCall> = {}): Promise<Told> => {
    const outcome = await service.call({
      name,
      arguments: args,
      payments: [],
      resourceUrl: `mcp://tool/${name}`,
      principal: { kind: 'local', id: 'test' },
      signal: new AbortController().signal,
      ...by,
    });
    if (outcome.kind !== 'result') throw new Error(`no result: ${JSON.stringify(outcome)}`);
    return told(outcome.result);
  };
  return {
    ...world,
    service,
    raw,
    call: (name, args = {}, by = {}) => raw(name, { workspaceId: WORKSPACES[0].id, ...args }, by),
    session: (caller = 'test') => {
      const principal = { kind: 'local', id: caller } as const;
      return createToolSession(last, principal, createMemorySelection());
    },
  };
}

/** A token that reaches workspace Alpha alone. */
export const ALPHA_GRANT: Grant = { tokenId: 'alpha', workspaceId: WORKSPACES[0].id };

/** What a result says. */
export function told(result: ToolResult): Told {
  const [block] = result.content;
  const text = block?.type === 'text' ? block.text : '';
  const [line = ''] = text.split('\n');
  return { isError: result.isError === true, text, line, value: result.structuredContent };
}

/** Arguments that make a web service. */
export const SHOP = {
  name: 'shop',
  runtime: 'node',
  buildCommand: 'npm ci',
  startCommand: 'npm start',
  repo: 'https://git.example/shop',
} as const;

/** Makes a web service, live, and gives its id. */
export async function liveShop(hosting: CalledHosting, more: object = {}): Promise<string> {
  const { value } = await hosting.call('create_web_service', { ...SHOP, ...more });
  await hosting.clock.advance(60_000);
  return String(value.service.id);
}

/** Makes a database of each kind, available, and gives their ids. */
export async function availableStores(hosting: CalledHosting, more: object = {}) {
  const args = { name: 'store', plan: 'free', ...more };
  const postgres = await hosting.call('create_postgres', args);
  const keyValue = await hosting.call('create_key_value', args);
  await hosting.clock.advance(60_000);
  return {
    postgresId: String(postgres.value.postgres.id),
    keyValueId: String(keyValue.value.keyValue.id),
  };
}

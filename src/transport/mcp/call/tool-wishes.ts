import { AppError, errorBody, toAppError } from '../../../domain/common/error.ts';
import type { Grant } from '../../../domain/tool/tool.ts';
import type { ToolWishes } from '../../../tools/service/select-tools.ts';
import type { HttpReply, HttpRequest } from '../../http/host.ts';
import type { EndpointCore } from '../endpoint-core.ts';
import { errorJson, RPC, type RpcId } from '../json-rpc.ts';
import type { ToolView } from './tool-views.ts';

type Part = keyof ToolWishes;

const HEADERS: ReadonlyMap<string, Part> = new Map([
  ['x-mcp-toolsets', 'toolsets'],
  ['x-mcp-tools', 'tools'],
  ['x-mcp-exclude-tools', 'excluded'],
  ['x-mcp-readonly', 'isReadOnly'],
]);
const PARAMETERS: ReadonlyMap<string, Part> = new Map([
  ['toolsets', 'toolsets'],
  ['tools', 'tools'],
  ['exclude_tools', 'excluded'],
  ['readonly', 'isReadOnly'],
]);
const NONE: readonly ToolWishes[] = [];

/** Returns the tools that a request selects, or the error in its selection. */
export function chooseView(
  core: Pick<EndpointCore, 'views' | 'grantOf'>,
  request: HttpRequest,
): ToolView | AppError {
  const { views } = core;
  try {
    const wishes = [...grantWishes(core.grantOf?.(request)), ...readWishes(request)];
    return wishes.length === 0 ? views.whole : views.choose(wishes);
  } catch (thrown) {
    return toAppError(thrown);
  }
}

/** Converts a grant to a selection, which applies before the caller's own. */
function grantWishes(grant: Grant | undefined): readonly ToolWishes[] {
  if (grant === undefined) return NONE;
  const { toolsets, isReadOnly = false } = grant;
  return [{ ...(toolsets === undefined ? {} : { toolsets }), isReadOnly }];
}

/** Builds the reply to an invalid selection. */
export function wishReply(id: RpcId | null, fault: AppError): HttpReply {
  const body = errorBody(fault);
  return {
    status: 400,
    headers: ['content-type', 'application/json'],
    body: errorJson(id, RPC.PARAMS, `${body.error}: ${body.message}`, body),
  };
}

/**
 * Reads the tool selection of a request from its headers and its query. Both narrow the tools.
 *
 * @throws {AppError} `INPUT_INVALID` when the read-only flag is not a boolean.
 */
export function readWishes(request: HttpRequest): readonly ToolWishes[] {
  const { headers, query } = request;
  let wishes = NONE;
  const named: [Part, string][] = [];
  for (let at = 0; at < headers.length; at += 2) {
    const part = HEADERS.get(headers[at] ?? '');
    if (part !== undefined) named.push([part, headers[at + 1] ?? '']);
  }
  if (named.length > 0) wishes = [gather(named)];
  if (query === '') return wishes;
  const asked: [Part, string][] = [];
  for (const [name, value] of new URLSearchParams(query)) {
    const part = PARAMETERS.get(name);
    if (part !== undefined) asked.push([part, value]);
  }
  return asked.length === 0 ? wishes : [...wishes, gather(asked)];
}

/** Splits a comma-separated list of names. Returns `undefined` when it is empty. */
export function readNames(text: string): readonly string[] | undefined {
  const names = text.split(',').map((name) => name.trim());
  const given = [...new Set(names.filter((name) => name !== ''))];
  return given.length === 0 ? undefined : given;
}

function gather(given: readonly (readonly [Part, string])[]): ToolWishes {
  const text = (part: Part): string =>
    given.flatMap(([name, value]) => (name === part ? [value] : [])).join(',');
  const toolsets = readNames(text('toolsets'));
  const tools = readNames(text('tools'));
  const excluded = readNames(text('excluded'));
  return {
    ...(toolsets === undefined ? {} : { toolsets }),
    ...(tools === undefined ? {} : { tools }),
    ...(excluded === undefined ? {} : { excluded }),
    isReadOnly: (readNames(text('isReadOnly')) ?? []).some(isYes),
  };
}

function isYes(text: string): boolean {
  const word = text.toLowerCase();
  if (word === 'true' || word === '1') return true;
  if (word === 'false' || word === '0') return false;
  throw new AppError('INPUT_INVALID', {
    message: `\`readonly\` is ${JSON.stringify(text.slice(0, 40))}; it must be true or false.`,
    data: { path: 'readonly', received: text.slice(0, 40), allowed: ['true', 'false'] },
  });
}

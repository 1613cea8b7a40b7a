import { AppError, errorBody, toAppError } from '../../../domain/common/error.ts';
import type { Grant } from '../../../domain/tool/tool.ts';
import type { ToolSelection } from '../../../tools/service/select-tools.ts';
import type { HttpReply, HttpRequest } from '../../http/host.ts';
import type { EndpointCore } from '../endpoint-core.ts';
import { errorJson, RPC, type RpcId } from '../json-rpc.ts';
import type { ToolView } from './tool-views.ts';

type Part = keyof ToolSelection;

const HEADERS: ReadonlyMap<string, Part> = new Map([
  ['x-mcp-toolsets', 'toolsets'],
  ['x-mcp-tools', 'tools'],
  ['x-mcp-exclude-tools', 'excluded'],
  ['x-mcp-readonly', 'isReadOnly'],
  ['x-mcp-mode', 'isSearch'],
]);
const PARAMETERS: ReadonlyMap<string, Part> = new Map([
  ['toolsets', 'toolsets'],
  ['tools', 'tools'],
  ['exclude_tools', 'excluded'],
  ['readonly', 'isReadOnly'],
  ['mode', 'isSearch'],
]);
/** A listing of all tools, and one of three tools that find, describe and call the others. */
const MODES: readonly string[] = ['list', 'search'];
const NONE: readonly ToolSelection[] = [];

/** Returns the tools that a request selects, or the error in its selection. */
export function selectView(
  core: Pick<EndpointCore, 'views' | 'grantOf'>,
  request: HttpRequest,
): ToolView | AppError {
  const { views } = core;
  try {
    const wishes = [...grantSelections(core.grantOf?.(request)), ...readSelections(request)];
    return wishes.length === 0 ? views.all : views.select(wishes);
  } catch (thrown) {
    return toAppError(thrown);
  }
}

/** Converts a grant to a selection, which applies before the caller's own. */
function grantSelections(grant: Grant | undefined): readonly ToolSelection[] {
  if (grant === undefined) return NONE;
  const { toolsets, isReadOnly = false } = grant;
  return [{ ...(toolsets === undefined ? {} : { toolsets }), isReadOnly }];
}

/** Builds the reply to an invalid selection. */
export function selectionErrorReply(id: RpcId | null, fault: AppError): HttpReply {
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
 * @throws {AppError} `INPUT_INVALID` when the read-only flag is not a boolean, or the mode unknown.
 */
export function readSelections(request: HttpRequest): readonly ToolSelection[] {
  const { headers, query } = request;
  let wishes = NONE;
  const named: [Part, string][] = [];
  for (let at = 0; at < headers.length; at += 2) {
    const part = HEADERS.get(headers[at] ?? '');
    if (part !== undefined) named.push([part, headers[at + 1] ?? '']);
  }
  if (named.length > 0) wishes = [buildSelection(named)];
  if (query === '') return wishes;
  const asked: [Part, string][] = [];
  for (const [name, value] of new URLSearchParams(query)) {
    const part = PARAMETERS.get(name);
    if (part !== undefined) asked.push([part, value]);
  }
  return asked.length === 0 ? wishes : [...wishes, buildSelection(asked)];
}

/** Splits a comma-separated list of names. Returns `undefined` when it is empty. */
export function parseNames(text: string): readonly string[] | undefined {
  const names = text.split(',').map((name) => name.trim());
  const given = [...new Set(names.filter((name) => name !== ''))];
  return given.length === 0 ? undefined : given;
}

function buildSelection(given: readonly (readonly [Part, string])[]): ToolSelection {
  const text = (part: Part): string =>
    given.flatMap(([name, value]) => (name === part ? [value] : [])).join(',');
  const toolsets = parseNames(text('toolsets'));
  const tools = parseNames(text('tools'));
  const excluded = parseNames(text('excluded'));
  return {
    ...(toolsets === undefined ? {} : { toolsets }),
    ...(tools === undefined ? {} : { tools }),
    ...(excluded === undefined ? {} : { excluded }),
    isReadOnly: (parseNames(text('isReadOnly')) ?? []).some(parseBoolean),
    isSearch: (parseNames(text('isSearch')) ?? []).some(parseMode),
  };
}

function parseBoolean(text: string): boolean {
  const word = text.toLowerCase();
  if (word === 'true' || word === '1') return true;
  if (word === 'false' || word === '0') return false;
  throw new AppError('INPUT_INVALID', {
    message: `\`readonly\` is ${JSON.stringify(text.slice(0, 40))}; it must be true or false.`,
    data: { path: 'readonly', received: text.slice(0, 40), allowed: ['true', 'false'] },
  });
}

function parseMode(text: string): boolean {
  const word = text.toLowerCase();
  if (MODES.includes(word)) return word === 'search';
  throw new AppError('INPUT_INVALID', {
    message: `\`mode\` is ${JSON.stringify(text.slice(0, 40))}; it must be ${MODES.join(' or ')}.`,
    data: { path: 'mode', received: text.slice(0, 40), allowed: MODES },
  });
}

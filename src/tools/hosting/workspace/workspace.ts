import { AppError, type ErrorCode, toAppError } from '../../../domain/common/error.ts';
import type { EnvVarOrder } from '../../../domain/hosting/env-vars.ts';
import { ID_PREFIXES, kindOfId } from '../../../domain/hosting/ids.ts';
import type { KeyValue, Postgres, Service, Workspace } from '../../../domain/hosting/records.ts';
import type { ToolContext } from '../../../domain/tool/tool.ts';
import type { HostingToolDeps } from '../hosting-tool.ts';
import { parameterError } from '../parameter-error.ts';

/** The workspace parameter of every resource call. */
export interface WorkspaceInput {
  readonly workspaceId?: string | undefined;
}

/** A call, as the workspace functions need it. */
export interface Call {
  readonly input: WorkspaceInput;
  readonly context: ToolContext;
}

/** Instruction for a call without a workspace: a model must not pick one by itself. */
const ASK_FIRST = [
  'Call list_workspaces and ask the user which workspace to use. Do not pick one yourself:',
  'changes in the wrong workspace can destroy resources of others. Then pass its id as',
  'workspaceId on this call and on each call that belongs to it.',
].join(' ');

/**
 * Returns the workspace id of a call: the one it names, else the one selected in its session.
 *
 * @throws {AppError} `WORKSPACE_REQUIRED` if there is neither; `FORBIDDEN` for one that the token
 * of the caller cannot reach.
 */
export function resolveWorkspaceId({ input, context }: Call): string {
  const { session, grant } = context;
  const wanted = input.workspaceId ?? session?.workspaceId;
  if (wanted === undefined) throw missingWorkspaceError(context);
  requireGranted(wanted, grant, 'workspaceId');
  return wanted;
}

/**
 * Checks that the caller's token can reach a workspace.
 *
 * @throws {AppError} `FORBIDDEN`
 */
export function requireGranted(wanted: string, grant: ToolContext['grant'], path: string): void {
  const own = grant?.workspaceId;
  if (own === undefined || own === wanted) return;
  const allowed = `${own}, the only workspace of this token`;
  throw parameterError({ path, received: wanted, allowed }, 'FORBIDDEN');
}

function missingWorkspaceError({ session, grant }: ToolContext): AppError {
  const last = session?.lastWorkspaceId;
  const words = [
    session === undefined
      ? 'This connection has no sessions, so no workspace can be selected in it.'
      : 'No workspace is selected in this session.',
    ...(last === undefined
      ? []
      : [`The last selection, in another session, was ${last}; it is not used.`]),
    ...(grant?.workspaceId === undefined ? [] : [`This token reaches only ${grant.workspaceId}.`]),
    ASK_FIRST,
  ];
  const data = { ...(last === undefined ? {} : { last_selected: last }) };
  const allowed = 'the id of a workspace';
  const fault = { path: 'workspaceId', received: undefined, allowed, why: words.join(' '), data };
  return parameterError(fault, 'WORKSPACE_REQUIRED');
}

/**
 * Returns the workspace of a call, from the provider.
 *
 * @throws {AppError} `WORKSPACE_REQUIRED`, `FORBIDDEN`; `RESOURCE_UNKNOWN` if there is no such id.
 */
export async function requireWorkspace(deps: HostingToolDeps, call: Call): Promise<Workspace> {
  return findWorkspace(deps, resolveWorkspaceId(call), 'workspaceId');
}

/**
 * Finds a workspace by its id.
 *
 * @throws {AppError} `RESOURCE_UNKNOWN` naming the parameter.
 */
export async function findWorkspace(
  { provider }: HostingToolDeps,
  id: string,
  path: string,
): Promise<Workspace> {
  try {
    return await provider.workspaces.get(id);
  } catch (cause) {
    const allowed = 'a workspace that list_workspaces returns';
    throw nameParameter(cause, { path, received: id, allowed });
  }
}

/** A resource id and the parameter that holds it. */
interface ResourceRef {
  readonly id: string;
  /** Name of the parameter, such as `serviceId`. */
  readonly path: string;
}

/** Finds a service of the call's workspace. */
export function findService(deps: HostingToolDeps, call: Call, { id, path }: ResourceRef) {
  return findOwned<Service>({
    deps,
    call,
    id,
    path,
    what: 'a service, as list_services returns it',
    kinds: ['service', 'cron_job'],
    find: () => deps.provider.services.get(id),
  });
}

/** Finds a Postgres server of the call's workspace. */
export function findPostgres(deps: HostingToolDeps, call: Call, { id, path }: ResourceRef) {
  return findOwned<Postgres>({
    deps,
    call,
    id,
    path,
    what: 'a Postgres, as list_postgres_instances returns it',
    kinds: ['postgres'],
    find: () => deps.provider.postgres.get(id),
  });
}

/** Finds a Key Value instance of the call's workspace. */
export function findKeyValue(deps: HostingToolDeps, call: Call, { id, path }: ResourceRef) {
  return findOwned<KeyValue>({
    deps,
    call,
    id,
    path,
    what: 'a Key Value instance, as list_key_value returns it',
    kinds: ['key_value'],
    find: () => deps.provider.keyValue.get(id),
  });
}

/**
 * Checks that every `fromDatabase` variable refers to a database of the workspace.
 *
 * @throws {AppError} `RESOURCE_UNKNOWN`, `INPUT_INVALID` naming the parameter.
 */
export async function checkDatabaseReferences(
  deps: HostingToolDeps,
  call: Call,
  envVars: readonly EnvVarOrder[],
): Promise<void> {
  for (const [at, { fromDatabase }] of envVars.entries()) {
    if (fromDatabase === undefined) continue;
    const named = { id: fromDatabase.id, path: `envVars.${at}.fromDatabase.id` };
    if (kindOfId(fromDatabase.id) === 'key_value') await findKeyValue(deps, call, named);
    else await findPostgres(deps, call, named);
  }
}

/** Finds a resource of any kind in the call's workspace, by the prefix of its id. */
export function findResource(
  deps: HostingToolDeps,
  call: Call,
  named: ResourceRef,
): Promise<Service | Postgres | KeyValue> {
  const kind = kindOfId(named.id);
  if (kind === 'service' || kind === 'cron_job') return findService(deps, call, named);
  if (kind === 'postgres') return findPostgres(deps, call, named);
  if (kind === 'key_value') return findKeyValue(deps, call, named);
  const { provider } = deps;
  const { id } = named;
  return findOwned<Service | Postgres | KeyValue>({
    deps,
    call,
    ...named,
    what: 'a service, a Postgres or a Key Value instance',
    kinds: [],
    // A provider may use ids of its own form.
    find: async () => {
      const found =
        (await undefinedIfUnknown(provider.services.get(id))) ??
        (await undefinedIfUnknown(provider.postgres.get(id))) ??
        (await undefinedIfUnknown(provider.keyValue.get(id)));
      if (found === undefined) throw new AppError('RESOURCE_UNKNOWN');
      return found;
    },
  });
}

interface Search<Found> extends ResourceRef {
  readonly deps: HostingToolDeps;
  readonly call: Call;
  readonly what: string;
  readonly kinds: readonly (keyof typeof ID_PREFIXES)[];
  find(): Promise<Found>;
}

/**
 * Finds a resource and checks that the call's workspace owns it. For a token of one workspace, a
 * resource of another workspace is indistinguishable from one that does not exist.
 *
 * @throws {AppError} `RESOURCE_UNKNOWN`, `WORKSPACE_REQUIRED`, `FORBIDDEN`; `WORKSPACE_MISMATCH`
 * naming both workspaces.
 */
async function findOwned<Found extends { readonly ownerId: string }>(
  search: Search<Found>,
): Promise<Found> {
  const { deps, call, id, path, what } = search;
  const wanted = resolveWorkspaceId(call);
  const unknown = { path, received: id, allowed: `the id of ${what}${describeIdForm(search)}` };
  let found: Found;
  try {
    found = await search.find();
  } catch (cause) {
    if (isUnknown(cause)) await findWorkspace(deps, wanted, 'workspaceId');
    throw nameParameter(cause, unknown);
  }
  if (found.ownerId === wanted) return found;
  if (call.context.grant?.workspaceId !== undefined) {
    throw parameterError(unknown, 'RESOURCE_UNKNOWN');
  }
  throw mismatchError({ path, id, owner: found.ownerId, wanted });
}

function describeIdForm({ kinds, id }: Pick<Search<unknown>, 'kinds' | 'id'>): string {
  const other = kindOfId(id);
  if (kinds.length === 0 || (other !== undefined && kinds.includes(other))) return '';
  const forms = kinds.map((kind) => `${ID_PREFIXES[kind]}…`).join(' or ');
  return ` (${forms})${other === undefined ? '' : `; this is a ${other.replace('_', ' ')}`}`;
}

function mismatchError(facts: {
  path: string;
  id: string;
  owner: string;
  wanted: string;
}): AppError {
  const { path, id, owner, wanted } = facts;
  return parameterError(
    {
      path,
      received: id,
      allowed: `a resource of ${wanted}`,
      why:
        `It belongs to workspace ${owner}, but this call is for workspace ${wanted}. Ask the ` +
        'user which workspace to use, then call again with that workspaceId.',
      data: { resource: id, belongs_to: owner, called_for: wanted },
    },
    'WORKSPACE_MISMATCH',
  );
}

/** Adds the parameter to a `RESOURCE_UNKNOWN` error; returns other errors unchanged. */
function nameParameter(cause: unknown, fault: Parameters<typeof parameterError>[0]): AppError {
  const error = toAppError(cause);
  return isUnknown(error) ? parameterError({ ...fault, cause }, error.code) : error;
}

function isUnknown(thrown: unknown): boolean {
  const code: ErrorCode = 'RESOURCE_UNKNOWN';
  return thrown instanceof AppError && thrown.code === code;
}

async function undefinedIfUnknown<Found>(asked: Promise<Found>): Promise<Found | undefined> {
  try {
    return await asked;
  } catch (thrown) {
    if (isUnknown(thrown)) return undefined;
    throw thrown;
  }
}

import type { AuditTarget, TargetConnection } from '../../../domain/audit/audit-target.ts';
import { truncateText } from '../../../domain/audit/evidence.ts';
import { computePins } from '../../../domain/audit/probe/pins.ts';
import {
  type Definition,
  RECON_BYTES_MAX,
  RECON_DEFINITION_CHARS_MAX,
  RECON_LISTED_MAX,
  RECON_NAME_CHARS_MAX,
  RECON_TOOLS_MAX,
  type Recon,
} from '../../../domain/audit/probe/recon.ts';
import { AppError } from '../../../domain/common/error.ts';
import { isObject } from '../../../domain/common/json.ts';
import { parseJsonWithin } from '../../../domain/common/json-bounds.ts';

/** Maximum number of pages per listing. */
const PAGES_MAX = 20;
/** Maximum number of overlong names in a recon, and of characters per name. */
const OVERLONG_MAX = 5;
const OVERLONG_CHARS_MAX = 80;
/** Maximum number of requests per recon. */
export const RECON_REQUESTS_MAX = 4 * PAGES_MAX + 8;

/**
 * Reads what a target discloses to any client: its greeting and its listings, parsed leniently. A
 * target that requires credentials is `refused`, not down.
 *
 * @throws {AppError} `AUDIT_TARGET_DOWN`, `AUDIT_BUDGET`, `AUDIT_STOPPED`, `EGRESS_BLOCKED`
 */
export async function runRecon(target: AuditTarget): Promise<Recon> {
  const card = target.address.kind === 'a2a_card' ? await readCard(target) : null;
  let connection: TargetConnection;
  try {
    connection = await target.connect();
  } catch (thrown) {
    if (card === null && !requiresCredentials(thrown)) throw thrown;
    return createRecon(target, { card, access: card === null ? 'refused' : 'open' });
  }
  try {
    const listed = card === null ? await listDefinitions(connection) : {};
    return createRecon(target, { card, access: 'open', greeting: connection.greeting, ...listed });
  } finally {
    await connection.close();
  }
}

/** Lists the tools of a connection, at most {@link RECON_TOOLS_MAX}. */
export async function listTools(connection: TargetConnection): Promise<readonly Definition[]> {
  return (await list(connection, 'tools', createListingBudget())).items;
}

type ReconParts = Partial<
  Pick<Recon, 'tools' | 'prompts' | 'resources' | 'templates' | 'isCut' | 'overlong'>
> &
  Pick<Recon, 'card' | 'access'> & { readonly greeting?: Recon['greeting'] };

function createRecon(target: AuditTarget, told: ReconParts): Recon {
  const { card, access, greeting = null, isCut = false, overlong = [] } = told;
  const { tools = [], prompts = [], resources = [], templates = [] } = told;
  const listed = { tools, prompts, resources, templates, card };
  return {
    kind: target.address.kind,
    origin: target.origin,
    pinnedAddress: target.pinnedAddress,
    access,
    greeting,
    ...listed,
    pins: computePins({ ...listed, greeting }),
    isCut,
    ...(overlong.length === 0 ? {} : { overlong }),
  };
}

/** Requests only listings that the greeting announces, except tools, which are always listed. */
async function listDefinitions(connection: TargetConnection) {
  const { capabilities } = connection.greeting;
  const nothing = { items: [] as Definition[], isCut: false };
  const room = createListingBudget();
  const tools = await list(connection, 'tools', room);
  const prompts = 'prompts' in capabilities ? await list(connection, 'prompts', room) : nothing;
  const hasResources = 'resources' in capabilities;
  const resources = hasResources ? await list(connection, 'resources', room) : nothing;
  const templates = hasResources ? await list(connection, 'resources/templates', room) : nothing;
  return {
    tools: tools.items,
    prompts: prompts.items,
    resources: resources.items,
    templates: templates.items,
    isCut: [tools, prompts, resources, templates].some(({ isCut }) => isCut),
    overlong: room.overlong,
  };
}

/** Remaining capacity for all listings of one target. */
interface ListingBudget {
  bytesLeft: number;
  readonly overlong: string[];
}

function createListingBudget(): ListingBudget {
  return { bytesLeft: RECON_BYTES_MAX, overlong: [] };
}

async function list(
  connection: TargetConnection,
  what: Listing,
  room: ListingBudget,
): Promise<{ items: Definition[]; isCut: boolean }> {
  const max = what === 'tools' ? RECON_TOOLS_MAX : RECON_LISTED_MAX;
  const items: Definition[] = [];
  let isCut = false;
  let cursor: string | undefined;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const { rows, nextCursor } = await listPage(connection, what, cursor);
    for (const row of rows) {
      const isKept = items.length < max && isDefinition(row) && takeBudget(row, room);
      if (isKept) items.push(row);
      else isCut = true;
    }
    if (nextCursor === undefined) return { items, isCut };
    if (items.length >= max) return { items, isCut: true };
    cursor = nextCursor;
  }
  return { items, isCut: true };
}

type Listing = 'tools' | 'prompts' | 'resources' | 'resources/templates';

async function listPage(connection: TargetConnection, what: Listing, cursor: string | undefined) {
  const outcome = await connection.request(`${what}/list`, cursor === undefined ? {} : { cursor });
  const result = outcome.kind === 'result' && isObject(outcome.result) ? outcome.result : {};
  const rows: unknown = result[what === 'resources/templates' ? 'resourceTemplates' : what];
  const { nextCursor } = result;
  return {
    rows: Array.isArray(rows) ? (rows as readonly unknown[]) : [],
    nextCursor: typeof nextCursor === 'string' && nextCursor !== '' ? nextCursor : undefined,
  };
}

function isDefinition(row: unknown): row is Definition {
  return isObject(row) && typeof row['name'] === 'string';
}

/**
 * Reserves capacity for a definition. Returns false if it is too long or the capacity is used up.
 */
function takeBudget(row: Definition, room: ListingBudget): boolean {
  if (row.name.length > RECON_NAME_CHARS_MAX) {
    const begin = truncateText(row.name, OVERLONG_CHARS_MAX);
    if (room.overlong.length < OVERLONG_MAX) room.overlong.push(begin);
    return false;
  }
  const text = JSON.stringify(row);
  const bytes = Buffer.byteLength(text);
  if (text.length > RECON_DEFINITION_CHARS_MAX || bytes > room.bytesLeft) return false;
  room.bytesLeft -= bytes;
  return true;
}

async function readCard(target: AuditTarget): Promise<Record<string, unknown>> {
  const answer = await target.exchange?.({ method: 'GET' });
  const card = answer?.kind === 'answer' ? parseJsonWithin(answer.body) : undefined;
  if (isObject(card)) return card;
  const data = { target: target.origin, outcome: answer?.kind ?? 'none' };
  throw new AppError('AUDIT_TARGET_DOWN', { message: 'The target serves no agent card.', data });
}

function requiresCredentials(thrown: unknown): boolean {
  if (!(thrown instanceof AppError) || thrown.code !== 'AUDIT_TARGET_DOWN') return false;
  return thrown.data['status'] === 401 || thrown.data['status'] === 403;
}

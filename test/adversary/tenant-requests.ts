import type { Attempt } from './search.ts';
import type { Targets } from './tenant-programs.ts';

/** A request of the console, or a call of a tool. */
export type Asked =
  | { readonly method: string; readonly path: string; readonly body?: string }
  | { readonly tool: string; readonly args: object };

const DEEP_MAX = 3_000;
const WIDE_MAX = 40_000;
/** Names that a lookup or a merge may stumble over. */
const NAMES = ['__proto__', 'constructor', 'toString', 'length', '', '\u0000', 'ownerId', 'type'];
const WORDS = [
  ...[
    '',
    ' ',
    '-x',
    '--upload-pack=id',
    '..',
    '../..',
    '/',
    '/etc/passwd',
    '%00',
    '\u0000',
    '$(id)',
  ],
  ...['\ud800', '\u202e', '\u001b[2J', "';--", '{{1}}', 'ext::sh -c id', 'file:///etc', '*', '/(/'],
  ...['9'.repeat(400), '1e999', '-0', 'NaN', '2026-13-01T00:00:00Z', '0000-01-01T00:00:00Z'],
];
/** Pieces that patterns are nested from. */
const PATTERNS: readonly (readonly [string, string])[] = [
  ...([
    ['(', ')'],
    ['(a', '+)+'],
    ['(?:', '|a)*'],
    ['[', ']'],
    ['(.*', '){0,9}'],
    ['', 'a?'],
  ] as const),
  ...([
    ['(?=', ')'],
    ['(?i:', ')'],
    ['\\Q', '\\E'],
    ['*', '*'],
  ] as const),
];
/** Pieces that statements are nested from, around a value. */
const STATEMENTS: readonly (readonly [string, string])[] = [
  ...([
    ['(', ')'],
    ['(select ', ')'],
    ['-', ''],
    ['not ', ''],
    ['array[', ']'],
    ['/*', '*/'],
  ] as const),
  ...([
    ['case when true then ', ' end'],
    ['repeat(', '::text, 9)'],
    ['row(', ')'],
  ] as const),
  ...([
    ["xmlparse(content '<a>", "</a>')"],
    ['lower(', '::text)'],
    ["'", "'"],
  ] as const),
];
const BEGINNINGS = ['select ', 'with a as (select 1) select ', 'values (', 'explain select ', ''];
const FILES = ["pg_read_file('PATH')", "pg_ls_dir('PATH')", "pg_stat_file('PATH')"];

/** A request of generated shape: mostly a good one of which something is replaced. */
export function hostileRequest(targets: Targets, attempt: Attempt): Asked {
  const write = attempt.pick([writeConsoleRequest, writeLogQuery, writeStatement, writeToolCall]);
  return write(targets, attempt);
}

function writeConsoleRequest(targets: Targets, attempt: Attempt): Asked {
  const { pick, integer } = attempt;
  const [method, path] = pick(OPERATIONS);
  const id = () => encodeName(pick([targets.ids.other, targets.ids.other, ...WORDS]));
  const filled = path
    .replaceAll('{}', id)
    .replaceAll('{owner}', () => encodeName(pick(ownersOf(targets))));
  if (method === 'GET') return { method, path: filled };
  const body = spoil(orderOf(targets, attempt), attempt);
  if (integer(0, 5) > 0) return { method, path: filled, body: JSON.stringify(body) ?? 'null' };
  const raw = JSON.stringify(body) ?? '';
  return { method, path: filled, body: raw.slice(0, integer(0, raw.length)) };
}

/** Reads and changes of the console that reach a resource. */
const OPERATIONS: readonly (readonly [string, string])[] = [
  ['GET', 'services/{}'],
  ['GET', 'services/{}/deploys'],
  ['GET', 'services/{}/events'],
  ['GET', 'services?workspace={owner}'],
  ['GET', 'databases?workspace={owner}'],
  ['GET', 'databases/{}'],
  ['GET', 'logs?resource={}'],
  ['GET', 'metrics?resource={}&hours=1'],
  ['POST', 'services/{}/restart'],
  ['POST', 'services/{}/deploy'],
  ['POST', 'services/{}/env'],
  ['POST', 'services/{}/settings'],
  ['POST', 'services/{}/remove'],
  ['POST', 'databases/{}/connection'],
  ['POST', 'databases/{}/settings'],
  ['POST', 'databases/{}/allow-list'],
  ['POST', 'databases/{}/remove'],
];

function writeLogQuery(targets: Targets, attempt: Attempt): Asked {
  const { pick, integer } = attempt;
  const wanted = pick(['text', 'path', 'host', 'instance', 'method', 'statusCode']);
  const now = Date.now();
  const args = {
    resource: pick([[targets.ids.own], [targets.ids.own, targets.ids.other], [targets.ids.other]]),
    [wanted]: Array.from({ length: integer(1, 30) }, () => writePattern(attempt)),
    startTime: new Date(now - integer(1, 1e9)).toISOString(),
    endTime: new Date(now + integer(-1e6, 1e9)).toISOString(),
    direction: pick(['forward', 'backward']),
  };
  return integer(0, 1) === 0
    ? { tool: 'list_logs', args: { ...args, limit: 100 } }
    : { tool: 'list_log_label_values', args: { ...args, label: wanted } };
}

function writePattern(attempt: Attempt): string {
  const { pick, integer, size } = attempt;
  const [before, behind] = pick(PATTERNS);
  const times = integer(1, size * 4);
  return `/${before.repeat(times)}${pick(['a', '.', ''])}${behind.repeat(times)}/${pick(['', 'i'])}`;
}

function writeStatement(targets: Targets, attempt: Attempt): Asked {
  const { pick, integer, size } = attempt;
  const [before, behind] = pick(STATEMENTS);
  const times = integer(1, 1 + size * 40);
  const value = pick(['1', 'null', ...FILES]).replace('PATH', pick(targets.paths));
  const sql = `${pick(BEGINNINGS)}${before.repeat(times)}${value}${behind.repeat(times)}`;
  return {
    tool: 'query_hosted_postgres',
    args: { postgresId: targets.database ?? 'dpg-none', sql },
  };
}

function writeToolCall(targets: Targets, attempt: Attempt): Asked {
  const { pick } = attempt;
  const id = pick([targets.ids.other, targets.ids.own, ...WORDS]);
  const workspaceId = pick(ownersOf(targets));
  const tools = {
    get_service: { serviceId: id },
    list_deploys: { serviceId: id, limit: pick([1, 100, -1, 1e9, 0.5]) },
    list_events: { serviceId: id },
    list_services: { cursor: pick(WORDS) },
    get_metrics: { resourceId: id, metricTypes: ['cpu_usage', 'memory_usage'] },
    trigger_deploy: { serviceId: targets.ids.other },
    update_environment_variables: { serviceId: targets.ids.other, envVars: [] },
    update_web_service: { serviceId: targets.ids.other, name: 'taken' },
    select_workspace: { ownerID: targets.owners.other },
    create_web_service: orderOf(targets, attempt),
    create_cron_job: orderOf(targets, attempt),
  };
  const [tool, args] = pick(Object.entries(tools));
  const spoiled = spoil(args, attempt);
  const isObject = typeof spoiled === 'object' && spoiled !== null && !Array.isArray(spoiled);
  return { tool, args: isObject ? { workspaceId, ...spoiled } : { workspaceId, value: spoiled } };
}

function ownersOf({ owners }: Targets): readonly string[] {
  return [owners.own, owners.other, owners.other, ...WORDS];
}

function orderOf({ owners, paths }: Targets, { pick, hex }: Attempt): object {
  return {
    ownerId: pick([owners.own, owners.other]),
    type: pick(['web_service', 'static_site', 'cron_job']),
    name: `made-${hex(4)}`,
    repo: pick([...paths, 'https://127.0.0.1:1/a.git', 'ext::sh -c id', '../victim', 'git@x:y']),
    branch: pick(['main', '-x', 'main:refs/heads/x', '../..']),
    autoDeploy: 'no',
    envVars: [{ key: pick(['PATH', 'LD_PRELOAD', 'A', 'a b', '']), value: pick(WORDS) }],
    publishPath: pick(['.', '..', '/', ...paths]),
    schedule: pick(['* * * * *', '@yearly', '0 0 31 2 *', '*/0 * * * *']),
  };
}

/** Replaces a member of a value, or the whole, by something of another shape. */
function spoil(value: unknown, attempt: Attempt): unknown {
  const { pick, integer } = attempt;
  if (integer(0, 9) === 0) return writeShape(attempt);
  if (typeof value !== 'object' || value === null) return pick([value, writeShape(attempt)]);
  const entries = Object.entries(value);
  const at = integer(0, entries.length);
  const name = at < entries.length ? entries[at]?.[0] : pick(NAMES);
  const changed = entries.map(([key, one]) =>
    key === name ? [key, writeShape(attempt)] : [key, one],
  );
  // A member of this name is the object's own, as in what JSON.parse gives.
  return Object.fromEntries(
    at < entries.length ? changed : [...changed, [name, writeShape(attempt)]],
  );
}

function writeShape({ pick, integer, size }: Attempt): unknown {
  const many = integer(1, size);
  const deep = Math.min(DEEP_MAX, many * 50);
  const wide = Math.min(WIDE_MAX, many * 600);
  switch (integer(0, 6)) {
    case 0:
      return JSON.parse(`${'['.repeat(deep)}${']'.repeat(deep)}`);
    case 1:
      return JSON.parse(`${'{"a":'.repeat(deep)}1${'}'.repeat(deep)}`);
    case 2:
      return Array.from({ length: wide }, (_none, at) => at);
    case 3:
      return pick(WORDS).repeat(wide).slice(0, 500_000);
    case 4:
      return pick([null, true, -1, 0.1, 1e308, Number.MAX_SAFE_INTEGER, '', {}, []]);
    case 5:
      return Object.fromEntries(
        Array.from({ length: many }, (_none, at) => [`${pick(NAMES)}${at}`, at]),
      );
    default:
      return pick(WORDS);
  }
}

/** Half of a pair has no place in an address. */
function encodeName(name: string): string {
  return encodeURIComponent(name.replaceAll('\ud800', '\ufffd'));
}

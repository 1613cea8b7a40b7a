import { resolve } from 'node:path';
import { readJsonWithin, readTextWithin } from '../../domain/common/bounded-bytes.ts';
import { AppError } from '../../domain/common/error.ts';
import { readReady } from '../../process/server/ready-file.ts';
import { askServer, notRunningError } from '../common/ask-server.ts';
import { readFlags } from '../common/flags.ts';

const USAGE = 'stoa control list | set <id> <LIVE|SHADOW|OFF> --why "…" [--who NAME] [--data DIR]';
const READ_TIMEOUT_MS = 30_000;

/** `stoa control list|set`: lists the controls of the running server, or sets a label. */
export async function control([action, ...rest]: readonly string[]): Promise<number> {
  if (action === 'list') return list(rest);
  if (action === 'set') return set(rest);
  throw new AppError('CONFIG_INVALID', { message: USAGE, data: { received: action ?? null } });
}

async function set(argv: readonly string[]): Promise<number> {
  const [id = '', label = '', ...flags] = argv;
  if ([id, label].some((word) => word === '' || word.startsWith('-'))) {
    throw new AppError('CONFIG_INVALID', { message: USAGE });
  }
  const { why, who, data } = readFlags(flags, {
    why: { type: 'string' },
    who: { type: 'string' },
    data: { type: 'string', default: './data' },
  });
  if (why === undefined) throw new AppError('CONFIG_INVALID', { message: '--why is missing.' });
  const path = `/a2a/controls/${encodeURIComponent(id)}`;
  const body = { label, why, ...(who === undefined ? {} : { who }) };
  const answer = await askServer({ data, path, body });
  const text = await readTextWithin(answer.body);
  if (!answer.ok) {
    process.stderr.write(`${text}\n`);
    return 1;
  }
  process.stdout.write(`${formatControl(JSON.parse(text) as ShownControl)}\n`);
  return 0;
}

async function list(argv: readonly string[]): Promise<number> {
  const flags = { data: { type: 'string', default: './data' }, json: { type: 'boolean' } } as const;
  const { data, json } = readFlags(argv, flags);
  const answer = await fetchControls(resolve(data), '/a2a/controls');
  if (json === true) {
    process.stdout.write(`${JSON.stringify(answer)}\n`);
    return 0;
  }
  const lines = [...answer.controls.map(formatControl), '', ...answer.limits, ''];
  process.stdout.write(lines.join('\n'));
  return 0;
}

interface ShownControl {
  readonly id: string;
  readonly label: string;
  readonly statement: string;
  readonly change: { readonly who: string; readonly why: string; readonly at: string } | null;
}

interface ControlList {
  readonly controls: readonly ShownControl[];
  readonly limits: readonly string[];
}

async function fetchControls(dataDir: string, path: string): Promise<ControlList> {
  const ready = readReady(dataDir);
  if (ready === undefined) throw notRunningError(dataDir);
  try {
    const signal = AbortSignal.timeout(READ_TIMEOUT_MS);
    const { body } = await fetch(`${ready.base_url}${path}`, { signal });
    return (await readJsonWithin(body)) as ControlList;
  } catch (cause) {
    throw notRunningError(dataDir, cause);
  }
}

function formatControl({ id, label, statement, change }: ShownControl): string {
  const by = change === null ? '' : ` (${change.who}, ${change.at}: ${JSON.stringify(change.why)})`;
  return `${label.padEnd(6)}  ${id.padEnd(24)}  ${statement}${by}`;
}

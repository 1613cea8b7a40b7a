import { resolve } from 'node:path';
import { readJsonWithin, readTextWithin } from '../../domain/common/bounded-bytes.ts';
import { readReady } from '../../process/server/ready-file.ts';
import { askServer, notRunningError } from '../common/ask-server.ts';
import type { Input } from '../common/usage.ts';
import type { OPERATE } from '../usage/operate.ts';

const READ_TIMEOUT_MS = 30_000;

/** `stoa control set`: sets the label of a control of the running server. */
export async function set(asked: Input<typeof OPERATE.controlSet>): Promise<number> {
  const { id, label, why, who, data } = asked;
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

/** `stoa control list`: lists the controls of the running server. */
export async function list({ data, json }: Input<typeof OPERATE.controlList>): Promise<number> {
  const answer = await fetchControls(resolve(data), '/a2a/controls');
  if (json) {
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

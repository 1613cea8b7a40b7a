import { rpcEvidence } from '../../../domain/audit/evidence.ts';
import { stepsOut } from '../../../domain/audit/payloads.ts';
import { answerText, isDone } from '../../../domain/audit/tool-answer.ts';
import type { RpcOutcome, TargetConnection } from '../../../domain/ports/audit-target.ts';
import { callTool } from '../calling.ts';
import type { ProbeSession, Sighting } from '../probe.ts';
import { type Aim, aimed } from '../slots.ts';

/** What a walk works with. */
export interface ShelfMeans {
  readonly session: ProbeSession;
  readonly connection: TargetConnection;
  hasRoom(): boolean;
}

/** Absolute paths in texts of the target: errors and descriptions tell where its folder is. */
const ABSOLUTE = /(?<![\w:/.])\/(?:[\w.-]+\/)*[\w.-]+/g;
/** Names beside a folder that share its beginning. */
const SIBLING_TAILS = ['-private', '-secret', '-old', '-backup', '2', '_old', '.bak', '-archive'];
/** Absolute folders that are tried. */
const FOLDERS_MAX = 3;
/** Folders that stand on every machine and are not the target's own. */
const COMMON = /^\/(etc|usr|bin|lib|proc|dev|sys|tools|mcp)\b/;

/**
 * Looks for a way out where the one well-known file cannot be read: by folders that open with a
 * step out although unknown ones do not, and by folders beside the one that the target tells of.
 */
export async function walkOut(means: ShelfMeans, one: Aim): Promise<readonly Sighting[]> {
  const unknown = await send(means, one, means.session.canary('no-such-file'));
  if (isDone(unknown) && unknown.kind === 'result') {
    // A tool that takes any name tells nothing by taking another.
    return [];
  }
  const found: Sighting[] = [];
  for (const step of ['..', '../..', '%2e%2e', '..%2f', '/']) {
    if (!means.hasRoom()) break;
    const outcome = await send(means, one, step);
    if (isDone(outcome) && looksListed(outcome)) {
      found.push(sighting(one, step === '/' ? 'absolute' : 'dot-dot', outcome, unknown));
      break;
    }
  }
  return [...found, ...(await besideFolder(means, one, unknown))];
}

async function besideFolder(
  means: ShelfMeans,
  one: Aim,
  unknown: RpcOutcome,
): Promise<readonly Sighting[]> {
  const { description } = one.tool;
  const said = `${String(description ?? '')} ${one.slot.description} ${answerText(unknown)}`;
  const folders = [...new Set(said.match(ABSOLUTE) ?? [])].filter((path) => !COMMON.test(path));
  const found: Sighting[] = [];
  for (const folder of folders.slice(0, FOLDERS_MAX)) {
    const base = folder.split('/').pop() ?? '';
    for (const tail of SIBLING_TAILS) {
      for (const { text } of stepsOut(`${base}${tail}`).slice(0, 1)) {
        if (!means.hasRoom()) return found;
        const outcome = await send(means, one, text);
        if (!isDone(outcome)) continue;
        found.push(sighting(one, 'sibling', outcome, unknown));
        return found;
      }
    }
  }
  return found;
}

function looksListed(outcome: RpcOutcome): boolean {
  return answerText(outcome).trim().length > 0;
}

function sighting(one: Aim, kind: string, outcome: RpcOutcome, control: RpcOutcome): Sighting {
  return {
    title: `A path in "${one.slot.path.join('.')}" leads outside: ${kind}`,
    severity: 'high',
    status: 'unreproduced',
    tool: one.tool.name,
    evidence: rpcEvidence(outcome),
    control: rpcEvidence(control),
    remediation:
      'Resolve the path wholly, links included, and compare it with the folder and a separator ' +
      'behind it before anything is opened.',
  };
}

async function send({ session, connection }: ShelfMeans, one: Aim, text: string) {
  return await callTool(connection, one.tool.name, aimed(session, one, text));
}

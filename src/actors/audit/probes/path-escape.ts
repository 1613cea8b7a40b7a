import type { RpcOutcome } from '../../../domain/audit/audit-target.ts';
import { joinPattern } from '../../../domain/audit/join-pattern.ts';
import { ESCAPE_PATHS, USERS_SIGN } from '../../../domain/audit/probe/payloads.ts';
import { resultText } from '../../../domain/audit/probe/tool-result.ts';
import { MINUTE_MS } from '../../../domain/common/time.ts';
import { type Aim, findAims } from '../session/aims.ts';
import { callableTools, isReader, readOnlyTools, withConnection } from '../session/call-tool.ts';
import { createProbe, type Focus, hasBudget } from '../session/create-probe.ts';
import type { Observation, ProbeSession, Sighting } from '../session/probe.ts';
import type { PathWalkDeps } from './path-walk.ts';
import { createPathSighting, sendPath, walkOut } from './path-walk.ts';

const REQUESTS_MAX = 140;
const AIMS_MAX = 5;
const WORDS = {
  field: joinPattern(
    'i',
    'path|file|folder|director|document|\\bdir|\\bdoc|note|page|name|location|',
    'resource|template|key|entry|item|uri|attachment|report|\\bid\\b',
  ),
  tool: joinPattern(
    'i',
    'file|folder|director|document|note|page|template|attachment|report|log\\b|',
    'logs|shelf|archive|manual|wiki|config|asset|export',
  ),
};

const NOT_TRIED = 'the tool may write, so no outside path was tested';

/** Detects path traversal out of a tool's folder. */
export const pathEscape = createProbe({
  probeId: 'path-escape',
  version: 2,
  category: 'ASI03',
  mode: 'active',
  title: 'Paths of calls lead outside: absolute, dot-dot, encoded, sibling folder, link',
  requestsMax: REQUESTS_MAX,
  totalMs: 2 * MINUTE_MS,
  look: async (session, focus) => {
    const aims = findAims(readOnlyTools(session, focus), WORDS, AIMS_MAX).filter(
      ({ rank }) => rank > 1,
    );
    noteWriters(session, focus);
    if (aims.length === 0) {
      return { outcome: 'not_applicable', reason: 'no callable tool accepts a path' };
    }
    return await withConnection(session, (connection) =>
      testFields(
        { session, connection, hasRoom: () => hasBudget(session, REQUESTS_MAX) },
        aims,
        focus,
      ),
    );
  },
});

async function testFields(
  means: PathWalkDeps,
  aims: readonly Aim[],
  focus: Focus | undefined,
): Promise<Observation> {
  const findings: Sighting[] = [];
  const subjects: string[] = [];
  for (const one of aims) {
    if (!means.hasRoom()) break;
    subjects.push(`${one.tool.name}.${one.slot.path.join('.')}`);
    const found = [...(await readWellKnownFile(means, one)), ...(await walkOut(means, one))];
    const known = new Set(findings.map(({ title, tool }) => `${title}/${tool}`));
    findings.push(...found.filter(({ title, tool }) => !known.has(`${title}/${tool}`)));
    if (focus !== undefined && findings.some(({ title }) => title === focus.title)) break;
  }
  return { outcome: 'looked', subjects, findings };
}

/** An outside path may exist, so tools that could write there never get one. */
function noteWriters(session: ProbeSession, focus: Focus | undefined): void {
  const tools = callableTools(session, focus).filter((tool) => !isReader(tool));
  const aims = findAims(tools, WORDS, AIMS_MAX).filter(({ rank }) => rank > 1);
  for (const { tool } of aims) session.doubts.addTool(tool.name, NOT_TRIED);
}

async function readWellKnownFile(means: PathWalkDeps, one: Aim): Promise<readonly Sighting[]> {
  const found = new Map<string, Sighting>();
  let control: RpcOutcome | undefined;
  for (const path of ESCAPE_PATHS) {
    if (found.has(path.kind) || !means.hasRoom()) continue;
    const outcome = await sendPath(means, one, path.text);
    if (!USERS_SIGN.test(resultText(outcome))) continue;
    control ??= await sendPath(means, one, means.session.canary('no-such-file'));
    found.set(path.kind, createPathSighting(one, path.kind, { outcome, control }));
  }
  return [...found.values()];
}

import type { RpcOutcome } from '../../../domain/audit/audit-target.ts';
import { createRpcEvidence } from '../../../domain/audit/evidence.ts';
import type { Arguments } from '../../../domain/audit/probe/arguments.ts';
import { sampleAuditArguments } from '../../../domain/audit/probe/call-permission.ts';
import type { Definition } from '../../../domain/audit/probe/recon.ts';
import { splitName } from '../../../domain/audit/probe/tool-verbs.ts';
import { listTargetTexts } from '../../../domain/audit/text/texts.ts';
import { MINUTE_MS } from '../../../domain/common/time.ts';
import { callTool, isReader, withConnection } from '../session/call-tool.ts';
import { createProbe, type Focus, hasBudget } from '../session/create-probe.ts';
import type { ProbeSession, Sighting } from '../session/probe.ts';

const REQUESTS_MAX = 140;
/** Names that servers often keep undocumented. None of them implies a change. */
const USUAL_NAMES = [
  ...[
    'debug',
    'admin',
    'status',
    'health',
    'info',
    'version',
    'config',
    'internal',
    'test',
    'help',
  ],
  ...['get_env', 'env', 'environment', 'get_config', 'show_config', 'dump_config', 'list_users'],
  ...['diagnostics', 'debug_info', 'server_info', 'get_secrets', 'list_secrets', 'read_logs'],
  ...['get_logs', 'admin_status', 'echo', 'whoami', 'metrics', 'list_sessions', 'export_all'],
  ...['backdoor', 'superuser', 'dump', 'debug_dump', 'export', 'inspect', 'trace'],
  ...['execute_command', 'run_command', 'read_file', 'list_files', 'exec', 'eval', 'run_query'],
];
/** Maximum number of listed tools whose exact names are used as a base. */
const MODELS_MAX = 3;
/** Destructive verbs; such guesses are only called with nonexistent names. */
const DESTRUCTIVE_VERBS = ['delete', 'remove', 'drop'];
const VERBS = [
  'get',
  'list',
  'show',
  'read',
  'export',
  'dump',
  'debug',
  'admin',
  'inspect',
  'find',
];
/** Suffixes for tool names. */
const TAILS = [
  'internal',
  'admin',
  'debug',
  'all',
  'raw',
  'private',
  'hidden',
  'v1',
  'v2',
  'legacy',
];
const ACTS =
  /delete|remove|drop|reset|wipe|purge|kill|shutdown|send|pay|transfer|write|update|set_/i;

/** Detects callable tools that are not listed. */
export const undeclaredTools = createProbe({
  probeId: 'undeclared-tools',
  version: 2,
  category: 'ASI10',
  mode: 'active',
  title: 'Tools can be called that are not listed',
  requestsMax: REQUESTS_MAX,
  totalMs: MINUTE_MS,
  look: async (session, focus) => {
    const findings: Sighting[] = [];
    const subjects: string[] = [];
    await withConnection(session, async (connection) => {
      const control = await callTool(connection, session.canary('no-such-tool'), {});
      if (control.kind !== 'error' && control.kind !== 'result') return;
      for (const name of namesToCall(session, focus)) {
        if (!hasBudget(session, REQUESTS_MAX)) break;
        subjects.push(name);
        const outcome = await callTool(connection, name, harmlessArguments(session, name));
        if (isSameAnswer(outcome, control, [name, session.canary('no-such-tool')])) continue;
        findings.push({
          title: 'A tool that is not listed can be called',
          severity: 'high',
          status: 'unreproduced',
          tool: name,
          evidence: createRpcEvidence(outcome),
          control: createRpcEvidence(control),
          remediation: 'List every callable tool, and reject all other names with the same error.',
        });
      }
    });
    if (subjects.length === 0) {
      return { outcome: 'not_applicable', reason: 'the target answers no tool calls' };
    }
    return { outcome: 'looked', subjects, findings };
  },
});

/** A replay calls only names that the probe itself would call. */
function namesToCall(session: ProbeSession, focus: Focus | undefined): readonly string[] {
  const names = guessNames(session);
  return names
    .filter((name) => focus?.tool === undefined || name === focus.tool)
    .filter((name) => session.target.wouldSend(name, harmlessArguments(session, name)));
}

/** Returns guesses: names in the target's texts, variants of its tools, and usual names. */
function guessNames(session: ProbeSession): readonly string[] {
  const listed = session.recon.tools.map(({ name }) => name);
  const texts = listTargetTexts(session.recon).map(({ text }) => text);
  const spoken = texts.flatMap((text) => text.match(/\b[a-z]+(?:[_-][a-z0-9]+)+\b/gi) ?? []);
  const styled = listed.flatMap((name) => similarNames(name));
  const first = listed[0] ?? 'get_it';
  const usual = USUAL_NAMES.map((name) => joinInStyle(first, name.split('_')));
  const models = session.recon.tools.slice(0, MODELS_MAX);
  const beside = models.flatMap(({ name }) => [`_${name}`, `${name}_admin`, `${name}_debug`]);
  const others = [...new Set([...spoken, ...beside, ...usual, ...USUAL_NAMES, ...styled])].filter(
    (name) => !ACTS.test(name),
  );
  const losing = models.flatMap((tool) =>
    namesNothing(session, tool) ? destructiveNames(tool) : [],
  );
  return [...new Set([...losing, ...others])].filter((name) => !listed.includes(name));
}

function destructiveNames({ name }: Definition): readonly string[] {
  return DESTRUCTIVE_VERBS.flatMap((verb) => [
    `${verb}_${name}`,
    joinInStyle(name, [verb, ...splitName(name)]),
  ]);
}

/** Returns no arguments for clear readers, and nonexistent names for everything else. */
function harmlessArguments(session: ProbeSession, name: string): Arguments {
  if (!ACTS.test(name)) {
    return isReader({ name }) ? {} : { name: session.own.flatName('guess') };
  }
  const model = session.recon.tools.find((tool) => destructiveNames(tool).includes(name));
  return model === undefined ? {} : sampleAuditArguments(model, session.own, `guess-${name}`);
}

/** True if the arguments contain a canary, which no record has as its name. */
function namesNothing({ own }: ProbeSession, tool: Definition): boolean {
  return own.isContainedIn(JSON.stringify(sampleAuditArguments(tool, own, 'guess')));
}

function similarNames(name: string): readonly string[] {
  const words = splitName(name);
  const noun = words.slice(1);
  return [
    ...TAILS.map((tail) => joinInStyle(name, [...words, tail])),
    ...VERBS.map((verb) => joinInStyle(name, [verb, ...noun])),
  ];
}

function joinInStyle(model: string, words: readonly string[]): string {
  if (model.includes('-')) return words.join('-');
  if (/[a-z][A-Z]/.test(model)) {
    const [head = '', ...rest] = words;
    return head + rest.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  }
  return words.join('_');
}

/** Compares the answer with that for a nonexistent name, ignoring the names. */
function isSameAnswer(outcome: RpcOutcome, control: RpcOutcome, names: readonly string[]): boolean {
  if (outcome.kind !== control.kind) return outcome.kind !== 'result';
  return comparableText(outcome, names) === comparableText(control, names);
}

function comparableText(outcome: RpcOutcome, names: readonly string[]): string {
  const { ms: _ms, raw: _raw, sent: _sent, ...said } = outcome;
  let text = JSON.stringify(said);
  for (const name of names) text = text.replaceAll(name, '');
  return text;
}

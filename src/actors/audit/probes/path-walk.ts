import type { RpcOutcome } from '../../../domain/audit/audit-target.ts';
import { createRpcEvidence } from '../../../domain/audit/evidence.ts';
import { joinPattern } from '../../../domain/audit/join-pattern.ts';
import { inputSchemaOf } from '../../../domain/audit/probe/arguments.ts';
import { USERS_SIGN } from '../../../domain/audit/probe/payloads.ts';
import { isSuccess, resultText } from '../../../domain/audit/probe/tool-result.ts';
import { describeTool } from '../../../domain/audit/probe/tool-verbs.ts';
import { type Aim, createAimedArguments } from '../session/aims.ts';
import { callTool, readOnlyTools } from '../session/call-tool.ts';
import type { GatedConnection } from '../session/gate.ts';
import type { ProbeSession, Sighting } from '../session/probe.ts';
import { addOmittedDoubt, takeBeginning } from '../session/text-pieces.ts';

/** Dependencies of a path walk. */
export interface PathWalkDeps {
  readonly session: ProbeSession;
  readonly connection: GatedConnection;
  hasRoom(): boolean;
}

/**
 * Patterns for folder names in a target's texts: after a word, in an absolute path, in a listing.
 */
const FOLDER_WORDS = [
  joinPattern(
    'gi',
    '\\b(?:folder|director(?:y|ies)|below|under|within|inside|in|of|from|',
    'root)\\s+["\'`“/]?([\\w][\\w.-]{2,40})',
  ),
  /(?<![\w:/.-])\/(?:[\w.-]+\/)*([\w.-]{3,40})/g,
  /^([\w][\w.-]{1,40})\/$/gm,
];
/** Suffixes that turn a folder name into that of a sibling. */
const SIBLING_TAILS = ['-private', '-backup', '2', '_old', '-old', '.bak', '-archive', '-secret'];
/** Maximum number of folder names that are tried. */
const FOLDERS_MAX = 4;
/** Link entries in a listing, in various notations. */
const LINK_ENTRY = /^[ \t]*(\w[\w./-]*?)@?[ \t]*(?:->|→|=>|\(?(?:sym)?link\b|@$)/gim;
const LINKS_MAX = 4;
/** Maximum number of characters searched for names in one text. */
const TEXT_CHARS_MAX = 20_000;
/** Words after "in" and "of" that are not folders. */
const NO_FOLDER =
  /^(?:the|this|that|all|any|each|file|files|folder|text|it|its|what|which|page|path)$/i;

/**
 * Searches for a way out if the well-known file cannot be read: folders that open with a step out
 * although unknown ones do not, siblings of the known folder, and listed links.
 */
export async function walkOut(means: PathWalkDeps, one: Aim): Promise<readonly Sighting[]> {
  const unknown = await sendPath(means, one, means.session.canary('no-such-file').slice(0, 12));
  // A tool that accepts any name proves nothing.
  if (isSuccess(unknown)) return [];
  const short = await sendPath(means, one, means.session.canary('short').slice(0, 11));
  if (isSuccess(short)) return [];
  const found: Sighting[] = [];
  for (const step of ['..', '../..', '%2e%2e', '..%2f', '/']) {
    if (!means.hasRoom()) break;
    const outcome = await sendPath(means, one, step);
    if (!isSuccess(outcome) || resultText(outcome).trim() === '') continue;
    const kind = step === '/' ? 'absolute' : step.includes('%') ? 'encoded' : 'dot-dot';
    found.push(createPathSighting(one, kind, { outcome, control: unknown }));
    break;
  }
  const told = await collectTexts(means, one, unknown);
  return [
    ...found,
    ...(await trySiblings(means, one, { unknown, texts: told })),
    ...(await tryLinks(means, one, { unknown, texts: told })),
  ];
}

interface KnownTexts {
  readonly unknown: RpcOutcome;
  /** Texts that may name the target's folder. */
  readonly texts: string;
}

async function trySiblings(
  means: PathWalkDeps,
  one: Aim,
  { unknown, texts: told }: KnownTexts,
): Promise<readonly Sighting[]> {
  const names = FOLDER_WORDS.flatMap((form) => [...told.matchAll(form)].map(([, name]) => name));
  const folders = [...new Set(names.filter((name) => name !== undefined))]
    .filter((name) => !NO_FOLDER.test(name))
    .map((name) => name.replace(/\.$/, ''));
  for (const folder of folders.slice(0, FOLDERS_MAX)) {
    for (const tail of SIBLING_TAILS) {
      if (!means.hasRoom()) return [];
      const outcome = await sendPath(means, one, `../${folder}${tail}`);
      if (isSuccess(outcome))
        return [createPathSighting(one, 'sibling', { outcome, control: unknown })];
    }
  }
  return [];
}

/** Follows links to the well-known file, or to entries that no listing contains. */
async function tryLinks(
  means: PathWalkDeps,
  one: Aim,
  { unknown, texts: told }: KnownTexts,
): Promise<readonly Sighting[]> {
  const links = [...told.matchAll(LINK_ENTRY)].map(([, name]) => name ?? '');
  const listed = splitNames(told);
  for (const link of [...new Set(links)].slice(0, LINKS_MAX)) {
    if (!means.hasRoom()) return [];
    const opened = await sendPath(means, one, link);
    if (isSuccess(opened) && isUnlistedFolder(resultText(opened), listed)) {
      return [createPathSighting(one, 'symlink', { outcome: opened, control: unknown })];
    }
    const through = await sendPath(means, one, `${link}/etc/passwd`);
    if (USERS_SIGN.test(resultText(through))) {
      return [createPathSighting(one, 'symlink', { outcome: through, control: unknown })];
    }
  }
  return [];
}

/** Returns whether a text is a folder listing with an entry that the target's own listing lacks. */
function isUnlistedFolder(said: string, listed: ReadonlySet<string>): boolean {
  const lines = said.split('\n').filter((line) => line.trim() !== '');
  const isFolder = lines.length > 0 && lines.every((line) => /^[\w.-]+\/?$/.test(line.trim()));
  return isFolder && lines.some((line) => !listed.has(line.trim().replace(/\/$/, '')));
}

function splitNames(told: string): ReadonlySet<string> {
  return new Set(told.split(/[\s/"'`(),>]+/).map((name) => name.replace(/[.:]$/, '')));
}

/** Collects descriptions, instructions, errors, and the output of tools without arguments. */
async function collectTexts(means: PathWalkDeps, one: Aim, unknown: RpcOutcome): Promise<string> {
  const { recon } = means.session;
  const texts = [
    describeTool(one.tool).split('\n')[0] ?? '',
    one.slot.description,
    recon.greeting?.instructions ?? '',
    resultText(unknown),
  ];
  for (const tool of readOnlyTools(means.session)) {
    const required = inputSchemaOf(tool)['required'];
    const isPlain = !Array.isArray(required) || required.length === 0;
    if (!isPlain || tool.name === one.tool.name || !means.hasRoom()) continue;
    texts.push(resultText(await callTool(means.connection, tool.name, {})));
  }
  const leftOut = { chars: 0 };
  const told = texts.map((text) => takeBeginning(text, leftOut, TEXT_CHARS_MAX)).join('\n');
  addOmittedDoubt(means.session.doubts, leftOut);
  return told;
}

/** Creates the finding for a path that leads outside in one `kind` of way. */
export function createPathSighting(
  one: Aim,
  kind: string,
  seen: { readonly outcome: RpcOutcome; readonly control: RpcOutcome },
): Sighting {
  return {
    title: `A path in "${one.slot.path.join('.')}" leads outside: ${kind}`,
    severity: 'high',
    status: 'unreproduced',
    tool: one.tool.name,
    evidence: createRpcEvidence(seen.outcome),
    control: createRpcEvidence(seen.control),
    remediation:
      'Resolve the whole path, including links, and compare it with the folder plus a trailing ' +
      'separator before you open anything.',
  };
}

/** Calls the tool with one path. */
export async function sendPath({ session, connection }: PathWalkDeps, one: Aim, text: string) {
  return await callTool(connection, one.tool.name, createAimedArguments(session, one, text));
}

import type { BlobStore } from '../../domain/common/blob-store.ts';
import { AppError } from '../../domain/common/error.ts';
import { isObject, type JsonObject } from '../../domain/common/json.ts';
import type { LlmModel } from '../../domain/llm/llm.ts';
import type { PanelBrief, PanelDefinition, PromptFacts } from '../../domain/panel/definition.ts';
import type { TurnOrder, TurnPrompt } from '../../domain/panel/order.ts';

/** Briefs of one store of texts that are kept parsed; the one that was parsed first goes first. */
const BRIEFS_KEPT_MAX = 64;
/** What stands where an argument named a member of the panel. */
const CONCEALED = '[a member]';

/**
 * Reads a brief from where it is kept. Every turn asks for it, so callers share one object.
 *
 * @throws {AppError} `INVARIANT` when it is not there: it was kept before the job was ordered.
 */
export function loadBrief(panel: PanelDefinition, blobs: BlobStore, briefSha: string): PanelBrief {
  const parsed = briefsOf(blobs);
  const known = parsed.get(briefSha);
  if (known !== undefined) return known;
  const brief = panel.brief.parse(JSON.parse(loadText(blobs, briefSha)));
  const [oldest] = parsed.keys();
  if (oldest !== undefined && parsed.size >= BRIEFS_KEPT_MAX) parsed.delete(oldest);
  parsed.set(briefSha, brief);
  return brief;
}

/** What a prompt is made from, and whose names must not stand in it. */
export interface PromptParts {
  readonly brief: PanelBrief;
  readonly blobs: BlobStore;
  readonly models: readonly LlmModel[];
}

/** Words the prompt of a turn from what is kept; equal orders give equal prompts. */
export function promptOf(panel: PanelDefinition, order: TurnOrder, o: PromptParts): TurnPrompt {
  return panel.prompt(order, promptFacts(order, o));
}

/** What a turn is worded or decided from, with names that tell who speaks taken out. */
export function promptFacts(order: TurnOrder, { brief, blobs, models }: PromptParts): PromptFacts {
  const conceal = concealerOf(brief, models);
  return {
    brief,
    notes: loadNotes(blobs, order.notes),
    textOf: (sha) => conceal(loadText(blobs, sha)),
    contentOf: (sha) => asObject(conceal(loadText(blobs, sha))),
  };
}

/** Reads a text that must be there. */
export function loadText(blobs: BlobStore, sha: string): string {
  const text = blobs.get(sha);
  if (text !== undefined) return text;
  throw new AppError('INVARIANT', { message: 'a text that a panel refers to is kept' });
}

/** Reads what was computed so far, by phase. */
export function loadNotes(
  blobs: BlobStore,
  shas: Readonly<Record<string, string>> = {},
): Readonly<Record<string, JsonObject>> {
  return Object.fromEntries(
    Object.entries(shas).map(([phase, sha]) => [phase, asObject(loadText(blobs, sha))]),
  );
}

/**
 * Names that would tell who speaks. Those that the question itself uses are left out: there they
 * are the matter, and the seats must be able to speak of it.
 */
export function telltaleNames(models: readonly LlmModel[], brief: PanelBrief): readonly string[] {
  const said = JSON.stringify(brief).toLowerCase();
  const names = models.flatMap(({ modelId, vendor, model, family }) => [
    modelId,
    model,
    vendor,
    family,
  ]);
  return [...new Set(names.map((name) => name.toLowerCase()))]
    .filter((name) => name.length > 1 && !said.includes(name))
    .sort((left, right) => right.length - left.length);
}

/** Takes telltale names out of an argument before another seat reads it. */
type Concealer = (argument: string) => string;

/** Makes what takes names out of arguments. */
export function concealing(names: readonly string[]): Concealer {
  if (names.length === 0) return (argument) => argument;
  const words = names.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|');
  const pattern = new RegExp(`(?<![\\w])(?:${words})(?![A-Za-z])`, 'gi');
  return (argument) => argument.replace(pattern, CONCEALED);
}

function asObject(text: string): JsonObject {
  const value: unknown = JSON.parse(text);
  if (isObject(value)) return value as JsonObject;
  throw new AppError('INVARIANT', { message: 'what a panel keeps beside texts are objects' });
}

const briefs = new WeakMap<BlobStore, Map<string, PanelBrief>>();

function briefsOf(blobs: BlobStore): Map<string, PanelBrief> {
  const known = briefs.get(blobs);
  if (known !== undefined) return known;
  const none = new Map<string, PanelBrief>();
  briefs.set(blobs, none);
  return none;
}

const concealers = new WeakMap<
  PanelBrief,
  { readonly models: readonly LlmModel[]; readonly conceal: Concealer }
>();

function concealerOf(brief: PanelBrief, models: readonly LlmModel[]): Concealer {
  const known = concealers.get(brief);
  if (known?.models === models) return known.conceal;
  const conceal = concealing(telltaleNames(models, brief));
  concealers.set(brief, { models, conceal });
  return conceal;
}

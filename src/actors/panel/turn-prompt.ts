import { LRUCache } from 'lru-cache';
import type { BlobStore } from '../../domain/common/blob-store.ts';
import { AppError } from '../../domain/common/error.ts';
import { isObject, type JsonObject } from '../../domain/common/json.ts';
import type { LlmModel } from '../../domain/llm/llm.ts';
import type { PanelBrief, PanelDefinition, PromptInput } from '../../domain/panel/definition.ts';
import type { TurnOrder, TurnPrompt } from '../../domain/panel/order.ts';
import type { Services } from '../common/services.ts';

/** Maximum number of parsed briefs cached per blob store. */
const BRIEFS_CACHED_MAX = 64;
/** Replacement for a member's name in an argument. */
const REDACTED_NAME = '[a member]';

/**
 * Loads a brief from the blob store. All turns share one parsed object.
 *
 * @throws {AppError} `INVARIANT` if it is missing, because briefs are stored before the job is
 *   ordered.
 */
export function loadBrief(panel: PanelDefinition, blobs: BlobStore, briefSha: string): PanelBrief {
  const parsed = briefCacheOf(blobs);
  const known = parsed.get(briefSha);
  if (known !== undefined) return known;
  const brief = panel.brief.parse(JSON.parse(loadText(blobs, briefSha)));
  parsed.set(briefSha, brief);
  return brief;
}

/** Inputs of a prompt, and the models whose names it must not contain. */
export interface PromptDeps extends Pick<Services, 'blobs'> {
  readonly brief: PanelBrief;
  readonly models: readonly LlmModel[];
}

/** Builds the prompt of a turn. Equal orders give equal prompts. */
export function createPrompt(panel: PanelDefinition, order: TurnOrder, o: PromptDeps): TurnPrompt {
  return panel.prompt(order, createPromptFacts(order, o));
}

/** Returns the inputs of a turn, with names that identify speakers removed. */
export function createPromptFacts(
  order: TurnOrder,
  { brief, blobs, models }: PromptDeps,
): PromptInput {
  const conceal = nameRedactorOf(brief, models);
  return {
    brief,
    notes: loadNotes(blobs, order.notes),
    textOf: (sha) => conceal(loadText(blobs, sha)),
    contentOf: (sha) => parseObject(conceal(loadText(blobs, sha))),
  };
}

/** Loads a text that must exist. */
export function loadText(blobs: BlobStore, sha: string): string {
  const text = blobs.get(sha);
  if (text !== undefined) return text;
  throw new AppError('INVARIANT', { message: 'every text that a panel refers to is stored' });
}

/** Loads the computed notes by phase. */
export function loadNotes(
  blobs: BlobStore,
  shas: Readonly<Record<string, string>> = {},
): Readonly<Record<string, JsonObject>> {
  return Object.fromEntries(
    Object.entries(shas).map(([phase, sha]) => [phase, parseObject(loadText(blobs, sha))]),
  );
}

/**
 * Returns names that would identify a speaker. Names that occur in the question are excluded,
 * because the seats must be able to discuss them.
 */
export function identifyingNames(
  models: readonly LlmModel[],
  brief: PanelBrief,
): readonly string[] {
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

/** Removes identifying names from an argument before another seat reads it. */
type NameRedactor = (argument: string) => string;

/** Creates a function that removes names from arguments. */
export function createNameRedactor(names: readonly string[]): NameRedactor {
  if (names.length === 0) return (argument) => argument;
  const words = names.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|');
  const pattern = new RegExp(`(?<![\\w])(?:${words})(?![A-Za-z])`, 'gi');
  return (argument) => argument.replace(pattern, REDACTED_NAME);
}

function parseObject(text: string): JsonObject {
  const value: unknown = JSON.parse(text);
  if (isObject(value)) return value as JsonObject;
  throw new AppError('INVARIANT', { message: 'stored panel notes are JSON objects' });
}

const briefCaches = new WeakMap<BlobStore, LRUCache<string, PanelBrief>>();

function briefCacheOf(blobs: BlobStore): LRUCache<string, PanelBrief> {
  const known = briefCaches.get(blobs);
  if (known !== undefined) return known;
  const none = new LRUCache<string, PanelBrief>({ max: BRIEFS_CACHED_MAX });
  briefCaches.set(blobs, none);
  return none;
}

const nameRedactors = new WeakMap<
  PanelBrief,
  { readonly models: readonly LlmModel[]; readonly conceal: NameRedactor }
>();

function nameRedactorOf(brief: PanelBrief, models: readonly LlmModel[]): NameRedactor {
  const known = nameRedactors.get(brief);
  if (known?.models === models) return known.conceal;
  const conceal = createNameRedactor(identifyingNames(models, brief));
  nameRedactors.set(brief, { models, conceal });
  return conceal;
}

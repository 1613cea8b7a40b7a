import type { TurnOrder } from '../../domain/panel/order.ts';
import { type TurnPrompt, turnPrompt } from '../../domain/debate/prompt.ts';
import { DebateBrief } from '../../domain/debate/records.ts';
import { AppError } from '../../domain/error.ts';
import type { BlobStore } from '../../domain/ports/blob-store.ts';
import type { LlmModel } from '../../domain/ports/llm.ts';

/** Briefs of one store of texts that are kept parsed; the one that was parsed first goes first. */
const BRIEFS_KEPT_MAX = 64;
/** What stands where an argument named a member of the panel. */
const CONCEALED = '[a member]';

/**
 * Reads a brief from where it is kept. Every turn asks for it, so callers share one object.
 *
 * @throws {AppError} `INVARIANT` when it is not there: it was kept before the job was ordered.
 */
export function loadBrief(blobs: BlobStore, briefSha: string): DebateBrief {
  const parsed = briefsOf(blobs);
  const known = parsed.get(briefSha);
  if (known !== undefined) return known;
  const brief = DebateBrief.parse(JSON.parse(loadText(blobs, briefSha)));
  const [oldest] = parsed.keys();
  if (oldest !== undefined && parsed.size >= BRIEFS_KEPT_MAX) parsed.delete(oldest);
  parsed.set(briefSha, brief);
  return brief;
}

/** Words the prompt of a turn from what is kept; equal orders give equal prompts. */
export function promptOf(
  order: TurnOrder,
  o: { brief: DebateBrief; blobs: BlobStore; models: readonly LlmModel[] },
): TurnPrompt {
  const conceal = concealerOf(o.brief, o.models);
  return turnPrompt(order, o.brief, (sha) => conceal(loadText(o.blobs, sha)));
}

/** Reads a text that must be there. */
export function loadText(blobs: BlobStore, sha: string): string {
  const text = blobs.get(sha);
  if (text !== undefined) return text;
  throw new AppError('INVARIANT', { message: 'a text that a panel refers to is kept' });
}

/**
 * Names that would tell who speaks. Those that the question itself uses are left out: there they
 * are the matter, and the seats must be able to speak of it.
 */
export function telltaleNames(models: readonly LlmModel[], brief: DebateBrief): readonly string[] {
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

const briefs = new WeakMap<BlobStore, Map<string, DebateBrief>>();

function briefsOf(blobs: BlobStore): Map<string, DebateBrief> {
  const known = briefs.get(blobs);
  if (known !== undefined) return known;
  const none = new Map<string, DebateBrief>();
  briefs.set(blobs, none);
  return none;
}

const concealers = new WeakMap<
  DebateBrief,
  { readonly models: readonly LlmModel[]; readonly conceal: Concealer }
>();

function concealerOf(brief: DebateBrief, models: readonly LlmModel[]): Concealer {
  const known = concealers.get(brief);
  if (known?.models === models) return known.conceal;
  const conceal = concealing(telltaleNames(models, brief));
  concealers.set(brief, { models, conceal });
  return conceal;
}

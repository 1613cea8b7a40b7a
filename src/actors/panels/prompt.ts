import type { TurnOrder } from '../../domain/debate/order.ts';
import { type TurnPrompt, turnPrompt } from '../../domain/debate/prompt.ts';
import { DebateBrief } from '../../domain/debate/records.ts';
import { AppError } from '../../domain/error.ts';
import type { BlobStore } from '../../domain/ports/blob-store.ts';
import type { LlmModel } from '../../domain/ports/llm.ts';

/** What stands where an argument named a member of the panel. */
const CONCEALED = '[a member]';

/**
 * Reads a brief from where it is kept.
 *
 * @throws {AppError} `INVARIANT` when it is not there: it was kept before the job was ordered.
 */
export function loadBrief(blobs: BlobStore, briefSha: string): DebateBrief {
  return DebateBrief.parse(JSON.parse(loadText(blobs, briefSha)));
}

/** Words the prompt of a turn from what is kept; equal orders give equal prompts. */
export function promptOf(
  order: TurnOrder,
  o: { brief: DebateBrief; blobs: BlobStore; models: readonly LlmModel[] },
): TurnPrompt {
  const names = telltaleNames(o.models, o.brief);
  return turnPrompt(order, o.brief, (sha) => conceal(loadText(o.blobs, sha), names));
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
export function conceal(argument: string, names: readonly string[]): string {
  if (names.length === 0) return argument;
  const pattern = names.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|');
  return argument.replace(new RegExp(`(?<![\\w])(?:${pattern})(?![A-Za-z])`, 'gi'), CONCEALED);
}

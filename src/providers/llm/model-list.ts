import { AppError } from '../../domain/common/error.ts';
import { trimEndChars } from '../../domain/common/text.ts';
import { LLM_MODELS_MAX, type LlmModel } from '../../domain/llm/llm.ts';
import { modelFamily } from './family.ts';

/** A model with its address and key. */
export interface ModelEntry extends LlmModel {
  /** Base URL of its API. */
  readonly url: string;
  /** The configured address; `undefined` for the vendor's own. */
  readonly baseUrl: string | undefined;
  /** Environment variable with the key; `undefined` if the host needs none. */
  readonly keyVariable: string | undefined;
}

const ENTRY_PATTERN =
  /^(openai|anthropic):([^@#\s]+)(?:@(https?:\/\/[^#\s]+))?(?:#([A-Za-z_][A-Za-z0-9_]*))?$/;
const ENTRY_FORMAT = 'vendor:model[@baseURL][#KEY_VARIABLE], with vendor openai or anthropic';
const VENDOR_URLS = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com',
} as const;
const VENDOR_KEY_VARIABLES = { openai: 'OPENAI_API_KEY', anthropic: 'ANTHROPIC_API_KEY' } as const;

/**
 * Parses the list of models. A model at its vendor's own address uses the vendor's key variable. A
 * model at another address gets a key only if its entry names one, so that no key leaks.
 *
 * @param text - Comma-separated `vendor:model[@baseURL][#KEY_VARIABLE]`; empty for no models.
 * @throws {AppError} `CONFIG_INVALID` naming the entry.
 */
export function parseModelList(text: string): readonly ModelEntry[] {
  const parts = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  if (parts.length > LLM_MODELS_MAX) {
    throw invalidEntry(`more than ${LLM_MODELS_MAX} models`, String(parts.length));
  }
  const entries = parts.map(parseEntry);
  const seen = new Set<string>();
  for (const entry of entries) {
    if (seen.has(entry.modelId)) throw invalidEntry('a duplicate model', entry.modelId);
    seen.add(entry.modelId);
  }
  return entries;
}

function parseEntry(part: string): ModelEntry {
  const [, vendorName, model, baseUrl, key] = ENTRY_PATTERN.exec(part) ?? [];
  if (vendorName === undefined || model === undefined) throw invalidEntry('an invalid entry', part);
  if (baseUrl !== undefined) checkBaseUrl(baseUrl, part);
  const vendor = vendorName === 'openai' ? 'openai' : 'anthropic';
  const shownBase = baseUrl === undefined ? undefined : trimEndChars(baseUrl, '/');
  return {
    modelId: `${vendor}:${model}`,
    vendor,
    model,
    family: modelFamily(vendor, model),
    url: shownBase ?? VENDOR_URLS[vendor],
    baseUrl: shownBase,
    keyVariable: key ?? (baseUrl === undefined ? VENDOR_KEY_VARIABLES[vendor] : undefined),
  };
}

function checkBaseUrl(baseUrl: string, part: string): void {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url === undefined) throw invalidEntry('an invalid URL in', part);
  // The value may be printed with the configuration, so it must not contain a password.
  if (url.username !== '' || url.password !== '') {
    throw invalidEntry('a password in the URL of', `${url.protocol}//…@${url.host}`);
  }
}

function invalidEntry(what: string, entry: string): AppError {
  return new AppError('CONFIG_INVALID', {
    message: `STOA_LLM_MODELS has ${what}: ${JSON.stringify(entry)}. Use ${ENTRY_FORMAT}.`,
    data: { variable: 'STOA_LLM_MODELS', received: entry, allowed: ENTRY_FORMAT },
  });
}

import { z } from 'zod';
import { DataFailure } from '../data/data-failure.ts';
import { Sha256, SourceRecord } from '../data/source.ts';

/** Kinds of documents. */
export const DocumentKind = z.enum([
  'encyclopedia',
  'scholarly',
  'news',
  'filing',
  'discussion',
  'page',
]);
/** The kind of a document. */
export type DocumentKind = z.infer<typeof DocumentKind>;

/** Maximum number of characters read from one document. */
export const DOCUMENT_CHARS_MAX = 40_000;

const Source = SourceRecord.omit({ id: true });

/** Result of a search step: documents found and errors. */
export const SearchFound = z.object({
  found: z.array(
    z.object({
      url: z.string(),
      title: z.string(),
      publishedAt: z.string().nullable(),
      body: z.object({ text: z.string(), source: Source }).nullable(),
      about: z.string().optional(),
    }),
  ),
  faults: z.array(DataFailure),
});
/** Result of a search step. */
export type SearchFound = z.infer<typeof SearchFound>;

/** A document of one run without invisible content. Passages are ranges of its text. */
export const ResearchDocument = z.object({
  id: z.string().describe('Name within this answer, such as d1.'),
  /** The source that provided it; `web` for a URL of the caller. */
  source: z.string(),
  kind: DocumentKind,
  url: z.string(),
  title: z.string(),
  publishedAt: z.string().nullable(),
  text: z.string(),
  textSha256: Sha256,
  isCut: z.boolean(),
  facts: Source,
});
/** A document of one run. */
export type ResearchDocument = z.infer<typeof ResearchDocument>;

/** Result of the reading step. */
export const DocumentsRead = z.object({
  documents: z.array(ResearchDocument),
  faults: z.array(DataFailure),
  /** URLs of the caller that could not be read. */
  unread: z.array(z.string()),
  removed: z.object({ invisibleCharacters: z.int(), hiddenElements: z.int() }),
});
/** Result of the reading step. */
export type DocumentsRead = z.infer<typeof DocumentsRead>;

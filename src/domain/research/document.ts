import { z } from 'zod';
import { DataFault } from '../data/fault.ts';
import { Sha256, SourceRecord } from '../data/source.ts';

/** What sort of document it is. */
export const DocumentKind = z.enum([
  'encyclopedia',
  'scholarly',
  'news',
  'filing',
  'discussion',
  'page',
]);
/** See {@link DocumentKind}. */
export type DocumentKind = z.infer<typeof DocumentKind>;

/** Characters of one document that are read. */
export const DOCUMENT_CHARS_MAX = 40_000;

const Source = SourceRecord.omit({ id: true });

/** What a search step keeps: documents that were named, and what failed. */
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
  faults: z.array(DataFault),
});
/** See {@link SearchFound}. */
export type SearchFound = z.infer<typeof SearchFound>;

/** A document of one run, cleaned of what nobody would see. Passages are places in its text. */
export const ResearchDocument = z.object({
  id: z.string().describe('Name inside this answer, such as d1.'),
  /** Who was asked for it; `web` for an address of the caller. */
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
/** See {@link ResearchDocument}. */
export type ResearchDocument = z.infer<typeof ResearchDocument>;

/** What the reading step keeps. */
export const DocumentsRead = z.object({
  documents: z.array(ResearchDocument),
  faults: z.array(DataFault),
  /** Addresses of the caller that could not be read. */
  unread: z.array(z.string()),
  removed: z.object({ invisibleCharacters: z.int(), hiddenElements: z.int() }),
});
/** See {@link DocumentsRead}. */
export type DocumentsRead = z.infer<typeof DocumentsRead>;

import { z } from 'zod';
import { Instant, Sha256 } from '../data/source.ts';
import { DocumentKind } from './document.ts';
import { BriefWriter, DropReason } from './results.ts';

const Count = z.int().nonnegative();

/** A sentence of a brief, with its citation numbers. */
export const BriefClaim = z.object({
  text: z.string(),
  cites: z.array(z.int().positive()).min(1),
  support: z.enum(['verbatim', 'paraphrase']).describe('verbatim: quoted from a citation.'),
  numbers_checked: Count,
});
/** A sentence of a brief. */
export type BriefClaim = z.infer<typeof BriefClaim>;

/** A cited passage. */
export const Citation = z.object({
  n: z.int().positive(),
  document: z.string(),
  url: z.string(),
  title: z.string(),
  retrieved_at: Instant,
  quote: z.string().describe('The passage, verbatim. Untrusted.'),
  from: Count.describe('Start in the text of the document, in UTF-16 units.'),
  to: Count,
  quote_sha256: Sha256,
  sources: z.array(z.string()).min(1),
});
/** A cited passage. */
export type Citation = z.infer<typeof Citation>;

const Claims = z.array(BriefClaim);

/** Report of a research job. Every sentence passed the same checks, whoever wrote it. */
export const ResearchReport = z.object({
  topic: z.string(),
  untrusted: z.literal(true).describe('Claims, quotations and titles come from third parties.'),
  executive_summary: Claims,
  answers: z.array(z.object({ question: z.string(), answered: z.boolean(), claims: Claims })),
  mechanisms: Claims,
  alternatives: Claims,
  risks: Claims,
  limitations: z.array(z.string()),
  citations: z.array(Citation),
  documents: z.array(
    z.object({
      id: z.string(),
      source: z.string(),
      kind: DocumentKind,
      url: z.string(),
      title: z.string(),
      published_at: z.string().nullable(),
      text_sha256: Sha256.describe('SHA-256 of the cleaned text of the document, as UTF-8.'),
      chars: Count,
      truncated: z.boolean(),
      cited: z.boolean(),
      sources: z.array(z.string()).min(1),
    }),
  ),
  searched: z.array(
    z.object({
      source: z.string(),
      kind: DocumentKind,
      found: Count,
      read: Count,
      answered: z.boolean(),
    }),
  ),
  writer: BriefWriter,
  checks: z.object({
    claims_checked: Count,
    claims_dropped: Count,
    citations_checked: Count,
    citations_dropped: Count,
    numbers_checked: Count,
  }),
  dropped_claims: z.array(z.object({ part: z.string(), reason: DropReason })),
  removed: z.object({
    invisible_characters: Count,
    hidden_elements: Count,
    passages_to_programs: Count.describe('Passages omitted: they address programs.'),
  }),
});
/** Report of a research job. */
export type ResearchReport = z.infer<typeof ResearchReport>;

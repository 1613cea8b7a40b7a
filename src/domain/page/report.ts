import { z } from 'zod';
import { Sha256 } from '../data/source.ts';
import { Removed } from './clean-text.ts';

/** Report on one page. */
export const PageReport = z.object({
  url: z.string(),
  final_url: z.string(),
  redirects: z.array(z.string()),
  content: z.object({
    untrusted: z.literal(true),
    text: z.string().describe('Page text between two delimiter lines with a secret nonce.'),
    nonce: z.string(),
    chars: z.int().describe('Length of the page text, without the delimiter lines.'),
    words: z.int(),
    truncated: z.boolean(),
    text_sha256: Sha256.describe('SHA-256 of the returned page text, without the delimiter lines.'),
  }),
  claims: z
    .object({
      title: z.string().nullable(),
      byline: z.string().nullable(),
      published_at: z.string().nullable(),
      lang: z.string().nullable(),
    })
    .describe('Metadata from the page. Untrusted, like its text.'),
  links: z.array(z.object({ url: z.string(), text: z.string() })).describe('Untrusted.'),
  removed: Removed,
  extraction: z.object({
    engine: z.enum(['readability', 'body', 'plain']),
    encoding: z.string(),
    content_type: z.string(),
  }),
  robots: z.object({ allowed: z.literal(true), rule_line: z.int().nullable() }),
  cited: z.array(z.string()),
});
/** Report on one page. */
export type PageReport = z.infer<typeof PageReport>;
